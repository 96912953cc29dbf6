/** Work of one socket, which is done in the order in which it came. */
export class OrderedWork {
  readonly #failed: (error: unknown) => void;
  /** The last work that waits or is under way; undefined when there is none. */
  #last: Promise<void> | undefined;

  /** `failed` is called with the error of work that is done later; what is done at once throws. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Does work at once when nothing waits, else after all that came before. */
  run(work: () => void | Promise<void>): void {
    const before = this.#last;
    if (before === undefined) {
      const begun = work();
      if (begun === undefined) return;
      this.#wait(begun);
    } else this.#wait(before.then(work));
  }

  #wait(working: Promise<void>): void {
    const done = working.catch(this.#failed).finally(() => {
      if (this.#last === done) this.#last = undefined;
    });
    this.#last = done;
  }
}
