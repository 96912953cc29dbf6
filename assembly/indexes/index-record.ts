import { model } from '../grid/model';
import { allocateZeroed, release } from '../memory/arena';

/**
 * What is known of a column beside its cells, so that formulas need not walk over them: its rows by
 * what is in them (key-rows.ts) and totals from a row on (running-total.ts). It hangs from the
 * column and outlives the recalculation that made it.
 *
 * All that is known is known of cells that are not out of date. A cell that changes, or waits to be
 * computed, becomes unknown (`noteChanged` in column-index.ts), and whoever asks next looks at it.
 */
@unmanaged
export class IndexRecord {
  /** Address of the column record. */
  column: u32 = 0;
  /** What it takes beside this record. */
  bytes: u32 = 0;
  /** Number of the question it answered last, of all that were asked in the model. */
  askedAt: u64 = 0;
  /** The first running total, or 0 (running-total.ts). */
  totals: u32 = 0;
  /** Questions about rows by key so far. */
  keyQuestions: u32 = 0;
  /** Heads of the chains of rows, by the key's hash; a power of two. */
  heads: u32 = 0;
  headCount: u32 = 0;
  /** Rows that are in a chain. */
  filedCount: u32 = 0;
  /** What is known of each chunk, by its number. */
  parts: u32 = 0;
  partCount: u32 = 0;
  /** Rows from `filed0` up to `filedEnd` are known; others may be. */
  filed0: u32 = 0;
  filedEnd: u32 = 0;
}

/** A cleared block that counts as the index's. */
export function takeBytes(index: IndexRecord, byteCount: u32): usize {
  index.bytes += byteCount;
  model().indexBytes += byteCount;
  return allocateZeroed(byteCount);
}

/** Gives a block back that `takeBytes` gave; none is fine. */
export function giveBytes(index: IndexRecord, block: usize, byteCount: u32): void {
  if (!block) return;
  index.bytes -= byteCount;
  model().indexBytes -= byteCount;
  release(block, byteCount);
}
