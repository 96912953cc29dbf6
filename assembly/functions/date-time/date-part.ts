import { ERROR_NUMBER, ERROR_VALUE, KIND_STRING } from '../../abi';
import {
  civilDay,
  civilMonth,
  civilYear,
  daysInMonth,
  isSerial,
  serialFromCivil,
  splitSerial,
  weekdayOf,
} from '../../values/date-serial';
import { parseNumber, parsedIsDate, parsedNumber } from '../../values/typed-number';
import {
  answerError,
  answerNumber,
  argument,
  fail,
  failed,
  integerArgument,
  integerOr,
  numberArgument,
} from '../../vm/call';
import { clockSerial, date1904 } from '../../vm/context';
import { kindOf, wordOf } from '../../vm/slot';
import { toolInteger, toolIntegerOr } from '../shared/tool-number';

/** Answers a serial, or #NUM! when there is no such day. */
function answerSerial(serial: f64): void {
  if (isSerial(serial)) answerNumber(serial);
  else answerError(ERROR_NUMBER);
}

/** Days of a month as Excel counts them: February 1900 has 29 in the 1900 system. */
export function monthLength(year: i32, month: i32): i32 {
  if (year == 1900 && month == 2 && !date1904) return 29;
  return daysInMonth(year, month);
}

/** Serial of a day in a month counted from January of year 0; below zero when out of range. */
function serialOfMonth(months: f64, day: f64): f64 {
  if (!(months >= 0 && months < 120_000)) return -1;
  const year = <i32>floor(months / 12);
  return serialFromCivil(year, <i32>months - year * 12 + 1, day);
}

/** DATE(year, month, day): years 0 to 1899 count from 1900; months and days carry over. */
export function evaluateDate(): void {
  const year = integerArgument(0);
  const month = integerArgument(1);
  const day = integerArgument(2);
  if (!(year >= 0 && year < 10000)) fail(ERROR_NUMBER);
  if (failed()) return;
  const full = year < 1900 ? year + 1900 : year;
  answerSerial(serialOfMonth(full * 12 + month - 1, day));
}

/** The date or time a text spells; only texts are taken. */
function dateText(): f64 {
  const slot = argument(0);
  if (kindOf(slot) != KIND_STRING) {
    // An error goes on as itself; any other value is no text.
    numberArgument(0);
    fail(ERROR_VALUE);
    return 0;
  }
  if (parseNumber(wordOf(slot)) && parsedIsDate) return parsedNumber;
  fail(ERROR_VALUE);
  return 0;
}

/** DATEVALUE(text) */
export function evaluateDateValue(): void {
  const serial = dateText();
  if (failed()) return;
  answerSerial(floor(serial));
}

/** TIMEVALUE(text) */
export function evaluateTimeValue(): void {
  const serial = dateText();
  if (failed()) return;
  // Beside a date the time has lost bits; no text says more than milliseconds.
  answerNumber(nearest((serial - floor(serial)) * 86400000) / 86400000);
}

/** YEAR (part 0), MONTH (1) and DAY (2) of a serial. */
export function evaluateDatePart(part: i32): void {
  const serial = numberArgument(0);
  if (!isSerial(serial)) fail(ERROR_NUMBER);
  if (failed()) return;
  splitSerial(serial);
  answerNumber(part == 0 ? civilYear : part == 1 ? civilMonth : civilDay);
}

/** HOUR (part 0), MINUTE (1) and SECOND (2) of a serial, rounded to the second. */
export function evaluateTimePart(part: i32): void {
  const serial = numberArgument(0);
  if (!isSerial(serial)) fail(ERROR_NUMBER);
  if (failed()) return;
  const seconds = <i32>floor((serial - floor(serial)) * 86400 + 0.5) % 86400;
  if (part == 0) answerNumber(seconds / 3600);
  else answerNumber(part == 1 ? (seconds / 60) % 60 : seconds % 60);
}

