import { lengthOf, TEXT_HEADER } from '../memory/text';
import { scratch } from '../memory/scratch';
import { pay } from '../vm/fuel';
import { fromDecimal, fromDigits } from './decimal';
import { parseDateTime, parsedHasDay, parsedSerial } from './typed-date';

/** Number that parseNumber recognised. */
export let parsedNumber: f64 = 0;
/** True when it was a date or a time of day (a caller may want to format the result so). */
export let parsedIsDate: bool = false;

const EURO: u32 = 0x20ac;

let cursor: usize = 0;
let finish: usize = 0;

/**
 * Text to number as Excel's operators coerce it in en-US: spaces around, a sign, `$`, parentheses
 * for negative, thousands commas, decimals, an exponent, `%`, a fraction (`1 1/2`), a date, a time.
 */
export function parseNumber(text: usize): bool {
  pay(PARSE_UNITS + (lengthOf(text) << 1));
  return readNumber(text);
}

/** Reads a number as parseNumber does, at no cost for the cell. */
export function readNumber(text: usize): bool {
  cursor = text + TEXT_HEADER;
  finish = cursor + ((<usize>lengthOf(text)) << 1);
  skipSpaces();
  while (finish > cursor && load<u16>(finish - 2) == 32) finish -= 2;
  if (cursor == finish || !mayStart(peek())) return false;
  const start = cursor;
  parsedIsDate = false;
  if (readAmount()) return parsedNumber - parsedNumber == 0;
  if (!parseDateTime(start, finish)) return false;
  // Excel does not take a date behind a space; a time it does.
  if (parsedHasDay && start != text + TEXT_HEADER) return false;
  parsedNumber = parsedSerial;
  parsedIsDate = true;
  return true;
}

/** The double nearest to a literal of the formula language: digits, a point, an exponent. */
export function parseLiteral(units: usize, length: u32): f64 {
  cursor = units;
  finish = units + ((<usize>length) << 1);
  return readDecimal(units);
}

/**
 * A literal as Excel takes one that is entered: digits beyond the fifteenth are zeros. Source:
 * Excel specifications and limits, number precision.
 */
export function parseTyped(units: usize, length: u32): f64 {
  const end = units + ((<usize>length) << 1);
  let place = units;
  let digits: u64 = 0;
  let count: u32 = 0;
  let power: i32 = 0;
  let isFraction = false;
  for (; place < end; place += 2) {
    const code = <u32>load<u16>(place);
    if (code == 46 && !isFraction) {
      isFraction = true;
      continue;
    }
    if (code - 48 >= 10) break;
    if (count || code != 48) count++;
    const isTaken = count <= TYPED_DIGITS;
    if (isTaken) digits = digits * 10 + (code - 48);
    if (isTaken == isFraction) power += isTaken ? -1 : 1;
  }
  return fromDecimal(digits, power + readExponent(place, end));
}

const TYPED_DIGITS: u32 = 15;

/** Cost of parsing a short text, in units of memory/work.ts. */
const PARSE_UNITS: u32 = 20;

/** The letters that names of months begin with, a bit each from a on. */
const MONTH_INITIALS: u32 = 0b0000_0100_0111_0010_0010_1001;

/** A quick look at the first unit: a digit, `$ % ( + - .` or what a month begins with. */
function mayStart(code: u32): bool {
  if (code - 48 < 10) return true;
  if (code == 36 || code == 37 || code == 40 || code == 43 || code == 45 || code == 46) return true;
  if (code == EURO) return true;
  const letter = (code | 32) - 97;
  return letter < 26 && ((MONTH_INITIALS >> letter) & 1) != 0;
}

function peek(): u32 {
  return cursor < finish ? load<u16>(cursor) : 0;
}

function skipSpaces(): void {
  while (cursor < finish && load<u16>(cursor) == 32) cursor += 2;
}

function take(code: u32): bool {
  if (peek() != code) return false;
  cursor += 2;
  skipSpaces();
  return true;
}

/** `$` or the euro sign, which Excel knows everywhere and behind the number too. */
function takeCurrency(): bool {
  return take(36) || take(EURO);
}

