import { realEnvironment } from '../../server/foundation.ts';
import type { Environment } from '../../server/model/environment.ts';

/** The real world, later: what waits for days can be tested at once. Timers keep real time. */
export class MovingClock {
  #offsetMilliseconds = 0;
  readonly #now: () => number;

  /** A clock that stands moves by `forward` alone, however long a busy machine takes. */
  constructor({ stands = false }: { stands?: boolean } = {}) {
    const began = Date.now();
    this.#now = stands ? () => began : () => Date.now();
  }

  readonly environment: Environment = {
    ...realEnvironment,
    now: () => this.#now() + this.#offsetMilliseconds,
  };

  forward(seconds: number): void {
    this.#offsetMilliseconds += seconds * 1000;
  }
}
