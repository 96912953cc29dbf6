import {
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_REFERENCE,
  KIND_STRING,
} from '../../abi';
import { columnAt } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { areFiled } from '../../indexes/key-rows';
import { kindsOfRows } from '../../indexes/row-kinds';
import { SortedNumbers } from '../../indexes/sorted-numbers';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { countBelow } from '../../memory/sort-doubles';
import { Grid, newArray, setItemNumber } from '../../vm/array';
import {
  answerArray,
  answerError,
  answerNumber,
  argument,
  argumentCount,
  booleanOr,
  fail,
  failed,
  failure,
  integerArgument,
  integerOr,
  numberArgument,
} from '../../vm/call';
import { pay } from '../../vm/fuel';
import { columnArea } from '../../vm/column-reader';
import { Area, usedAreaRows } from '../../vm/reference';
import { kindOf, wordOf } from '../../vm/slot';
import { sortItems } from '../../vm/sort';
import { itemKind, itemNumber, itemWord, nextItem, openScan } from '../../vm/view';
import { roundDecimal, TOWARDS_ZERO } from '../math/math-rounding';
import {
  append,
  gather,
  gatherOne,
  newList,
  NumberList,
  numberAt,
  ONLY_NUMBERS,
  setResult,
  sortList,
} from '../shared/number-list';
import { alikeTo, tallyRows } from '../shared/alike-rows';
import { modeOfColumn } from '../shared/column-mode';
import { gatherSorted, sortedReference } from '../shared/sorted-argument';

/** MEDIAN(number, …) */
export function evaluateMedian(): void {
  const isOne = argumentCount == 1;
  const list = isOne ? gatherSorted(0) : gather(0, ONLY_NUMBERS);
  if (failed()) return;
  if (list.count == 0) answerError(ERROR_NUMBER);
  else answerNumber(isOne ? middleOf(list) : medianOf(list));
}

export function medianOf(list: NumberList): f64 {
  sortList(list);
  return middleOf(list);
}

export function middleOf(list: NumberList): f64 {
  const middle = list.count >> 1;
  const upper = numberAt(list, middle);
  return list.count & 1 ? upper : (numberAt(list, middle - 1) + upper) / 2;
}

/** The order of first appearance matters to MODE: this copies a list before it is sorted. */
function copyOf(list: NumberList): NumberList {
  const copy = newList();
  for (let index: u32 = 0; index < list.count; index++) append(copy, numberAt(list, index));
  return copy;
}

/** Place of the first item of a sorted list that is not below a value. */
function lowerBound(sorted: NumberList, value: f64): u32 {
  return countBelow(sorted.start, sorted.count, value, false);
}

/** How often a value is in a sorted list. */
function frequencyOf(sorted: NumberList, value: f64): u32 {
  return countBelow(sorted.start, sorted.count, value, true) - lowerBound(sorted, value);
}

function greatestRun(sorted: NumberList): u32 {
  let greatest: u32 = 0;
  let run: u32 = 0;
  for (let index: u32 = 0; index < sorted.count; index++) {
    const same = index > 0 && numberAt(sorted, index) == numberAt(sorted, index - 1);
    run = same ? run + 1 : 1;
    greatest = max(greatest, run);
  }
  return greatest;
}

/** The most frequent number; of several the one met first. */
export function modeOf(list: NumberList): f64 {
  const sorted = copyOf(list);
  sortList(sorted);
  const greatest = greatestRun(sorted);
  if (greatest < 2) return NaN;
  for (let index: u32 = 0; index < list.count; index++) {
    if (frequencyOf(sorted, numberAt(list, index)) == greatest) return numberAt(list, index);
  }
  return NaN;
}

/** Text that is given directly is #VALUE! to MODE, also where it would be a number. */
function refuseTexts(): void {
  for (let index: u32 = 0; index < argumentCount; index++) {
    const kind = kindOf(argument(index));
    if (kind == KIND_ERROR) return;
    if (kind == KIND_STRING) return fail(ERROR_VALUE);
  }
}

/** MODE and MODE.SNGL: #N/A when nothing repeats. */
export function evaluateModeSingle(): void {
  refuseTexts();
  const known: usize = argumentCount == 1 ? sortedReference(0) : 0;
  if (known) return answerKnownMode(at<SortedNumbers>(known));
  const list = gather(0, ONLY_NUMBERS);
  if (failed()) return;
  answerMode(modeOf(list));
}

function answerKnownMode(sorted: SortedNumbers): void {
  if (sorted.error >= 0) answerError(sorted.error);
  else answerMode(modeOfColumn(0, sorted));
}

