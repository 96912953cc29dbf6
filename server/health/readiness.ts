import type { Environment } from '../model/environment.ts';

const probeMilliseconds = 2000;

/** Answers whether this process can serve: one probe per thing it depends on. */
export class Readiness {
  readonly #environment: Environment;
  readonly #probes = new Map<string, () => Promise<void>>();
  /** Set when the process begins to stop, so that a balancer sends nobody here any more. */
  #draining = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** A probe resolves if its dependency answers; it should be cheap enough for every second. */
  add(dependency: string, probe: () => Promise<void>): void {
    this.#probes.set(dependency, probe);
  }

  drain(): void {
    this.#draining = true;
  }

  async check(): Promise<ReadinessReport> {
    const entries = await Promise.all(
      [...this.#probes].map(async ([name, probe]) => [name, await this.#outcome(probe)] as const),
    );
    const dependencies = Object.fromEntries(entries);
    const ready = !this.#draining && Object.values(dependencies).every((state) => state === 'ok');
    const status = this.#draining ? 'draining' : ready ? 'ok' : 'unavailable';
    return { ready, body: { status, dependencies } };
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

export interface ReadinessReport {
  /** 200 if true, else 503. */
  readonly ready: boolean;
  readonly body: {
    readonly status: 'ok' | 'draining' | 'unavailable';
    readonly dependencies: Readonly<Record<string, 'ok' | 'unavailable'>>;
  };
}
