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
 * Fault of an append. `lost`: it was not written, and there is no answer; `unanswered`: it was
 * written, and there is no answer; `late`: it is written after its sender got an error; `refused`:
 * PostgreSQL answered that it does not accept the data.
 */
export type AppendFault = 'none' | 'lost' | 'unanswered' | 'late' | 'refused';

/** Returns PostgreSQL's error for U+0000 in a text. */
function refusal(): Error {
  const error = new Error('invalid byte sequence for encoding "UTF8": 0x00');
  return Object.assign(error, { name: 'PostgresError', severity: 'ERROR', code: '22021' });
}

/** Delay from which a timer only fires when nothing else happens. */
const longMilliseconds = 1_000;
/** Turns of the event loop in which nothing else was due. */
const vainTurns = 1_000;

/**
 * An environment whose time only passes by waiting, at once: delays keep their order, not their
 * length. Long ones fire when nothing else has happened for a while.
 */
export function quickEnvironment(): Environment {
  let now = 1_800_000_000_000;
  return {
    now: () => ++now,
    elapsed: () => ++now,
    random: (byteCount) => new Uint8Array(byteCount),
    after: (delay, action) => {
      let turns = delay >= longMilliseconds ? vainTurns : 1;
      let immediate = setImmediate(turn);
      function turn(): void {
        if (--turns === 0) action();
        else immediate = setImmediate(turn);
      }
      return () => clearImmediate(immediate);
    },
  };
}

/**
 * A journal of one branch in memory that keeps the promises of JournalStore, and fails on demand.
 */
export class MemoryJournal implements JournalStore {
  readonly rows: StoredSegment[] = [];
  appendCount = 0;
  confirmCount = 0;
  isStuck = false;
  epoch = 0;
  archived = false;
  readonly #nextFault: () => AppendFault;
  #isDown = false;

  constructor(nextFault: () => AppendFault = () => 'none') {
    this.#nextFault = nextFault;
  }

  /** Makes every call fail, or succeed again. */
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
    if (fault === 'refused') throw refusal();
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

  async confirm(): Promise<void> {
    this.confirmCount++;
    await this.#roundTrip();
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
