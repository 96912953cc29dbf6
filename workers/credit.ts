const endless = 1 << 30;

/**
 * Keeps a worker from running ahead of the thread that takes what it posts: each piece costs a
 * credit, and the other side gives it back when it has used the piece. Without one left the worker
 * sleeps. Works for synchronous producers, which could not await anything.
 */
export class Credit {
  readonly shared: SharedArrayBuffer;
  readonly #count: Int32Array;

  constructor(source: number | SharedArrayBuffer) {
    this.shared = typeof source === 'number' ? new SharedArrayBuffer(4) : source;
    this.#count = new Int32Array(this.shared);
    if (typeof source === 'number') this.#count[0] = source;
  }

  /** Takes one; sleeps until there is one. */
  take(): void {
    while (Atomics.sub(this.#count, 0, 1) <= 0) {
      // Put back what was not there, then wait for more.
      Atomics.add(this.#count, 0, 1);
      Atomics.wait(this.#count, 0, 0);
    }
  }

  give(count = 1): void {
    Atomics.add(this.#count, 0, count);
    Atomics.notify(this.#count, 0);
  }

  /** Nobody will take what comes, so the other side need not wait any more. */
  giveAll(): void {
    this.give(endless);
  }
}
