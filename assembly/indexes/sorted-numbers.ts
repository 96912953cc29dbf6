import { CELL_PENDING, CHUNK_ROWS, KIND_ERROR, KIND_MASK, KIND_NUMBER } from '../abi';
import { Chunk, Column, chunkAt } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { countBelow, sortDoubles } from '../memory/sort-doubles';
import { IndexRecord, giveBytes, takeBytes } from './index-record';

/**
 * The numbers of some rows of a column in ascending order, so that n questions for a rank, a
 * percentile or a count of what is above a number cost n short searches, not n walks. A change of
 * one of the rows drops it, and the next question sorts them anew. Rows below are put in, as for
 * `MEDIAN(A$1:A9)` filled down.
 */
@unmanaged
export class SortedNumbers {
  /** The next of this column, or 0. */
  next: u32 = 0;
  row0: u32 = 0;
  /** One past the last row. */
  end: u32 = 0;
  /** Questions about these rows so far. */
  questions: u32 = 0;
  /** Address of the doubles; 0 while they are not known. */
  start: u32 = 0;
  count: u32 = 0;
  /** Doubles for which there is room. */
  room: u32 = 0;
  /** The first error among the rows, or -1. */
  error: i32 = -1;
  isKnown: bool = false;
}

const RECORD_BYTES: u32 = offsetof<SortedNumbers>();
/** Rows of a column about which somebody asks, each with its own list. */
const KEPT_MOST: u32 = 4;
/** One question is answered by a walk; sorting the rows costs more than a few walks. */
const QUESTIONS_LEAST: u32 = 3;
/** Rows from which a list pays. */
const ROWS_LEAST: u32 = 48;
/** Rows that are put in one by one when they come below those of a list. */
const GROWTH_MOST: u32 = 16;

/**
 * Returns the sorted numbers of rows from `row0` up to `end`; 0 when a walk over the cells is
 * better: while few have asked, and when a cell there waits to be computed.
 */
export function sortedNumbers(index: IndexRecord, row0: u32, end: u32): usize {
  if (end < row0 + ROWS_LEAST) return 0;
  const sorted = seekRows(index, row0, end);
  if (sorted.end != end && !lengthen(index, sorted, end)) return 0;
  if (sorted.questions < QUESTIONS_LEAST && ++sorted.questions < QUESTIONS_LEAST) return 0;
  if (!sorted.isKnown && !sortRows(index, sorted)) return 0;
  return addressOf(sorted);
}

/**
 * Puts the rows asked for first, or those of a list that ends a little above; of too many those
 * asked for longest ago go.
 */
function seekRows(index: IndexRecord, row0: u32, end: u32): SortedNumbers {
  const head = addressOf(index) + offsetof<IndexRecord>('sorted');
  const wanted = nearestEnd(index, row0, end);
  let link: usize = head;
  let count: u32 = 0;
  for (let place = <usize>load<u32>(link); place; place = <usize>load<u32>(link)) {
    const sorted = at<SortedNumbers>(place);
    const isFound = sorted.row0 == row0 && sorted.end == wanted;
    if (isFound || ++count == KEPT_MOST) {
      store<u32>(link, sorted.next);
      if (!isFound) empty(index, sorted, row0, end);
      return putFirst(head, sorted);
    }
    link = place + offsetof<SortedNumbers>('next');
  }
  const fresh = at<SortedNumbers>(takeBytes(index, RECORD_BYTES));
  empty(index, fresh, row0, end);
  return putFirst(head, fresh);
}

/** The end of the list to go on from: the greatest one that is at most `end`, or `end`. */
function nearestEnd(index: IndexRecord, row0: u32, end: u32): u32 {
  let nearest: u32 = 0;
  for (let place = <usize>index.sorted; place; place = at<SortedNumbers>(place).next) {
    const sorted = at<SortedNumbers>(place);
    const isNear = sorted.end <= end && end - sorted.end <= GROWTH_MOST;
    if (sorted.row0 == row0 && isNear) nearest = max(nearest, sorted.end);
  }
  return nearest ? nearest : end;
}

/** Puts the rows up to `end` in; returns false when one waits to be computed. */
function lengthen(index: IndexRecord, sorted: SortedNumbers, end: u32): bool {
  for (let row = sorted.end; row < end && sorted.isKnown; row++) {
    const chunk = at<Chunk>(chunkAt(index.column, row >> 10));
    const offset = row & (CHUNK_ROWS - 1);
    if (!addressOf(chunk) || offset >= chunk.capacity) continue;
    const tag = <u32>load<u8>(<usize>chunk.tags + offset);
    if (tag & CELL_PENDING) return false;
    const value = <usize>chunk.values + ((<usize>offset) << 3);
    const kind = tag & KIND_MASK;
    if (kind == KIND_NUMBER) putIn(index, sorted, load<f64>(value));
    else if (kind == KIND_ERROR && sorted.error < 0) sorted.error = load<u32>(value);
    sorted.end = row + 1;
  }
  sorted.end = end;
  return true;
}

