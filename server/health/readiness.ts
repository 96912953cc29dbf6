import type { Environment } from '../model/environment.ts';

const probeMilliseconds = 2000;

/** Whether nothing can be done without a dependency, or the most important things still can. */
type Need = 'always' | 'sometimes';

interface Probe {
  readonly need: Need;
  readonly run: () => Promise<void>;
}

/** Answers whether this process can serve: one probe per thing it depends on. */
export class Readiness {
  readonly #environment: Environment;
  readonly #probes = new Map<string, Probe>();
  /** Set when the process begins to stop, so that a balancer sends nobody here any more. */
  #draining = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** A probe resolves if its dependency answers; it should be cheap enough for every second. */
  add(dependency: string, need: Need, run: () => Promise<void>): void {
    this.#probes.set(dependency, { need, run });
  }

  drain(): void {
    this.#draining = true;
  }

  async check(): Promise<ReadinessReport> {
    const outcomes = await Promise.all(
      [...this.#probes].map(async ([name, { need, run }]) => {
        return { name, need, state: await this.#outcome(run) };
      }),
    );
    const away = outcomes.filter(({ state }) => state !== 'ok');
    const status = this.#draining ? 'draining' : statusWithout(away.map(({ need }) => need));
    const dependencies = Object.fromEntries(outcomes.map(({ name, state }) => [name, state]));
    return { ready: status === 'ok' || status === 'degraded', body: { status, dependencies } };
  }

  /** Why a probe failed is for the log of the dependency's own code: it may name addresses. */
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
  };
}
