import { ERROR_DIVISION, ERROR_NOT_AVAILABLE, KIND_ERROR, KIND_NUMBER } from '../../abi';
import { suspended } from '../../grid/sheet';
import { scratch } from '../../memory/scratch';
import {
  answerError,
  answerNumber,
  argument,
  fail,
  failed,
  failure,
  numberArgument,
} from '../../vm/call';
import { itemKind, itemNumber, itemWord, openView, View, viewItem } from '../../vm/view';
import { pairMoments } from '../shared/column-moments';
import {
  MOMENTS_BYTES,
  Moments,
  clearMoments,
  meanOfX,
  meanOfY,
  momentsAt,
  productsOf,
  squaresOfX,
  squaresOfY,
  takePair,
} from '../shared/moments';
import { evaluateFit, evaluatePrediction } from './regression-fit';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callRegression. */
export const REGRESSION: string = `
CORREL 2 2 aa R;
PEARSON 2 2 aa R;
RSQ 2 2 aa R;
COVAR 2 2 aa R;
COVARIANCE.P 2 2 aa R;
COVARIANCE.S 2 2 aa R;
SLOPE 2 2 aa R;
INTERCEPT 2 2 aa R;
STEYX 2 2 aa R;
FORECAST 3 3 vaa;
FORECAST.LINEAR 3 3 vaa;
LINEST 1 4 aavv A;
LOGEST 1 4 aavv A;
TREND 1 4 aaav A;
GROWTH 1 4 aaav A`;

export function callRegression(index: u32): void {
  switch (index) {
    case 9:
    case 10:
      return evaluateForecast();
    case 11:
      return evaluateFit(false);
    case 12:
      return evaluateFit(true);
    case 13:
      return evaluatePrediction(false);
    case 14:
      return evaluatePrediction(true);
    default:
      return evaluatePairs(index);
  }
}

/** Moments of the pairs of numbers that openPairs was asked about. */
let pairCount: f64 = 0;
let firstMean: f64 = 0;
let secondMean: f64 = 0;
/** Sums of squared deviations, and of products of deviations. */
let firstSquares: f64 = 0;
let secondSquares: f64 = 0;
let products: f64 = 0;

let firstValue: f64 = 0;
let secondValue: f64 = 0;

/** Reads a pair by number; returns false when one of them is no number. */
function readPair(first: View, second: View, index: u32): bool {
  viewItem(first, index / first.columns, index % first.columns);
  if (itemKind == KIND_ERROR) fail(itemWord());
  const numeric = itemKind == KIND_NUMBER;
  firstValue = itemNumber();
  viewItem(second, index / second.columns, index % second.columns);
  if (itemKind == KIND_ERROR) fail(itemWord());
  secondValue = itemNumber();
  return numeric && itemKind == KIND_NUMBER;
}

/** How many pairs have to be looked at: blanks behind the used rows are none. */
function usedPairs(first: View, second: View): u32 {
  const left = first.usedRows * first.columns;
  const right = second.usedRows * second.columns;
  return min(left, right);
}

/** Reads the pairs of two arguments; #N/A when their sizes differ. */
function readPairs(firstIndex: u32, secondIndex: u32): Moments {
  const first = openView(argument(firstIndex));
  const second = openView(argument(secondIndex));
  if (<u64>first.rows * first.columns != <u64>second.rows * second.columns) {
    fail(ERROR_NOT_AVAILABLE);
  }
  const moments = momentsAt(scratch(<u32>MOMENTS_BYTES));
  clearMoments(moments);
  const end = usedPairs(first, second);
  for (let index: u32 = 0; index < end && failure < 0 && !suspended; index++) {
    if (readPair(first, second, index)) takePair(moments, firstValue, secondValue);
  }
  return moments;
}

/** Finds the moments of two arguments. */
function openPairs(firstIndex: u32, secondIndex: u32): void {
  const known = pairMoments(argument(firstIndex), argument(secondIndex));
  const moments = known ? momentsAt(known) : readPairs(firstIndex, secondIndex);
  if (failure >= 0 || suspended) return;
  pairCount = moments.count;
  firstMean = meanOfX(moments);
  secondMean = meanOfY(moments);
  firstSquares = squaresOfX(moments);
  secondSquares = squaresOfY(moments);
  products = productsOf(moments);
}

/** Finds the products of COVAR and its like as their formula has it: about the rounded means. */
function openCovariance(): void {
  const first = openView(argument(0));
  const second = openView(argument(1));
  const moments = readPairs(0, 1);
  const end = usedPairs(first, second);
  let firstSum: f64 = 0;
  let secondSum: f64 = 0;
  pairCount = moments.count;
  for (let index: u32 = 0; index < end && failure < 0 && !suspended; index++) {
    if (!readPair(first, second, index)) continue;
    firstSum += firstValue;
    secondSum += secondValue;
  }
  products = 0;
  for (let index: u32 = 0; index < end && failure < 0 && !suspended; index++) {
    if (!readPair(first, second, index)) continue;
    products += (firstValue - firstSum / pairCount) * (secondValue - secondSum / pairCount);
  }
}

/** CORREL to STEYX: of known y (first) and known x (second) where that matters. */
function evaluatePairs(index: u32): void {
  if (index >= 3 && index <= 5) openCovariance();
  else openPairs(0, 1);
  if (failed()) return;
  const value = pairStatistic(index);
  // Too few pairs, or no variance.
  if (value - value != 0) answerError(ERROR_DIVISION);
  else answerNumber(value);
}

/** The statistic, or NaN or an infinity where it divides by zero. */
function pairStatistic(index: u32): f64 {
  if (pairCount < 1) return NaN;
  switch (index) {
    case 0:
    case 1:
      return products / sqrt(firstSquares * secondSquares);
    case 2:
      return (products * products) / (firstSquares * secondSquares);
    case 3:
    case 4:
      return products / pairCount;
    case 5:
      return products / (pairCount - 1);
    case 6:
      return products / secondSquares;
    case 7:
      return firstMean - (products / secondSquares) * secondMean;
    default:
      return standardError();
  }
}

function standardError(): f64 {
  if (pairCount < 3) return NaN;
  const rest = firstSquares - (products * products) / secondSquares;
  return sqrt(max(rest, 0) / (pairCount - 2));
}

/** FORECAST.LINEAR(x, known y, known x) */
function evaluateForecast(): void {
  const x = numberArgument(0);
  openPairs(1, 2);
  if (failed()) return;
  const slope = products / secondSquares;
  if (pairCount < 1 || slope - slope != 0) answerError(ERROR_DIVISION);
  else answerNumber(firstMean + slope * (x - secondMean));
}
