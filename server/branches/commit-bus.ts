import type { Commit, CommitListener } from './commit.ts';

/**
 * Tells durable batches to the followers of branches in this process. Sequencers feed it with their
 * own batches and with those that they read of other processes. It promises nothing that a listener
 * could not do without: batches of a branch come in their order, and one that was written elsewhere
 * may be missing until somebody reads the journal.
 */
export class CommitBus {
  readonly #listeners = new Set<CommitListener>();
  readonly #report: (step: string, error: unknown) => void;

  /** `report` is told of a listener that failed; the others hear of the commit all the same. */
  constructor(report: (step: string, error: unknown) => void) {
    this.#report = report;
  }

  /** Returns what ends it. */
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
