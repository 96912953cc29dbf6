import {
  CELL_PENDING,
  CHUNK_ROWS,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_MASK,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_STRING,
} from '../../abi';
import {
  Chunk,
  Column,
  cellPayload,
  chunkAt,
  columnAt,
  readColumn,
  suspendOn,
  suspended,
} from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { keyHash, nextRow, openRows } from '../../indexes/key-rows';
import { kindsOfRows } from '../../indexes/row-kinds';
import { nextMarked, openMarked } from '../../indexes/text-marks';
import { addressOf, at } from '../../memory/pointer';
import { equalTexts } from '../../memory/text';
import { findMatch, isExhausted } from '../../regex/match';
import { marksOfPattern } from '../../values/text-marks';
import { compareTexts } from '../../values/text-order';
import { matchesWildcard } from '../../values/wildcard';
import { fail } from '../../vm/call';
import { repeatWork } from '../../vm/cell-fuel';
import { kindOf, payloadOf, wordOf } from '../../vm/slot';
import { Sparse, placeAt, placeFrom } from '../../vm/sparse';
import { View, itemKind, itemPayload, viewItem, viewPlace, viewRest } from '../../vm/view';

/**
 * Key that is looked for, and the row or column that is searched: set by openKey and openVector.
 */
let keyKind: u32 = 0;
let keyPayload: u64 = 0;

let vector: usize = 0;
let vertical: bool = false;
/** Items that can hold anything; those behind are blank. */
let vectorCount: u32 = 0;

/** Kinds differ, so there is no order between key and item. */
export const INCOMPARABLE: i32 = 2;

/** Rows from which an index pays. */
const INDEX_ROWS: u32 = 48;
/** Units of work for an item of a sparse column that is not looked at. */
const REST_UNITS: u32 = 6;

/** Takes the value to look for; a blank one is looked for as 0 unless blanks are sought. */
export function openKey(slot: usize, blankIsZero: bool): void {
  keyKind = kindOf(slot);
  keyPayload = payloadOf(slot);
  if (keyKind == KIND_ERROR) fail(wordOf(slot));
  if (keyKind != KIND_BLANK && keyKind != KIND_OMITTED) return;
  keyKind = blankIsZero ? KIND_NUMBER : KIND_BLANK;
  keyPayload = 0;
}

export function keyText(): usize {
  return <usize>keyPayload;
}

/** Opens the first column of a view (downwards) or its first row (to the right). */
export function openVector(view: View, downwards: bool): void {
  vector = addressOf(view);
  vertical = downwards;
  vectorCount = downwards ? view.usedRows : view.usedColumns;
  if (!view.usedRows || !view.usedColumns) vectorCount = 0;
}

function readItem(index: u32): void {
  if (vertical) viewItem(at<View>(vector), index, 0);
  else viewItem(at<View>(vector), 0, index);
}

/** Order of an item and the key: below zero when the item is smaller; or INCOMPARABLE. */
function compareAt(index: u32): i32 {
  readItem(index);
  return compareItem();
}

