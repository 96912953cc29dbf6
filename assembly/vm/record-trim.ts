import { REFERENCE_TRIM_LEADING, REFERENCE_TRIM_TRAILING } from '../formula/token';
import { CELL_PENDING, CELL_SPILLED, CHUNK_ROWS } from '../abi';
import { Chunk, Column, Sheet, chunkAt, columnAt, suspendOn, tagAt } from '../grid/sheet';
import { at } from '../memory/pointer';
import { noteWork } from '../memory/work';
import { Area } from './reference';

/** First and last row of a column between two rows that hold anything; first above last if none. */
let firstRow: u32 = 0;
let lastRow: u32 = 0;

/**
 * Cuts blank rows and columns off an area's edges (`A1.:.B9`); returns false when nothing is left.
 */
export function trimArea(address: usize, trim: u32): bool {
  const area = at<Area>(address);
  let row0: u32 = u32.MAX_VALUE;
  let row1: u32 = 0;
  let column0: u32 = u32.MAX_VALUE;
  let column1: u32 = 0;
  const sheet = at<Sheet>(area.sheet);
  for (let number = area.column0; number <= area.column1; number++) {
    if (number >= sheet.columnsLength) break;
    const column = columnAt(area.sheet, number);
    if (!column || !findRows(column, area.row0, area.row1)) continue;
    row0 = min(row0, firstRow);
    row1 = max(row1, lastRow);
    column0 = min(column0, number);
    column1 = number;
  }
  if (row0 > row1) return false;
  if (trim & REFERENCE_TRIM_LEADING) {
    area.row0 = row0;
    area.column0 = column0;
  }
  if (trim & REFERENCE_TRIM_TRAILING) {
    area.row1 = row1;
    area.column1 = column1;
  }
  return true;
}

/** Work of looking at one row. */
const LOOK_UNITS: u32 = 4;

/** Finds the first and last row that hold anything; returns false when none does. */
function findRows(column: usize, from: u32, to: u32): bool {
  const end = min(to + 1, at<Column>(column).chunksLength << 10);
  noteWork(LOOK_UNITS);
  firstRow = from;
  while (firstRow < end && !isHeld(column, firstRow)) firstRow = nextHeld(column, firstRow);
  if (firstRow >= end) return false;
  lastRow = end - 1;
  while (!isHeld(column, lastRow)) lastRow = previousHeld(column, lastRow);
  awaitArray(column, firstRow);
  awaitArray(column, lastRow);
  return true;
}

/** Waits for an array that is pending, because it may leave a cell that it filled blank. */
function awaitArray(column: usize, row: u32): void {
  const record = at<Column>(column);
  const tag = tagAt(record.sheet, row, record.number);
  if (tag & CELL_SPILLED && tag & CELL_PENDING) suspendOn(record.sheet, row, record.number);
}

function isHeld(column: usize, row: u32): bool {
  const chunk = chunkAt(column, row >> 10);
  if (!chunk) return false;
  const offset = row & (CHUNK_ROWS - 1);
  if (offset >= at<Chunk>(chunk).capacity) return false;
  return load<u8>(<usize>at<Chunk>(chunk).tags + offset) != 0;
}

/** The next row worth looking at: chunks that are not there are stepped over. */
function nextHeld(column: usize, row: u32): u32 {
  noteWork(LOOK_UNITS);
  return chunkAt(column, row >> 10) ? row + 1 : ((row >> 10) + 1) << 10;
}

/** The row before that is worth looking at; there is one that holds something. */
function previousHeld(column: usize, row: u32): u32 {
  noteWork(LOOK_UNITS);
  return chunkAt(column, row >> 10) ? row - 1 : ((row >> 10) << 10) - 1;
}
