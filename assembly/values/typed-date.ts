import { clockSerial } from '../vm/context';
import { civilYear, daysInMonth, isSerial, serialFromCivil, splitSerial } from './date-serial';

/** Dates and times as people type them in en-US. */

/** The serial parseDateTime recognised. */
export let parsedSerial: f64 = 0;
/** True when the text had a day; returns false for a time of day alone. */
export let parsedHasDay: bool = false;

const MONTHS: StaticArray<string> = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

let cursor: usize = 0;
let finish: usize = 0;

/** Value and digits of the number readInteger read. */
let integer: i32 = 0;
let integerDigits: u32 = 0;

/** A date, a time, or both in either order, in the UTF-16 units from `start` to `end`. */
export function parseDateTime(start: usize, end: usize): bool {
  cursor = start;
  finish = end;
  parsedSerial = 0;
  let total: f64 = 0;
  parsedHasDay = readDate();
  if (parsedHasDay) {
    total = parsedSerial;
    if (cursor < finish) {
      if (peek() != 32) return false;
      skipSpaces();
      if (!readTime()) return false;
      total += parsedSerial;
    }
  } else {
    cursor = start;
    if (!readTime()) return false;
    total = parsedSerial;
    if (cursor < finish) {
      if (peek() != 32) return false;
      skipSpaces();
      if (!readDate()) return false;
      parsedHasDay = true;
      total += parsedSerial;
    }
  }
  parsedSerial = total;
  return cursor == finish;
}

function peek(): u32 {
  return cursor < finish ? load<u16>(cursor) : 0;
}

function skipSpaces(): void {
  while (cursor < finish && load<u16>(cursor) == 32) cursor += 2;
}

function isDigit(code: u32): bool {
  return code - 48 < 10;
}

function isLetter(code: u32): bool {
  return (code | 32) - 97 < 26;
}

/** Up to four digits into `integer`. */
function readInteger(): bool {
  integer = 0;
  integerDigits = 0;
  while (isDigit(peek())) {
    integer = integer * 10 + <i32>(peek() - 48);
    cursor += 2;
    if (++integerDigits > 4) return false;
  }
  return integerDigits > 0;
}

/** A month's name or its first three letters: 1 to 12, or 0. */
function readMonth(): i32 {
  const start = cursor;
  while (isLetter(peek())) cursor += 2;
  const length = <i32>((cursor - start) >> 1);
  if (length < 3) return 0;
  for (let month = 0; month < MONTHS.length; month++) {
    const name = MONTHS[month];
    if (length != 3 && length != name.length) continue;
    let same = 0;
    while (same < length && letterAt(start, same) == <u32>name.charCodeAt(same)) same++;
    if (same == length) return month + 1;
  }
  return 0;
}

/** A letter of a word of ASCII letters, in lower case. */
function letterAt(word: usize, index: i32): u32 {
  return load<u16>(word + ((<usize>index) << 1)) | 32;
}

function readDate(): bool {
  if (isLetter(peek())) return readMonthFirst();
  if (!readInteger()) return false;
  const first = integer;
  const firstDigits = integerDigits;
  const separator = peek();
  if (isLetter(separator)) return readDayFirst(first, firstDigits);
  if (separator == 32) {
    skipSpaces();
    return isLetter(peek()) && readDayFirst(first, firstDigits);
  }
  if (separator != 45 && separator != 47) return false;
  cursor += 2;
  if (isLetter(peek())) return readDayFirst(first, firstDigits);
  if (!readInteger()) return false;
  const second = integer;
  const secondDigits = integerDigits;
  if (peek() != separator) return finishShort(first, firstDigits, second, secondDigits);
  cursor += 2;
  if (!readInteger()) return false;
  if (firstDigits == 4) {
    return integerDigits < 3 && finishDate(first, second, integer);
  }
  if (firstDigits > 2 || secondDigits > 2) return false;
  const year = fullYear(integer, integerDigits);
  return finishDate(year, first, second);
}

/** yyyy-m, m/d of the current year, or m/yyyy when the second number cannot be a day. */
function finishShort(first: i32, firstDigits: u32, second: i32, secondDigits: u32): bool {
  if (firstDigits == 4) return secondDigits < 3 && finishDate(first, second, 1);
  if (firstDigits > 2 || first < 1 || first > 12) return false;
  return finishDayOrYear(first, second, secondDigits);
}

/** The year of a date that has none. */
export function currentYear(): i32 {
  return splitSerial(clockSerial()) ? civilYear : 1900;
}

