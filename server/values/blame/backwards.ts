import type { BranchAddress, StoredSegment } from '../../branches/journal-store.ts';
import type { JournalRecord } from '../../branches/record.ts';
import { JournalFault } from '../../branches/replay.ts';
import { readSegment } from '../../branches/segment.ts';
import type { SealedLog } from '../../history/sealed-log-store.ts';
import { Failure } from '../../model/failure.ts';
import type { BackwardTable, BranchOrigin, PageSize } from './sql.ts';

export interface BackwardParts {
  readonly table: Pick<BackwardTable, 'origin' | 'segmentsBefore'>;
  readonly sealed: Pick<SealedLog, 'segmentsAround'>;
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
  for await (const step of journal.steps(workbookId, from)) {
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

/** Reads a journal from an operation back to the first, through all ancestors of the branch. */
export class BackwardJournal {
  readonly #parts: BackwardParts;

  constructor(parts: BackwardParts) {
    this.#parts = parts;
  }

  async *steps(workbookId: string, from: JournalPlace): AsyncGenerator<BackwardStep> {
    let place: JournalPlace | undefined = from;
    while (place) {
      const address: BranchAddress = { workbookId, branchNo: place.branchNo };
      const origin = await this.#parts.table.origin(address);
      if (!origin) throw new Failure('branchNotFound');
      const parent = parentOf(origin);
      const { branchNo } = place;
      // A cursor may be forged.
      const through = Math.min(place.seq, origin.head);
      for await (const segment of this.#segments(address, through)) {
        yield stepOf(segment, { through, origin, parent, branchNo });
      }
      place = parent;
    }
  }

  /** Segments that PostgreSQL no longer has are read from object storage. */
  async *#segments(address: BranchAddress, through: number): AsyncGenerator<StoredSegment> {
    const { table, sealed } = this.#parts;
    let size = firstPage;
    for (let seq = through; seq > 0; size = grown(size)) {
      let page: readonly StoredSegment[] = await table.segmentsBefore(address, seq, size);
      if ((page[0]?.lastSeq ?? 0) < seq) {
        const around = await sealed.segmentsAround(address, seq);
        page = around.filter(({ firstSeq }) => firstSeq <= seq).toReversed();
      }
      if (page.length === 0) throw new JournalFault(address, `operation ${seq} is missing`);
      for (const segment of page) {
        yield segment;
        seq = segment.firstSeq - 1;
      }
    }
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

function stepOf(
  { firstSeq, body, previousHash }: StoredSegment,
  at: {
    readonly through: number;
    readonly origin: BranchOrigin;
    readonly parent: JournalPlace | undefined;
    readonly branchNo: number;
  },
): BackwardStep {
  const { through, origin, parent, branchNo } = at;
  const { records } = readSegment(body, previousHash);
  const wanted = records.filter(({ seq }) => seq <= through).toReversed();
  const next = firstSeq > 1 ? { branchNo, seq: firstSeq - 1 } : parent;
  const { name: branch, loggedAfter } = origin;
  return { branchNo, branch, loggedAfter, records: wanted, next };
}
