import { CELL_PENDING, CHUNK_ROWS, REFERENCE_ROW0_ABSOLUTE, REFERENCE_ROW1_ABSOLUTE } from '../abi';
import {
  RECORD_AREA,
  RECORD_STRUCTURED,
  REFERENCE_WRAPS,
  ReferenceRecord,
  TABLE_THIS_ROW,
} from '../formula/token';
import { forgetAnswers } from '../vm/answer-cache';
import { MODEL_CHANGED, model } from '../grid/model';
import { Chunk, Column, Sheet, chunkAt, columnAt } from '../grid/sheet';
import { noteChanged } from '../indexes/column-index';
import { at } from '../memory/pointer';
import { clearVector, item, lengthOfVector, push } from '../memory/vector';
import { RUN_READS_ABOVE, RUN_READS_BELOW, Run, queueRows } from './run';
import { markSpilled } from './spill';
import { listRuns, watchersOf } from './watch';
import { WatchEntry, WatchList, nextEntry, openWalk } from './watch-list';

/**
 * Finds the cells that an edit makes pending. Changed intervals wait in a list of the model (sheet,
 * column, first row, last row); `propagate` follows the watch lists from them, and the cells that
 * it marks are changed intervals in turn.
 */
const WORDS: u32 = 4;

/** Notes that cells of a column changed. */
export function touch(sheet: usize, column: u32, row0: u32, row1: u32): void {
  if (model().isFresh) return;
  const record = columnAt(sheet, column);
  if (record) noteChanged(record, row0, row1);
  const length = lengthOfVector(MODEL_CHANGED);
  if (length) {
    const place = <usize>model().changed + ((<usize>(length - WORDS)) << 2);
    if (load<u32>(place) == <u32>sheet && load<u32>(place, 4) == column) {
      const from = load<u32>(place, 8);
      const to = load<u32>(place, 12);
      if (row0 >= from && row0 <= to + 1) {
        store<u32>(place, max(to, row1), 12);
        return;
      }
    }
  }
  push(MODEL_CHANGED, <u32>sheet);
  push(MODEL_CHANGED, column);
  push(MODEL_CHANGED, row0);
  push(MODEL_CHANGED, row1);
}

/** Steps of marking that are left: one for each reader, and one for each 64 marked rows. */
let stepsLeft: i64 = i64.MAX_VALUE;
const ROWS_PER_STEP: u32 = 6;

/** Marks everything that depends on the changed intervals. */
export function propagate(): void {
  stepsLeft = i64.MAX_VALUE;
  follow();
}

/**
 * Marks what depends on the changed intervals in about `steps` steps at most; returns the steps
 * taken. Unfinished intervals stay in the list for the next call.
 */
export function propagateWithin(steps: u32): i64 {
  stepsLeft = steps;
  follow();
  const taken = <i64>steps - stepsLeft;
  stepsLeft = i64.MAX_VALUE;
  return taken;
}

function follow(): void {
  if (!lengthOfVector(MODEL_CHANGED)) return;
  listRuns();
  while (lengthOfVector(MODEL_CHANGED) && stepsLeft > 0) {
    const at4 = lengthOfVector(MODEL_CHANGED) - WORDS;
    const sheet = item(MODEL_CHANGED, at4);
    const column = item(MODEL_CHANGED, at4 + 1);
    const row0 = item(MODEL_CHANGED, at4 + 2);
    const row1 = item(MODEL_CHANGED, at4 + 3);
    model().changedLength = at4;
    const list = watchersOf(sheet, column);
    if (list) followList(at<WatchList>(list), sheet, column, row0, row1);
    const wide = at<Sheet>(sheet).wideWatchers;
    if (wide) followList(at<WatchList>(wide), sheet, column, row0, row1);
    // An unfinished walk is noted again; cells that it has marked are not marked twice.
    if (stepsLeft <= 0) touch(sheet, column, row0, row1);
  }
  forgetAnswers();
}

