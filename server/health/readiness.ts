import type { Environment } from '../model/environment.ts';

const probeMilliseconds = 2000;

/**
 * The need of a dependency: without an 'always' nothing can be done, without a 'sometimes' the most
 * important things still can.
 */
type Need = 'always' | 'sometimes';

interface Probe {
  readonly need: Need;
  readonly run: () => Promise<void>;
}

/** Over once its probe succeeds, or when nobody has met with it again for a while. */
interface Trouble {
  readonly since: number;
  readonly isOver: (() => Promise<void>) | undefined;
}

const troubleMilliseconds = 60_000;

/** Returns whether this process can serve: one probe per thing it depends on. */
export class Readiness {
  readonly #environment: Environment;
  readonly #probes = new Map<string, Probe>();
  /** Troubles that requests have met with, by dependency. */
  readonly #troubles = new Map<string, Trouble>();
  #countDamaged: () => number = () => 0;
  #storeName: () => string | undefined = () => undefined;
  /** Set when the process begins to stop, so that a balancer sends nobody here any more. */
  #draining = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** A probe resolves if its dependency answers; it should be cheap enough for every second. */
  add(dependency: string, need: Need, run: () => Promise<void>): void {
    this.#probes.set(dependency, { need, run });
  }

  /**
   * A request met with something that a probe does not see: a disk that takes no writes, an object
   * that is damaged. The process is not all it should be until `isOver` resolves; without it, as
   * long as somebody meets with it once a minute.
   */
  trouble(dependency: string, isOver?: () => Promise<void>): void {
    this.#troubles.set(dependency, { since: this.#environment.elapsed(), isOver });
  }

  /** Stored objects that were found damaged and not made anew: all is served, and slower. */
  watchDamage(count: () => number): void {
    this.#countDamaged = count;
  }

  /** The object store by the name that it shares with the database. */
  nameStore(name: () => string | undefined): void {
    this.#storeName = name;
  }

  drain(): void {
    this.#draining = true;
  }

  async check(): Promise<ReadinessReport> {
    const probed = [...this.#probes].map(async ([name, { need, run }]) => {
      return { name, need, state: await this.#outcome(run) };
    });
    const troubled = [...this.#troubles].map(async ([name, trouble]) => {
      return { name, need: 'sometimes' as const, state: await this.#stateOf(name, trouble) };
    });
    const outcomes = [...(await Promise.all(probed)), ...(await Promise.all(troubled))];
    const away = outcomes.filter(({ state }) => state !== 'ok');
    const damagedObjects = this.#countDamaged();
    const needs = away.map(({ need }) => need);
    if (damagedObjects > 0) needs.push('sometimes');
    const status = this.#draining ? 'draining' : statusWithout(needs);
    const dependencies: Record<string, 'ok' | 'unavailable'> = {};
    for (const { name, state } of outcomes) {
      if (dependencies[name] !== 'unavailable') dependencies[name] = state;
    }
    const store = this.#storeName();
    const body: ReadinessReport['body'] = {
      status,
      dependencies,
      ...(damagedObjects > 0 && { damagedObjects }),
      ...(store !== undefined && { store }),
    };
    return { ready: status === 'ok' || status === 'degraded', body };
  }

  async #stateOf(name: string, trouble: Trouble): Promise<'ok' | 'unavailable'> {
    const { since, isOver } = trouble;
    const isOld = this.#environment.elapsed() - since > troubleMilliseconds;
    const state = isOver ? await this.#outcome(isOver) : isOld ? 'ok' : 'unavailable';
    if (state === 'ok' && this.#troubles.get(name) === trouble) this.#troubles.delete(name);
    return state;
  }

  /**
   * Outcome of a probe. The reason of a failure is for the log of the dependency's own code: it may
   * name addresses.
   */
  #outcome(probe: () => Promise<void>): Promise<'ok' | 'unavailable'> {
    return new Promise((resolve) => {
      const cancel = this.#environment.after(probeMilliseconds, () => resolve('unavailable'));
      probe()
        .then(
          () => resolve('ok'),
          () => resolve('unavailable'),
        )
        .finally(cancel);
    });
  }
}

function statusWithout(away: readonly Need[]): 'ok' | 'degraded' | 'unavailable' {
  if (away.includes('always')) return 'unavailable';
  return away.length > 0 ? 'degraded' : 'ok';
}

export interface ReadinessReport {
  /** 200 if true, else 503. */
  readonly ready: boolean;
  readonly body: {
    readonly status: 'ok' | 'degraded' | 'draining' | 'unavailable';
    readonly dependencies: Readonly<Record<string, 'ok' | 'unavailable'>>;
    /** Left out when there are none. */
    readonly damagedObjects?: number;
    /** Name that the object store and the database share; left out until they were compared. */
    readonly store?: string;
  };
}
