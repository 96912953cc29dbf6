import {
  CELL_FORMULA,
  ERROR_DIVISION,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_REFERENCE,
  ROWS_HIDDEN_BY_FILTER,
  ROWS_HIDDEN_BY_HAND,
} from '../../abi';
import { hidesRows, visibilityOf } from '../../grid/row-visibility';
import { suspended, tagAt } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import {
  answerError,
  answerNumber,
  argument,
  argumentCount,
  fail,
  failed,
  failure,
  integerArgument,
  numberArgument,
} from '../../vm/call';
import { Area, areaCountOf, areaOf } from '../../vm/reference';
import { kindOf, wordOf } from '../../vm/slot';
import {
  itemKind,
  itemNumber,
  itemWord,
  nextItem,
  openAreaView,
  openScan,
  viewItem,
} from '../../vm/view';
import { append, newList, NumberList, numberAt, sortList, sumOf } from '../shared/number-list';
import { spreadOf } from '../statistical/statistical-moments';
import { answerMode, medianOf, modeOf, percentileOf } from '../statistical/statistical-order';
import { holdsSubtotal, mayHoldSubtotals } from './subtotal-cells';
import { answerOfColumn, knownNumbers, numbersOf } from './subtotal-column';

/** More than anything that hides a row. */
const HIDES_NONE: u32 = ROWS_HIDDEN_BY_FILTER + 1;

/**
 * Cells that a call leaves out: rows hidden at this ROWS_* level of abi.ts or above, errors, and
 * cells with subtotals of their own.
 */
let leastHidden: u32 = HIDES_NONE;
let skipsErrors: bool = false;
let skipsNested: bool = false;

/** Cells met that are not blank, for COUNTA. */
let filledCount: u32 = 0;

/** Takes the item just read. */
function takeItem(list: NumberList): void {
  if (itemKind == KIND_BLANK) return;
  if (itemKind == KIND_ERROR) {
    if (skipsErrors) return;
    firstError = firstError < 0 ? <i32>itemWord() : firstError;
  }
  filledCount++;
  if (itemKind == KIND_NUMBER) append(list, itemNumber());
}

/** The first error met, or -1: COUNT and COUNTA do not mind it. */
let firstError: i32 = -1;

function takeArea(list: NumberList, area: usize): void {
  const record = at<Area>(area);
  const view = openAreaView(area);
  const skipsRows = leastHidden < HIDES_NONE && hidesRows(record.sheet);
  for (let row: u32 = 0; row < view.usedRows; row++) {
    if (skipsRows && visibilityOf(record.sheet, record.row0 + row) >= leastHidden) continue;
    for (let column: u32 = 0; column < view.usedColumns; column++) {
      if (skipsNested && isNested(record, row, column)) continue;
      viewItem(view, row, column);
      if (suspended) return;
      takeItem(list);
    }
  }
}

function isNested(area: Area, row: u32, column: u32): bool {
  const tag = tagAt(area.sheet, area.row0 + row, area.column0 + column);
  return (
    (tag & CELL_FORMULA) != 0 && holdsSubtotal(area.sheet, area.row0 + row, area.column0 + column)
  );
}

/** The numbers of arguments `from` to `end` that count; arrays only where they are allowed. */
function gatherVisible(from: u32, end: u32, arrays: bool): NumberList {
  const list = newList();
  filledCount = 0;
  firstError = -1;
  for (let index = from; index < end && failure < 0; index++) {
    const slot = argument(index);
    const kind = kindOf(slot);
    if (kind == KIND_REFERENCE) {
      const count = areaCountOf(wordOf(slot));
      for (let number: u32 = 0; number < count && !suspended; number++) {
        takeArea(list, areaOf(wordOf(slot), number));
      }
    } else if (kind == KIND_ERROR) {
      fail(wordOf(slot));
    } else if (arrays && (kind == KIND_ARRAY || kind == KIND_NUMBER)) {
      const scan = openScan(slot);
      while (nextItem(scan)) takeItem(list);
    } else {
      fail(ERROR_VALUE);
    }
  }
  return list;
}

/**
 * SUBTOTAL(function, reference, …): 1 to 11 leave out what a filter hides, 101 to 111 rows that are
 * hidden by hand too.
 */
export function evaluateSubtotal(): void {
  let which = integerArgument(0);
  leastHidden = which > 100 ? ROWS_HIDDEN_BY_HAND : ROWS_HIDDEN_BY_FILTER;
  skipsErrors = false;
  skipsNested = true;
  if (which > 100) which -= 100;
  if (which < 1 || which > 11) fail(ERROR_VALUE);
  if (failed() || answerShared(<u32>which, 1)) return;
  const list = gatherVisible(1, argumentCount, false);
  if (failed()) return;
  answerTotal(<u32>which, list);
}