/** The mode; #N/A where there is none. */
export function answerMode(mode: f64): void {
  if (isNaN(mode)) answerError(ERROR_NOT_AVAILABLE);
  else answerNumber(mode);
}

/** MODE.MULT: all of them in a column, in the order they are met. */
export function evaluateModeMany(): void {
  refuseTexts();
  const list = gather(0, ONLY_NUMBERS);
  if (failed()) return;
  const sorted = copyOf(list);
  sortList(sorted);
  const greatest = greatestRun(sorted);
  if (greatest < 2) {
    answerError(ERROR_NOT_AVAILABLE);
    return;
  }
  const modes = newList();
  const taken = newList();
  for (let index: u32 = 0; index < sorted.count; index++) append(taken, 0);
  for (let index: u32 = 0; index < list.count; index++) {
    const value = numberAt(list, index);
    const place = lowerBound(sorted, value);
    if (frequencyOf(sorted, value) != greatest || numberAt(taken, place) != 0) continue;
    store<f64>(<usize>taken.start + ((<usize>place) << 3), 1);
    append(modes, value);
  }
  const array = newArray(modes.count, 1);
  for (let index: u32 = 0; index < modes.count; index++) {
    setResult(array, index, numberAt(modes, index));
  }
  answerArray(array);
}

/**
 * LARGE(values, k): k is rounded up. Excel converts single values before it looks into lists, so
 * here and below an error of k comes before those among the values.
 */
export function evaluateLarge(): void {
  const place = ceil(numberArgument(1));
  const list = gatherSorted(0);
  if (failed()) return;
  if (place < 1 || place > <f64>list.count) {
    answerError(ERROR_NUMBER);
    return;
  }
  answerNumber(numberAt(list, list.count - <u32>place));
}

/** SMALL(values, k): k is cut. */
export function evaluateSmall(): void {
  const place = trunc(numberArgument(1));
  const list = gatherSorted(0);
  if (failed()) return;
  if (place < 1 || place > <f64>list.count) {
    answerError(ERROR_NUMBER);
    return;
  }
  answerNumber(numberAt(list, <u32>place - 1));
}

/** RANK(number, reference, [ascending]); `average` shares the place among equals. */
export function evaluateRank(average: bool): void {
  const value = numberArgument(0);
  areaReference();
  const ascending = booleanOr(2, false);
  if (failed()) return;
  countBetter(value, ascending);
  if (failed()) return;
  if (equalCount == 0) answerError(ERROR_NOT_AVAILABLE);
  else answerNumber(betterCount + 1 + (average ? (equalCount - 1) / 2 : 0));
}

let betterCount: f64 = 0;
let equalCount: f64 = 0;

/** Counts what comes before a value among the numbers of RANK's reference, and its equals. */
function countBetter(value: f64, ascending: bool): void {
  betterCount = equalCount = 0;
  const known = sortedReference(1);
  if (known) {
    countSorted(at<SortedNumbers>(known), value, ascending);
    return;
  }
  const scan = openScan(argument(1));
  while (nextItem(scan)) {
    if (itemKind == KIND_ERROR) {
      fail(itemWord());
      return;
    }
    if (itemKind != KIND_NUMBER) continue;
    const item = itemNumber();
    if (item == value) equalCount++;
    else if (ascending ? item < value : item > value) betterCount++;
  }
}

function countSorted(sorted: SortedNumbers, value: f64, ascending: bool): void {
  if (sorted.error >= 0) {
    fail(sorted.error);
    return;
  }
  const below = countBelow(sorted.start, sorted.count, value, false);
  const through = countBelow(sorted.start, sorted.count, value, true);
  equalCount = through - below;
  betterCount = ascending ? below : sorted.count - through;
}

/** RANK takes references only; a union is one. */
function areaReference(): void {
  const kind = kindOf(argument(1));
  if (kind == KIND_REFERENCE) return;
  fail(kind == KIND_ERROR ? wordOf(argument(1)) : ERROR_VALUE);
}

/** The value at a share (0 to 1) of a sorted list, interpolated; NaN outside. */
export function percentileOf(sorted: NumberList, share: f64, exclusive: bool): f64 {
  const count = <f64>sorted.count;
  const position = exclusive ? share * (count + 1) - 1 : share * (count - 1);
  if (isNaN(position) || position < 0 || position > count - 1) return NaN;
  const below = floor(position);
  const value = numberAt(sorted, <u32>below);
  if (below == position) return value;
  return value + (position - below) * (numberAt(sorted, <u32>below + 1) - value);
}

