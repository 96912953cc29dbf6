import { answerNumber, failed } from '../../vm/call';
import {
  BASIS_ACTUAL,
  addMonths,
  basisArgument,
  couponCount,
  couponDays,
  dateArgument,
  daysBetween,
  daysSinceCoupon,
  demand,
  findCoupons,
  frequencyArgument,
  isLastOfMonth,
  nextCoupon,
  positiveArgument,
  rateArgument,
} from './bond-date';
import { solve } from './bond-price';
import { pay } from '../../vm/fuel';

/** A bond whose first or last period is not a whole one; face 100. */
let settlement: f64 = 0;
let maturity: f64 = 0;
let frequency: f64 = 0;
let basis: f64 = 0;
let months: i32 = 0;
let coupon: f64 = 0;
let redemption: f64 = 0;
/** Sums over the odd period's quasi-coupon periods: its length, the accrued part, the rest. */
let length: f64 = 0;
let accrued: f64 = 0;
let rest: f64 = 0;

/** ODDLPRICE and ODDLYIELD(settlement, maturity, last, rate, yield|price, redemption, …) */
export function evaluateOddLast(isPrice: bool): void {
  settlement = dateArgument(0);
  maturity = dateArgument(1);
  const last = dateArgument(2);
  const rate = rateArgument(3);
  const given = isPrice ? rateArgument(4) : positiveArgument(4);
  redemption = positiveArgument(5);
  frequency = frequencyArgument(6);
  basis = basisArgument(7);
  demand(last < settlement && settlement < maturity);
  if (failed()) return;
  months = <i32>(12 / frequency);
  coupon = (100 * rate) / frequency;
  sumLastPeriods(last);
  const due = redemption + length * coupon;
  if (isPrice) {
    answerNumber(due / (1 + (rest * given) / frequency) - accrued * coupon);
  } else {
    const paid = given + accrued * coupon;
    answerNumber((((due - paid) / paid) * frequency) / rest);
  }
}

function sumLastPeriods(last: f64): void {
  length = 0;
  accrued = 0;
  rest = 0;
  const toEnd = isLastOfMonth(last);
  let early = last;
  for (let period: i32 = 1; early < maturity && pay(120); period++) {
    const late = addMonths(last, period * months, toEnd);
    const whole = daysBetween(early, late, basis);
    const end = min(late, maturity);
    length += daysBetween(early, end, basis) / whole;
    if (settlement > early) accrued += daysBetween(early, min(settlement, end), basis) / whole;
    if (settlement < end) rest += daysBetween(max(settlement, early), end, basis) / whole;
    early = late;
  }
}

/**
 * Terms for a bond with an odd first period: coupons behind the first, and periods until the first.
 */
let laterCoupons: f64 = 0;
let untilFirst: f64 = 0;
let aim: f64 = 0;

/** Reads the first period, short or long, into the sums above. */
function openFirst(issue: f64, first: f64): void {
  findCoupons(settlement, first, frequency);
  const period = couponDays(frequency, basis);
  const between = daysBetween(issue, first, basis);
  if (between < period) {
    length = between / period;
    accrued = daysBetween(issue, settlement, basis) / period;
    untilFirst = daysBetween(settlement, first, basis) / period;
  } else {
    sumFirstPeriods(issue, first, period);
    findCoupons(settlement, first, frequency);
    const isActualDays = basis == 2 || basis == 3;
    const ahead = isActualDays
      ? daysBetween(settlement, nextCoupon, basis)
      : period - daysSinceCoupon(settlement, basis);
    untilFirst = ahead / period + couponCount - 1;
  }
  findCoupons(first, maturity, frequency);
  laterCoupons = couponCount;
}

/** A long first period is cut into quasi-coupon periods, back from its end. */
function sumFirstPeriods(issue: f64, first: f64, period: f64): void {
  length = 0;
  accrued = 0;
  const toEnd = isLastOfMonth(first);
  let late = first;
  for (let index: i32 = 1; late > issue && pay(120); index++) {
    const early = addMonths(first, -index * months, toEnd);
    const whole = basis == BASIS_ACTUAL ? late - early : period;
    const start = max(issue, early);
    length += issue > early ? daysBetween(issue, late, basis) / whole : 1;
    if (settlement > start) {
      accrued += daysBetween(start, min(settlement, late), basis) / whole;
    }
    late = early;
  }
}

function oddPriceAt(yieldRate: f64): f64 {
  const growth = 1 + yieldRate / frequency;
  let worth = length * coupon;
  for (let index: f64 = 1; index <= laterCoupons && pay(40); index++) {
    worth += coupon / Math.pow(growth, index);
  }
  worth += redemption / Math.pow(growth, laterCoupons);
  return worth / Math.pow(growth, untilFirst) - accrued * coupon;
}

function gapAt(yieldRate: f64): f64 {
  return oddPriceAt(yieldRate) - aim;
}

/** ODDFPRICE and ODDFYIELD(settlement, maturity, issue, first, rate, yield|price, redemption, …) */
export function evaluateOddFirst(isPrice: bool): void {
  settlement = dateArgument(0);
  maturity = dateArgument(1);
  const issue = dateArgument(2);
  const first = dateArgument(3);
  const rate = rateArgument(4);
  const given = isPrice ? rateArgument(5) : positiveArgument(5);
  redemption = positiveArgument(6);
  frequency = frequencyArgument(7);
  basis = basisArgument(8);
  demand(maturity > first && first > settlement && settlement > issue);
  if (failed()) return;
  months = <i32>(12 / frequency);
  coupon = (100 * rate) / frequency;
  openFirst(issue, first);
  if (isPrice) return answerNumber(oddPriceAt(given));
  aim = given;
  answerNumber(solve(gapAt, rate > 0 ? rate : 0.05));
}