/** [(] [$] [%] [sign] [$] [%] digits [exponent] [fraction] [%] [)] */
function readAmount(): bool {
  const closing = take(40);
  let negative = closing;
  const currencyFirst = takeCurrency();
  let percents: u32 = take(37) ? 1 : 0;
  if (peek() == 43 || peek() == 45) {
    if (closing) return false;
    negative = peek() == 45;
    take(peek());
  }
  const currency = takeCurrency() || currencyFirst;
  if (take(37)) percents++;
  const start = cursor;
  if (!skipDigits()) return false;
  parsedNumber = readDecimal(start);
  if (peek() == 32 && !readFraction(start)) return false;
  if (take(37)) percents++;
  if (!currency) take(EURO);
  if (closing && !take(41)) return false;
  if (take(37)) percents++;
  if (cursor != finish || percents > 1) return false;
  if (percents) parsedNumber /= 100;
  if (negative) parsedNumber = -parsedNumber;
  return true;
}

/** Moves over digits with commas, each before three digits or more, a point, decimals, an exponent. */
function skipDigits(): bool {
  const start = cursor;
  let digits = skipRun();
  let grouped = false;
  while (peek() == 44) {
    if (!digits) return false;
    cursor += 2;
    if (skipRun() < 3) return false;
    grouped = true;
  }
  if (peek() == 46) {
    cursor += 2;
    digits += skipRun();
  }
  if (!digits) return false;
  if ((peek() | 32) == 101) {
    cursor += 2;
    if (peek() == 43 || peek() == 45) cursor += 2;
    if (!skipRun()) return false;
  }
  if (grouped) removeCommas(start);
  return true;
}

/** Where the digits lie once their commas are gone, or 0 when there were none. */
let cleanStart: usize = 0;
let cleanEnd: usize = 0;

function removeCommas(start: usize): void {
  const copy = scratch(<u32>(cursor - start));
  let out = copy;
  for (let place = start; place < cursor; place += 2) {
    const code = load<u16>(place);
    if (code == 44) continue;
    store<u16>(out, code);
    out += 2;
  }
  cleanStart = copy;
  cleanEnd = out;
}

function skipRun(): u32 {
  let count: u32 = 0;
  while (<u32>(peek() - 48) < 10) {
    cursor += 2;
    count++;
  }
  return count;
}

/** The value of digits, point and exponent that begin at `start` (or in their comma-free copy). */
function readDecimal(start: usize): f64 {
  let place = start;
  let end = finish;
  if (cleanStart) {
    place = cleanStart;
    end = cleanEnd;
    cleanStart = 0;
  }
  const digitsStart = place;
  let digits: u64 = 0;
  let count: u32 = 0;
  let power: i32 = 0;
  let fraction = false;
  while (place < end) {
    const code = <u32>load<u16>(place);
    if (code == 46 && !fraction) {
      fraction = true;
    } else if (code - 48 < 10) {
      if (count || code != 48) count++;
      if (count < 20) digits = digits * 10 + (code - 48);
      if (fraction) power--;
    } else break;
    place += 2;
  }
  const digitsLength = <u32>((place - digitsStart) >> 1);
  const exponent = readExponent(place, end);
  if (count < 20) return fromDecimal(digits, power + exponent);
  return fromDigits(digitsStart, digitsLength, exponent);
}

function readExponent(place: usize, end: usize): i32 {
  if (place >= end || (load<u16>(place) | 32) != 101) return 0;
  place += 2;
  const sign = place < end ? load<u16>(place) : 0;
  if (sign == 43 || sign == 45) place += 2;
  let exponent: i32 = 0;
  while (place < end) {
    const code = <u32>load<u16>(place);
    if (code - 48 >= 10) break;
    if (exponent < 100000) exponent = exponent * 10 + <i32>(code - 48);
    place += 2;
  }
  return sign == 45 ? -exponent : exponent;
}

/** After an integer: ` 1/2`. Adds it to parsedNumber; spaces before `%` or `)` are no fraction. */
function readFraction(start: usize): bool {
  const whole = cursor;
  skipSpaces();
  if (<u32>(peek() - 48) >= 10) return true;
  for (let place = start; place < whole; place += 2) {
    if (<u32>(load<u16>(place) - 48) >= 10) return false;
  }
  const numeratorStart = cursor;
  if (skipRun() > 15 || peek() != 47) return false;
  const numerator = readDecimal(numeratorStart);
  cursor += 2;
  const denominatorStart = cursor;
  const count = skipRun();
  const denominator = count && count < 16 ? readDecimal(denominatorStart) : 0;
  if (denominator == 0) return false;
  parsedNumber += numerator / denominator;
  skipSpaces();
  return true;
}
