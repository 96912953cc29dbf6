import type { Pace } from '../../branches/pace.ts';
import { packedRecords } from '../../branches/segment.ts';
import { StorageFault } from '../../history/envelope.ts';
import { openSegments, type LogSegment } from '../../history/sealed-log.ts';
import {
  checkBytes,
  checkSegment,
  faultAt,
  unpack,
  type CheckedSegment,
  type Position,
  type SegmentPlace,
} from './chain.ts';
import { rowPlace } from './fault.ts';
import {
  entryFault,
  headFault,
  sealedBeyond,
  sealedParts,
  type SealedPart,
} from './sealed-parts.ts';
import type { HotSegment, StoredBranch, VerifyTable } from './sql.ts';
import { objectFault, type StoredObjects } from './stored-objects.ts';

export interface JournalParts {
  readonly workbookId: string;
  readonly table: Pick<VerifyTable, 'hotSegments'>;
  readonly objects: StoredObjects;
  readonly pace: Pace;
}

/** Returns the hash after an operation in the sealed part of a journal. */
type HashOf = (seq: number) => Buffer | undefined;

/** Follows the journal of one branch from its first operation to its head, wherever it is kept. */
export class JournalCheck {
  readonly #parts: JournalParts;
  readonly #branch: StoredBranch;
  /** Changed by each segment that was checked. */
  #position: Position;
  /** Sequence with which the next row has to begin; undefined before the first one. */
  #nextRowSeq: number | undefined;
  sealedCount = 0;
  segmentCount = 0;

  constructor(branch: StoredBranch, parts: JournalParts) {
    this.#branch = branch;
    this.#parts = parts;
    this.#position = { seq: 0, hash: branch.baseHash };
  }

  /** Yields every operation once, in order; fails with a VerifyFault where something is wrong. */
  async *segments(): AsyncGenerator<CheckedSegment> {
    const { workbookId, objects } = this.#parts;
    for (const part of sealedParts(workbookId, this.#branch, objects)) {
      yield* this.#sealed(part);
    }
    yield* this.#hot();
    this.#checkEnd();
  }

  async *#sealed(part: SealedPart): AsyncGenerator<CheckedSegment> {
    const { segments, byteCount } = await this.#open(part);
    const { branchNo } = this.#branch;
    const hint = objectFault(part.place, { branchNo, seq: 0 }, 'damaged').found.hint;
    const place = { branchNo, where: part.place, hint };
    const checked: CheckedSegment[] = [];
    for (const segment of segments) {
      checked.push(this.#advance(checkSegment(segment, this.#position, place)));
      await this.#restIfDue();
    }
    if (this.#position.seq !== part.lastSeq) throw faultAt(place, part.firstSeq, 'misplaced');
    if (part.entry && part.entry.byteCount !== byteCount) {
      throw entryFault(this.#branch, part.firstSeq, 'wrong_entry');
    }
    const hashes = checked.flatMap((segment) => segment.hashes);
    await this.#compareRows(part, (seq) => hashes[seq - part.firstSeq]);
    this.sealedCount++;
    yield* checked;
  }

  async #open({
    place,
    firstSeq,
  }: SealedPart): Promise<{ segments: LogSegment[]; byteCount: number }> {
    const reader = { branchNo: this.#branch.branchNo, seq: firstSeq };
    const object = await this.#parts.objects.read(place, reader);
    try {
      return { segments: await openSegments(place, object), byteCount: object.length };
    } catch (error) {
      if (error instanceof StorageFault) throw objectFault(place, reader, 'damaged');
      throw error;
    }
  }

  /** Rows of operations that are sealed too may be gone, from the first one on; the rest is equal. */
  async #compareRows({ firstSeq, lastSeq }: SealedPart, hashOf: HashOf): Promise<void> {
    for await (const row of this.#rows(firstSeq - 1, lastSeq)) {
      const place = this.#placeOf(row);
      const hashes = checkBytes(row, place);
      for (const [index, hash] of hashes.entries()) {
        const seq = row.firstSeq + index;
        if (hashOf(seq)?.equals(hash) !== false) continue;
        throw faultAt(place, seq, 'broken_chain');
      }
    }
  }

  async *#hot(): AsyncGenerator<CheckedSegment> {
    const { head } = this.#branch;
    for await (const row of this.#rows(this.#position.seq, head)) {
      const place = this.#placeOf(row);
      const { seq, hash } = this.#position;
      if (row.firstSeq > seq) {
        yield this.#advance(checkSegment(row, this.#position, place));
        continue;
      }
      // The beginning of the row is sealed and was compared with that.
      const hashes = checkBytes(row, place);
      const skipped = seq + 1 - row.firstSeq;
      if (hashes[skipped - 1]?.equals(hash) !== true) throw faultAt(place, seq, 'broken_chain');
      const records = unpack(row, place, row.body).slice(skipped);
      const rest = { firstSeq: seq + 1, lastSeq: row.lastSeq, where: place.where };
      const packed = [...packedRecords(row.body)].slice(skipped);
      yield this.#advance({ ...rest, records, packed, hashes: hashes.slice(skipped) });
    }
  }

