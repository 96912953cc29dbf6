import type { Environment } from '../model/environment.ts';

const sliceMilliseconds = 8;

/** Keeps synchronous work from holding the event loop: at most 8 ms at a time. */
export class Pace {
  readonly #environment: Environment;
  #sliceStarted: number;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#sliceStarted = environment.now();
  }

  /** To be called when other work has had the thread. */
  begin(): void {
    this.#sliceStarted = this.#environment.now();
  }

  get isDue(): boolean {
    return this.#environment.now() - this.#sliceStarted >= sliceMilliseconds;
  }

  async rest(): Promise<void> {
    await pause(this.#environment, 0);
    this.begin();
  }

  /** Runs a stepwise computation to its end, resting whenever a slice is used up. */
  async run<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.isDue) await this.rest();
    }
  }
}

export function pause(environment: Environment, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    environment.after(milliseconds, resolve);
  });
}
