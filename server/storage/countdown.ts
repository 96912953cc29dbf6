import type { Environment } from '../model/environment.ts';

/** A while that can grow. */
export class Countdown {
  ended = false;
  /** Called at its end, to interrupt the work; changes with the work. */
  onEnd: () => void = () => undefined;
  readonly #environment: Environment;
  #extraMilliseconds = 0;
  #cancel: () => void;

  constructor(environment: Environment, milliseconds: number) {
    this.#environment = environment;
    this.#cancel = environment.after(milliseconds, () => this.#runOut());
  }

  extend(milliseconds: number): void {
    this.#extraMilliseconds += milliseconds;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.#cancel();
    this.onEnd();
  }

  /** Ends it early, without an interruption. */
  stop(): void {
    this.#cancel();
  }

  #runOut(): void {
    const milliseconds = this.#extraMilliseconds;
    this.#extraMilliseconds = 0;
    if (milliseconds === 0) this.end();
    else this.#cancel = this.#environment.after(milliseconds, () => this.#runOut());
  }
}