  /** The rows that reach beyond an operation, each beginning where the one before it ends. */
  async *#rows(after: number, through: number): AsyncGenerator<HotSegment> {
    const { workbookId, table } = this.#parts;
    const { branchNo } = this.#branch;
    for (let last = after; last < through;) {
      const page = await table.hotSegments({ workbookId, branchNo, after: last, through });
      for (const row of page) {
        this.#checkGap(row);
        yield row;
        last = row.lastSeq;
        await this.#restIfDue();
      }
      if (page.length === 0) return;
    }
  }

  async #restIfDue(): Promise<void> {
    const { pace } = this.#parts;
    if (pace.isDue) await pace.rest();
  }

  #checkGap(row: HotSegment): void {
    const next = this.#nextRowSeq ?? Math.min(row.firstSeq, this.#position.seq + 1);
    this.#nextRowSeq = row.lastSeq + 1;
    // The row at the end of a sealed part may be looked at once more with what follows it.
    if (row.firstSeq <= next) return;
    const { branchNo } = this.#branch;
    const isRenamed = row.previousHash.equals(this.#position.hash);
    const place = isRenamed ? this.#placeOf(row) : rowAt(branchNo, next);
    throw faultAt(place, next, isRenamed ? 'misplaced' : 'missing');
  }

  #advance(checked: CheckedSegment): CheckedSegment {
    const hash = checked.hashes.at(-1);
    if (hash) this.#position = { seq: checked.lastSeq, hash };
    this.segmentCount++;
    return checked;
  }

  #checkEnd(): void {
    const { head, headHash, hotLastSeq, branchNo } = this.#branch;
    const beyond = sealedBeyond(this.#branch, this.#parts.objects);
    const { seq, hash } = this.#position;
    const isWhole = hash.equals(headHash);
    if (seq < head) {
      if (isWhole) throw headFault(this.#branch, seq + 1, `the journal ends at ${seq}`);
      throw faultAt(rowAt(branchNo, seq + 1), seq + 1, 'missing');
    }
    const last = Math.max(seq, hotLastSeq);
    if (last > head) throw headFault(this.#branch, head + 1, `the journal goes on to ${last}`);
    if (beyond) {
      throw headFault(
        this.#branch,
        head + 1,
        `the journal goes on to ${beyond.lastSeq} in ${beyond.place}`,
      );
    }
    if (!isWhole) throw headFault(this.#branch, head, 'head_hash is not the hash of its end');
  }

  #placeOf({ firstSeq }: HotSegment): SegmentPlace {
    return rowAt(this.#branch.branchNo, firstSeq);
  }
}

function rowAt(branchNo: number, firstSeq: number): SegmentPlace {
  const hint =
    'Restore this row from a backup of the database. What a flush has stored of it is in log/ too.';
  return { branchNo, where: rowPlace('segment', branchNo, firstSeq), hint };
}
