const endless = 1 << 30;

/**
 * Keeps a worker from posting more than the other thread has used. Each message costs a credit,
 * which the other thread gives back after use; without one the worker sleeps. It works for
 * synchronous producers, which cannot await.
 */
export class Credit {
  readonly shared: SharedArrayBuffer;
  readonly #count: Int32Array;

  constructor(source: number | SharedArrayBuffer) {
    this.shared = typeof source === 'number' ? new SharedArrayBuffer(4) : source;
    this.#count = new Int32Array(this.shared);
    if (typeof source === 'number') this.#count[0] = source;
  }

  /** Takes a credit; sleeps until there is one. */
  take(): void {
    while (Atomics.sub(this.#count, 0, 1) <= 0) {
      // There was none: undo the subtraction, then wait.
      Atomics.add(this.#count, 0, 1);
      Atomics.wait(this.#count, 0, 0);
    }
  }

  give(count = 1): void {
    Atomics.add(this.#count, 0, count);
    Atomics.notify(this.#count, 0);
  }

  /** Ends all waiting, because nobody will use more messages. */
  giveAll(): void {
    this.give(endless);
  }

  /** True once all waiting was ended. */
  get isEndless(): boolean {
    return Atomics.load(this.#count, 0) > endless >> 1;
  }
}
