/** Runs work one at a time, in order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting++;
    const mine = this.#last.then(work);
    // The next work starts in any case; the caller gets the failure.
    this.#last = mine.then(noop, noop);
    try {
      return await mine;
    } finally {
      this.#waiting--;
    }
  }
}

function noop(): void {
  return undefined;
}
