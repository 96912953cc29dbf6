import { ERROR_DIVISION, ERROR_NUMBER, ERROR_VALUE, KIND_ERROR, KIND_NUMBER } from '../../abi';
import {
  answerError,
  answerNumber,
  argument,
  fail,
  failed,
  isScalarKind,
  numberArgument,
  numberOr,
} from '../../vm/call';
import { kindOf } from '../../vm/slot';
import { itemKind, itemNumber, itemWord, nextItem, openScan } from '../../vm/view';
import { findRoot } from './financial-root';
import { strictNumber } from '../shared/number-list';
import { pay } from '../../vm/fuel';

/** (1 + rate)^periods - 1, exact for tiny rates too. */
function growthLessOne(rate: f64, periods: f64): f64 {
  if (abs(rate) < 1e-5) return Math.expm1(periods * Math.log1p(rate));
  return Math.pow(1 + rate, periods) - 1;
}

/** The type argument of annuities: anything but 0 means payments at the start of a period. */
function startOfPeriod(index: u32): f64 {
  return numberOr(index, 0) != 0 ? 1 : 0;
}

/** Payment of a period. */
function payment(rate: f64, periods: f64, present: f64, future: f64, start: f64): f64 {
  if (rate <= -1) return NaN;
  if (rate == 0) return -(present + future) / periods;
  const growth = growthLessOne(rate, periods);
  return (-rate * (future + present * (growth + 1))) / (growth * (1 + rate * start));
}

/** Value of an annuity after so many periods. */
function futureValue(rate: f64, periods: f64, paid: f64, present: f64, start: f64): f64 {
  if (rate == 0) return -(present + paid * periods);
  const growth = growthLessOne(rate, periods);
  return -(present * (growth + 1) + (paid * (1 + rate * start) * growth) / rate);
}

/** PMT(rate, periods, present, [future], [type]) */
export function evaluatePmt(): void {
  const rate = numberArgument(0);
  const periods = numberArgument(1);
  const present = numberArgument(2);
  const future = numberOr(3, 0);
  const start = startOfPeriod(4);
  if (failed()) return;
  answerNumber(payment(rate, periods, present, future, start));
}

/** PV(rate, periods, payment, [future], [type]) */
export function evaluatePv(): void {
  const rate = numberArgument(0);
  const periods = numberArgument(1);
  const paid = numberArgument(2);
  const future = numberOr(3, 0);
  const start = startOfPeriod(4);
  if (failed()) return;
  if (rate == 0) {
    answerNumber(-(future + paid * periods));
    return;
  }
  const growth = growthLessOne(rate, periods);
  if (rate == -1 && growth == -1) return answerError(ERROR_DIVISION);
  answerNumber(-(future + (paid * (1 + rate * start) * growth) / rate) / (growth + 1));
}

/** FV(rate, periods, payment, [present], [type]) */
export function evaluateFv(): void {
  const rate = numberArgument(0);
  const periods = numberArgument(1);
  const paid = numberArgument(2);
  const present = numberOr(3, 0);
  const start = startOfPeriod(4);
  // All is lost in the first period: what was there before it would be divided by zero.
  if (rate == -1 && periods < 0) fail(ERROR_DIVISION);
  if (failed()) return;
  answerNumber(futureValue(rate, periods, paid, present, start));
}

/** NPER(rate, payment, present, [future], [type]) */
export function evaluateNper(): void {
  const rate = numberArgument(0);
  const paid = numberArgument(1);
  const present = numberArgument(2);
  const future = numberOr(3, 0);
  const start = startOfPeriod(4);
  if (failed()) return;
  if (rate == 0) {
    answerNumber(-(present + future) / paid);
    return;
  }
  const due = paid * (1 + rate * start);
  answerNumber(Math.log((due - future * rate) / (due + present * rate)) / Math.log1p(rate));
}