/** A month and one more number: a day of this year if it can be one, otherwise a year. */
function finishDayOrYear(month: i32, second: i32, secondDigits: u32): bool {
  const thisYear = currentYear();
  if (secondDigits < 3 && second >= 1 && second <= daysInMonth(thisYear, month)) {
    return finishDate(thisYear, month, second);
  }
  return finishDate(fullYear(second, secondDigits), month, 1);
}

/** After a day: a month's name and perhaps a year. */
function readDayFirst(day: i32, dayDigits: u32): bool {
  if (dayDigits > 2) return false;
  const month = readMonth();
  if (!month) return false;
  const end = cursor;
  skipDateSeparator();
  if (!isDigit(peek()) || followedByColon()) {
    cursor = end;
    return finishDate(currentYear(), month, day);
  }
  if (!readInteger()) return false;
  return finishDate(fullYear(integer, integerDigits), month, day);
}

/** A month's name, then a day and a year, a day, or a year. */
function readMonthFirst(): bool {
  const month = readMonth();
  if (!month) return false;
  skipDateSeparator();
  if (!readInteger()) return false;
  const second = integer;
  const secondDigits = integerDigits;
  const end = cursor;
  skipDateSeparator();
  if (cursor == end || !isDigit(peek()) || followedByColon()) {
    cursor = end;
    return finishDayOrYear(month, second, secondDigits);
  }
  if (!readInteger() || secondDigits > 2) return false;
  return finishDate(fullYear(integer, integerDigits), month, second);
}

/** Spaces, or one of `- / , .` with spaces around. */
function skipDateSeparator(): void {
  skipSpaces();
  const code = peek();
  if (code == 44 || code == 45 || code == 46 || code == 47) {
    cursor += 2;
    skipSpaces();
  }
}

/** Returns whether the digits here are the hour of a time. */
function followedByColon(): bool {
  let place = cursor;
  while (place < finish && isDigit(load<u16>(place))) place += 2;
  return place < finish && load<u16>(place) == 58;
}

/** Two digits are 1930 to 2029; three are no year. */
function fullYear(year: i32, digits: u32): i32 {
  if (digits == 4) return year;
  if (digits > 2) return 0;
  return year < 30 ? 2000 + year : 1900 + year;
}

function finishDate(year: i32, month: i32, day: i32): bool {
  if (year < 1900 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
  // 29 February 1900 is serial 60.
  const days = year == 1900 && month == 2 ? 29 : daysInMonth(year, month);
  if (day > days) return false;
  parsedSerial = serialFromCivil(year, month, day);
  return isSerial(parsedSerial);
}

/** h:mm, h:mm:ss, h:mm:ss.000, mm:ss.0, any of them or a bare hour with AM or PM. */
function readTime(): bool {
  if (!readInteger()) return false;
  let hours: f64 = integer;
  let minutes: f64 = 0;
  let seconds: f64 = 0;
  let parts = 1;
  if (peek() == 58) {
    cursor += 2;
    parts = 2;
    if (isDigit(peek())) {
      if (!readInteger() || integerDigits > 2 || integer > 59) return false;
      minutes = integer;
    }
    if (peek() == 58) {
      cursor += 2;
      parts = 3;
      if (!readInteger() || integerDigits > 2 || integer > 59) return false;
      seconds = integer;
    }
    if (peek() == 46) {
      const fraction = readSecondFraction();
      if (parts == 2) {
        seconds = minutes;
        minutes = hours;
        hours = 0;
      }
      seconds += fraction;
    }
  }
  const half = readHalfOfDay();
  if (half < 0 || (parts == 1 && half == 0)) return false;
  if (half) {
    if (hours > 12) return false;
    if (hours == 12) hours = 0;
    if (half == 2) hours += 12;
  }
  parsedSerial = (hours * 3600 + minutes * 60 + seconds) / 86400;
  return true;
}

/** `.123` after seconds. */
function readSecondFraction(): f64 {
  cursor += 2;
  let value: f64 = 0;
  let scale: f64 = 1;
  while (isDigit(peek())) {
    if (scale < 1e9) {
      value = value * 10 + <f64>(peek() - 48);
      scale *= 10;
    }
    cursor += 2;
  }
  return value / scale;
}

/** AM, A: 1; PM, P: 2; nothing: 0; something else: -1. */
function readHalfOfDay(): i32 {
  const start = cursor;
  skipSpaces();
  const letter = peek() | 32;
  if (letter != 97 && letter != 112) {
    cursor = start;
    return 0;
  }
  cursor += 2;
  if ((peek() | 32) == 109) cursor += 2;
  return isLetter(peek()) ? -1 : letter == 97 ? 1 : 2;
}
