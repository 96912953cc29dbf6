import { unitsOf } from '../memory/pointer';
import { scratch, shrinkScratch } from '../memory/scratch';
import { digitsExponent, fromDecimal, roundDigits, tenTo } from '../values/decimal';
import { parseLiteral } from '../values/typed-number';
import { isSpace } from '../xml/character';
import { pay } from '../xml/payment';

/** Digits beyond which a number is not read at once. */
const SHORT_LENGTH: u32 = 20;
const DIGIT_LIMIT: u32 = 800;

/** The number that a text is in XPath: a sign, digits, a point; anything else is no number. */
export function numberOfText(units: usize, length: u32): f64 {
  let start = units;
  let end = units + ((<usize>length) << 1);
  while (start < end && isSpace(load<u16>(start))) start += 2;
  while (end > start && isSpace(load<u16>(end - 2))) end -= 2;
  const isNegative = start < end && load<u16>(start) == 45;
  if (isNegative) start += 2;
  const digits = countDigits(start, end);
  if (!digits || !payDigits(length, digits)) return NaN;
  const value = parseLiteral(start, <u32>(end - start) >> 1);
  return isNegative ? -value : value;
}

/** How many digits units have; 0 if they are no number, with one point at most. */
function countDigits(start: usize, end: usize): u32 {
  let digits: u32 = 0;
  let points: u32 = 0;
  for (let place = start; place < end; place += 2) {
    const code = <u32>load<u16>(place);
    if (code - 48 < 10) digits++;
    else if (code != 46 || points++) return 0;
  }
  return digits;
}

function payDigits(length: u32, digits: u32): bool {
  if (digits < SHORT_LENGTH) return pay(2 + length);
  const exact = min(digits, DIGIT_LIMIT);
  return pay(length + exact * (exact >> 3));
}

/** How long the text is that textOfNumber gave. */
export let writtenLength: u32 = 0;

const NAMES: string = 'NaN-Infinity0';
/** Units of the longest number: the least that is no zero has 325. */
const WRITTEN_LIMIT: u32 = 350;

/** A number as XPath writes it, never with an exponent: the address of its units. */
export function textOfNumber(value: f64): usize {
  const names = unitsOf(NAMES);
  const magnitude = abs(value);
  writtenLength = 3;
  if (value != value) return names;
  if (magnitude == Infinity) {
    writtenLength = value < 0 ? 9 : 8;
    return names + (value < 0 ? 6 : 8);
  }
  writtenLength = 1;
  if (magnitude < 2.2250738585072014e-308) return names + 24;
  pay(64);
  return writeNumber(magnitude, value < 0);
}

/** How many digits shortestDigits needed. */
let digitCount: u32 = 0;

/** The fewest digits that read back as the same number; `digitsExponent` says where they stand. */
function shortestDigits(magnitude: f64): u64 {
  let count: u32 = 15;
  let digits = roundDigits(magnitude, count);
  while (count < 17 && fromDecimal(digits, digitsExponent - <i32>count + 1) != magnitude) {
    count++;
    digits = roundDigits(magnitude, count);
  }
  for (; digits % 10 == 0; digits /= 10) count--;
  digitCount = count;
  return digits;
}

function writeNumber(magnitude: f64, isNegative: bool): usize {
  const digits = shortestDigits(magnitude);
  const count = <i32>digitCount;
  const exponent = digitsExponent;
  const text = scratch(WRITTEN_LIMIT << 1);
  let place = text;
  if (isNegative) place = writeUnit(place, 45);
  if (exponent < 0) {
    place = writeUnit(writeUnit(place, 48), 46);
    for (let zero = exponent + 1; zero < 0; zero++) place = writeUnit(place, 48);
  }
  let scale = tenTo(digitCount - 1);
  for (let digit: i32 = 0; digit < count || digit <= exponent; digit++) {
    if (digit && digit == exponent + 1) place = writeUnit(place, 46);
    place = writeUnit(place, 48 + <u32>(scale ? (digits / scale) % 10 : 0));
    scale /= 10;
  }
  writtenLength = <u32>(place - text) >> 1;
  shrinkScratch(text, writtenLength << 1);
  return text;
}

function writeUnit(place: usize, code: u32): usize {
  store<u16>(place, <u16>code);
  return place + 2;
}

/** The whole number that is nearest; of two the greater one. */
export function roundNumber(value: f64): f64 {
  const below = floor(value);
  return copysign(value - below >= 0.5 ? below + 1 : below, value);
}
