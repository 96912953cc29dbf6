import { ERROR_NUMBER, ERROR_VALUE, KIND_BOOLEAN } from '../../abi';
import { lengthOf, newText, setUnit, unit } from '../../memory/text';
import {
  answerError,
  answerNumber,
  answerText,
  argument,
  fail,
  failed,
  given,
  omitted,
  slotText,
} from '../../vm/call';
import { kindOf } from '../../vm/slot';
import { toolInteger } from '../shared/tool-number';

/** Numbers of ten digits in base 2, 8 or 16, the first bit of which is the sign. */
const DIGIT_LIMIT: u32 = 10;

/** Value of a digit, or 16 when it is none. */
function digitValue(code: u32): u32 {
  if (code - 48 < 10) return code - 48;
  const letter = code | 32;
  return letter - 97 < 6 ? letter - 87 : 16;
}

/** Reads argument 0 as digits of `bits` bits each, two's complement when all ten are there. */
function readDigits(bits: u32): i64 {
  const slot = argument(0);
  if (kindOf(slot) == KIND_BOOLEAN) fail(ERROR_VALUE);
  const text = slotText(slot);
  const length = lengthOf(text);
  if (length > DIGIT_LIMIT) fail(ERROR_NUMBER);
  let value: i64 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const digit = digitValue(unit(text, index));
    if (digit >> bits) fail(ERROR_NUMBER);
    value = (value << bits) | digit;
  }
  const shift = <i64>DIGIT_LIMIT * bits - 1;
  const sign = (<i64>1) << shift;
  return value >= sign ? value - (sign << 1) : value;
}

/** The least count of digits, in argument 1; 0 when there is none. */
function readPlaces(): f64 {
  if (!given(1) || omitted(1)) return 0;
  const places = toolInteger(1);
  if (!(places >= 1 && places <= 10)) fail(ERROR_NUMBER);
  return places;
}

/** Answers a number in digits of `bits` bits, at least as many as `places`. */
function answerDigits(value: i64, bits: u32, places: f64): void {
  const shift = <i64>DIGIT_LIMIT * bits - 1;
  const sign = (<i64>1) << shift;
  if (value >= sign || value < -sign) fail(ERROR_NUMBER);
  if (failed()) return;
  let left = value < 0 ? value + (sign << 1) : value;
  let count: u32 = 1;
  while (left >> (count * bits) && count < DIGIT_LIMIT) count++;
  // A negative number has all ten digits, whatever the places.
  if (value >= 0 && places > 0) {
    if (<f64>count > places) return answerError(ERROR_NUMBER);
    count = <u32>places;
  }
  const text = newText(count);
  for (let index = <i32>count - 1; index >= 0; index--) {
    const digit = <u32>(left & ((1 << bits) - 1));
    setUnit(text, index, digit < 10 ? 48 + digit : 55 + digit);
    left >>= bits;
  }
  answerText(text);
}

/** DEC2BIN, DEC2OCT, DEC2HEX(number, [places]) */
export function evaluateFromDecimal(bits: u32): void {
  // Places out of range are seen before a number that is none.
  const places = readPlaces();
  const value = toolInteger(0);
  if (abs(value) > 1e12) fail(ERROR_NUMBER);
  if (failed()) return;
  answerDigits(<i64>value, bits, places);
}

/** BIN2DEC, OCT2DEC, HEX2DEC(digits) */
export function evaluateToDecimal(bits: u32): void {
  const value = readDigits(bits);
  if (failed()) return;
  answerNumber(<f64>value);
}

/** From one base into another: BIN2HEX and its like, (digits, [places]) */
export function evaluateTransfer(fromBits: u32, toBits: u32): void {
  const value = readDigits(fromBits);
  const places = readPlaces();
  if (failed()) return;
  answerDigits(value, toBits, places);
}
