import {
  CELL_PENDING,
  CHUNK_ROWS,
  KIND_BLANK,
  KIND_ERROR,
  KIND_MASK,
  KIND_NUMBER,
} from '../../abi';
import { Chunk, Column, chunkAt, columnAt, suspendOn, suspended } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import {
  TOTAL_COUNT,
  TOTAL_COUNT_ALL,
  TOTAL_MASK,
  TOTAL_PASSES,
  TOTAL_PRODUCT,
  TOTAL_SPAN,
  TOTAL_SQUARES,
  TOTAL_SUM,
  lengthenTotal,
  runningTotal,
  totalsBefore,
  totalsOf,
  walkFrom,
} from '../../indexes/running-total';
import { addressOf, at } from '../../memory/pointer';
import { noteWork } from '../../memory/work';
import { repeatWork } from '../../vm/cell-fuel';
import { Area, areaCountOf, areaOf, usedAreaColumns, usedAreaRows } from '../../vm/reference';
import { itemKind, itemNumber, itemWord, openAreaView, viewItem } from '../../vm/view';

/**
 * Totals of references, read straight from the chunks. The order of summation is one everywhere in
 * Quire: sequential, row by row, left to right in a row, area by area, argument by argument.
 */
export let totalSum: f64 = 0;
export let totalCount: u32 = 0;
export let totalLeast: f64 = 0;
export let totalGreatest: f64 = 0;
/** The first error met, or -1. */
export let totalError: i32 = -1;

const NUMBER_TAGS: u32 = KIND_MASK | CELL_PENDING;
/** Shorter columns are walked at once; longer ones may share a running total. */
const RUNNING_ROWS: u32 = 16;

export function openTotals(): void {
  totalSum = 0;
  totalCount = 0;
  totalLeast = Infinity;
  totalGreatest = -Infinity;
  totalError = -1;
}

/** Takes one more number into all totals. */
export function addToTotals(value: f64): void {
  totalSum += value;
  totalCount++;
  if (value < totalLeast) totalLeast = value;
  if (value > totalGreatest) totalGreatest = value;
}

/** Takes one number so many times, whose product with that and sum with the rest are exact. */
export function addMany(value: f64, count: u32): void {
  if (!count) return;
  totalSum += value * count;
  totalCount += count;
  totalLeast = min(totalLeast, value);
  totalGreatest = max(totalGreatest, value);
}

/** Adds the numbers of a reference to sum and count; stops at an error or a cell out of date. */
export function sumReference(reference: usize): void {
  takeReference(reference, TOTAL_SUM);
}

/** Takes the numbers of a reference into least, greatest and count in the same way. */
export function spanReference(reference: usize): void {
  takeReference(reference, TOTAL_SPAN);
}

/** Takes a reference into the totals of a kind, which may be one that passes over errors. */
export function totalReference(reference: usize, kind: u32): void {
  openTotals();
  if ((kind & TOTAL_MASK) == TOTAL_PRODUCT) totalSum = 1;
  takeReference(reference, kind);
}

/** Counts the numbers of a reference, or with `all` what is not blank. Errors do not matter. */
export function countReference(reference: usize, all: bool): u32 {
  openTotals();
  const count = areaCountOf(reference);
  for (let index: u32 = 0; index < count && !suspended; index++) {
    const area = areaOf(reference, index);
    const column0 = at<Area>(area).column0;
    const columns = usedAreaColumns(area);
    for (let offset: u32 = 0; offset < columns && !suspended; offset++) {
      takeColumn(area, column0 + offset, all ? TOTAL_COUNT_ALL : TOTAL_COUNT);
    }
  }
  return totalCount;
}

/**
 * Multiplies the numbers of a column into `totalSum`, or adds their squares; returns false for
 * references of another shape.
 */
export function multiplyColumn(reference: usize, isProduct: bool): bool {
  const area = areaOf(reference, 0);
  if (areaCountOf(reference) != 1 || at<Area>(area).column0 != at<Area>(area).column1) return false;
  openTotals();
  if (isProduct) totalSum = 1;
  takeColumn(area, at<Area>(area).column0, isProduct ? TOTAL_PRODUCT : TOTAL_SQUARES);
  return true;
}

