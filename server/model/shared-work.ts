/** Work that several may wait for, given up once all of them have gone. */
export class SharedWork<Result> {
  readonly #result: Promise<Result>;
  readonly #abort = new AbortController();
  #waitingCount = 0;

  constructor(begin: (signal: AbortSignal) => Promise<Result>) {
    this.#result = begin(this.#abort.signal);
    // A failure reaches all who wait, and there may be nobody.
    void Promise.allSettled([this.#result]);
  }

  /** True when it was given up, and has no result for anybody who comes now. */
  get isGivenUp(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Calls an action once the work has ended, whatever came of it. */
  whenEnded(action: (isDone: boolean) => void): void {
    this.#result.then(
      () => action(true),
      () => action(false),
    );
  }

  /**
   * Resolves with the result; rejects with the reason of the signal if that is aborted before.
   * Without a signal somebody waits for as long as it takes.
   */
  wait(signal?: AbortSignal): Promise<Result> {
    this.#waitingCount++;
    if (signal === undefined) return this.#result;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(signal.reason as Error);
        if (--this.#waitingCount === 0) this.#abort.abort();
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.whenEnded(() => signal.removeEventListener('abort', leave));
      this.#result.then(resolve, reject);
    });
  }
}