// The annuity RATE solves for.
let ratePeriods: f64 = 0;
let ratePayment: f64 = 0;
let ratePresent: f64 = 0;
let rateFuture: f64 = 0;
let rateStart: f64 = 0;

/** Balance left at a rate, and its derivative in `balanceSlope`. */
let balanceSlope: f64 = 0;

function balance(rate: f64): f64 {
  const n = ratePeriods;
  const growth = growthLessOne(rate, n);
  if (abs(rate) < 1e-10) {
    balanceSlope = ratePresent * n + ratePayment * n * ((n - 1) / 2 + rateStart);
    return ratePresent + ratePayment * n + rateFuture + balanceSlope * rate;
  }
  const slope = (n * (growth + 1)) / (1 + rate);
  const due = 1 + rate * rateStart;
  balanceSlope =
    ratePresent * slope +
    ratePayment * (rateStart * (growth / rate) + due * (slope / rate - growth / (rate * rate)));
  return ratePresent * (growth + 1) + (ratePayment * due * growth) / rate + rateFuture;
}

/** Excel gives up after 20 steps. */
const STEP_LIMIT: u32 = 20;

/** RATE(periods, payment, present, [future], [type], [guess]) */
export function evaluateRate(): void {
  ratePeriods = numberArgument(0);
  ratePayment = numberArgument(1);
  ratePresent = numberArgument(2);
  rateFuture = numberOr(3, 0);
  rateStart = startOfPeriod(4);
  const guess = numberOr(5, 0.1);
  if (ratePeriods <= 0) fail(ERROR_NUMBER);
  if (failed()) return;
  const rate = newton(guess);
  answerNumber(isNaN(rate) ? findRoot(balance, guess) : rate);
}

/** Newton's method from a guess; NaN when it does not settle. */
function newton(guess: f64): f64 {
  let rate = guess;
  for (let step: u32 = 0; step < STEP_LIMIT; step++) {
    const next = rate - balance(rate) / balanceSlope;
    if (!(next > -1) || next - next != 0) break;
    const change = abs(next - rate);
    rate = next;
    // Near the root the error squares with each step.
    if (change < 1e-7) return rate - balance(rate) / balanceSlope;
  }
  return NaN;
}

/**
 * Principal in the payment of one period, in closed form, so that nothing cancels out:
 * -rate (present + future) (1 + rate)^(period - 1) / ((1 + rate)^periods - 1). With payments at the
 * start of periods it is one period's discount less, and the first payment is principal only.
 */
function principalPart(rate: f64, period: f64, periods: f64, debt: f64, start: f64): f64 {
  if (rate == 0) return -debt / periods;
  const grown = growthLessOne(rate, period - 1) + 1;
  const part = (-rate * debt * grown) / growthLessOne(rate, periods);
  return start != 0 ? part / (1 + rate) : part;
}

function evaluatePart(principal: bool): void {
  const rate = numberArgument(0);
  const period = numberArgument(1);
  const periods = numberArgument(2);
  const present = numberArgument(3);
  const future = numberOr(4, 0);
  const start = startOfPeriod(5);
  // A period with a fraction is still inside the last one.
  if (period < 1 || period >= periods + 1) fail(ERROR_NUMBER);
  if (failed()) return;
  const paid = payment(rate, periods, present, future, start);
  let part = principalPart(rate, period, periods, present + future, start);
  if (period == 1 && start != 0) part = paid;
  answerNumber(principal ? part : paid - part);
}

/** IPMT(rate, period, periods, present, [future], [type]) */
export function evaluateInterest(): void {
  evaluatePart(false);
}

/** PPMT: the rest of the payment. */
export function evaluatePrincipal(): void {
  evaluatePart(true);
}

