import { CHUNK_ROWS } from '../abi';
import { addressOf, at } from '../memory/pointer';
import { IndexRecord, giveBytes, takeBytes } from './index-record';

/** Totals of the numbers from a row on; a `TOTAL_*` says which fields are valid. */
@unmanaged
export class Totals {
  sum: f64 = 0;
  least: f64 = 0;
  greatest: f64 = 0;
  count: u32 = 0;
  /** First error, after which the total ends; -1 for none. */
  error: i32 = -1;
}

/**
 * A total from a row of a column on. SUM(A$1:A1), SUM(A$1:A2) and so on continue each other, so a
 * column of them takes one walk; after a change the walk continues from the first row of the
 * changed chunk.
 */
@unmanaged
export class RunningTotal {
  /** The next of this column, or 0. */
  next: u32 = 0;
  /** TOTAL_*. */
  kind: u32 = 0;
  row0: u32 = 0;
  /** One past the last row in the total. */
  end: u32 = 0;
  /** Totals up to the first rows of the chunks behind that of row0, as far as `end`. */
  checkpoints: u32 = 0;
  checkpointRoom: u32 = 0;
  // The totals up to `end` follow.
}

/** Sum and count, the first error. */
export const TOTAL_SUM: u32 = 0;
/** Least, greatest and count, the first error. */
export const TOTAL_SPAN: u32 = 1;
/** Count of numbers, or of all that is not blank. */
export const TOTAL_COUNT: u32 = 2;
export const TOTAL_COUNT_ALL: u32 = 3;
/** Product and count, or sum of squares and count; the first error. */
export const TOTAL_PRODUCT: u32 = 4;
export const TOTAL_SQUARES: u32 = 5;
export const TOTAL_MASK: u32 = 7;
/** With any of them: errors are passed over. */
export const TOTAL_PASSES: u32 = 8;

/** Running totals of a column. */
const KEPT_MOST: u32 = 8;
/**
 * Number of running totals that stay ahead of a new one, so that moving windows do not displace
 * totals that were used again.
 */
const PROVEN: u32 = 4;
const TOTALS_BYTES: u32 = offsetof<Totals>();
const RECORD_BYTES: u32 = offsetof<RunningTotal>() + TOTALS_BYTES;

/**
 * Returns the running total from a row on, an empty one if it is new. Totals that were used again
 * come first; new ones, such as moving windows, come after them.
 */
export function runningTotal(index: IndexRecord, kind: u32, row0: u32): RunningTotal {
  let link: usize = addressOf(index) + offsetof<IndexRecord>('totals');
  let linkOfNew = link;
  let count: u32 = 0;
  for (let place = <usize>load<u32>(link); place; place = <usize>load<u32>(link)) {
    const total = at<RunningTotal>(place);
    const isFound = total.row0 == row0 && total.kind == kind;
    if (isFound || ++count == KEPT_MOST) {
      store<u32>(link, total.next);
      if (isFound) return insertTotal(addressOf(index) + offsetof<IndexRecord>('totals'), total);
      emptyTotal(total, kind, row0);
      return insertTotal(linkOfNew, total);
    }
    link = place + offsetof<RunningTotal>('next');
    if (count == PROVEN) linkOfNew = link;
  }
  const fresh = at<RunningTotal>(takeBytes(index, RECORD_BYTES));
  emptyTotal(fresh, kind, row0);
  return insertTotal(count < PROVEN ? link : linkOfNew, fresh);
}

function insertTotal(link: usize, total: RunningTotal): RunningTotal {
  total.next = load<u32>(link);
  store<u32>(link, <u32>addressOf(total));
  return total;
}

function emptyTotal(total: RunningTotal, kind: u32, row0: u32): void {
  total.kind = kind;
  total.row0 = row0;
  total.end = row0;
  clearTotals(totalsOf(total), kind);
}

function clearTotals(totals: Totals, kind: u32): void {
  totals.sum = (kind & TOTAL_MASK) == TOTAL_PRODUCT ? 1 : 0;
  totals.least = Infinity;
  totals.greatest = -Infinity;
  totals.count = 0;
  totals.error = -1;
}

/** The totals of a running total, up to its end. */
export function totalsOf(total: RunningTotal): Totals {
  return at<Totals>(addressOf(total) + offsetof<RunningTotal>());
}

/** Totals of nothing. */
const NOTHING: usize = memory.data(32, 16);

/**
 * Returns the totals with which a walk up to `end` can begin; `walkFrom` is the first row that they
 * lack.
 */
export function totalsBefore(total: RunningTotal, end: u32): Totals {
  walkFrom = total.end;
  if (total.end <= end) return totalsOf(total);
  const chunks = (end >> 10) - (total.row0 >> 10);
  walkFrom = chunks ? end & ~(CHUNK_ROWS - 1) : total.row0;
  if (chunks) return checkpointAt(total, chunks);
  clearTotals(at<Totals>(NOTHING), total.kind);
  return at<Totals>(NOTHING);
}

export let walkFrom: u32 = 0;

/** Extends a total to `end`, with the totals that the caller has set. */
export function lengthenTotal(index: IndexRecord, total: RunningTotal, end: u32): void {
  total.end = end;
  const chunks = (end >> 10) - (total.row0 >> 10);
  if (end & (CHUNK_ROWS - 1) || !chunks) return;
  if (chunks > total.checkpointRoom) growCheckpoints(index, total, chunks);
  memory.copy(addressOf(checkpointAt(total, chunks)), addressOf(totalsOf(total)), TOTALS_BYTES);
}

/** The totals up to the first row of a chunk, so many chunks behind the one of row0. */
function checkpointAt(total: RunningTotal, chunks: u32): Totals {
  return at<Totals>(<usize>total.checkpoints + <usize>(chunks - 1) * TOTALS_BYTES);
}

function growCheckpoints(index: IndexRecord, total: RunningTotal, count: u32): void {
  const room = max(count, total.checkpointRoom << 1);
  const checkpoints = takeBytes(index, room * TOTALS_BYTES);
  memory.copy(checkpoints, total.checkpoints, total.checkpointRoom * TOTALS_BYTES);
  giveBytes(index, total.checkpoints, total.checkpointRoom * TOTALS_BYTES);
  total.checkpoints = <u32>checkpoints;
  total.checkpointRoom = room;
}

/** Shortens totals, because rows from `row0` to `row1` have changed or are pending. */
export function cutTotals(index: IndexRecord, row0: u32, row1: u32): void {
  let place = <usize>index.totals;
  while (place) {
    const total = at<RunningTotal>(place);
    place = total.next;
    if (row0 >= total.end || row1 < total.row0) continue;
    const kept = totalsBefore(total, max(row0, total.row0));
    memory.copy(addressOf(totalsOf(total)), addressOf(kept), TOTALS_BYTES);
    total.end = walkFrom;
  }
}

/** Frees all memory of the totals. */
export function dropTotals(index: IndexRecord): void {
  while (index.totals) {
    const place = <usize>index.totals;
    const total = at<RunningTotal>(place);
    index.totals = total.next;
    giveBytes(index, total.checkpoints, total.checkpointRoom * TOTALS_BYTES);
    giveBytes(index, place, RECORD_BYTES);
  }
}