function putIn(index: IndexRecord, sorted: SortedNumbers, value: f64): void {
  if (sorted.count == sorted.room) {
    const room = max(64, sorted.room << 1);
    const start = takeBytes(index, room << 3);
    memory.copy(start, sorted.start, (<usize>sorted.count) << 3);
    giveBytes(index, sorted.start, sorted.room << 3);
    sorted.start = <u32>start;
    sorted.room = room;
  }
  const below = countBelow(sorted.start, sorted.count, value, true);
  const place = <usize>sorted.start + ((<usize>below) << 3);
  memory.copy(place + 8, place, (<usize>(sorted.count - below)) << 3);
  store<f64>(place, value);
  sorted.count++;
}

function putFirst(head: usize, sorted: SortedNumbers): SortedNumbers {
  sorted.next = load<u32>(head);
  store<u32>(head, <u32>addressOf(sorted));
  return sorted;
}

function empty(index: IndexRecord, sorted: SortedNumbers, row0: u32, end: u32): void {
  forgetNumbers(index, sorted);
  sorted.row0 = row0;
  sorted.end = end;
  sorted.questions = 0;
}

function forgetNumbers(index: IndexRecord, sorted: SortedNumbers): void {
  giveBytes(index, sorted.start, sorted.room << 3);
  sorted.start = sorted.count = sorted.room = 0;
  sorted.error = -1;
  sorted.isKnown = false;
}

/** False when a cell waits to be computed. */
function sortRows(index: IndexRecord, sorted: SortedNumbers): bool {
  const column = at<Column>(index.column);
  const end = min(sorted.end, column.chunksLength << 10);
  const room = end > sorted.row0 ? end - sorted.row0 : 0;
  const found = scratch(max(1, room) << 3);
  foundCount = 0;
  foundError = -1;
  for (let row = sorted.row0; row < end; row = (row | (CHUNK_ROWS - 1)) + 1) {
    const chunk = at<Chunk>(chunkAt(index.column, row >> 10));
    if (!addressOf(chunk)) continue;
    const base = row & ~(CHUNK_ROWS - 1);
    const stop = min(min(end - base, CHUNK_ROWS), chunk.capacity);
    if (!takeChunk(chunk, found, row - base, stop)) return false;
  }
  sorted.count = foundCount;
  sorted.error = foundError;
  sorted.isKnown = true;
  if (!foundCount) return true;
  sorted.start = <u32>takeBytes(index, foundCount << 3);
  sorted.room = foundCount;
  memory.copy(sorted.start, found, (<usize>foundCount) << 3);
  const place = sortDoubles(sorted.start, found, foundCount);
  if (place != sorted.start) memory.copy(sorted.start, place, (<usize>foundCount) << 3);
  return true;
}

let foundCount: u32 = 0;
let foundError: i32 = -1;

function takeChunk(chunk: Chunk, found: usize, from: u32, end: u32): bool {
  const tags: usize = <usize>chunk.tags;
  const values: usize = <usize>chunk.values;
  for (let offset = from; offset < end; offset++) {
    const tag = <u32>load<u8>(tags + offset);
    if (tag & CELL_PENDING) return false;
    const kind = tag & KIND_MASK;
    const value = values + ((<usize>offset) << 3);
    if (kind == KIND_NUMBER) {
      store<f64>(found + ((<usize>foundCount) << 3), load<f64>(value));
      foundCount++;
    } else if (kind == KIND_ERROR && foundError < 0) {
      foundError = load<u32>(value);
    }
  }
  return true;
}

/** Rows from `row0` to `row1` have changed or wait. */
export function cutSorted(index: IndexRecord, row0: u32, row1: u32): void {
  let place = <usize>index.sorted;
  while (place) {
    const sorted = at<SortedNumbers>(place);
    place = sorted.next;
    if (row0 < sorted.end && row1 >= sorted.row0) forgetNumbers(index, sorted);
  }
}

/** Gives all memory back. */
export function dropSorted(index: IndexRecord): void {
  while (index.sorted) {
    const place = <usize>index.sorted;
    const sorted = at<SortedNumbers>(place);
    index.sorted = sorted.next;
    forgetNumbers(index, sorted);
    giveBytes(index, place, RECORD_BYTES);
  }
}
