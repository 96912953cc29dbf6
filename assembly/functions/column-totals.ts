import { CELL_PENDING, CHUNK_ROWS, KIND_BLANK, KIND_ERROR, KIND_MASK, KIND_NUMBER } from '../abi';
import { Chunk, chunkAt, columnAt, Column, suspendOn, suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { noteWork } from '../memory/work';
import { Area, areaCountOf, areaOf, usedAreaColumns, usedAreaRows } from '../vm/reference';
import { itemKind, itemNumber, itemWord, openAreaView, viewItem } from '../vm/view';
import {
  foundPrefix,
  hasPrefix,
  Prefix,
  PREFIX_CHECKPOINT,
  PREFIX_COUNT,
  PREFIX_COUNT_ALL,
  PREFIX_SPAN,
  PREFIX_SUM,
  prefixFrom,
} from './prefix-cache';

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
/** Shorter columns are summed at once; longer ones may share a running total. */
const PREFIX_ROWS: u32 = 16;

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

/** Adds the numbers of a reference to sum and count; stops at an error or a cell out of date. */
export function sumReference(reference: usize): void {
  const count = areaCountOf(reference);
  for (let index: u32 = 0; index < count && totalError < 0 && !suspended; index++) {
    const area = areaOf(reference, index);
    const record = at<Area>(area);
    if (record.column0 != record.column1) {
      addRectangle(area);
      continue;
    }
    const column = columnAt(record.sheet, record.column0);
    if (column) sumColumn(column, record.row0, columnEnd(column, area));
  }
}

/** One past the last row of an area that has a chunk. */
function columnEnd(column: usize, area: usize): u32 {
  return min(at<Area>(area).row1 + 1, at<Column>(column).chunksLength << 10);
}

function sumColumn(column: usize, row0: u32, end: u32): void {
  // A running total continues only where nothing was summed before: addition has an order.
  if (end < row0 + PREFIX_ROWS || totalCount || totalSum != 0) {
    if (end > row0) sumRows(column, row0, end);
    return;
  }
  const record = at<Column>(column);
  const prefix = prefixFrom(record.sheet, record.number | PREFIX_SUM, row0, 0);
  if (prefix.end > end) {
    sumFromCheckpoint(column, row0, end);
    return;
  }
  totalSum = prefix.sum;
  totalCount = prefix.count;
  totalError = prefix.error;
  if (totalError < 0) extendPrefix(prefix, column, end);
}

/** Goes on from a running total, leaving a checkpoint at each chunk's first row. */
function extendPrefix(prefix: Prefix, column: usize, end: u32): void {
  const row0 = prefix.row0;
  let row = prefix.end;
  while (row < end && totalError < 0 && !suspended) {
    const stop = min(end, (row | (CHUNK_ROWS - 1)) + 1);
    row = sumRows(column, row, stop);
    if (row == stop && totalError < 0 && !suspended && !(row & (CHUNK_ROWS - 1))) {
      keepCheckpoint(column, row0, row);
    }
  }
  const record = at<Column>(column);
  // A checkpoint may have taken the entry's place.
  const total = prefixFrom(record.sheet, record.number | PREFIX_SUM, row0, 0);
  total.end = row;
  total.sum = totalSum;
  total.count = totalCount;
  total.error = totalError;
}

function keepCheckpoint(column: usize, row0: u32, row: u32): void {
  const record = at<Column>(column);
  const held = record.number | PREFIX_CHECKPOINT;
  const checkpoint = prefixFrom(record.sheet, held, row0, row >> 10);
  checkpoint.end = row;
  checkpoint.sum = totalSum;
  checkpoint.count = totalCount;
}

/** A sum that ends before the running total does: from the nearest checkpoint on. */
function sumFromCheckpoint(column: usize, row0: u32, end: u32): void {
  const record = at<Column>(column);
  let row = row0;
  for (let chunk = end >> 10; chunk > row0 >> 10; chunk--) {
    if (!hasPrefix(record.sheet, record.number | PREFIX_CHECKPOINT, row0, chunk)) continue;
    totalSum = foundPrefix.sum;
    totalCount = foundPrefix.count;
    row = foundPrefix.end;
    break;
  }
  sumRows(column, row, end);
}

/** Adds rows of a column; answers the row it stopped before. */
function sumRows(column: usize, row0: u32, end: u32): u32 {
  noteWork(end - row0);
  let row = row0;
  let sum = totalSum;
  let count = totalCount;
  while (row < end) {
    const chunkEnd = min(end, (row | (CHUNK_ROWS - 1)) + 1);
    const chunk = chunkAt(column, row >> 10);
    if (!chunk) {
      row = chunkEnd;
      continue;
    }
    const base = row & ~(CHUNK_ROWS - 1);
    const tags: usize = <usize>at<Chunk>(chunk).tags;
    const values: usize = <usize>at<Chunk>(chunk).values;
    const last = min(chunkEnd - base, at<Chunk>(chunk).capacity);
    let offset: u32 = row - base;
    while (offset < last) {
      const tag = <u32>load<u8>(tags + offset);
      if ((tag & NUMBER_TAGS) == KIND_NUMBER) {
        sum += load<f64>(values + ((<usize>offset) << 3));
        count++;
      } else if (tag & CELL_PENDING) {
        suspendOn(at<Column>(column).sheet, base + offset, at<Column>(column).number);
        totalSum = sum;
        totalCount = count;
        return base + offset;
      } else if ((tag & KIND_MASK) == KIND_ERROR) {
        totalError = load<u32>(values + ((<usize>offset) << 3));
        totalSum = sum;
        totalCount = count;
        return base + offset + 1;
      }
      offset++;
    }
    row = chunkEnd;
  }
  totalSum = sum;
  totalCount = count;
  return end;
}

/** Adds the numbers of a reference to all totals, least and greatest among them. */
export function spanReference(reference: usize): void {
  const count = areaCountOf(reference);
  for (let index: u32 = 0; index < count && totalError < 0 && !suspended; index++) {
    const area = areaOf(reference, index);
    const record = at<Area>(area);
    if (record.column0 != record.column1) {
      addRectangle(area);
      continue;
    }
    const column = columnAt(record.sheet, record.column0);
    if (column) spanColumn(column, record.row0, columnEnd(column, area));
  }
}

function spanColumn(column: usize, row0: u32, end: u32): void {
  const record = at<Column>(column);
  const prefix = prefixFrom(record.sheet, record.number | PREFIX_SPAN, row0, 0);
  if (end < row0 + PREFIX_ROWS || prefix.end > end) {
    if (end > row0) spanRows(column, row0, end);
    return;
  }
  const least = totalLeast;
  const greatest = totalGreatest;
  const count = totalCount;
  totalLeast = prefix.least;
  totalGreatest = prefix.greatest;
  totalCount = prefix.count;
  totalError = prefix.error;
  if (totalError < 0) {
    prefix.end = spanRows(column, prefix.end, end);
    prefix.least = totalLeast;
    prefix.greatest = totalGreatest;
    prefix.count = totalCount;
    prefix.error = totalError;
  }
  totalLeast = min(least, totalLeast);
  totalGreatest = max(greatest, totalGreatest);
  totalCount += count;
}

/** Takes rows of a column into least and greatest; answers the row it stopped before. */
function spanRows(column: usize, row0: u32, end: u32): u32 {
  noteWork(end - row0);
  let row = row0;
  let reached = end;
  let least = totalLeast;
  let greatest = totalGreatest;
  let count = totalCount;
  while (row < end && totalError < 0 && !suspended) {
    const chunkEnd = min(end, (row | (CHUNK_ROWS - 1)) + 1);
    const chunk = chunkAt(column, row >> 10);
    const base = row & ~(CHUNK_ROWS - 1);
    let offset: u32 = row - base;
    row = chunkEnd;
    if (!chunk) continue;
    const tags: usize = <usize>at<Chunk>(chunk).tags;
    const values: usize = <usize>at<Chunk>(chunk).values;
    const last = min(chunkEnd - base, at<Chunk>(chunk).capacity);
    for (; offset < last; offset++) {
      const tag = <u32>load<u8>(tags + offset);
      if ((tag & NUMBER_TAGS) == KIND_NUMBER) {
        const value = load<f64>(values + ((<usize>offset) << 3));
        least = min(least, value);
        greatest = max(greatest, value);
        count++;
      } else if (tag & CELL_PENDING) {
        suspendOn(at<Column>(column).sheet, base + offset, at<Column>(column).number);
        reached = base + offset;
        break;
      } else if ((tag & KIND_MASK) == KIND_ERROR) {
        totalError = load<u32>(values + ((<usize>offset) << 3));
        reached = base + offset + 1;
        break;
      }
    }
  }
  totalLeast = least;
  totalGreatest = greatest;
  totalCount = count;
  return reached;
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

/** Numbers of a reference, or with `all` everything that is not blank. Errors do not matter. */
export function countReference(reference: usize, all: bool): u32 {
  const count = areaCountOf(reference);
  let found: u32 = 0;
  for (let index: u32 = 0; index < count && !suspended; index++) {
    const area = at<Area>(areaOf(reference, index));
    const columns = usedAreaColumns(areaOf(reference, index));
    for (let offset: u32 = 0; offset < columns && !suspended; offset++) {
      const column = columnAt(area.sheet, area.column0 + offset);
      if (column) found += countColumn(column, area.row0, columnEnd(column, addressOf(area)), all);
    }
  }
  return found;
}

function countColumn(column: usize, row0: u32, end: u32, all: bool): u32 {
  const record = at<Column>(column);
  const held = all ? PREFIX_COUNT_ALL : PREFIX_COUNT;
  const prefix = prefixFrom(record.sheet, record.number | held, row0, 0);
  if (end < row0 + PREFIX_ROWS || prefix.end > end) {
    countedRows = 0;
    if (end > row0) countRows(column, row0, end, all);
    return countedRows;
  }
  countedRows = prefix.count;
  prefix.end = countRows(column, prefix.end, end, all);
  prefix.count = countedRows;
  return countedRows;
}

let countedRows: u32 = 0;

/** Counts rows of a column into countedRows; answers the row it stopped before. */
function countRows(column: usize, row0: u32, end: u32, all: bool): u32 {
  noteWork(end - row0);
  let row = row0;
  while (row < end) {
    const chunkEnd = min(end, (row | (CHUNK_ROWS - 1)) + 1);
    const chunk = chunkAt(column, row >> 10);
    const base = row & ~(CHUNK_ROWS - 1);
    let offset: u32 = row - base;
    row = chunkEnd;
    if (!chunk) continue;
    const tags: usize = <usize>at<Chunk>(chunk).tags;
    const last = min(chunkEnd - base, at<Chunk>(chunk).capacity);
    for (; offset < last; offset++) {
      const tag = <u32>load<u8>(tags + offset);
      if (tag & CELL_PENDING) {
        suspendOn(at<Column>(column).sheet, base + offset, at<Column>(column).number);
        return base + offset;
      }
      const kind = tag & KIND_MASK;
      countedRows += (all ? kind != KIND_BLANK : kind == KIND_NUMBER) ? 1 : 0;
    }
  }
  return end;
}
