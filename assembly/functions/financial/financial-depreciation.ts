import { ERROR_DIVISION, ERROR_NUMBER } from '../../abi';
import {
  answerError,
  answerNumber,
  booleanOr,
  fail,
  failed,
  integerOr,
  numberArgument,
  numberOr,
} from '../../vm/call';
import { HALF_AWAY, roundDecimal } from '../math/math-rounding';
import { pay } from '../../vm/fuel';

/** SLN(cost, salvage, life) */
export function evaluateSln(): void {
  const cost = numberArgument(0);
  const salvage = numberArgument(1);
  const life = numberArgument(2);
  if (life == 0) fail(ERROR_DIVISION);
  if (failed()) return;
  answerNumber((cost - salvage) / life);
}

/** SYD(cost, salvage, life, period): by the sum of the years' digits. */
export function evaluateSyd(): void {
  const cost = numberArgument(0);
  const salvage = numberArgument(1);
  const life = numberArgument(2);
  const period = numberArgument(3);
  if (salvage < 0 || life <= 0 || period <= 0 || period > life) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(((cost - salvage) * (life - period + 1) * 2) / (life * (life + 1)));
}

/** DB(cost, salvage, life, period, [months of the first year]): the rate has three decimals. */
export function evaluateDb(): void {
  const cost = numberArgument(0);
  const salvage = numberArgument(1);
  const life = numberArgument(2);
  const period = trunc(numberArgument(3));
  const months = integerOr(4, 12);
  if (cost < 0 || salvage < 0 || life <= 0 || period < 1) fail(ERROR_NUMBER);
  if (months < 1 || months > 12) fail(ERROR_NUMBER);
  if (period > life + (months < 12 ? 1 : 0)) fail(ERROR_NUMBER);
  if (failed()) return;
  if (cost == 0) {
    answerNumber(0);
    return;
  }
  const rate = roundDecimal(1 - Math.pow(salvage / cost, 1 / life), 3, HALF_AWAY);
  const first = (cost * rate * months) / 12;
  if (period == 1) {
    answerNumber(first);
    return;
  }
  let written = first;
  for (let year: f64 = 2; year < period && pay(2); year++) {
    const part = (cost - written) * rate;
    // Nothing is added any more, in the years to come neither.
    if (written + part == written) break;
    written += part;
  }
  const full = (cost - written) * rate;
  answerNumber(period > life ? (full * (12 - months)) / 12 : full);
}

/** Double-declining depreciation of one period. */
function declining(cost: f64, salvage: f64, life: f64, period: f64, factor: f64): f64 {
  const rate = min(factor / life, 1);
  const before = rate >= 1 ? (period == 1 ? cost : 0) : cost * Math.pow(1 - rate, period - 1);
  const after = rate >= 1 ? 0 : cost * Math.pow(1 - rate, period);
  return max(before - max(after, salvage), 0);
}

/** DDB(cost, salvage, life, period, [factor]) */
export function evaluateDdb(): void {
  const cost = numberArgument(0);
  const salvage = numberArgument(1);
  const life = numberArgument(2);
  const period = numberArgument(3);
  const factor = numberOr(4, 2);
  if (cost < 0 || salvage < 0 || life <= 0 || factor <= 0) fail(ERROR_NUMBER);
  if (period < 1 || period > life) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(declining(cost, salvage, life, period, factor));
}

// The asset VDB looks at.
let assetSalvage: f64 = 0;
let assetLife: f64 = 0;
let assetFactor: f64 = 0;

/** Without the change to straight line: parts of the first and last period count in part. */
function declineBetween(cost: f64, start: f64, end: f64): f64 {
  let sum: f64 = 0;
  const first = floor(start) + 1;
  const last = ceil(end);
  for (let period = first; period <= last && pay(80); period++) {
    const share = min(end, period) - max(start, period - 1);
    sum += share * declining(cost, assetSalvage, assetLife, period, assetFactor);
  }
  return sum;
}

/**
 * With the change to straight line over what is left of the life, as soon as that gives more. Excel
 * decides in periods of one year counted from the start asked for, so a start inside a year puts
 * the change inside one too (values cached by Excel in xlcalculator's VDB.xlsx).
 */
function switchBetween(cost: f64, start: f64, end: f64): f64 {
  let book = cost;
  let time: f64 = 0;
  let sum: f64 = 0;
  let step = start - floor(start);
  if (step == 0) step = 1;
  while (time < end && pay(20)) {
    step = min(step, end - time);
    const straight = ((book - assetSalvage) / (assetLife - time)) * step;
    const part = max(declineBetween(cost, time, time + step), straight);
    book -= part;
    if (time >= start) sum += part;
    time += step;
    step = 1;
  }
  return sum;
}

/** VDB(cost, salvage, life, start, end, [factor], [never change to straight line]) */
export function evaluateVdb(): void {
  const cost = numberArgument(0);
  assetSalvage = numberArgument(1);
  assetLife = numberArgument(2);
  const start = numberArgument(3);
  const end = numberArgument(4);
  assetFactor = numberOr(5, 2);
  const declineOnly = booleanOr(6, false);
  if (cost < 0 || assetSalvage < 0 || assetLife <= 0 || assetFactor <= 0) fail(ERROR_NUMBER);
  if (start < 0 || end < start || end > assetLife) fail(ERROR_NUMBER);
  if (failed()) return;
  if (cost == 0 || assetSalvage > cost) answerError(ERROR_NUMBER);
  else
    answerNumber(declineOnly ? declineBetween(cost, start, end) : switchBetween(cost, start, end));
}
