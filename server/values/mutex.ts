/** Runs work one after the other, in the order of asking. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting++;
    const mine = this.#last.then(work);
    // Whoever comes next does not care how this one ended; its caller hears of it.
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
