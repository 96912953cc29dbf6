import type { SealedLog } from '../history/sealed-log-store.ts';
import type {
  Append,
  BranchAddress,
  BranchRow,
  JournalStore,
  StoredSegment,
} from './journal-store.ts';

/** One journal, whose beginning may be in object storage only. */
export class LayeredJournal implements JournalStore {
  readonly #recent: JournalStore;
  readonly #sealed: Pick<SealedLog, 'segmentsAfter'>;

  constructor(recent: JournalStore, sealed: Pick<SealedLog, 'segmentsAfter'>) {
    this.#recent = recent;
    this.#sealed = sealed;
  }

  get isStuck(): boolean {
    return this.#recent.isStuck;
  }

  append(append: Append): Promise<boolean> {
    return this.#recent.append(append);
  }

  confirm(): Promise<void> {
    return this.#recent.confirm();
  }

  branch(address: BranchAddress): Promise<BranchRow | undefined> {
    return this.#recent.branch(address);
  }

  branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined> {
    return this.#recent.branchNamed(workbookId, name);
  }

  async segments(
    address: BranchAddress,
    after: number,
    through?: number,
  ): Promise<StoredSegment[]> {
    const found = await this.#recent.segments(address, after, through);
    const [first] = found;
    if (first && first.firstSeq <= after + 1) return found;
    const branch = await this.#recent.branch(address);
    if (!branch || branch.sealedSeq <= after) return found;
    const sealed = await this.#sealed.segmentsAfter(address, after);
    // An object may hold many more than are asked for.
    return sealed.filter(({ firstSeq }) => firstSeq <= (through ?? firstSeq));
  }
}
