import type { BranchAddress, StoredSegment } from '../../branches/journal-store.ts';
import { Pace } from '../../branches/pace.ts';
import type { JournalRecord } from '../../branches/record.ts';
import { JournalFault } from '../../branches/replay.ts';
import { packedRecords, readRecord } from '../../branches/segment.ts';
import type { SealedLog } from '../../history/sealed-log-store.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { BackwardTable, BranchOrigin, PageSize } from './sql.ts';

export interface BackwardParts {
  readonly table: Pick<BackwardTable, 'origin' | 'segmentsBefore'>;
  readonly sealed: Pick<SealedLog, 'segmentsAround'>;
  readonly environment: Environment;
}

/** Operations of one branch, the last one first. */
export interface BackwardStep {
  readonly branchNo: number;
  /** Name of the branch; null for a deleted one. */
  readonly branch: string | null;
  /** Sequence up to which operations are older than the transparency log. */
  readonly loggedAfter: number;
  readonly records: readonly JournalRecord[];
  /** Place at which to continue; undefined at the beginning. */
  readonly next: JournalPlace | undefined;
}

export interface JournalPlace {
  readonly branchNo: number;
  readonly seq: number;
}

/** Returns the last operation of a branch at which reading stops. */
export type HeldOf = (branchNo: number) => number;

/** Reads a journal back to the operations that are already held, which are left out. */
export async function* stepsSince(
  journal: Pick<BackwardJournal, 'steps'>,
  workbookId: string,
  { from, heldOf }: { readonly from: JournalPlace; readonly heldOf: HeldOf },
): AsyncGenerator<BackwardStep> {
  if (isHeld(from, heldOf)) return;
  for await (const step of journal.steps(workbookId, from, heldOf)) {
    const { branchNo, next } = step;
    const held = heldOf(branchNo);
    const records = step.records.filter(({ seq }) => seq > held);
    yield { ...step, records };
    if (!next || isHeld(next, heldOf) || records.length < step.records.length) return;
  }
}

/** Returns whether a place is held; a branch without own operations has those of its parent. */
function isHeld({ branchNo, seq }: JournalPlace, heldOf: HeldOf): boolean {
  return seq > 0 && seq <= heldOf(branchNo);
}

const firstPage: PageSize = { segments: 64, bytes: 256 << 10 };
const pageGrowth = 4;
const pageMost: PageSize = { segments: 1_000, bytes: 4 << 20 };
/** Packed bytes after which a step ends: about a millisecond of unpacking. */
const stepBytes = 16 << 10;

/** Operations of one branch behind one up to another one. */
interface Stretch {
  readonly through: number;
  readonly after: number;
}

const holdsNothing: HeldOf = () => 0;

/** Reads a journal from an operation back to the first, through all ancestors of the branch. */
export class BackwardJournal {
  readonly #parts: BackwardParts;

  constructor(parts: BackwardParts) {
    this.#parts = parts;
  }

  /**
   * Yields the operations from a place on. What a branch holds up to `heldOf` need not be read; some
   * of it comes all the same.
   */
  async *steps(
    workbookId: string,
    from: JournalPlace,
    heldOf: HeldOf = holdsNothing,
  ): AsyncGenerator<BackwardStep> {
    const pace = new Pace(this.#parts.environment);
    let place: JournalPlace | undefined = from;
    while (place) {
      const address: BranchAddress = { workbookId, branchNo: place.branchNo };
      const origin = await this.#parts.table.origin(address);
      if (!origin) throw new Failure('branchNotFound');
      const parent = parentOf(origin);
      const { branchNo } = place;
      // A cursor may be forged.
      const through = Math.min(place.seq, origin.head);
      const stretch = { through, after: heldOf(branchNo) };
      for await (const segment of this.#segments(address, stretch)) {
        yield* paced(stepsOf(segment, { through, origin, parent, branchNo }), pace);
      }
      place = parent;
    }
  }

  /** Segments that PostgreSQL no longer has are read from object storage. */
  async *#segments(
    address: BranchAddress,
    { through, after }: Stretch,
  ): AsyncGenerator<StoredSegment> {
    const { table, sealed } = this.#parts;
    let size = firstPage;
    for (let seq = through; seq > after; size = grown(size)) {
      let page: readonly StoredSegment[] = await table.segmentsBefore(address, seq, size, after);
      if ((page[0]?.lastSeq ?? 0) < seq) {
        const around = await sealed.segmentsAround(address, seq);
        page = around.filter(({ firstSeq }) => firstSeq <= seq).toReversed();
      }
      if (page.length === 0) throw await this.#missing(address, seq);
      for (const segment of page) {
        yield segment;
        seq = segment.firstSeq - 1;
      }
    }
  }

  /** Makes the failure of an operation that is missing: the branch was purged, or it is lost. */
  async #missing(address: BranchAddress, seq: number): Promise<Error> {
    const origin = await this.#parts.table.origin(address);
    if (!origin) return new Failure('branchNotFound');
    return new JournalFault(address, `operation ${seq} is missing`);
  }
}

function parentOf({ parentNo, forkSeq }: BranchOrigin): JournalPlace | undefined {
  return parentNo === null || forkSeq === null ? undefined : { branchNo: parentNo, seq: forkSeq };
}

function grown({ segments, bytes }: PageSize): PageSize {
  return {
    segments: Math.min(segments * pageGrowth, pageMost.segments),
    bytes: Math.min(bytes * pageGrowth, pageMost.bytes),
  };
}

/** Yields steps with a pause after each that ends a slice. */
async function* paced(steps: Iterable<BackwardStep>, pace: Pace): AsyncGenerator<BackwardStep> {
  for (const step of steps) {
    yield step;
    if (pace.isDue) await pace.rest();
  }
}

/** Yields the operations of a segment up to one, the last first, in steps of a few. */
function* stepsOf(
  { firstSeq, body }: StoredSegment,
  at: {
    readonly through: number;
    readonly origin: BranchOrigin;
    readonly parent: JournalPlace | undefined;
    readonly branchNo: number;
  },
): Generator<BackwardStep> {
  const { through, origin, parent, branchNo } = at;
  const { name: branch, loggedAfter } = origin;
  const packed = [...packedRecords(body)].slice(0, through - firstSeq + 1);
  let records: JournalRecord[] = [];
  let byteCount = 0;
  for (let seq = firstSeq + packed.length - 1; seq >= firstSeq; seq--) {
    const bytes = packed[seq - firstSeq];
    if (!bytes) continue;
    records.push(readRecord(bytes));
    byteCount += bytes.length;
    if (byteCount < stepBytes && seq > firstSeq) continue;
    const next = seq > 1 ? { branchNo, seq: seq - 1 } : parent;
    yield { branchNo, branch, loggedAfter, records, next };
    records = [];
    byteCount = 0;
  }
}
