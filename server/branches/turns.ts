import type { Environment } from '../model/environment.ts';
import { branchKey, type BranchAddress } from './journal-store.ts';

/** The right to write to a branch while other writers of this process wait. */
export interface Turn {
  /** Resolves when the others go on. */
  readonly over: Promise<void>;
}

/** Branches that one writer has to itself for a moment. */
export class Turns {
  readonly #environment: Environment;
  readonly #held = new Map<string, Turn>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns what a submission waits for; undefined if it may go on now. */
  before(address: BranchAddress, own: Turn | undefined): Promise<void> | undefined {
    const turn = this.#held.get(branchKey(address));
    return turn === own ? undefined : turn?.over;
  }

  /**
   * Does some work while others wait to write to a branch, which they do for the given time at
   * most. If somebody holds the branch already, the work begins after that.
   */
  async hold<Result>(
    address: BranchAddress,
    milliseconds: number,
    work: (turn: Turn) => Promise<Result>,
  ): Promise<Result> {
    const key = branchKey(address);
    for (let held = this.#held.get(key); held; held = this.#held.get(key)) await held.over;
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const turn = { over };
    this.#held.set(key, turn);
    const release = (): void => {
      if (this.#held.get(key) === turn) this.#held.delete(key);
      end();
    };
    const cancel = this.#environment.after(milliseconds, release);
    try {
      return await work(turn);
    } finally {
      cancel();
      release();
    }
  }
}
