import { KIND_ERROR, KIND_NUMBER } from '../../abi';
import { cellPayload, columnAt, readColumn, suspended } from '../../grid/sheet';
import { at, addressOf } from '../../memory/pointer';
import { noteWork } from '../../memory/work';
import { answersEpoch } from '../../vm/answer-cache';
import { fail, failure } from '../../vm/call';
import { repeatWork } from '../../vm/cell-fuel';
import { columnArea } from '../../vm/column-reader';
import { Area, usedAreaRows } from '../../vm/reference';
import { Moments, clearMoments, momentsAt, takeNumber, takePair } from './moments';
import { tailMoments } from './tail-moments';

/**
 * Moments of columns, or of two side by side, from a row on: `STDEV(A$1:A9)` goes on where
 * `STDEV(A$1:A8)` ended. They are known as long as answers are (vm/answer-cache.ts).
 */
@unmanaged
class Stretch {
  epoch: u64 = 0;
  /** Addresses of the column records; the second is 0 for numbers alone. */
  first: u32 = 0;
  second: u32 = 0;
  row0: u32 = 0;
  /** Row of the second column beside row0. */
  other0: u32 = 0;
  /** Rows that are taken. */
  taken: u32 = 0;
}

const STRETCH_BYTES: usize = 32 + 112;
const STRETCH_COUNT: u32 = 8;
const STRETCHES: usize = memory.data(8 * (32 + 112), 16);
const HEADER: usize = 32;

/** Units of work for a row. */
const ROW_UNITS: u32 = 24;

function stretchOf(first: usize, second: usize, row0: u32, other0: u32): Stretch {
  const key = (<u32>first ^ (<u32>second * 31) ^ (row0 * 131) ^ (other0 * 17)) * 0x9e3779b1;
  const stretch = at<Stretch>(STRETCHES + <usize>((key >> 29) % STRETCH_COUNT) * STRETCH_BYTES);
  const isOwn =
    stretch.first == <u32>first &&
    stretch.second == <u32>second &&
    stretch.row0 == row0 &&
    stretch.other0 == other0;
  if (isOwn && stretch.epoch == answersEpoch()) return stretch;
  stretch.first = <u32>first;
  stretch.second = <u32>second;
  stretch.row0 = row0;
  stretch.other0 = other0;
  clearStretch(stretch);
  return stretch;
}

function clearStretch(stretch: Stretch): void {
  stretch.epoch = answersEpoch();
  stretch.taken = 0;
  clearMoments(momentsOf(stretch));
}

function momentsOf(stretch: Stretch): Moments {
  return momentsAt(addressOf(stretch) + HEADER);
}

/** Takes rows up to `rows`; stops at an error, which fails the call, or at a cell that waits. */
function takeRows(stretch: Stretch, rows: u32): void {
  if (stretch.taken > rows) clearStretch(stretch);
  repeatWork(<u64>stretch.taken * ROW_UNITS);
  const moments = momentsOf(stretch);
  for (; stretch.taken < rows; stretch.taken++) {
    const row = stretch.row0 + stretch.taken;
    const kind = readColumn(stretch.first, row);
    if (suspended) return;
    const x = reinterpret<f64>(cellPayload);
    if (kind == KIND_ERROR) return fail(<u32>cellPayload);
    let isTaken = kind == KIND_NUMBER;
    if (!stretch.second) {
      if (isTaken) takeNumber(moments, x);
    } else {
      const other = readColumn(stretch.second, stretch.other0 + stretch.taken);
      if (suspended) return;
      if (other == KIND_ERROR) return fail(<u32>cellPayload);
      isTaken = isTaken && other == KIND_NUMBER;
      if (isTaken) takePair(moments, x, reinterpret<f64>(cellPayload));
    }
    noteWork(ROW_UNITS);
  }
}

/** The moments of a slot that is a reference to one column, or 0; the call may have failed. */
export function columnMoments(slot: usize): usize {
  const address = columnArea(slot);
  if (!address) return 0;
  const area = at<Area>(address);
  const column = columnAt(area.sheet, area.column0);
  if (!column) return 0;
  const rows = usedAreaRows(address);
  const tail = tailMoments(column, area.row0, area.row0 + rows);
  if (tail) return tail;
  const stretch = stretchOf(column, 0, area.row0, 0);
  takeRows(stretch, rows);
  return addressOf(momentsOf(stretch));
}

/** The same of pairs of two columns of one height. */
export function pairMoments(first: usize, second: usize): usize {
  const address = columnArea(first);
  const otherAddress = columnArea(second);
  if (!address || !otherAddress) return 0;
  const area = at<Area>(address);
  const other = at<Area>(otherAddress);
  if (area.row1 - area.row0 != other.row1 - other.row0) return 0;
  const column = columnAt(area.sheet, area.column0);
  const otherColumn = columnAt(other.sheet, other.column0);
  if (!column || !otherColumn) return 0;
  const stretch = stretchOf(column, otherColumn, area.row0, other.row0);
  takeRows(stretch, min(usedAreaRows(address), usedAreaRows(otherAddress)));
  return failure < 0 ? addressOf(momentsOf(stretch)) : 0;
}
