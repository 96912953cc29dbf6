import { ERROR_NUMBER } from '../../abi';
import { textIs } from '../../memory/text';
import {
  civilDay,
  civilMonth,
  civilYear,
  isLeapYear,
  isSerial,
  serialFromCivil,
  splitSerial,
} from '../../values/date-serial';
import {
  answerError,
  answerNumber,
  booleanOr,
  fail,
  failed,
  integerArgument,
  numberArgument,
  textArgument,
} from '../../vm/call';
import { monthLength } from './date-part';
import { toolInteger, toolIntegerOr } from '../shared/tool-number';

/** The two dates of a count, taken apart. */
let year0: i32 = 0;
let month0: i32 = 0;
let day0: i32 = 0;
let year1: i32 = 0;
let month1: i32 = 0;
let day1: i32 = 0;

function splitBoth(start: f64, end: f64): void {
  if (!isSerial(start) || !isSerial(end)) {
    fail(ERROR_NUMBER);
    return;
  }
  splitSerial(start);
  year0 = civilYear;
  month0 = civilMonth;
  day0 = civilDay;
  splitSerial(end);
  year1 = civilYear;
  month1 = civilMonth;
  day1 = civilDay;
}

/** DAYS(end, start) */
export function evaluateDays(): void {
  const end = integerArgument(0);
  const start = integerArgument(1);
  if (!isSerial(start) || !isSerial(end)) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(end - start);
}

/** Days between the split dates in a year of twelve months of 30 days. */
function days360(first: i32, last: i32): f64 {
  return (year1 - year0) * 360 + (month1 - month0) * 30 + last - first;
}

function europeanDays360(): f64 {
  return days360(min(day0, 30), min(day1, 30));
}

/** The US (NASD) count; `bothFebruary` adds YEARFRAC's rule for two ends of February. */
function americanDays360(bothFebruary: bool): f64 {
  const startsAtEnd = month0 == 2 && day0 == monthLength(year0, 2);
  const endsAtEnd = month1 == 2 && day1 == monthLength(year1, 2);
  let last = day1;
  if (bothFebruary && startsAtEnd && endsAtEnd) last = 30;
  const first = startsAtEnd || day0 == 31 ? 30 : day0;
  if (last == 31 && first == 30) last = 30;
  return days360(first, last);
}

/** Half a second, in days. */
const HALF_SECOND: f64 = 0.5 / 86400;

/** DAYS360(start, end, [European]): it rounds times to the second first, as no other does. */
export function evaluateDays360(): void {
  const start = floor(numberArgument(0) + HALF_SECOND);
  const end = floor(numberArgument(1) + HALF_SECOND);
  const european = booleanOr(2, false);
  splitBoth(start, end);
  if (failed()) return;
  answerNumber(european ? europeanDays360() : americanDays360(false));
}

/** Returns whether 29 February lies in the split span, which is at most a year long. */
function spansLeapDay(): bool {
  if (isLeapYear(year0) && (month0 < 2 || (month0 == 2 && day0 <= 29))) return true;
  return isLeapYear(year1) && (month1 > 2 || (month1 == 2 && day1 == 29));
}

/**
 * Days of a year by which actual/actual divides: that of the year when the dates are at most a year
 * apart, else the average of all years touched (as D. A. Wheeler derived it for OpenFormula).
 */
function averageYear(): f64 {
  if (year0 == year1) return isLeapYear(year0) ? 366 : 365;
  const withinYear = year1 == year0 + 1 && (month0 > month1 || (month0 == month1 && day0 >= day1));
  if (withinYear) return spansLeapDay() ? 366 : 365;
  const span = serialFromCivil(year1 + 1, 1, 1) - serialFromCivil(year0, 1, 1);
  return span / (year1 - year0 + 1);
}

/** YEARFRAC(start, end, [basis]) */
export function evaluateYearfrac(): void {
  const first = toolInteger(0);
  const second = toolInteger(1);
  const basis = toolIntegerOr(2, 0);
  const start = min(first, second);
  const end = max(first, second);
  splitBoth(start, end);
  if (!(basis >= 0 && basis <= 4)) fail(ERROR_NUMBER);
  if (failed()) return;
  if (start == end) return answerNumber(0);
  if (basis == 0) return answerNumber(americanDays360(true) / 360);
  if (basis == 1) return answerNumber((end - start) / averageYear());
  if (basis == 2) return answerNumber((end - start) / 360);
  if (basis == 3) return answerNumber((end - start) / 365);
  answerNumber(europeanDays360() / 360);
}

/** Whole months between the split dates. */
function wholeMonths(): i32 {
  const months = (year1 - year0) * 12 + month1 - month0;
  return day1 < day0 ? months - 1 : months;
}

/** Days past the last whole month; Excel counts them through the month before the end. */
function daysPastMonth(): f64 {
  if (day1 >= day0) return day1 - day0;
  const year = month1 == 1 ? year1 - 1 : year1;
  return day1 - day0 + monthLength(year, month1 == 1 ? 12 : month1 - 1);
}

/** Days from the start to the end's day and month in the start's year, or in the next. */
function daysPastYear(start: f64): f64 {
  const later = month1 > month0 || (month1 == month0 && day1 >= day0);
  return serialFromCivil(later ? year0 : year0 + 1, month1, day1) - start;
}

/** DATEDIF(start, end, unit) */
export function evaluateDatedif(): void {
  const start = integerArgument(0);
  const end = integerArgument(1);
  const unit = textArgument(2);
  splitBoth(start, end);
  if (start > end) fail(ERROR_NUMBER);
  if (failed()) return;
  if (textIs(unit, 'D')) return answerNumber(end - start);
  if (textIs(unit, 'M')) return answerNumber(wholeMonths());
  if (textIs(unit, 'Y')) return answerNumber(wholeMonths() / 12);
  if (textIs(unit, 'YM')) return answerNumber(wholeMonths() % 12);
  if (textIs(unit, 'MD')) return answerNumber(daysPastMonth());
  if (textIs(unit, 'YD')) return answerNumber(daysPastYear(start));
  answerError(ERROR_NUMBER);
}
