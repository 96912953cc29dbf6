import {
  ERROR_DIVISION,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  KIND_ERROR,
  KIND_NUMBER,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import {
  answerError,
  answerNumber,
  argument,
  fail,
  failed,
  given,
  integerArgument,
  numberArgument,
  numberOr,
} from '../../vm/call';
import { View, itemKind, itemNumber, itemWord, openView, viewItem } from '../../vm/view';
import { studentTail, varianceTails } from './distribution-beta';
import { demand } from './distribution-gamma';
import { lowerBeta, upperBeta } from '../special/incomplete-beta';
import { incompleteGamma, upperGamma } from '../special/incomplete-gamma';
import {
  append,
  gatherOne,
  meanOf,
  newList,
  NumberList,
  numberAt,
  squaredDeviations,
} from '../shared/number-list';
import { normalCumulative } from './statistical-normal';

/** One item as a number; returns false for blanks, texts and booleans. Errors fail. */
function readNumber(view: View, place: u32): bool {
  viewItem(view, place / view.columns, place % view.columns);
  if (itemKind == KIND_ERROR) fail(itemWord());
  return itemKind == KIND_NUMBER;
}

/** The pairs of two rectangles in which both are numbers. */
function gatherPairs(left: View, right: View, lefts: NumberList, rights: NumberList): void {
  const isAlike = left.columns == right.columns;
  const rows = isAlike ? min(max(left.usedRows, right.usedRows), left.rows) : left.rows;
  const count = rows * left.columns;
  for (let place: u32 = 0; place < count && !suspended; place++) {
    const isNumber = readNumber(left, place);
    const number = itemNumber();
    if (!readNumber(right, place) || !isNumber) continue;
    append(lefts, number);
    append(rights, itemNumber());
  }
}

/** CHISQ.TEST(actual, expected) */
export function evaluateChisqTest(): void {
  const actual = openView(argument(0));
  const expected = openView(argument(1));
  if (actual.rows != expected.rows || actual.columns != expected.columns) {
    fail(ERROR_NOT_AVAILABLE);
  }
  if (actual.rows == 1 && actual.columns == 1) fail(ERROR_NOT_AVAILABLE);
  if (failed()) return;
  const seen = newList();
  const due = newList();
  gatherPairs(actual, expected, seen, due);
  if (failed()) return;
  let sum: f64 = 0;
  for (let index: u32 = 0; index < due.count; index++) {
    const mean = numberAt(due, index);
    if (mean == 0) fail(ERROR_DIVISION);
    demand(mean >= 0);
    const gap = numberAt(seen, index) - mean;
    sum += (gap * gap) / mean;
  }
  if (failed()) return;
  const isLine = actual.rows == 1 || actual.columns == 1;
  const freedom = isLine
    ? <f64>(actual.rows * actual.columns) - 1
    : (<f64>actual.rows - 1) * (<f64>actual.columns - 1);
  incompleteGamma(freedom / 2, sum / 2);
  answerNumber(upperGamma);
}

/** F.TEST(array, array): twice the smaller tail of the quotient of the variances. */
export function evaluateFTest(): void {
  const first = gatherOne(0);
  const second = gatherOne(1);
  if (failed()) return;
  const top = <f64>first.count - 1;
  const bottom = <f64>second.count - 1;
  const above = squaredDeviations(first) / top;
  const below = squaredDeviations(second) / bottom;
  if (top < 1 || bottom < 1 || above == 0 || below == 0) return answerError(ERROR_DIVISION);
  varianceTails(above / below, top, bottom);
  answerNumber(2 * min(lowerBeta, upperBeta));
}

/** Results of a t-test. */
let statistic: f64 = 0;
let freedom: f64 = 0;

/** Pairs: the mean of the differences against their deviation. */
function testPairs(): void {
  const left = openView(argument(0));
  const right = openView(argument(1));
  const differences = newList();
  const others = newList();
  if (left.rows * left.columns != right.rows * right.columns) fail(ERROR_NOT_AVAILABLE);
  else gatherPairs(left, right, differences, others);
  if (failed()) return;
  for (let index: u32 = 0; index < differences.count; index++) {
    const place = <usize>differences.start + ((<usize>index) << 3);
    store<f64>(place, load<f64>(place) - numberAt(others, index));
  }
  freedom = <f64>differences.count - 1;
  const variance = squaredDeviations(differences) / freedom;
  statistic = meanOf(differences) / sqrt(variance / differences.count);
}

/** Two samples, with one variance for both (Student) or one each (Welch). */
function testSamples(isPooled: bool): void {
  const first = gatherOne(0);
  const second = gatherOne(1);
  const m = <f64>first.count;
  const n = <f64>second.count;
  const squares = squaredDeviations(first);
  const others = squaredDeviations(second);
  const gap = meanOf(first) - meanOf(second);
  if (m < 2 || n < 2) {
    statistic = NaN;
  } else if (isPooled) {
    freedom = m + n - 2;
    statistic = gap / sqrt(((squares + others) / freedom) * (1 / m + 1 / n));
  } else {
    const a = squares / (m - 1) / m;
    const b = others / (n - 1) / n;
    freedom = ((a + b) * (a + b)) / ((a * a) / (m - 1) + (b * b) / (n - 1));
    statistic = gap / sqrt(a + b);
  }
}

/** T.TEST(array, array, tails, kind): kind 1 pairs, 2 equal variances, 3 unequal ones. */
export function evaluateTTest(): void {
  const tails = integerArgument(2);
  const kind = integerArgument(3);
  demand((tails == 1 || tails == 2) && (kind == 1 || kind == 2 || kind == 3));
  if (failed()) return;
  if (kind == 1) testPairs();
  else testSamples(kind == 2);
  if (failed()) return;
  if (statistic - statistic != 0 || freedom < 1) answerError(ERROR_DIVISION);
  else answerNumber(studentTail(abs(statistic), freedom, tails));
}

/** Z.TEST(array, mean, [deviation]): probability of a larger mean of the sample. */
export function evaluateZTest(): void {
  const mean = numberArgument(1);
  const hasDeviation = given(2);
  let deviation = numberOr(2, 0);
  const list = gatherOne(0);
  if (list.count == 0) fail(ERROR_NOT_AVAILABLE);
  demand(!hasDeviation || deviation > 0);
  if (failed()) return;
  const count = <f64>list.count;
  if (!hasDeviation) deviation = sqrt(squaredDeviations(list) / (count - 1));
  if (!(deviation > 0)) return answerError(ERROR_DIVISION);
  answerNumber(normalCumulative((mean - meanOf(list)) / (deviation / sqrt(count))));
}

/** PROB(values, probabilities, low, [high]) */
export function evaluateProb(): void {
  const left = openView(argument(0));
  const right = openView(argument(1));
  const low = numberArgument(2);
  const high = numberOr(3, low);
  if (left.rows * left.columns != right.rows * right.columns) fail(ERROR_NOT_AVAILABLE);
  if (failed()) return;
  const values = newList();
  const chances = newList();
  gatherPairs(left, right, values, chances);
  if (values.count == 0) fail(ERROR_DIVISION);
  if (failed()) return;
  let total: f64 = 0;
  let inside: f64 = 0;
  for (let index: u32 = 0; index < values.count; index++) {
    const chance = numberAt(chances, index);
    demand(chance >= 0 && chance <= 1);
    total += chance;
    const value = numberAt(values, index);
    if (value >= low && value <= high) inside += chance;
  }
  if (abs(total - 1) > 1e-7) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(inside);
}
