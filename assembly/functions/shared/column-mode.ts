import { KIND_NUMBER } from '../../abi';
import { cellPayload, columnAt, readColumn } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { keyHash, nextRow, openRows } from '../../indexes/key-rows';
import { SortedNumbers } from '../../indexes/sorted-numbers';
import { at } from '../../memory/pointer';
import { countBelow } from '../../memory/sort-doubles';
import { answersEpoch } from '../../vm/answer-cache';
import { argument } from '../../vm/call';
import { repeatWork } from '../../vm/cell-fuel';
import { columnArea } from '../../vm/column-reader';
import { Area, usedAreaRows } from '../../vm/reference';
import { sortUnits } from './number-list';

/**
 * The most frequent number of a column from a row on: `MODE(A$1:A9)` goes on where `MODE(A$1:A8)`
 * ended. It is known as long as answers are (vm/answer-cache.ts).
 */
@unmanaged
class Leading {
  epoch: u64 = 0;
  number: f64 = 0;
  column: u32 = 0;
  row0: u32 = 0;
  /** One past the last row that was looked at. */
  end: u32 = 0;
  /** How often the number is there, and the first row that has it. */
  count: u32 = 0;
  row: u32 = 0;
}

const LEADING_BYTES: usize = 40;
const LEADING_COUNT: u32 = 4;
const TABLE: usize = memory.data(4 * 40, 16);
/** Rows that are looked at one by one when they come below others. */
const GROWTH_MOST: u32 = 16;

/**
 * The most frequent number of an argument that is a column, of several the one met first; NaN when
 * none is there twice. The sorted numbers are those of the column.
 */
export function modeOfColumn(argumentNumber: u32, sorted: SortedNumbers): f64 {
  const address = columnArea(argument(argumentNumber));
  const area = at<Area>(address);
  const column = columnAt(area.sheet, area.column0);
  const end = area.row0 + usedAreaRows(address);
  const leading = leadingOf(column, area.row0);
  repeatWork(2 * <u64>sortUnits(sorted.count));
  if (leading.end > end || end - leading.end > GROWTH_MOST) {
    findLeading(leading, sorted, end);
  } else {
    for (let row = leading.end; row < end; row++) challenge(leading, sorted, row);
  }
  leading.end = end;
  return leading.count > 1 ? leading.number : NaN;
}

function leadingOf(column: usize, row0: u32): Leading {
  const number = ((<u32>column ^ (row0 * 131)) * 0x9e3779b1) >> 30;
  const leading = at<Leading>(TABLE + <usize>(number % LEADING_COUNT) * LEADING_BYTES);
  const isOwn = leading.column == <u32>column && leading.row0 == row0;
  if (isOwn && leading.epoch == answersEpoch()) return leading;
  leading.epoch = answersEpoch();
  leading.column = <u32>column;
  leading.row0 = row0;
  leading.end = row0;
  leading.count = 0;
  leading.number = NaN;
  leading.row = u32.MAX_VALUE;
  return leading;
}

function frequencyOf(sorted: SortedNumbers, value: f64): u32 {
  const through = countBelow(sorted.start, sorted.count, value, true);
  return through - countBelow(sorted.start, sorted.count, value, false);
}

/** Finds the number among all rows. */
function findLeading(leading: Leading, sorted: SortedNumbers, end: u32): void {
  leading.count = greatestRun(sorted);
  leading.row = leading.row0;
  leading.number = NaN;
  if (leading.count < 2) return;
  for (let row = leading.row0; row < end; row++) {
    if (readColumn(leading.column, row) != KIND_NUMBER) continue;
    leading.number = reinterpret<f64>(cellPayload);
    leading.row = row;
    if (frequencyOf(sorted, leading.number) == leading.count) return;
  }
}

function greatestRun(sorted: SortedNumbers): u32 {
  let greatest: u32 = 0;
  let run: u32 = 0;
  let before: f64 = NaN;
  for (let index: u32 = 0; index < sorted.count; index++) {
    const value = load<f64>(<usize>sorted.start + ((<usize>index) << 3));
    run = value == before ? run + 1 : 1;
    before = value;
    greatest = max(greatest, run);
  }
  return greatest;
}

/** Takes the number of a row, which may be more frequent now than the one so far. */
function challenge(leading: Leading, sorted: SortedNumbers, row: u32): void {
  if (readColumn(leading.column, row) != KIND_NUMBER) return;
  const value = reinterpret<f64>(cellPayload);
  const count = frequencyOf(sorted, value);
  if (count < leading.count) return;
  const first = value == leading.number ? leading.row : firstRowOf(leading, value, row);
  if (count == leading.count && first > leading.row) return;
  leading.count = count;
  leading.number = value;
  leading.row = first;
}

/** The first row with a number, which `row` has. */
function firstRowOf(leading: Leading, value: f64, row: u32): u32 {
  const hash = keyHash(KIND_NUMBER, reinterpret<u64>(value));
  const isFiled = openRows(indexOf(leading.column), hash, leading.row0, row + 1);
  let found = isFiled ? nextRow() : <i32>leading.row0;
  while (found >= 0 && <u32>found < row) {
    const kind = readColumn(leading.column, found);
    if (kind == KIND_NUMBER && reinterpret<f64>(cellPayload) == value) return found;
    found = isFiled ? nextRow() : found + 1;
  }
  return row;
}
