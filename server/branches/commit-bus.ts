import type { Commit, CommitListener } from './commit.ts';

/**
 * Passes durable batches to listeners in this process. Sequencers send their own batches and those
 * that they read from other processes. Batches of a branch arrive in order, and one that was
 * written elsewhere may be late until somebody reads the journal.
 */
export class CommitBus {
  readonly #listeners = new Set<CommitListener>();
  readonly #report: (step: string, error: unknown) => void;

  /** Makes a bus; `report` is called if a listener fails, which does not affect the others. */
  constructor(report: (step: string, error: unknown) => void) {
    this.#report = report;
  }

  /** Adds a listener; returns a function that removes it. */
  subscribe(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(commit: Commit): void {
    for (const listener of this.#listeners) {
      try {
        listener(commit);
      } catch (error) {
        this.#report('tell a listener of a commit', error);
      }
    }
  }
}