function compareItem(): i32 {
  if (itemKind != keyKind) return INCOMPARABLE;
  if (itemKind == KIND_NUMBER) {
    const item = reinterpret<f64>(itemPayload);
    const key = reinterpret<f64>(keyPayload);
    return item < key ? -1 : item > key ? 1 : 0;
  }
  if (itemKind == KIND_STRING) {
    const order = compareTexts(<usize>itemPayload, keyText());
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  return <i32>itemPayload - <i32>keyPayload;
}

/** The first item equal to the key (numbers to the last bit, as Excel's lookups), or -1. */
export function findFirst(): i32 {
  const view = at<View>(vector);
  if (view.sheet && vertical && keyKind != KIND_BLANK) return findInColumn(view);
  if (isRestOther(view)) return findPlace(at<Sparse>(view.sparse), false);
  for (let index: u32 = 0; index < vectorCount && !suspended; index++) {
    if (compareAt(index) == 0) return <i32>index;
  }
  const all = vertical ? view.rows : view.columns;
  return keyKind == KIND_BLANK && vectorCount < all ? <i32>vectorCount : -1;
}

/** The last item equal to the key, or -1. */
export function findLast(): i32 {
  const view = at<View>(vector);
  const all = vertical ? view.rows : view.columns;
  if (keyKind == KIND_BLANK && vectorCount < all) return <i32>all - 1;
  if (isRestOther(view)) return findPlace(at<Sparse>(view.sparse), true);
  for (let index = <i32>vectorCount - 1; index >= 0 && !suspended; index--) {
    if (compareAt(index) == 0) return index;
  }
  return -1;
}

/** Returns whether a view is a sparse column whose rest is not the key. */
function isRestOther(view: View): bool {
  if (!view.sparse) return false;
  viewRest(at<Sparse>(view.sparse));
  repeatWork(<u64>vectorCount * REST_UNITS);
  return compareItem() != 0;
}

/** The first or last place of a sparse column that is equal to the key, or -1. */
function findPlace(sparse: Sparse, backwards: bool): i32 {
  for (let step: u32 = 0; step < sparse.count; step++) {
    const index = backwards ? sparse.count - 1 - step : step;
    viewPlace(sparse, index);
    if (compareItem() == 0) return <i32>placeAt(sparse, index);
  }
  return -1;
}

/** The first or last text that matches the key's wildcards, or -1. */
export function findPattern(backwards: bool): i32 {
  const view = at<View>(vector);
  if (!backwards && opensMarked(view)) return findMarked(view);
  const count = <i32>vectorCount;
  for (let step = 0; step < count && !suspended; step++) {
    const index = backwards ? count - 1 - step : step;
    readItem(index);
    if (itemKind == KIND_STRING && matchesWildcard(keyText(), <usize>itemPayload)) return index;
  }
  return -1;
}

/** Opens the rows of a column whose texts have the letters of the key's pattern. */
function opensMarked(view: View): bool {
  if (!view.sheet || !vertical || vectorCount < INDEX_ROWS) return false;
  const column = columnAt(view.sheet, view.column0);
  const marks: u64 = column ? marksOfPattern(keyText()) : 0;
  if (!marks) return false;
  return openMarked(indexOf(column), marks, view.row0, view.row0 + vectorCount);
}

function findMarked(view: View): i32 {
  for (let row = nextMarked(); row >= 0 && !suspended; row = nextMarked()) {
    readItem(<u32>row - view.row0);
    if (matchesWildcard(keyText(), <usize>itemPayload)) return row - <i32>view.row0;
  }
  return -1;
}

/** The first or last text in which the key's pattern matches something, or -1. */
export function findRegex(backwards: bool): i32 {
  const count = <i32>vectorCount;
  for (let step = 0; step < count && !suspended && !isExhausted; step++) {
    const index = backwards ? count - 1 - step : step;
    readItem(index);
    if (itemKind == KIND_STRING && findMatch(<usize>itemPayload, 0)) return index;
  }
  return -1;
}

function findInColumn(view: View): i32 {
  const column = columnAt(view.sheet, view.column0);
  if (!column || !vectorCount) return -1;
  const end = view.row0 + vectorCount;
  const hash = vectorCount >= INDEX_ROWS ? keyHash(keyKind, keyPayload) : 0;
  const isIndexed = hash != 0 && openRows(indexOf(column), hash, view.row0, end);
  const row = isIndexed ? findFiled(column) : scanColumn(column, view.row0, end);
  return row < 0 ? -1 : row - <i32>view.row0;
}

/** The first of the rows filed under the key's hash that holds the key. */
function findFiled(column: usize): i32 {
  let row = nextRow();
  while (row >= 0 && !isKey(readColumn(column, row), cellPayload)) row = nextRow();
  return row;
}

function isKey(kind: u32, payload: u64): bool {
  if (kind != keyKind) return false;
  if (payload == keyPayload) return true;
  if (kind == KIND_STRING) return equalTexts(<usize>payload, keyText());
  return kind == KIND_NUMBER && reinterpret<f64>(payload) == reinterpret<f64>(keyPayload);
}

/** Walks the chunks of a column; a cell out of date suspends, as it might be the match. */
function scanColumn(column: usize, from: u32, end: u32): i32 {
  for (let row = from; row < end;) {
    const chunkEnd = min(end, (row | (CHUNK_ROWS - 1)) + 1);
    const chunk = chunkAt(column, row >> 10);
    if (chunk) {
      const record = at<Chunk>(chunk);
      const base = row & ~(CHUNK_ROWS - 1);
      const limit = min(chunkEnd, base + record.capacity);
      const found =
        keyKind == KIND_NUMBER
          ? scanNumbers(record, row - base, limit - base)
          : scanOthers(record, row - base, limit - base);
      if (found >= 0) {
        const hit = base + <u32>found;
        const tag = <u32>load<u8>(<usize>record.tags + found);
        if (!(tag & CELL_PENDING)) return <i32>hit;
        suspendOn(at<Column>(column).sheet, hit, at<Column>(column).number);
        return -1;
      }
    }
    row = chunkEnd;
  }
  return -1;
}

/** Offset of the first cell that is the number, or is out of date; or -1. */
function scanNumbers(chunk: Chunk, from: u32, end: u32): i32 {
  const key = reinterpret<f64>(keyPayload);
  for (let offset = from; offset < end; offset++) {
    const tag = <u32>load<u8>(<usize>chunk.tags + offset);
    if (tag & CELL_PENDING) return <i32>offset;
    if (load<f64>(<usize>chunk.values + ((<usize>offset) << 3)) != key) continue;
    if ((tag & KIND_MASK) == KIND_NUMBER) return <i32>offset;
  }
  return -1;
}

function scanOthers(chunk: Chunk, from: u32, end: u32): i32 {
  for (let offset = from; offset < end; offset++) {
    const tag = <u32>load<u8>(<usize>chunk.tags + offset);
    if (tag & CELL_PENDING) return <i32>offset;
    const payload = load<u64>(<usize>chunk.values + ((<usize>offset) << 3));
    if (isKey(tag & KIND_MASK, payload)) return <i32>offset;
  }
  return -1;
}

/** Bounds of a binary search, both outside of what is left. */
let low: i32 = 0;
let high: i32 = 0;

/**
 * The last item not above the key, by the binary search Excel makes: entries of another kind are
 * stepped over to the right, and when nothing comparable is left there, the search goes left. On
 * unsorted data the answer is this search's (as Apache POI's LookupUtils found out).
 */
export function findAscending(): i32 {
  low = -1;
  high = <i32>vectorCount;
  while (high - low >= 2 && !suspended) {
    const middle = low + ((high - low) >> 1);
    let probe = middle;
    let order = compareAt(probe);
    while (order == INCOMPARABLE) {
      probe = nextProbe(probe);
      if (probe >= high) break;
      order = compareAt(probe);
    }
    if (order == INCOMPARABLE) high = middle;
    else if (order == 0) return lastEqual(probe);
    else if (order < 0) low = probe;
    else high = probe == middle || probe == high - 1 ? middle : probe;
  }
  return low;
}

/** The item behind one that is incomparable; of a sparse column the next that may be another. */
function nextProbe(probe: i32): i32 {
  const view = at<View>(vector);
  if (!view.sparse) return probe + 1;
  const sparse = at<Sparse>(view.sparse);
  viewRest(sparse);
  if (compareItem() != INCOMPARABLE) return probe + 1;
  return <i32>min(placeAt(sparse, placeFrom(sparse, probe + 1)), vectorCount);
}

/** The last of the equal items that follow each other. */
function lastEqual(from: i32): i32 {
  let index = from;
  while (index + 1 < high && compareAt(index + 1) == 0) index++;
  return index;
}

/** MATCH(…, -1): the last item not below the key, while the items descend. */
export function findDescending(): i32 {
  let found = -1;
  let foundEqual = false;
  for (let index: u32 = 0; index < vectorCount && !suspended; index++) {
    const order = compareAt(index);
    if (order == INCOMPARABLE) continue;
    // The last one of equal items is the answer.
    if (order < 0 || (order > 0 && found >= 0 && foundEqual)) return found;
    foundEqual = order == 0;
    found = <i32>index;
  }
  return found;
}

/**
 * The column that is searched from top to bottom, of which only numbers are looked for and there;
 * else 0.
 */
export function numbersSearched(): usize {
  const view = at<View>(vector);
  if (!view.sheet || !vertical || keyKind != KIND_NUMBER || vectorCount < INDEX_ROWS) return 0;
  const column = columnAt(view.sheet, view.column0);
  if (!column) return 0;
  const kinds = kindsOfRows(indexOf(column), view.row0, view.row0 + vectorCount);
  return kinds == 1 << KIND_NUMBER ? column : 0;
}

/** The first row of what is searched, and the number that is looked for. */
export function rowSearched(): u32 {
  return at<View>(vector).row0;
}

export function keyNumber(): f64 {
  return reinterpret<f64>(keyPayload);
}

/** Returns whether the key is a text, which may need the wildcard search. */
export function keyIsText(): bool {
  return keyKind == KIND_STRING;
}

/** Returns whether the key is blank: no item is near it, whatever the mode. */
export function keyIsBlank(): bool {
  return keyKind == KIND_BLANK;
}

/** How many items can hold anything. */
export function itemCount(): i32 {
  return <i32>vectorCount;
}

/**
 * Order of an item and the key over all types, as XLOOKUP has it: numbers before texts before
 * booleans. Blanks and errors are INCOMPARABLE.
 */
export function compareAcross(index: i32): i32 {
  const order = compareAt(index);
  if (order != INCOMPARABLE) return order;
  const rank = rankOf(itemKind);
  return rank == 0 ? INCOMPARABLE : rank - rankOf(keyKind) < 0 ? -1 : 1;
}

/** Place of a kind among those that have an order; 0 for one that has none. */
export function rankOf(kind: u32): i32 {
  if (kind == KIND_NUMBER) return 1;
  if (kind == KIND_STRING) return 2;
  return kind == KIND_BOOLEAN ? 3 : 0;
}
