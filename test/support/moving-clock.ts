import { realEnvironment } from '../../server/foundation.ts';
import type { Environment } from '../../server/model/environment.ts';

/** A clock that can be moved forward, for waits of days. Timers use real time. */
export class MovingClock {
  #offsetMilliseconds = 0;
  readonly #now: () => number;

  /** With `stands`, time only moves by `forward`. */
  constructor({ stands = false }: { stands?: boolean } = {}) {
    const began = Date.now();
    this.#now = stands ? () => began : () => Date.now();
  }

  readonly environment: Environment = {
    ...realEnvironment,
    now: () => this.#now() + this.#offsetMilliseconds,
    elapsed: () => this.#now() + this.#offsetMilliseconds,
  };

  forward(seconds: number): void {
    this.#offsetMilliseconds += seconds * 1000;
  }
}
