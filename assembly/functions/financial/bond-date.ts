import { ERROR_NUMBER, KIND_OMITTED } from '../../abi';
import {
  civilDay,
  civilMonth,
  civilYear,
  daysInMonth,
  isLeapYear,
  isSerial,
  serialFromCivil,
  splitSerial,
} from '../../values/date-serial';
import { argument, argumentCount, fail } from '../../vm/call';
import { kindOf } from '../../vm/slot';
import { strictNumber } from '../shared/number-list';
import { pay } from '../../vm/fuel';

/**
 * Day counts and coupon dates of securities. Bases: 0 US 30/360, 1 actual/actual, 2 actual/360,
 * 3 actual/365, 4 European 30/360 (Securities Industry Association, "Standard Securities
 * Calculation Methods"; where Excel goes its own way, as Excel).
 */
export const BASIS_US: f64 = 0;
export const BASIS_ACTUAL: f64 = 1;
export const BASIS_365: f64 = 3;
const BASIS_EUROPE: f64 = 4;

/** Fails with #NUM! unless the arguments are in their domain. */
export function demand(isInDomain: bool): void {
  if (!isInDomain) fail(ERROR_NUMBER);
}

/** A date without its time of day. */
export function dateArgument(index: u32): f64 {
  const serial = trunc(strictNumber(index));
  demand(isSerial(serial));
  return serial;
}

export function basisArgument(index: u32): f64 {
  if (index >= argumentCount || kindOf(argument(index)) == KIND_OMITTED) return 0;
  const basis = trunc(strictNumber(index));
  demand(basis >= 0 && basis <= 4);
  return basis;
}

/** Coupons a year: 1, 2 or 4. */
export function frequencyArgument(index: u32): f64 {
  const frequency = trunc(strictNumber(index));
  demand(frequency == 1 || frequency == 2 || frequency == 4);
  return frequency;
}

/** A number above zero. */
export function positiveArgument(index: u32): f64 {
  const value = strictNumber(index);
  demand(value > 0);
  return value;
}

/** A number of zero or above. */
export function rateArgument(index: u32): f64 {
  const value = strictNumber(index);
  demand(value >= 0);
  return value;
}

function isMonthEnd(year: i32, month: i32, day: i32): bool {
  return day >= daysInMonth(year, month);
}

export function isLastOfMonth(serial: f64): bool {
  splitSerial(serial);
  return isMonthEnd(civilYear, civilMonth, civilDay);
}

/** A date some months on: same day, or the last of the month; `toEnd` makes it always the last. */
export function addMonths(serial: f64, months: i32, toEnd: bool): f64 {
  splitSerial(serial);
  const total = civilYear * 12 + civilMonth - 1 + months;
  const year = total / 12;
  const month = (total % 12) + 1;
  const last = daysInMonth(year, month);
  return serialFromCivil(year, month, toEnd ? last : min(civilDay, last));
}

/** Days from one date to another in the US count of 30-day months. */
export function americanDays(from: f64, to: f64, moveBoth: bool): f64 {
  splitSerial(from);
  const year0 = civilYear;
  const month0 = civilMonth;
  let first = civilDay;
  splitSerial(to);
  let last = civilDay;
  const startsAtEnd = month0 == 2 && isMonthEnd(year0, 2, first);
  const endsAtEnd = civilMonth == 2 && isMonthEnd(civilYear, 2, last);
  if (endsAtEnd && (startsAtEnd || moveBoth)) last = 30;
  if (last == 31 && (first >= 30 || moveBoth)) last = 30;
  if (first == 31 || startsAtEnd) first = 30;
  return (civilYear - year0) * 360 + (civilMonth - month0) * 30 + last - first;
}

function europeanDays(from: f64, to: f64): f64 {
  splitSerial(from);
  const year0 = civilYear;
  const month0 = civilMonth;
  const first = min(civilDay, 30);
  splitSerial(to);
  return (civilYear - year0) * 360 + (civilMonth - month0) * 30 + min(civilDay, 30) - first;
}

/** Days from one date to another as a basis counts them. */
export function daysBetween(from: f64, to: f64, basis: f64): f64 {
  if (basis == BASIS_US) return americanDays(from, to, false);
  if (basis == BASIS_EUROPE) return europeanDays(from, to);
  return to - from;
}

/** Days of a year as a basis has them; actual/actual by the years that the span touches. */
export function daysInYear(from: f64, to: f64, basis: f64): f64 {
  if (basis == BASIS_365) return 365;
  return basis == BASIS_ACTUAL ? actualYear(from, to) : 360;
}

function actualYear(from: f64, to: f64): f64 {
  splitSerial(from);
  const year0 = civilYear;
  const month0 = civilMonth;
  const day0 = civilDay;
  splitSerial(to);
  if (year0 == civilYear) return isLeapYear(year0) ? 366 : 365;
  const isEarlier = month0 > civilMonth || (month0 == civilMonth && day0 >= civilDay);
  if (civilYear != year0 + 1 || !isEarlier) {
    const span = serialFromCivil(civilYear + 1, 1, 1) - serialFromCivil(year0, 1, 1);
    return span / (civilYear - year0 + 1);
  }
  if (isLeapYear(year0) && month0 <= 2) return 366;
  const isPast = civilMonth > 2 || (civilMonth == 2 && civilDay == 29);
  return isLeapYear(civilYear) && isPast ? 366 : 365;
}

/** Coupon dates around a settlement, and how many coupons are still to come. */
export let previousCoupon: f64 = 0;
export let nextCoupon: f64 = 0;
export let couponCount: f64 = 0;

/** Finds the coupon dates around `settlement`, counted back from `maturity`. */
export function findCoupons(settlement: f64, maturity: f64, frequency: f64): void {
  const months = <i32>(12 / frequency);
  const toEnd = isLastOfMonth(maturity);
  splitSerial(settlement);
  const month = civilYear * 12 + civilMonth;
  splitSerial(maturity);
  // The first guess may be one period short; a date before the calendar stays below everything.
  let periods = max(0, (civilYear * 12 + civilMonth - month) / months - 1);
  previousCoupon = addMonths(maturity, -periods * months, toEnd);
  nextCoupon = previousCoupon;
  while (previousCoupon > settlement && pay(40)) {
    nextCoupon = previousCoupon;
    periods++;
    previousCoupon = addMonths(maturity, -periods * months, toEnd);
  }
  couponCount = <f64>periods;
}

/** Days of the coupon period around a settlement (after findCoupons). */
export function couponDays(frequency: f64, basis: f64): f64 {
  if (basis == BASIS_ACTUAL) return nextCoupon - previousCoupon;
  return (basis == BASIS_365 ? 365 : 360) / frequency;
}

/** Days from the start of the coupon period to the settlement (after findCoupons). */
export function daysSinceCoupon(settlement: f64, basis: f64): f64 {
  return daysBetween(previousCoupon, settlement, basis);
}

/** Days from the settlement to the next coupon (after findCoupons). */
export function daysToCoupon(settlement: f64, basis: f64): f64 {
  if (basis != BASIS_US) return daysBetween(settlement, nextCoupon, basis);
  return americanDays(previousCoupon, nextCoupon, true) - daysSinceCoupon(settlement, basis);
}
