import { ERROR_NUMBER } from '../../abi';
import { answerError, answerNumber, failed } from '../../vm/call';
import {
  addMonths,
  basisArgument,
  dateArgument,
  daysBetween,
  daysInYear,
  demand,
  positiveArgument,
  rateArgument,
} from './bond-date';

/** Which of the securities without coupons is asked: (settlement, maturity, x, y, [basis]). */
const DISCOUNT_RATE: u32 = 0;
const DISCOUNT_INTEREST: u32 = 1;
const DISCOUNT_RECEIVED: u32 = 2;
const DISCOUNT_YIELD: u32 = 4;

/** DISC, INTRATE, RECEIVED, PRICEDISC, YIELDDISC */
export function evaluateDiscount(part: u32): void {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  const x = positiveArgument(2);
  const y = positiveArgument(3);
  const basis = basisArgument(4);
  demand(settlement < maturity);
  if (failed()) return;
  const days = daysBetween(settlement, maturity, basis);
  answerNumber(discountPart(part, x, y, days / daysInYear(settlement, maturity, basis)));
}

function discountPart(part: u32, x: f64, y: f64, years: f64): f64 {
  switch (part) {
    case DISCOUNT_RATE:
      return (y - x) / y / years;
    case DISCOUNT_INTEREST:
    case DISCOUNT_YIELD:
      return (y - x) / x / years;
    case DISCOUNT_RECEIVED: {
      const rest = 1 - y * years;
      return rest > 0 ? x / rest : NaN;
    }
    default:
      // PRICEDISC
      return y - x * y * years;
  }
}

/** A security that pays interest at maturity: shares of a year since its issue. */
let life: f64 = 0;
let accrued: f64 = 0;
let ahead: f64 = 0;

function openMaturity(settlement: f64, maturity: f64, issue: f64, basis: f64): void {
  const year = daysInYear(issue, settlement, basis);
  const total = daysBetween(issue, maturity, basis);
  const past = daysBetween(issue, settlement, basis);
  life = total / year;
  accrued = past / year;
  ahead = (total - past) / year;
}

/** PRICEMAT(settlement, maturity, issue, rate, yield, [basis]) */
export function evaluatePriceMat(): void {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  const issue = dateArgument(2);
  const rate = rateArgument(3);
  const yieldRate = rateArgument(4);
  const basis = basisArgument(5);
  demand(settlement < maturity && issue < settlement);
  if (failed()) return;
  openMaturity(settlement, maturity, issue, basis);
  answerNumber((100 + life * rate * 100) / (1 + ahead * yieldRate) - accrued * rate * 100);
}

/** YIELDMAT(settlement, maturity, issue, rate, price, [basis]) */
export function evaluateYieldMat(): void {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  const issue = dateArgument(2);
  const rate = rateArgument(3);
  const price = positiveArgument(4);
  const basis = basisArgument(5);
  demand(settlement < maturity && issue < settlement);
  if (failed()) return;
  openMaturity(settlement, maturity, issue, basis);
  const paid = price / 100 + accrued * rate;
  answerNumber((1 + life * rate - paid) / paid / ahead);
}

/** Actual days of a bill, which is due within a year. */
function billDays(): f64 {
  const settlement = dateArgument(0);
  const maturity = dateArgument(1);
  demand(settlement < maturity);
  if (failed()) return NaN;
  demand(maturity <= addMonths(settlement, 12, false));
  return maturity - settlement;
}

/** TBILLEQ(settlement, maturity, discount) */
export function evaluateTbillEq(): void {
  const days = billDays();
  const discount = positiveArgument(2);
  if (failed()) return;
  const price = 1 - (discount * days) / 360;
  if (price <= 0) return answerError(ERROR_NUMBER);
  if (days <= 182) return answerNumber((365 * discount) / (360 - discount * days));
  // Half a year and more: one coupon of half the yield is thought to be paid on the way.
  const years = days / (days == 366 ? 366 : 365);
  const rest = 2 * years - 1;
  const root = sqrt(years * years - rest * (1 - 1 / price));
  answerNumber((2 * (root - years)) / rest);
}

/** TBILLPRICE(settlement, maturity, discount) */
export function evaluateTbillPrice(): void {
  const days = billDays();
  const discount = positiveArgument(2);
  if (failed()) return;
  const price = 100 * (1 - (discount * days) / 360);
  if (price <= 0) answerError(ERROR_NUMBER);
  else answerNumber(price);
}

/** TBILLYIELD(settlement, maturity, price) */
export function evaluateTbillYield(): void {
  const days = billDays();
  const price = positiveArgument(2);
  if (failed()) return;
  answerNumber(((100 - price) / price) * (360 / days));
}