/** TIME(hour, minute, second): each up to 32,767; whole days fall away. */
export function evaluateTime(): void {
  const hour = integerArgument(0);
  const minute = integerArgument(1);
  const second = integerArgument(2);
  if (max(abs(hour), max(abs(minute), abs(second))) > 32767) fail(ERROR_NUMBER);
  const total = hour * 3600 + minute * 60 + second;
  if (total < 0) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber((total % 86400) / 86400);
}

export function evaluateNow(): void {
  answerNumber(clockSerial());
}

export function evaluateToday(): void {
  answerNumber(floor(clockSerial()));
}

/** EDATE(start, months): the same day, or the last of a shorter month. */
export function evaluateEdate(): void {
  shiftMonths(false);
}

/** EOMONTH(start, months) */
export function evaluateEomonth(): void {
  shiftMonths(true);
}

function shiftMonths(toEnd: bool): void {
  const start = toolInteger(0);
  const months = toolInteger(1);
  if (!isSerial(start)) fail(ERROR_NUMBER);
  if (failed()) return;
  splitSerial(start);
  const total = <f64>civilYear * 12 + <f64>civilMonth - 1 + months;
  if (!(total >= 0 && total < 120_000)) return answerError(ERROR_NUMBER);
  const year = <i32>floor(total / 12);
  const last = monthLength(year, <i32>total - year * 12 + 1);
  answerSerial(serialOfMonth(total, toEnd ? last : min(civilDay, last)));
}

/** WEEKDAY(serial, [type]) */
export function evaluateWeekday(): void {
  const serial = numberArgument(0);
  const type = integerOr(1, 1);
  if (!isSerial(serial)) fail(ERROR_NUMBER);
  const known = (type >= 1 && type <= 3) || (type >= 11 && type <= 17);
  if (!known) fail(ERROR_NUMBER);
  if (failed()) return;
  const day = weekdayOf(serial);
  if (type == 1) return answerNumber(day + 1);
  if (type == 3) return answerNumber((day + 6) % 7);
  // Types 11 to 17 begin the week with Monday to Sunday.
  const first = type == 2 ? 1 : <i32>type - 10;
  answerNumber(((day - first + 7) % 7) + 1);
}

/** The ISO 8601 week: that of the week's Thursday. */
function isoWeek(serial: f64): f64 {
  const thursday = floor(serial) - ((weekdayOf(serial) + 6) % 7) + 3;
  // A Thursday in 1899 (or 1903): 1 January is a Sunday (a Friday), so it was the year's last week.
  const first: f64 = date1904 ? 0 : 1;
  if (thursday < first) return date1904 ? 53 : 52;
  if (!splitSerial(thursday)) return 0;
  return floor((thursday - serialFromCivil(civilYear, 1, 1)) / 7) + 1;
}

/** ISOWEEKNUM(serial) */
export function evaluateIsoWeeknum(): void {
  const serial = numberArgument(0);
  if (!isSerial(serial)) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(isoWeek(serial));
}

/** Weekday a week begins with (0 is Sunday) by WEEKNUM's type, or -1. */
function weekStart(type: f64): i32 {
  if (type == 1 || type == 17) return 0;
  if (type == 2) return 1;
  return type >= 11 && type <= 16 ? <i32>type - 10 : -1;
}

/** WEEKNUM(serial, [type]): the week with 1 January is the first, of type 21 the ISO week. */
export function evaluateWeeknum(): void {
  const serial = toolInteger(0);
  const type = toolIntegerOr(1, 1);
  if (!isSerial(serial)) fail(ERROR_NUMBER);
  const start = weekStart(type);
  if (start < 0 && type != 21) fail(ERROR_NUMBER);
  if (failed()) return;
  if (type == 21) return answerNumber(isoWeek(serial));
  splitSerial(serial);
  const first = serialFromCivil(civilYear, 1, 1);
  const lead = (weekdayOf(first) - start + 7) % 7;
  answerNumber(floor((serial - first + lead) / 7) + 1);
}
