import {
  ERROR_DIVISION,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_REFERENCE,
  KIND_STRING,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { lengthOf } from '../../memory/text';
import { parseNumber } from '../../values/typed-number';
import { rowsOf } from '../../vm/array';
import {
  answerError,
  answerNumber,
  areaArgument,
  argument,
  argumentCount,
  fail,
  failed,
  failure,
  isScalarKind,
  slotNumber,
} from '../../vm/call';
import { kindOf, numberOf, wordOf } from '../../vm/slot';
import { Sparse, sparseIn } from '../../vm/sparse';
import { Split } from '../../vm/split';
import {
  itemKind,
  itemNumber,
  itemWord,
  nextItem,
  openScan,
  openView,
  viewPlace,
} from '../../vm/view';
import { totalItems } from '../shared/array-totals';
import {
  addMany,
  addToTotals,
  countReference,
  multiplyColumn,
  openTotals,
  spanReference,
  sumReference,
  totalCount,
  totalError,
  totalGreatest,
  totalLeast,
  totalSum,
} from '../shared/column-totals';
import {
  evaluateAverageIf,
  evaluateAverageIfs,
  evaluateCountIf,
  evaluateCountIfs,
  evaluateMaxIfs,
  evaluateMinIfs,
  evaluateSumIf,
  evaluateSumIfs,
} from './conditional';
import { countEach } from './count-each';
import { EVERY_VALUE, gather, numberAt, ONLY_NUMBERS, sumOf } from '../shared/number-list';
import { chargedSparse, vanishingRest } from '../shared/sparse-argument';
import { countSplit, falseRows, trueRows } from '../shared/split-argument';
import { evaluateAggregate, evaluateSubtotal } from './subtotal';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callAggregate. */
export const AGGREGATES: string = `
SUM 1 255 +r R;
COUNT 1 255 +r R;
AVERAGE 1 255 +r R;
MIN 1 255 +r R;
MAX 1 255 +r R;
PRODUCT 1 255 +r R;
SUMSQ 1 255 +r R;
COUNTA 1 255 +r R;
COUNTBLANK 1 1 r R;
AVERAGEA 1 255 +r R;
MAXA 1 255 +r R;
MINA 1 255 +r R;
SUMIF 2 3 rvr R;
SUMIFS 3 255 r+rv R;
COUNTIF 2 2 rv R;
COUNTIFS 2 255 +rv R;
AVERAGEIF 2 3 rvr R;
AVERAGEIFS 3 255 r+rv R;
MAXIFS 3 255 r+rv R;
MINIFS 3 255 r+rv R;
SUBTOTAL 2 255 v+r SR;
AGGREGATE 3 255 vv+a SR`;

/**
 * Functions that are called for each of several references, which OFFSET and INDIRECT of an array
 * answer: `SUBTOTAL(3,OFFSET(A1,{0;1},0))` are two counts.
 */
export const EACH_FUNCTIONS: string =
  'SUBTOTAL SUMIF SUMIFS COUNTBLANK COUNTIF COUNTIFS AVERAGEIF AVERAGEIFS MAXIFS MINIFS';

/** Functions that may count for all items of a range at once. */
export const WHOLE_FUNCTIONS: string = 'COUNTIF';

export function callAggregate(index: u32): void {
  switch (index) {
    case 0:
      return evaluateSum();
    case 1:
      return evaluateCount();
    case 2:
      return evaluateAverage();
    case 3:
      return evaluateMin();
    case 4:
      return evaluateMax();
    case 5:
      return evaluateProduct();
    case 6:
      return evaluateSumOfSquares();
    case 7:
      return evaluateCountAll();
    case 8:
      return evaluateCountBlank();
    case 9:
      return evaluateAverageAll();
    case 10:
      return evaluateMaxAll();
    case 11:
      return evaluateMinAll();
    case 12:
      return evaluateSumIf();
    case 13:
      return evaluateSumIfs();
    case 14:
      return isScalarKind(kindOf(argument(1))) ? evaluateCountIf() : countEach();
    case 15:
      return evaluateCountIfs();
    case 16:
      return evaluateAverageIf();
    case 17:
      return evaluateAverageIfs();
    case 18:
      return evaluateMaxIfs();
    case 19:
      return evaluateMinIfs();
    case 20:
      return evaluateSubtotal();
    default:
      return evaluateAggregate();
  }
}

/** Takes all arguments into the totals of column-totals.ts; with `span` least and greatest too. */
function total(span: bool): void {
  openTotals();
  for (let index: u32 = 0; index < argumentCount && failure < 0 && !suspended; index++) {
    const slot = argument(index);
    const kind = kindOf(slot);
    if (kind == KIND_REFERENCE) {
      if (span) spanReference(wordOf(slot));
      else sumReference(wordOf(slot));
      if (totalError >= 0) fail(totalError);
    } else if (kind == KIND_ARRAY) totalArray(slot);
    else if (kind != KIND_BLANK) addToTotals(slotNumber(slot));
  }
}

function totalArray(slot: usize): void {
  const sparse = vanishingRest(slot);
  if (sparse) return totalSparse(at<Sparse>(sparse), rowsOf(wordOf(slot)));
  const split = countSplit(slot, totalSum);
  if (split) return totalSplit(at<Split>(split));
  totalItems(wordOf(slot));
}

function takeItem(): void {
  if (itemKind == KIND_NUMBER) addToTotals(itemNumber());
  else if (itemKind == KIND_ERROR) fail(itemWord());
}

/** Takes the two items of a split column as often as they are there. */
function totalSplit(split: Split): void {
  if (kindOf(split.truth) == KIND_NUMBER) addMany(numberOf(split.truth), trueRows);
  if (kindOf(split.falsehood) == KIND_NUMBER) addMany(numberOf(split.falsehood), falseRows);
}

/** Takes the items that are not like the rest, and the rest if it is zero. */
function totalSparse(sparse: Sparse, rows: u32): void {
  for (let index: u32 = 0; index < sparse.count && failure < 0; index++) {
    viewPlace(sparse, index);
    takeItem();
  }
  if (sparse.restKind == KIND_NUMBER) addMany(0, rows - sparse.count);
}

/** SUM(value, …): numbers in ranges and arrays; direct values are converted. */
function evaluateSum(): void {
  total(false);
  if (failed()) return;
  answerNumber(totalSum);
}

function evaluateAverage(): void {
  total(false);
  if (failed()) return;
  if (totalCount == 0) answerError(ERROR_DIVISION);
  else answerNumber(totalSum / totalCount);
}

/** MIN(value, …): 0 when there is no number. */
function evaluateMin(): void {
  total(true);
  if (failed()) return;
  answerNumber(totalCount ? totalLeast : 0);
}

function evaluateMax(): void {
  total(true);
  if (failed()) return;
  answerNumber(totalCount ? totalGreatest : 0);
}

/** COUNT(value, …): numbers; directly given also booleans and texts that read as numbers. */
function evaluateCount(): void {
  let count: u32 = 0;
  for (let index: u32 = 0; index < argumentCount && !suspended; index++) {
    const slot = argument(index);
    const kind = kindOf(slot);
    if (kind == KIND_REFERENCE) {
      count += countReference(wordOf(slot), false);
    } else if (kind == KIND_ARRAY) {
      count += countArray(slot);
    } else if (kind == KIND_STRING) {
      count += <u32>parseNumber(wordOf(slot));
    } else {
      count += kind == KIND_NUMBER || kind == KIND_BOOLEAN || kind == KIND_OMITTED ? 1 : 0;
    }
  }
  answerNumber(count);
}

function countArray(slot: usize): u32 {
  let count: u32 = 0;
  if (sparseIn(slot)) {
    const sparse = at<Sparse>(chargedSparse(slot));
    if (sparse.restKind == KIND_NUMBER) count = rowsOf(wordOf(slot)) - sparse.count;
    for (let index: u32 = 0; index < sparse.count; index++) {
      viewPlace(sparse, index);
      count += itemKind == KIND_NUMBER ? 1 : 0;
    }
    return count;
  }
  const scan = openScan(slot);
  while (nextItem(scan)) count += itemKind == KIND_NUMBER ? 1 : 0;
  return count;
}

/** COUNTA(value, …): everything that is not blank, errors and empty texts too. */
function evaluateCountAll(): void {
  let count: u32 = 0;
  for (let index: u32 = 0; index < argumentCount && !suspended; index++) {
    const slot = argument(index);
    const kind = kindOf(slot);
    if (kind == KIND_REFERENCE) {
      count += countReference(wordOf(slot), true);
    } else if (kind == KIND_ARRAY) {
      const scan = openScan(slot);
      while (nextItem(scan)) count++;
    } else {
      // One value given directly counts whatever it is; COUNTA(IF(TRUE,,)) is 1.
      count++;
    }
  }
  answerNumber(count);
}

/** COUNTBLANK(range): blank cells and empty texts. */
function evaluateCountBlank(): void {
  areaArgument(0);
  if (failed()) return;
  const view = openView(argument(0));
  let filled: f64 = 0;
  const scan = openScan(argument(0));
  while (nextItem(scan)) {
    if (itemKind != KIND_STRING || lengthOf(itemWord()) != 0) filled++;
  }
  answerNumber(<f64>view.rows * view.columns - filled);
}

/** PRODUCT(value, …): 0 when there is no number. */
function evaluateProduct(): void {
  if (multipliesColumn(true)) {
    if (!failed()) answerNumber(totalCount ? totalSum : 0);
    return;
  }
  const list = gather(0, ONLY_NUMBERS);
  if (failed()) return;
  let product: f64 = list.count ? 1 : 0;
  for (let index: u32 = 0; index < list.count; index++) product *= numberAt(list, index);
  answerNumber(product);
}

/** Returns whether the only argument is a column, whose total is known then or has failed. */
function multipliesColumn(isProduct: bool): bool {
  if (argumentCount != 1 || kindOf(argument(0)) != KIND_REFERENCE) return false;
  if (!multiplyColumn(wordOf(argument(0)), isProduct)) return false;
  if (totalError >= 0) fail(totalError);
  return true;
}

function evaluateSumOfSquares(): void {
  if (multipliesColumn(false)) {
    if (!failed()) answerNumber(totalSum);
    return;
  }
  const list = gather(0, ONLY_NUMBERS);
  if (failed()) return;
  let sum: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    const value = numberAt(list, index);
    sum += value * value;
  }
  answerNumber(sum);
}

function evaluateAverageAll(): void {
  const list = gather(0, EVERY_VALUE);
  if (failed()) return;
  if (list.count == 0) answerError(ERROR_DIVISION);
  else answerNumber(sumOf(list) / list.count);
}

function evaluateMaxAll(): void {
  const list = gather(0, EVERY_VALUE);
  if (failed()) return;
  let greatest = list.count ? numberAt(list, 0) : 0;
  for (let index: u32 = 1; index < list.count; index++) {
    greatest = max(greatest, numberAt(list, index));
  }
  answerNumber(greatest);
}

function evaluateMinAll(): void {
  const list = gather(0, EVERY_VALUE);
  if (failed()) return;
  let least = list.count ? numberAt(list, 0) : 0;
  for (let index: u32 = 1; index < list.count; index++) {
    least = min(least, numberAt(list, index));
  }
  answerNumber(least);
}
