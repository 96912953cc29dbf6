import { model } from '../grid/model';
import { allocateZeroed, release } from '../memory/arena';

/**
 * Index of a column's cells, so that formulas need not walk over them: rows by value (key-rows.ts),
 * totals from a row on (running-total.ts) and numbers in order (sorted-numbers.ts). It belongs to
 * the column and outlives a recalculation.
 *
 * It only has cells that are up to date: a cell that changes, or becomes pending, leaves it
 * (`noteChanged` in column-index.ts) and is read again by the next query.
 */
@unmanaged
export class IndexRecord {
  /** Address of the column record. */
  column: u32 = 0;
  /** Bytes in use beside this record. */
  bytes: u32 = 0;
  /** Number of its latest query among all queries of the model. */
  askedAt: u64 = 0;
  /** The first running total, or 0 (running-total.ts). */
  totals: u32 = 0;
  /** The first list of sorted numbers, or 0 (sorted-numbers.ts). */
  sorted: u32 = 0;
  /** Number of queries for rows by key. */
  keyQuestions: u32 = 0;
  /** Heads of the chains of rows, by the key's hash; a power of two. */
  heads: u32 = 0;
  headCount: u32 = 0;
  /** Rows that are in a chain. */
  filedCount: u32 = 0;
  /** Address of the records of its chunks, by chunk number. */
  parts: u32 = 0;
  partCount: u32 = 0;
  /** Rows from `filed0` up to `filedEnd` are known; others may be. */
  filed0: u32 = 0;
  filedEnd: u32 = 0;
  /** Kinds of the cells from row `kinds0` up to `kindsEnd` (row-kinds.ts); none where both are 0. */
  kinds: u32 = 0;
  kinds0: u32 = 0;
  kindsEnd: u32 = 0;
  /** The first tail, or 0 (tails.ts). */
  tails: u32 = 0;
  /** The first list of rows with new values, or 0 (first-rows.ts). */
  first: u32 = 0;
  /** Marks of the texts from row `marks0` up to `marksEnd` (text-marks.ts), and room for them. */
  marks: u32 = 0;
  marksRoom: u32 = 0;
  marks0: u32 = 0;
  marksEnd: u32 = 0;
}

/** Allocates a cleared block for an index, and counts its bytes. */
export function takeBytes(index: IndexRecord, byteCount: u32): usize {
  index.bytes += byteCount;
  model().indexBytes += byteCount;
  return allocateZeroed(byteCount);
}

/** Frees a block of `takeBytes`; none is fine. */
export function giveBytes(index: IndexRecord, block: usize, byteCount: u32): void {
  if (!block) return;
  index.bytes -= byteCount;
  model().indexBytes -= byteCount;
  release(block, byteCount);
}
