import { SharedQuestions, type OtherProcesses } from '../model/newest.ts';
import type { BranchAddress, BranchRow, JournalStore } from './journal-store.ts';

/** Knowledge about other processes that write to the same journals. */
export interface OtherWriters extends OtherProcesses {
  /** Resolves once the others know of this process, so that they do not rely on their own rows. */
  stayKnown(): Promise<void>;
}

export const noOthers: OtherWriters = {
  isAlone: true,
  mayHaveOthers: false,
  stayKnown: () => Promise.resolve(),
};

/** Reads the rows of branches as of some time after the request. */
export class NewestRows {
  readonly #store: JournalStore;
  readonly #questions = new SharedQuestions<BranchRow | undefined>();

  constructor(store: JournalStore) {
    this.#store = store;
  }

  named(workbookId: string, name: string): Promise<BranchRow | undefined> {
    const ask = () => this.#store.branchNamed(workbookId, name);
    return this.#questions.ask(`${workbookId}/${name}`, ask);
  }

  numbered(address: BranchAddress): Promise<BranchRow | undefined> {
    // An id contains no @.
    const key = `${address.workbookId}@${address.branchNo}`;
    return this.#questions.ask(key, () => this.#store.branch(address));
  }
}
