import { Mutex } from './mutex.ts';

/** Turns of work that holds threads: that of one key is done one after the other. */
export class ExportTurns {
  readonly #turns = new Map<string, Mutex>();

  /** Does work when it is its turn. */
  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.get(key) ?? new Mutex();
    this.#turns.set(key, turn);
    try {
      return await turn.run(work);
    } finally {
      if (!turn.isBusy) this.#turns.delete(key);
    }
  }
}
