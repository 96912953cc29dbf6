/** Milliseconds by which the clock has to move by itself to count as set, and not as corrected. */
const stepMilliseconds = 50;

/** The clock of the wall, and one that nobody sets but that rests in a suspended machine. */
interface Clocks {
  readonly wall: () => number;
  readonly even: () => number;
}

/**
 * Measures time that has passed. It runs on when the clock is set back, or a wait of a second would
 * be one of an hour. It follows the clock ahead: so it looks when the machine was suspended, and a
 * wait that ends too early does no harm.
 */
export class SteadyClock {
  readonly #clocks: Clocks;
  /** Milliseconds of the steps ahead so far. */
  #ahead = 0;
  /** Distance of the two clocks at the last look at which it was not the same. */
  #distance: number;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#distance = clocks.wall() - clocks.even();
  }

  /** Milliseconds since some moment; never less than before. */
  elapsed(): number {
    const even = this.#clocks.even();
    const step = this.#clocks.wall() - even - this.#distance;
    if (Math.abs(step) >= stepMilliseconds) {
      this.#distance += step;
      this.#ahead += Math.max(0, step);
    }
    return even + this.#ahead;
  }
}
