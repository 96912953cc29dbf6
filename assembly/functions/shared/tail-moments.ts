import { KIND_ERROR, KIND_NUMBER } from '../../abi';
import { cellPayload, readColumn, suspended } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { IndexRecord } from '../../indexes/index-record';
import { TAIL_BITS, Tail, openTail, tailOf } from '../../indexes/tails';
import { addressOf } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { notedWork, setNotedWork } from '../../memory/work';
import { repeatWork } from '../../vm/cell-fuel';
import { MOMENTS_BYTES, Moments, clearMoments, momentsAt, takeNumber } from './moments';

/** Moments of the last rows of a column, which `STDEV(A9:A$99)` filled down asks for. */

/** Rows from which they are kept, and questions about one end before they are. */
const ROWS_LEAST: u32 = 128;
const QUESTIONS_LEAST: u32 = 3;
const MOMENTS: u32 = 1;
/** Units of work for a row. */
const ROW_UNITS: u32 = 24;

/**
 * The moments of rows from `row0` up to `end`, taken upwards; 0 while few have asked for rows with
 * that end, and where there is an error.
 */
export function tailMoments(column: usize, row0: u32, end: u32): usize {
  if (end < row0 + ROWS_LEAST) return 0;
  const index = indexOf(column);
  const tail = tailOf(index, MOMENTS, end);
  if (tail.questions < QUESTIONS_LEAST && ++tail.questions < QUESTIONS_LEAST) return 0;
  const work = notedWork();
  const place = ((row0 + (1 << TAIL_BITS) - 1) >> TAIL_BITS) << TAIL_BITS;
  const isKnown = tail.row0 <= place || lengthen(index, tail, place);
  const moments = momentsAt(scratch(<u32>MOMENTS_BYTES));
  if (isKnown) memory.copy(addressOf(moments), placeOf(tail, place), MOMENTS_BYTES);
  const isTaken = isKnown && takeUpwards(moments, index, place, row0);
  setNotedWork(work);
  if (!isTaken) return 0;
  repeatWork(<u64>(end - row0) * ROW_UNITS);
  return addressOf(moments);
}

function placeOf(tail: Tail, row: u32): usize {
  return <usize>tail.start + <usize>(row >> TAIL_BITS) * MOMENTS_BYTES;
}

/** Goes on to a row above; returns false at an error or a cell that waits. */
function lengthen(index: IndexRecord, tail: Tail, row0: u32): bool {
  openTail(index, tail, <u32>MOMENTS_BYTES);
  const moments = momentsAt(scratch(<u32>MOMENTS_BYTES));
  clearMoments(moments);
  const isBegun = tail.row0 < tail.end;
  if (isBegun) memory.copy(addressOf(moments), placeOf(tail, tail.row0), MOMENTS_BYTES);
  let row = isBegun ? tail.row0 : tail.end;
  while (row > row0) {
    const above = ((row - 1) >> TAIL_BITS) << TAIL_BITS;
    if (!takeUpwards(moments, index, row, above)) return false;
    row = tail.row0 = above;
    memory.copy(placeOf(tail, row), addressOf(moments), MOMENTS_BYTES);
  }
  return true;
}

/** Takes the rows above `end` up to `row0`. */
function takeUpwards(moments: Moments, index: IndexRecord, end: u32, row0: u32): bool {
  for (let row = end; row > row0;) {
    row--;
    const kind = readColumn(index.column, row);
    if (suspended || kind == KIND_ERROR) return false;
    if (kind == KIND_NUMBER) takeNumber(moments, reinterpret<f64>(cellPayload));
  }
  return true;
}
