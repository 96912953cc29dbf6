import { ERROR_DIVISION, ERROR_NUMBER } from '../../abi';
import {
  answerError,
  answerNumber,
  argument,
  argumentCount,
  failed,
  numberArgument,
} from '../../vm/call';
import { columnMoments } from '../shared/column-moments';
import { Moments, momentsAt, squaresOfX } from '../shared/moments';
import {
  EVERY_VALUE,
  gather,
  gatherOne,
  meanOf,
  momentsOf,
  NumberList,
  numberAt,
  BLANK_IS_ZERO,
  sortList,
} from '../shared/number-list';

/** Variance or its root, of a sample (#DIV/0! for one value) or of a population. */
export function spreadOf(list: NumberList, sample: bool, root: bool): f64 {
  return spreadAbout(momentsOf(list), sample, root);
}

function spreadAbout(moments: Moments, sample: bool, root: bool): f64 {
  const variance = squaresOfX(moments) / (sample ? moments.count - 1 : moments.count);
  return root ? sqrt(variance) : variance;
}

/** STDEV.S, STDEV.P, VAR.S, VAR.P and their older names; `all` for STDEVA and its like. */
export function evaluateSpread(sample: bool, root: bool, all: bool): void {
  const known: usize = !all && argumentCount == 1 ? columnMoments(argument(0)) : 0;
  const mode = all ? EVERY_VALUE | BLANK_IS_ZERO : BLANK_IS_ZERO;
  const moments = known ? momentsAt(known) : momentsOf(gather(0, mode));
  if (failed()) return;
  answerSpreadOf(moments, sample, root);
}

/** Answers the spread; #DIV/0! of too few numbers. */
export function answerSpreadOf(moments: Moments, sample: bool, root: bool): void {
  const fewest: f64 = sample ? 2 : 1;
  if (moments.count < fewest) answerError(ERROR_DIVISION);
  else answerNumber(spreadAbout(moments, sample, root));
}

/** GEOMEAN(number, …): all must be positive. */
export function evaluateGeomean(): void {
  const list = gather(0, BLANK_IS_ZERO);
  if (failed()) return;
  if (list.count == 0) {
    answerError(ERROR_NUMBER);
    return;
  }
  let product: f64 = 1;
  let logarithms: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    const value = numberAt(list, index);
    if (value <= 0) {
      answerError(ERROR_NUMBER);
      return;
    }
    product *= value;
    logarithms += Math.log(value);
  }
  // The product is more exact, as long as it neither overflows nor vanishes.
  const exact = product > 1e-300 && product < 1e300;
  const power = 1 / <f64>list.count;
  answerNumber(exact ? Math.pow(product, power) : Math.exp(logarithms * power));
}

export function evaluateHarmean(): void {
  const list = gather(0, BLANK_IS_ZERO);
  if (failed()) return;
  let sum: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    if (numberAt(list, index) <= 0) sum = NaN;
    sum += 1 / numberAt(list, index);
  }
  if (list.count == 0) answerError(ERROR_NUMBER);
  else answerNumber(<f64>list.count / sum);
}

/** TRIMMEAN(values, share): the share left out is rounded down to an even count. */
export function evaluateTrimmean(): void {
  const share = numberArgument(1);
  const list = gatherOne(0);
  if (failed()) return;
  if (share < 0 || share >= 1 || list.count == 0) {
    answerError(ERROR_NUMBER);
    return;
  }
  sortList(list);
  const cut = <u32>floor((share * list.count) / 2 + 1e-12);
  let sum: f64 = 0;
  for (let index = cut; index < list.count - cut; index++) sum += numberAt(list, index);
  answerNumber(sum / (list.count - 2 * cut));
}

export function evaluateAvedev(): void {
  const list = gather(0, BLANK_IS_ZERO);
  if (failed()) return;
  if (list.count == 0) {
    answerError(ERROR_NUMBER);
    return;
  }
  const mean = meanOf(list);
  let sum: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) sum += abs(numberAt(list, index) - mean);
  answerNumber(sum / list.count);
}

export function evaluateDevsq(): void {
  const known: usize = argumentCount == 1 ? columnMoments(argument(0)) : 0;
  const moments = known ? momentsAt(known) : momentsOf(gather(0, BLANK_IS_ZERO));
  if (failed()) return;
  if (moments.count == 0) answerError(ERROR_NUMBER);
  else answerNumber(squaresOfX(moments));
}

/** Sum of the deviations' powers. */
function powerSum(list: NumberList, mean: f64, power: u32): f64 {
  let sum: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    const deviation = numberAt(list, index) - mean;
    const square = deviation * deviation;
    sum += power == 3 ? square * deviation : square * square;
  }
  return sum;
}

/** KURT(number, …): excess kurtosis of a sample (Excel's function page has the formula). */
export function evaluateKurt(): void {
  const list = gather(0, BLANK_IS_ZERO);
  if (failed()) return;
  const n = <f64>list.count;
  const variance = n > 1 ? spreadOf(list, true, false) : 0;
  if (n < 4 || variance == 0) {
    answerError(ERROR_DIVISION);
    return;
  }
  const fourth = powerSum(list, meanOf(list), 4) / (variance * variance);
  const scale = (n * (n + 1)) / ((n - 1) * (n - 2) * (n - 3));
  answerNumber(scale * fourth - (3 * (n - 1) * (n - 1)) / ((n - 2) * (n - 3)));
}

/** SKEW (of a sample) and SKEW.P */
export function evaluateSkew(sample: bool): void {
  const list = gather(0, BLANK_IS_ZERO);
  if (failed()) return;
  const n = <f64>list.count;
  const deviation = n > 1 ? spreadOf(list, sample, true) : 0;
  if (n < 3 || deviation == 0) {
    answerError(ERROR_DIVISION);
    return;
  }
  const third = powerSum(list, meanOf(list), 3) / (deviation * deviation * deviation);
  answerNumber(sample ? (third * n) / ((n - 1) * (n - 2)) : third / n);
}
