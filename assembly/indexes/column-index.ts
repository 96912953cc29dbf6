import { MODEL_INDEXES, model } from '../grid/model';
import { Column } from '../grid/sheet';
import { allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { item, lengthOfVector, push, removeItems } from '../memory/vector';
import { currentYear } from '../values/typed-date';
import { date1904 } from '../vm/context';
import { cutFirst, dropFirst } from './first-rows';
import { IndexRecord } from './index-record';
import { dropKeyRows, forgetRows } from './key-rows';
import { cutTotals, dropTotals } from './running-total';
import { forgetKinds } from './row-kinds';
import { cutSorted, dropSorted } from './sorted-numbers';
import { cutTails, dropTails } from './tails';
import { cutMarks, dropMarks } from './text-marks';

/**
 * Bytes that the indexes of all columns may take. Beyond it the least recently used are dropped.
 */
const BYTES_MOST: u32 = 64 << 20;
/** Bytes that are left after dropping, so that not every query has to drop. */
const BYTES_KEPT: u32 = 48 << 20;

/** Returns the index of a column, valid until the next query, which may drop it. */
export function indexOf(column: usize): IndexRecord {
  const root = model();
  const record = at<Column>(column);
  if (!record.index) {
    record.index = <u32>allocateZeroed(offsetof<IndexRecord>());
    at<IndexRecord>(record.index).column = <u32>column;
    push(MODEL_INDEXES, record.index);
  }
  const index = at<IndexRecord>(record.index);
  index.askedAt = ++root.indexQuestions;
  if (root.indexBytes > BYTES_MOST) makeRoom(index.askedAt);
  return index;
}

/** Drops the least recently used indexes, except the one of the latest query. */
function makeRoom(latest: u64): void {
  while (model().indexBytes > BYTES_KEPT) {
    let oldest = latest;
    let column: usize = 0;
    for (let number: u32 = 0; number < lengthOfVector(MODEL_INDEXES); number++) {
      const index = at<IndexRecord>(item(MODEL_INDEXES, number));
      if (index.askedAt >= oldest) continue;
      oldest = index.askedAt;
      column = index.column;
    }
    if (!column) return;
    dropIndex(column);
  }
}

/** Notes that rows of a column from `row0` to `row1` have changed or are pending. */
export function noteChanged(column: usize, row0: u32, row1: u32): void {
  const place = <usize>at<Column>(column).index;
  if (!place) return;
  const index = at<IndexRecord>(place);
  forgetRows(index, row0, row1);
  cutTotals(index, row0, row1);
  cutSorted(index, row0, row1);
  forgetKinds(index, row0, row1);
  if (index.tails) cutTails(index, row0);
  if (index.first) cutFirst(index, row0);
  if (index.marks) cutMarks(index, row0);
}

/** Drops the index of a column, because its rows move or it is freed. */
export function dropIndex(column: usize): void {
  const record = at<Column>(column);
  if (!record.index) return;
  const index = at<IndexRecord>(record.index);
  dropKeyRows(index);
  dropTotals(index);
  dropSorted(index);
  dropTails(index);
  dropFirst(index);
  dropMarks(index);
  let number: u32 = 0;
  while (item(MODEL_INDEXES, number) != record.index) number++;
  removeItems(MODEL_INDEXES, number, 1);
  release(record.index, offsetof<IndexRecord>());
  record.index = 0;
}

/**
 * Prepares the indexes for a recalculation: in another year or date system a text like `3/4` reads
 * as another number, and the keys are read again.
 */
export function openIndexes(): void {
  const root = model();
  const reading = (currentYear() << 1) | (date1904 ? 1 : 0);
  if (root.indexReading == reading) return;
  root.indexReading = reading;
  dropIndexes();
}

/** Drops the indexes of all columns, because their changes will not be noted. */
export function dropIndexes(): void {
  let left = lengthOfVector(MODEL_INDEXES);
  while (left) dropIndex(at<IndexRecord>(item(MODEL_INDEXES, --left)).column);
}
