import { ERROR_NUMBER } from '../../abi';
import { answerError, answerNumber, failed } from '../../vm/call';
import {
  basisArgument,
  couponCount,
  couponDays,
  dateArgument,
  daysSinceCoupon,
  daysToCoupon,
  demand,
  findCoupons,
  frequencyArgument,
  nextCoupon,
  positiveArgument,
  previousCoupon,
  rateArgument,
} from './bond-date';
import { findRoot } from './financial-root';
import { pay } from '../../vm/fuel';

/** Which of the coupon functions is asked. */
const COUPON_DAYS_BEFORE: u32 = 0;
const COUPON_DAYS: u32 = 1;
const COUPON_DAYS_AFTER: u32 = 2;
const COUPON_NEXT: u32 = 3;
const COUPON_COUNT: u32 = 4;

/** COUPDAYBS and its family: (settlement, maturity, frequency, [basis]) */
export function evaluateCoupon(part: u32): void {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  const frequency = frequencyArgument(2);
  const basis = basisArgument(3);
  demand(settlement < maturity);
  if (failed()) return;
  findCoupons(settlement, maturity, frequency);
  answerNumber(couponPart(part, settlement, frequency, basis));
}

function couponPart(part: u32, settlement: f64, frequency: f64, basis: f64): f64 {
  switch (part) {
    case COUPON_DAYS_BEFORE:
      return daysSinceCoupon(settlement, basis);
    case COUPON_DAYS:
      return couponDays(frequency, basis);
    case COUPON_DAYS_AFTER:
      return daysToCoupon(settlement, basis);
    case COUPON_NEXT:
      return nextCoupon;
    case COUPON_COUNT:
      return couponCount;
    default:
      // COUPPCD
      return previousCoupon < 0 ? NaN : previousCoupon;
  }
}

/** A bond with regular coupons, a face of 100. */
let coupon: f64 = 0;
let redemption: f64 = 0;
let perYear: f64 = 0;
let count: f64 = 0;
/** Shares of the running coupon period before and after the settlement. */
let elapsed: f64 = 0;
let ahead: f64 = 0;
let aim: f64 = 0;

function openBond(settlement: f64, maturity: f64, frequency: f64, basis: f64): void {
  findCoupons(settlement, maturity, frequency);
  const period = couponDays(frequency, basis);
  elapsed = daysSinceCoupon(settlement, basis) / period;
  ahead = 1 - elapsed;
  perYear = frequency;
  count = couponCount;
}

/** Price without accrued interest at a yield (Excel's documentation of PRICE). */
function priceAt(yieldRate: f64): f64 {
  const accrued = coupon * elapsed;
  const rate = yieldRate / perYear;
  if (count == 1) return (redemption + coupon) / (1 + ahead * rate) - accrued;
  const factor = 1 / (1 + rate);
  let worth: f64 = 0;
  for (let index: f64 = 1; index < count && pay(4); index++) worth = (worth + coupon) * factor;
  // Horner's rule leaves the coupons at the first coupon date: the first of them is not divided.
  const atFirst = worth + coupon + redemption * Math.pow(factor, count - 1);
  return atFirst * Math.pow(factor, ahead) - accrued;
}

function gapAt(yieldRate: f64): f64 {
  return priceAt(yieldRate) - aim;
}

/** PRICE(settlement, maturity, rate, yield, redemption, frequency, [basis]) */
export function evaluatePrice(): void {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  const rate = rateArgument(2);
  const yieldRate = rateArgument(3);
  redemption = positiveArgument(4);
  const frequency = frequencyArgument(5);
  const basis = basisArgument(6);
  demand(settlement < maturity);
  if (failed()) return;
  openBond(settlement, maturity, frequency, basis);
  coupon = (100 * rate) / frequency;
  answerNumber(priceAt(yieldRate));
}

/** YIELD(settlement, maturity, rate, price, redemption, frequency, [basis]) */
export function evaluateYield(): void {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  const rate = rateArgument(2);
  aim = positiveArgument(3);
  redemption = positiveArgument(4);
  const frequency = frequencyArgument(5);
  const basis = basisArgument(6);
  demand(settlement < maturity);
  if (failed()) return;
  openBond(settlement, maturity, frequency, basis);
  coupon = (100 * rate) / frequency;
  if (count == 1) {
    const paid = aim + elapsed * coupon;
    return answerNumber((((redemption + coupon) / paid - 1) * frequency) / ahead);
  }
  answerNumber(solve(gapAt, rate > 0 ? rate : 0.05));
}

/** A zero by the secant method, by halving where it does not settle. */
export function solve(equation: (rate: f64) => f64, guess: f64): f64 {
  let before = guess;
  let atBefore = equation(before);
  let rate = guess + 0.001;
  for (let round: u32 = 0; round < 60; round++) {
    const atRate = equation(rate);
    if (atRate == 0 || atRate == atBefore) return abs(atRate) < 1e-9 ? rate : NaN;
    const next = rate - (atRate * (rate - before)) / (atRate - atBefore);
    if (!(next > -1)) break;
    before = rate;
    atBefore = atRate;
    rate = next;
    if (abs(rate - before) <= 1e-16 * abs(rate)) return rate;
  }
  if (abs(equation(rate)) < 1e-9) return rate;
  return findRoot(equation, guess);
}

/** DURATION and MDURATION(settlement, maturity, coupon, yield, frequency, [basis]) */
export function evaluateDuration(isModified: bool): void {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  const rate = rateArgument(2);
  const yieldRate = rateArgument(3);
  const frequency = frequencyArgument(4);
  const basis = basisArgument(5);
  demand(settlement < maturity);
  if (failed()) return;
  openBond(settlement, maturity, frequency, basis);
  coupon = (100 * rate) / frequency;
  const growth = 1 + yieldRate / frequency;
  let worth: f64 = 0;
  let weighted: f64 = 0;
  for (let index: f64 = 0; index < count && pay(40); index++) {
    const time = index + ahead;
    const flow = index == count - 1 ? coupon + 100 : coupon;
    const term = flow / Math.pow(growth, time);
    worth += term;
    weighted += term * time;
  }
  if (worth == 0) return answerError(ERROR_NUMBER);
  const duration = weighted / worth / frequency;
  answerNumber(isModified ? duration / growth : duration);
}
