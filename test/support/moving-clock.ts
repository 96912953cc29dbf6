import { realEnvironment } from '../../server/foundation.ts';
import type { Environment } from '../../server/model/environment.ts';

/** The real world, later: what waits for days can be tested at once. Timers keep real time. */
export class MovingClock {
  #offsetMilliseconds = 0;

  readonly environment: Environment = {
    ...realEnvironment,
    now: () => Date.now() + this.#offsetMilliseconds,
  };

  forward(seconds: number): void {
    this.#offsetMilliseconds += seconds * 1000;
  }
}