function takeReference(reference: usize, kind: u32): void {
  const count = areaCountOf(reference);
  for (let index: u32 = 0; index < count && totalError < 0 && !suspended; index++) {
    const area = areaOf(reference, index);
    const column = at<Area>(area).column0;
    if (column == at<Area>(area).column1) takeColumn(area, column, kind);
    else addRectangle(area);
  }
}

/** Takes the rows of an area in one column, those that have a chunk. */
function takeColumn(area: usize, number: u32, kind: u32): void {
  const column = columnAt(at<Area>(area).sheet, number);
  if (!column) return;
  const row0 = at<Area>(area).row0;
  const end = min(at<Area>(area).row1 + 1, at<Column>(column).chunksLength << 10);
  if (end <= row0) return;
  // A running sum goes on only where nothing was added before: addition has an order.
  const isAdded = (kind & TOTAL_MASK) == TOTAL_SUM && (totalCount || totalSum != 0);
  if (end < row0 + RUNNING_ROWS || isAdded) walkRows(kind, column, row0, end);
  else goOn(kind, column, row0, end);
}

/** Goes on from a running total, or from one of its checkpoints when the rows end before it does. */
function goOn(kind: u32, column: usize, row0: u32, end: u32): void {
  const least = totalLeast;
  const greatest = totalGreatest;
  const count = totalCount;
  const index = indexOf(column);
  const total = runningTotal(index, kind, row0);
  const known = totalsBefore(total, end);
  const isLonger = walkFrom == total.end;
  let row = walkFrom;
  // Every cell pays for the whole sum, not just the first one that asks: else results would depend
  // on the order.
  repeatWork(row - row0);
  totalSum = known.sum;
  totalLeast = known.least;
  totalGreatest = known.greatest;
  totalCount = known.count;
  totalError = known.error;
  while (row < end && totalError < 0 && !suspended) {
    row = walkRows(kind, column, row, min(end, (row | (CHUNK_ROWS - 1)) + 1));
    if (!isLonger) continue;
    const totals = totalsOf(total);
    totals.sum = totalSum;
    totals.least = totalLeast;
    totals.greatest = totalGreatest;
    totals.count = totalCount;
    totals.error = totalError;
    lengthenTotal(index, total, row);
  }
  totalLeast = min(least, totalLeast);
  totalGreatest = max(greatest, totalGreatest);
  totalCount += count;
}

/** Takes rows of a column into the totals; returns the row it stopped before. */
function walkRows(kind: u32, column: usize, row0: u32, end: u32): u32 {
  let row = row0;
  while (row < end && totalError < 0) {
    const base = row & ~(CHUNK_ROWS - 1);
    const stop = min(end, base + CHUNK_ROWS);
    const chunk = at<Chunk>(chunkAt(column, row >> 10));
    const last = addressOf(chunk) ? min(stop - base, chunk.capacity) : 0;
    if (row - base >= last) {
      row = stop;
      continue;
    }
    const reached = walkChunk(kind, chunk, row - base, last);
    row = reached < last ? base + reached : stop;
    if (reached == last || totalError >= 0) continue;
    suspendOn(at<Column>(column).sheet, row, at<Column>(column).number);
    break;
  }
  noteWork(row - row0);
  return row;
}

/** Returns the end, or one behind an error, or a row that waits to be computed. */
function walkChunk(kind: u32, chunk: Chunk, from: u32, end: u32): u32 {
  const total = kind & TOTAL_MASK;
  passesErrors = (kind & TOTAL_PASSES) != 0;
  if (total == TOTAL_SUM) return sumChunk(chunk, from, end);
  if (total == TOTAL_SPAN) return spanChunk(chunk, from, end);
  if (total >= TOTAL_PRODUCT) return multiplyChunk(chunk, from, end, total == TOTAL_PRODUCT);
  return countChunk(chunk, from, end, total == TOTAL_COUNT_ALL);
}

/** The total under way passes over errors. */
let passesErrors: bool = false;

