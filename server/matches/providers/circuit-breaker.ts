const failuresMost = 5;
const openMilliseconds = 30_000;

/** Opens after so many failures one after the other: nobody asks for half a minute then. */
export class CircuitBreaker {
  #failures = 0;
  #openUntil = 0;

  /** Milliseconds until somebody may ask; 0 for now. */
  wait(now: number): number {
    return Math.max(0, this.#openUntil - now);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openUntil = 0;
  }

  failed(now: number): void {
    if (++this.#failures < failuresMost) return;
    this.#openUntil = now + openMilliseconds;
    // The next one that fails opens it again.
    this.#failures = failuresMost - 1;
  }
}
