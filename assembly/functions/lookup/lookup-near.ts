import { KIND_NUMBER, KIND_STRING } from '../../abi';
import { cellPayload, readColumn, suspended } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { keyHash, nextRow, openRows } from '../../indexes/key-rows';
import { SortedNumbers, sortedNumbers } from '../../indexes/sorted-numbers';
import { at } from '../../memory/pointer';
import { countBelow } from '../../memory/sort-doubles';
import { compareTexts } from '../../values/text-order';
import { repeatWork } from '../../vm/cell-fuel';
import { itemKind, itemPayload } from '../../vm/view';
import {
  INCOMPARABLE,
  compareAcross,
  itemCount,
  keyNumber,
  numbersSearched,
  rankOf,
  rowSearched,
} from './lookup-key';

/** XLOOKUP's and XMATCH's ways to what is equal to the open key or next to it, over all types. */

/** The sorted numbers of a column do not tell. */
const UNKNOWN: i32 = -2;

/** The same of a column of numbers by its sorted numbers, or UNKNOWN. */
function nearestSorted(side: i32): i32 {
  const column = numbersSearched();
  const row0 = rowSearched();
  const end = row0 + <u32>itemCount();
  const known = column ? sortedNumbers(indexOf(column), row0, end) : 0;
  if (!known) return UNKNOWN;
  const sorted = at<SortedNumbers>(known);
  repeatWork(<u64>sorted.count * ITEM_UNITS);
  const place = <i32>countBelow(sorted.start, sorted.count, keyNumber(), side < 0);
  const index = side < 0 ? place - 1 : place;
  if (index < 0 || index >= <i32>sorted.count) return -1;
  const value = load<f64>(<usize>sorted.start + ((<usize>index) << 3));
  const hash = keyHash(KIND_NUMBER, reinterpret<u64>(value));
  const isFiled = openRows(indexOf(column), hash, row0, end);
  let row = isFiled ? nextRow() : <i32>row0;
  while (row >= 0 && <u32>row < end) {
    readColumn(column, row);
    if (reinterpret<f64>(cellPayload) == value) return row - <i32>row0;
    row = isFiled ? nextRow() : row + 1;
  }
  return UNKNOWN;
}

/** Units of work for an item. */
const ITEM_UNITS: u32 = 10;

/** An exact match or else the nearest item below (`side` -1) or above (1), item by item. */
export function findNearest(side: i32, backwards: bool): i32 {
  const known = backwards ? UNKNOWN : nearestSorted(side);
  if (known != UNKNOWN) return known;
  const count = itemCount();
  let found = -1;
  let bestKind: u32 = 0;
  let best: u64 = 0;
  for (let step = 0; step < count && !suspended; step++) {
    const index = backwards ? count - 1 - step : step;
    const order = compareAcross(index);
    if (order == 0) return index;
    if (order == INCOMPARABLE || order < 0 != side < 0) continue;
    if (found < 0 || isNearer(side, bestKind, best)) {
      found = index;
      bestKind = itemKind;
      best = itemPayload;
    }
  }
  return found;
}

/**
 * Returns whether the item just read is nearer to the key than the best one so far, on the same
 * side.
 */
function isNearer(side: i32, kind: u32, best: u64): bool {
  let order = rankOf(itemKind) - rankOf(kind);
  if (order == 0 && kind == KIND_NUMBER) {
    const item = reinterpret<f64>(itemPayload);
    const other = reinterpret<f64>(best);
    order = item < other ? -1 : item > other ? 1 : 0;
  } else if (order == 0 && kind == KIND_STRING) {
    order = compareTexts(<usize>itemPayload, <usize>best);
  } else if (order == 0) {
    order = <i32>itemPayload - <i32>best;
  }
  return side < 0 ? order > 0 : order < 0;
}

/** The order that nextComparable found. */
let foundOrder: i32 = 0;

/** The first item from `from` to before `end` that has an order to the key, or -1. */
function nextComparable(from: i32, end: i32): i32 {
  for (let index = from; index < end && !suspended; index++) {
    foundOrder = compareAcross(index);
    if (foundOrder != INCOMPARABLE) return index;
  }
  return -1;
}

/**
 * The binary searches over ascending or descending items: the exact match, or with `side` the next
 * smaller (-1) or larger (1) one. Of equal items the ascending search finds the first, the
 * descending one the last; on items that are not sorted the answer is this search's, as Excel's.
 */
export function findSorted(descending: bool, side: i32): i32 {
  const count = itemCount();
  let low = 0;
  let high = count;
  let near = -1;
  while (low < high && !suspended) {
    const middle = low + ((high - 1 - low) >> 1);
    const place = nextComparable(middle, high);
    const isBefore = descending ? foundOrder >= 0 : foundOrder < 0;
    if (place >= 0 && isBefore) {
      near = place;
      low = place + 1;
    } else {
      high = middle;
    }
  }
  // The item behind the last one before the key is the key itself, if an ascending range has it.
  const far = nextComparable(near + 1, count);
  const farOrder = foundOrder;
  if (!descending) {
    if (far >= 0 && farOrder == 0) return far;
    return side == 0 ? -1 : side < 0 ? near : far;
  }
  if (near >= 0 && compareAcross(near) == 0) return near;
  return side == 0 ? -1 : side < 0 ? far : near;
}
