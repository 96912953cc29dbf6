/** A bucket of tokens that refills evenly up to its size; one per principal and kind of request. */
export class TokenBucket {
  readonly size: number;
  readonly windowSeconds: number;
  #tokens: number;
  #filledAtMilliseconds: number;

  constructor(size: number, windowSeconds: number, nowMilliseconds: number) {
    this.size = size;
    this.windowSeconds = windowSeconds;
    this.#tokens = size;
    this.#filledAtMilliseconds = nowMilliseconds;
  }

  /** Takes the tokens, or returns the whole seconds to wait; 0 means taken. */
  take(count: number, nowMilliseconds: number): number {
    this.#refill(nowMilliseconds);
    if (this.#tokens >= count) {
      this.#tokens -= count;
      return 0;
    }
    const missing = Math.min(count, this.size) - this.#tokens;
    return Math.max(1, Math.ceil((missing * this.windowSeconds) / this.size));
  }

  /** Whole seconds until one more can be taken; 0 for now. */
  waitSeconds(nowMilliseconds: number): number {
    const waitSeconds = this.take(1, nowMilliseconds);
    if (waitSeconds === 0) this.#tokens += 1;
    return waitSeconds;
  }

  /** Takes what a request turned out to cost, below zero if need be: the next ones wait for it. */
  charge(count: number): void {
    this.#tokens -= count;
  }

  get remaining(): number {
    return Math.max(0, Math.floor(this.#tokens));
  }

  #refill(nowMilliseconds: number): void {
    const elapsedSeconds = Math.max(0, nowMilliseconds - this.#filledAtMilliseconds) / 1000;
    const gained = (elapsedSeconds * this.size) / this.windowSeconds;
    this.#tokens = Math.min(this.size, this.#tokens + gained);
    this.#filledAtMilliseconds = nowMilliseconds;
  }
}
