import { CHUNK_ROWS, KIND_BLANK, KIND_ERROR, KIND_MASK } from '../abi';
import { Chunk, chunkAt } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { IndexRecord, giveBytes, takeBytes } from './index-record';
import { NO_ALIKE, areFiled, firstAlike } from './key-rows';

/**
 * Rows of a column, from one row on, whose value no row above has: `UNIQUE(A$1:A9)` takes those of
 * `UNIQUE(A$1:A8)` and looks at one more.
 */
@unmanaged
export class FirstRows {
  /** The next of this column, or 0. */
  next: u32 = 0;
  row0: u32 = 0;
  /** One past the last row that is known. */
  end: u32 = 0;
  /** Questions so far. */
  questions: u32 = 0;
  /** Address of the rows, ascending. */
  start: u32 = 0;
  count: u32 = 0;
  /** Rows for which there is room. */
  room: u32 = 0;
  spare: u32 = 0;
  // Sixteen words follow: the first blank row plus one, then the first row of each error.
}

const OTHERS: usize = 32;
const OTHER_COUNT: u32 = 16;
const RECORD_BYTES: u32 = 32 + 16 * 4;
/** First rows from which lists of a column begin. */
const KEPT_MOST: u32 = 4;
/** Questions before there is a list: a few walks over the cells cost less. */
const QUESTIONS_LEAST: u32 = 3;

/**
 * Returns the first rows of the values from `row0` up to `end`, of which `firstCount` are before
 * `end`; 0 while few have asked, and when a cell there waits to be computed.
 */
export function firstRows(index: IndexRecord, row0: u32, end: u32): usize {
  const first = seekFirst(index, row0);
  if (first.questions < QUESTIONS_LEAST && ++first.questions < QUESTIONS_LEAST) return 0;
  if (end > first.end && !lengthenFirst(index, first, end)) return 0;
  firstCount = countBefore(first, end);
  return addressOf(first);
}

export let firstCount: u32 = 0;

export function firstRowAt(first: FirstRows, number: u32): u32 {
  return load<u32>(<usize>first.start + ((<usize>number) << 2));
}

/** Returns whether a row before `end` is blank. */
export function hasBlank(first: FirstRows, end: u32): bool {
  const word = load<u32>(addressOf(first) + OTHERS);
  return word != 0 && word <= end;
}

/** Number of rows in a list that are above a row. */
function countBefore(first: FirstRows, row: u32): u32 {
  let low: u32 = 0;
  let high = first.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firstRowAt(first, middle) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

function seekFirst(index: IndexRecord, row0: u32): FirstRows {
  const head = addressOf(index) + offsetof<IndexRecord>('first');
  let link: usize = head;
  let count: u32 = 0;
  let found: usize = 0;
  for (let place = <usize>load<u32>(link); place; place = <usize>load<u32>(link)) {
    if (at<FirstRows>(place).row0 == row0 || ++count == KEPT_MOST) {
      found = place;
      store<u32>(link, at<FirstRows>(place).next);
      break;
    }
    link = place + offsetof<FirstRows>('next');
  }
  if (!found) found = takeBytes(index, RECORD_BYTES);
  const first = at<FirstRows>(found);
  if (first.row0 != row0 || !first.questions) {
    first.row0 = first.end = row0;
    first.count = first.questions = 0;
    memory.fill(found + OTHERS, 0, OTHER_COUNT << 2);
  }
  first.next = load<u32>(head);
  store<u32>(head, <u32>found);
  return first;
}

/** Takes the rows up to `end`; returns false when one waits to be computed. */
function lengthenFirst(index: IndexRecord, first: FirstRows, end: u32): bool {
  if (!areFiled(index, first.row0, end)) return false;
  for (; first.end < end; first.end++) {
    if (isNew(index, first, first.end)) append(index, first, first.end);
  }
  return true;
}

function isNew(index: IndexRecord, first: FirstRows, row: u32): bool {
  const found = firstAlike(index, first.row0, row);
  if (found != NO_ALIKE) return found == row;
  // Blanks and errors are filed nowhere.
  const place = addressOf(first) + OTHERS + ((<usize>otherOf(index.column, row)) << 2);
  if (load<u32>(place)) return false;
  store<u32>(place, row + 1);
  return true;
}

/** Number of the word that a blank or an error has. */
function otherOf(column: usize, row: u32): u32 {
  const address = chunkAt(column, row >> 10);
  const offset = row & (CHUNK_ROWS - 1);
  if (!address || offset >= at<Chunk>(address).capacity) return KIND_BLANK;
  const chunk = at<Chunk>(address);
  const tag = <u32>load<u8>(<usize>chunk.tags + offset);
  if ((tag & KIND_MASK) != KIND_ERROR) return KIND_BLANK;
  return 1 + load<u32>(<usize>chunk.values + ((<usize>offset) << 3));
}

function append(index: IndexRecord, first: FirstRows, row: u32): void {
  if (first.count == first.room) {
    const room = max(64, first.room << 1);
    const start = takeBytes(index, room << 2);
    memory.copy(start, first.start, (<usize>first.count) << 2);
    giveBytes(index, first.start, first.room << 2);
    first.start = <u32>start;
    first.room = room;
  }
  store<u32>(<usize>first.start + ((<usize>first.count) << 2), row);
  first.count++;
}

/** Shortens the lists, because rows from `row0` on have changed or wait. */
export function cutFirst(index: IndexRecord, row0: u32): void {
  let place = <usize>index.first;
  while (place) {
    const first = at<FirstRows>(place);
    place = first.next;
    if (row0 < first.end) shorten(first, max(row0, first.row0));
  }
}

function shorten(first: FirstRows, end: u32): void {
  first.count = countBefore(first, end);
  first.end = end;
  for (let other: u32 = 0; other < OTHER_COUNT; other++) {
    const word = addressOf(first) + OTHERS + ((<usize>other) << 2);
    if (load<u32>(word) > end) store<u32>(word, 0);
  }
}

/** Gives all memory back. */
export function dropFirst(index: IndexRecord): void {
  while (index.first) {
    const place = <usize>index.first;
    const first = at<FirstRows>(place);
    index.first = first.next;
    giveBytes(index, first.start, first.room << 2);
    giveBytes(index, place, RECORD_BYTES);
  }
}