/** Drops the changed intervals, because everything is pending anyway. */
export function forgetChanges(): void {
  clearVector(MODEL_CHANGED);
}

function followList(list: WatchList, sheet: usize, column: u32, row0: u32, row1: u32): void {
  openWalk(list, row0, row1);
  for (let place = nextEntry(); place; place = nextEntry()) {
    if (--stepsLeft <= 0) return;
    const entry = at<WatchEntry>(place);
    if (column < entry.column0 || column > entry.column1) continue;
    markDependents(entry.run, entry.record, row0, row1);
  }
}

// Rows of a run that read a change, as narrowed down by its reference record.
let first: i32 = 0;
let last: i32 = 0;

/** Marks the rows of a run whose reference (without one, all rows) meets the changed rows. */
function markDependents(address: usize, record: usize, row0: u32, row1: u32): void {
  const run = at<Run>(address);
  first = <i32>run.row0;
  last = <i32>run.row1;
  if (record) narrow(at<ReferenceRecord>(record), <i32>row0, <i32>row1);
  if (first > last) return;
  // A formula that reads its own column above (or below) makes its run pending to the last (or
  // first) row.
  if (run.flags & RUN_READS_ABOVE) last = <i32>run.row1;
  if (run.flags & RUN_READS_BELOW) first = <i32>run.row0;
  markRows(address, first, last);
}

/**
 * Narrows the rows to those that read changed ones. Row i reads between two corners, each of which
 * is fixed or i + offset.
 */
function narrow(record: ReferenceRecord, row0: i32, row1: i32): void {
  if (record.kind == RECORD_STRUCTURED && record.parts & TABLE_THIS_ROW) {
    first = max(first, row0);
    last = min(last, row1);
  }
  if (record.kind != RECORD_AREA || record.flags & REFERENCE_WRAPS) return;
  const fixed0 = (record.flags & REFERENCE_ROW0_ABSOLUTE) != 0;
  const fixed1 = (record.flags & REFERENCE_ROW1_ABSOLUTE) != 0;
  const above = max(
    lastReaching(fixed0, record.row0, row1),
    lastReaching(fixed1, record.row1, row1),
  );
  const below = min(
    firstReaching(fixed0, record.row0, row0),
    firstReaching(fixed1, record.row1, row0),
  );
  first = max(first, below);
  last = min(last, above);
}

/** Returns the last row of a run whose corner is at or above `row`. */
function lastReaching(fixed: bool, corner: i32, row: i32): i32 {
  if (fixed) return corner <= row ? i32.MAX_VALUE : i32.MIN_VALUE;
  return row - corner;
}

/** Returns the first row of a run whose corner is at or below `row`. */
function firstReaching(fixed: bool, corner: i32, row: i32): i32 {
  if (fixed) return corner >= row ? i32.MIN_VALUE : i32.MAX_VALUE;
  return row - corner;
}

/** Makes rows of a run pending; newly pending ones become changed intervals. */
export function markRows(address: usize, row0: u32, row1: u32): void {
  const run = at<Run>(address);
  const column = at<Column>(run.column);
  let marked0: u32 = u32.MAX_VALUE;
  let marked1: u32 = 0;
  let row = row0;
  while (row <= row1) {
    const chunk = at<Chunk>(chunkAt(run.column, row >> 10));
    const end = min(row1 + 1, (row | (CHUNK_ROWS - 1)) + 1);
    for (; row < end; row++) {
      const place = <usize>chunk.tags + (row & (CHUNK_ROWS - 1));
      const tag = load<u8>(place);
      if (tag & CELL_PENDING) continue;
      store<u8>(place, tag | <u8>CELL_PENDING);
      marked0 = min(marked0, row);
      marked1 = row;
    }
  }
  stepsLeft -= (row1 - row0) >> ROWS_PER_STEP;
  if (marked0 > marked1) return;
  queueRows(address, marked0, marked1);
  touch(column.sheet, column.number, marked0, marked1);
  if (at<Sheet>(column.sheet).spillsLength) markSpilled(run.column, marked0, marked1);
}