function answerPercentile(list: NumberList, share: f64, exclusive: bool): void {
  if (list.count == 0 || share < 0 || share > 1) {
    answerError(ERROR_NUMBER);
    return;
  }
  answerNumber(percentileOf(list, share, exclusive));
}

/** PERCENTILE.INC and .EXC */
export function evaluatePercentile(exclusive: bool): void {
  const share = numberArgument(1);
  const list = gatherSorted(0);
  if (failed()) return;
  answerPercentile(list, share, exclusive);
}

/** QUARTILE.INC and .EXC: the quarter is cut to a whole number. */
export function evaluateQuartile(exclusive: bool): void {
  const quarter = integerArgument(1);
  const list = gatherSorted(0);
  if (failed()) return;
  if (exclusive && (quarter < 1 || quarter > 3)) answerError(ERROR_NUMBER);
  else answerPercentile(list, quarter / 4, exclusive);
}

/** PERCENTRANK(values, value, [digits]): cut, not rounded, to 3 digits. */
export function evaluatePercentRank(exclusive: bool): void {
  const value = numberArgument(1);
  const digits = integerOr(2, 3);
  const list = gatherSorted(0);
  if (failed()) return;
  if (list.count == 0 || digits < 1) {
    answerError(ERROR_NUMBER);
    return;
  }
  const count = list.count;
  if (value < numberAt(list, 0) || value > numberAt(list, count - 1)) {
    answerError(ERROR_NOT_AVAILABLE);
    return;
  }
  const place = lowerBound(list, value);
  let position: f64 = place;
  if (numberAt(list, place) != value) {
    const below = numberAt(list, place - 1);
    position = <f64>place - 1 + (value - below) / (numberAt(list, place) - below);
  }
  let rank: f64 = 1;
  if (exclusive) rank = (position + 1) / (<f64>count + 1);
  else if (count > 1) rank = position / (<f64>count - 1);
  answerNumber(roundDecimal(rank, digits, TOWARDS_ZERO));
}

/** FREQUENCY(values, limits): how many values up to each limit, and the rest. */
export function evaluateFrequency(): void {
  const values = gatherSorted(0);
  const own: usize = failure < 0 ? ownFrequencies(values) : 0;
  if (own) return answerArray(own);
  const limits = gatherOne(1);
  if (failed()) return;
  const count = limits.count;
  const order = scratch(count << 2);
  for (let index: u32 = 0; index < count; index++) {
    store<u32>(order + ((<usize>index) << 2), index);
  }
  // Stable: of equal limits the first one written takes all.
  orderedLimits = limits;
  sortItems(order, scratch(count << 2), count, compareLimits);
  const array = newArray(count + 1, 1);
  let before: f64 = 0;
  for (let rank: u32 = 0; rank < count; rank++) {
    const index = load<u32>(order + ((<usize>rank) << 2));
    const reached = upTo(values, numberAt(limits, index));
    setResult(array, index, reached - before);
    before = reached;
  }
  setResult(array, count, <f64>values.count - before);
  answerArray(array);
}

/**
 * FREQUENCY(range, range) of a column of numbers: the first of equal ones takes all. Returns 0 for
 * others.
 */
function ownFrequencies(values: NumberList): usize {
  const address = columnArea(argument(0));
  const other = columnArea(argument(1));
  if (!address || !other || memory.compare(address, other, offsetof<Area>()) != 0) return 0;
  const column = columnAt(at<Area>(address).sheet, at<Area>(address).column0);
  if (!column) return 0;
  const row0 = at<Area>(address).row0;
  const end = row0 + usedAreaRows(address);
  const index = indexOf(column);
  if (kindsOfRows(index, row0, end) != 1 << KIND_NUMBER || !areFiled(index, row0, end)) return 0;
  if (!pay(values.count * FREQUENCY_UNITS)) return 0;
  tallyRows(index, row0, values.count);
  const array = newArray(values.count + 1, 1);
  memory.fill(at<Grid>(array).kinds, <u8>KIND_NUMBER, values.count + 1);
  for (let row: u32 = 0; row < values.count; row++) setItemNumber(array, row, alikeTo(row));
  return array;
}

/** Units of work for a limit. */
const FREQUENCY_UNITS: u32 = 24;

/** The limits that compareLimits looks at. */
let orderedLimits: NumberList = at<NumberList>(0);

function compareLimits(left: u32, right: u32): i32 {
  const a = numberAt(orderedLimits, left);
  const b = numberAt(orderedLimits, right);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How many items of a sorted list are at most a value. */
function upTo(sorted: NumberList, value: f64): f64 {
  return lowerBound(sorted, value) + frequencyOf(sorted, value);
}