/** CUMIPMT and CUMPRINC(rate, periods, present, first, last, type) */
export function evaluateCumulative(ofInterest: bool): void {
  const rate = strictNumber(0);
  const periods = strictNumber(1);
  const present = strictNumber(2);
  const first = ceil(strictNumber(3));
  const last = floor(strictNumber(4));
  const start = strictNumber(5);
  if (rate <= 0 || periods <= 0 || present <= 0) fail(ERROR_NUMBER);
  if (first < 1 || last < first || last > periods) fail(ERROR_NUMBER);
  if (start != 0 && start != 1) fail(ERROR_NUMBER);
  if (failed()) return;
  const paid = payment(rate, periods, present, 0, start);
  let sum: f64 = 0;
  for (let period = first; period <= last && pay(80); period++) {
    let part = principalPart(rate, period, periods, present, start);
    if (period == 1 && start != 0) part = paid;
    sum += ofInterest ? paid - part : part;
  }
  answerNumber(sum);
}

/** EFFECT(nominal rate, periods a year) */
export function evaluateEffect(): void {
  const rate = strictNumber(0);
  const periods = trunc(strictNumber(1));
  if (rate <= 0 || periods < 1) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(growthLessOne(rate / periods, periods));
}

/** NOMINAL(effective rate, periods a year) */
export function evaluateNominal(): void {
  const rate = strictNumber(0);
  const periods = trunc(strictNumber(1));
  if (rate <= 0 || periods < 1) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(growthLessOne(rate, 1 / periods) * periods);
}

/** RRI(periods, present, future): the rate of growth. */
export function evaluateRri(): void {
  const periods = numberArgument(0);
  const present = numberArgument(1);
  const future = numberArgument(2);
  if (periods <= 0 || present == 0) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(Math.pow(future / present, 1 / periods) - 1);
}

/** PDURATION(rate, present, future) */
export function evaluatePduration(): void {
  const rate = numberArgument(0);
  const present = numberArgument(1);
  const future = numberArgument(2);
  if (rate <= 0 || present <= 0 || future <= 0) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber((Math.log(future) - Math.log(present)) / Math.log1p(rate));
}

/** ISPMT(rate, period, periods, present): interest with equal principal payments. */
export function evaluateIspmt(): void {
  const rate = numberArgument(0);
  const period = numberArgument(1);
  const periods = numberArgument(2);
  const present = numberArgument(3);
  if (periods == 0) fail(ERROR_DIVISION);
  if (failed()) return;
  answerNumber(present * rate * (period / periods - 1));
}

/** FVSCHEDULE(principal, rates): blanks count as 0, anything else that is no number is #VALUE!. */
export function evaluateFvSchedule(): void {
  let value = strictNumber(0);
  const slot = argument(1);
  if (isScalarKind(kindOf(slot))) {
    value *= 1 + strictNumber(1);
  } else {
    const scan = openScan(slot);
    while (nextItem(scan)) {
      if (itemKind == KIND_NUMBER) value *= 1 + itemNumber();
      else fail(itemKind == KIND_ERROR ? itemWord() : ERROR_VALUE);
    }
  }
  if (failed()) return;
  answerNumber(value);
}

/** The power of ten that has as many digits as the denominator. */
function fractionScale(denominator: f64): f64 {
  return Math.pow(10, ceil(Math.log10(denominator)));
}

/** DOLLARDE(price in fractions, denominator) */
export function evaluateDollarDecimal(): void {
  const price = strictNumber(0);
  const denominator = trunc(strictNumber(1));
  if (denominator < 0) fail(ERROR_NUMBER);
  else if (denominator < 1) fail(ERROR_DIVISION);
  if (failed()) return;
  const whole = trunc(price);
  answerNumber(whole + ((price - whole) * fractionScale(denominator)) / denominator);
}

/** DOLLARFR(decimal price, denominator) */
export function evaluateDollarFraction(): void {
  const price = strictNumber(0);
  const denominator = trunc(strictNumber(1));
  if (denominator < 0) fail(ERROR_NUMBER);
  else if (denominator < 1) fail(ERROR_DIVISION);
  if (failed()) return;
  const whole = trunc(price);
  answerNumber(whole + ((price - whole) * denominator) / fractionScale(denominator));
}
