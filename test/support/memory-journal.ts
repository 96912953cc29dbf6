import type {
  Append,
  BranchAddress,
  BranchRow,
  JournalStore,
  StoredSegment,
} from '../../server/branches/journal-store.ts';
import { genesisHash } from '../../server/branches/segment.ts';
import type { Environment } from '../../server/model/environment.ts';

/**
 * What goes wrong with one append. `lost`: nothing was written and nobody says so; `unanswered`: it
 * was written and nobody says so; `late`: it is written after its sender was told of an error.
 */
export type AppendFault = 'none' | 'lost' | 'unanswered' | 'late';

/** Time that passes only by waiting, in no time: delays keep their order, not their length. */
export function quickEnvironment(): Environment {
  let now = 1_800_000_000_000;
  return {
    now: () => ++now,
    random: (byteCount) => new Uint8Array(byteCount),
    after: (_delay, action) => {
      const immediate = setImmediate(action);
      return () => clearImmediate(immediate);
    },
  };
}

/** A journal of one branch in memory that keeps the promises of JournalStore, and fails on demand. */
export class MemoryJournal implements JournalStore {
  readonly rows: StoredSegment[] = [];
  appendCount = 0;
  epoch = 0;
  archived = false;
  readonly #nextFault: () => AppendFault;
  #isDown = false;

  constructor(nextFault: () => AppendFault = () => 'none') {
    this.#nextFault = nextFault;
  }

  /** Every call fails while it is down. */
  set isDown(isDown: boolean) {
    this.#isDown = isDown;
  }

  get head(): number {
    return this.rows.at(-1)?.lastSeq ?? 0;
  }

  async append(append: Append): Promise<boolean> {
    await this.#roundTrip();
    this.appendCount++;
    const fault = this.#nextFault();
    if (fault === 'lost') throw new Error('connection lost before the commit');
    if (fault === 'late') {
      setImmediate(() => setImmediate(() => this.#write(append)));
      throw new Error('connection lost while the commit was under way');
    }
    const written = this.#write(append);
    if (fault === 'unanswered') throw new Error('connection lost after the commit');
    await this.#roundTrip();
    return written;
  }

  async branch({ branchNo }: BranchAddress): Promise<BranchRow | undefined> {
    await this.#roundTrip();
    const { head, epoch, archived } = this;
    const headHash = this.rows.at(-1)?.hash ?? genesisHash;
    const begin = { from: undefined, baseHash: genesisHash, sealedSeq: 0, snapshotSeq: 0 };
    const archiving = { archived, isArchivedWithWorkbook: archived };
    return { branchNo, name: 'main', head, headHash, epoch, ...archiving, ...begin };
  }

  async branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined> {
    return name === 'main' ? this.branch({ workbookId, branchNo: 1 }) : undefined;
  }

  async segments(_address: BranchAddress, after: number): Promise<StoredSegment[]> {
    await this.#roundTrip();
    return this.rows.filter(({ lastSeq }) => lastSeq > after).slice(0, 3);
  }

  #write({ expectedHead, epoch, segments }: Append): boolean {
    if (this.head !== expectedHead || this.epoch !== epoch || this.archived) return false;
    this.rows.push(...segments);
    return true;
  }

  async #roundTrip(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#isDown) throw new Error('the database is down');
  }
}