function sumChunk(chunk: Chunk, from: u32, end: u32): u32 {
  const tags: usize = <usize>chunk.tags;
  const values: usize = <usize>chunk.values;
  let sum = totalSum;
  let count = totalCount;
  let offset = from;
  for (; offset < end; offset++) {
    const tag = <u32>load<u8>(tags + offset);
    if ((tag & NUMBER_TAGS) == KIND_NUMBER) {
      sum += load<f64>(values + ((<usize>offset) << 3));
      count++;
    } else if (tag & CELL_PENDING) {
      break;
    } else if ((tag & KIND_MASK) == KIND_ERROR && !passesErrors) {
      totalError = load<u32>(values + ((<usize>offset) << 3));
      offset++;
      break;
    }
  }
  totalSum = sum;
  totalCount = count;
  return offset;
}

function spanChunk(chunk: Chunk, from: u32, end: u32): u32 {
  const tags: usize = <usize>chunk.tags;
  const values: usize = <usize>chunk.values;
  let least = totalLeast;
  let greatest = totalGreatest;
  let count = totalCount;
  let offset = from;
  for (; offset < end; offset++) {
    const tag = <u32>load<u8>(tags + offset);
    if ((tag & NUMBER_TAGS) == KIND_NUMBER) {
      const value = load<f64>(values + ((<usize>offset) << 3));
      least = min(least, value);
      greatest = max(greatest, value);
      count++;
    } else if (tag & CELL_PENDING) {
      break;
    } else if ((tag & KIND_MASK) == KIND_ERROR && !passesErrors) {
      totalError = load<u32>(values + ((<usize>offset) << 3));
      offset++;
      break;
    }
  }
  totalLeast = least;
  totalGreatest = greatest;
  totalCount = count;
  return offset;
}

function multiplyChunk(chunk: Chunk, from: u32, end: u32, isProduct: bool): u32 {
  for (let offset = from; offset < end; offset++) {
    const tag = <u32>load<u8>(<usize>chunk.tags + offset);
    const place = <usize>chunk.values + ((<usize>offset) << 3);
    if ((tag & NUMBER_TAGS) == KIND_NUMBER) {
      const value = load<f64>(place);
      totalSum = isProduct ? totalSum * value : totalSum + value * value;
      totalCount++;
    } else if (tag & CELL_PENDING) {
      return offset;
    } else if ((tag & KIND_MASK) == KIND_ERROR && !passesErrors) {
      totalError = load<u32>(place);
      return offset + 1;
    }
  }
  return end;
}

function countChunk(chunk: Chunk, from: u32, end: u32, all: bool): u32 {
  const tags: usize = <usize>chunk.tags;
  let count = totalCount;
  let offset = from;
  for (; offset < end; offset++) {
    const tag = <u32>load<u8>(tags + offset);
    if (tag & CELL_PENDING) break;
    const kind = tag & KIND_MASK;
    const isFilled = kind != KIND_BLANK && !(passesErrors && kind == KIND_ERROR);
    count += (all ? isFilled : kind == KIND_NUMBER) ? 1 : 0;
  }
  totalCount = count;
  return offset;
}

/** Rows of several columns, row by row. Blocks of 1,024 rows without any chunk are skipped. */
function addRectangle(area: usize): void {
  const record = at<Area>(area);
  const columns = usedAreaColumns(area);
  const end = record.row0 + usedAreaRows(area);
  const view = openAreaView(area);
  let row = record.row0;
  while (row < end) {
    const blockEnd = min(end, (row | (CHUNK_ROWS - 1)) + 1);
    if (!blockHasChunk(record.sheet, record.column0, columns, row >> 10)) {
      row = blockEnd;
      continue;
    }
    for (; row < blockEnd; row++) {
      for (let column: u32 = 0; column < columns; column++) {
        viewItem(view, row - record.row0, column);
        if (suspended) return;
        if (itemKind == KIND_NUMBER) {
          addToTotals(itemNumber());
        } else if (itemKind == KIND_ERROR) {
          totalError = <i32>itemWord();
          return;
        }
      }
    }
  }
}

function blockHasChunk(sheet: usize, column0: u32, columns: u32, block: u32): bool {
  for (let index: u32 = 0; index < columns; index++) {
    const column = columnAt(sheet, column0 + index);
    if (column && chunkAt(column, block)) return true;
  }
  return false;
}