/**
 * AGGREGATE(function, options, reference, …), or with functions 14 to 19 (function, options,
 * array, k). Options 0 to 3 leave nested totals out, odd ones hidden rows, 2, 3, 6 and 7 errors.
 */
export function evaluateAggregate(): void {
  const which = integerArgument(0);
  const options = integerArgument(1);
  if (which < 1 || which > 19 || options < 0 || options > 7) fail(ERROR_VALUE);
  if (which > 13 && argumentCount < 4) fail(ERROR_VALUE);
  if (failed()) return;
  const bits = <u32>options;
  skipsNested = bits < 4;
  leastHidden = bits & 1 ? ROWS_HIDDEN_BY_HAND : HIDES_NONE;
  skipsErrors = (bits & 2) != 0;
  const ordered = which > 13;
  if (!ordered && answerShared(<u32>which, 2)) return;
  const place = ordered ? numberArgument(3) : 0;
  if (ordered) return aggregateOrdered(<u32>which, place);
  const list = gatherVisible(2, argumentCount, false);
  if (failed()) return;
  answerTotal(<u32>which, list);
}

/** Answers a total of a column from what its cells share; false where that is no way. */
function answerShared(which: u32, number: u32): bool {
  return argumentCount == number + 1 && isWholeColumn(number)
    ? answerOfColumn(which, number, skipsErrors)
    : false;
}

/** Returns whether an argument is one column of which all counts, but for errors. */
function isWholeColumn(number: u32): bool {
  const slot = argument(number);
  if (kindOf(slot) != KIND_REFERENCE || areaCountOf(wordOf(slot)) != 1) return false;
  const record = at<Area>(areaOf(wordOf(slot), 0));
  if (record.column0 != record.column1) return false;
  if (leastHidden < HIDES_NONE && hidesRows(record.sheet)) return false;
  if (!skipsNested) return true;
  return !mayHoldSubtotals(record.sheet, record.column0, record.row0, record.row1);
}

/** The functions 1 to 13. */
function answerTotal(which: u32, list: NumberList): void {
  if (which == 2) return answerNumber(list.count);
  if (which == 3) return answerNumber(filledCount);
  if (firstError >= 0) return answerError(<u32>firstError);
  const count = list.count;
  switch (which) {
    case 1:
      return count ? answerNumber(sumOf(list) / count) : answerError(ERROR_DIVISION);
    case 4:
    case 5:
      return answerExtreme(list, which == 4);
    case 6:
      return answerProduct(list);
    case 9:
      return answerNumber(sumOf(list));
    case 12:
      return count ? answerNumber(medianOf(list)) : answerError(ERROR_NUMBER);
    case 13:
      return answerMode(modeOf(list));
    default:
      return answerSpread(which, list);
  }
}

/** 7 STDEV.S, 8 STDEV.P, 10 VAR.S, 11 VAR.P */
function answerSpread(which: u32, list: NumberList): void {
  const sample = which == 7 || which == 10;
  const fewest: u32 = sample ? 2 : 1;
  if (list.count < fewest) answerError(ERROR_DIVISION);
  else answerNumber(spreadOf(list, sample, which < 9));
}

function answerExtreme(list: NumberList, greatest: bool): void {
  let result = list.count ? numberAt(list, 0) : 0;
  for (let index: u32 = 1; index < list.count; index++) {
    const value = numberAt(list, index);
    result = greatest ? max(result, value) : min(result, value);
  }
  answerNumber(result);
}

function answerProduct(list: NumberList): void {
  let product: f64 = list.count ? 1 : 0;
  for (let index: u32 = 0; index < list.count; index++) product *= numberAt(list, index);
  answerNumber(product);
}

/** 14 LARGE, 15 SMALL, 16 and 18 PERCENTILE, 17 and 19 QUARTILE */
function aggregateOrdered(which: u32, place: f64): void {
  if (failed()) return;
  const known: usize = isWholeColumn(2) ? knownNumbers(2, skipsErrors) : 0;
  if (known) return answerOrdered(which, numbersOf(known), place);
  const list = gatherVisible(2, 3, true);
  if (failed()) return;
  if (firstError >= 0) return answerError(<u32>firstError);
  sortList(list);
  answerOrdered(which, list, place);
}

/** The same of sorted numbers. */
function answerOrdered(which: u32, list: NumberList, place: f64): void {
  if (which < 16) {
    const rank = which == 14 ? ceil(place) : trunc(place);
    if (rank < 1 || rank > <f64>list.count) answerError(ERROR_NUMBER);
    else answerNumber(numberAt(list, which == 14 ? list.count - <u32>rank : <u32>rank - 1));
    return;
  }
  const quartile = which == 17 || which == 19;
  const exclusive = which > 17;
  const share = quartile ? trunc(place) / 4 : place;
  const outside = quartile && exclusive && (share <= 0 || share >= 1);
  if (list.count == 0 || outside) answerError(ERROR_NUMBER);
  else answerNumber(percentileOf(list, share, exclusive));
}
