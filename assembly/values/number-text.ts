import { newText, setUnit, textOf } from '../memory/text';
import { noteWork } from '../memory/work';
import { digitsExponent, fromDecimal, roundDigits, tenTo } from './decimal';

/** Cost of a number's digits, in units of memory/work.ts. */
const DIGITS_UNITS: u32 = 60;

/**
 * A number as text the way `&` and text functions write it: Excel's General without a column
 * width. At most 15 significant digits, correctly rounded (half up on the exact decimal expansion)
 * and without trailing zeros; plain notation as long as it needs at most 20 characters beside
 * the sign, so up to 99999999999999900000 and down to 0.000000000000000001, and d.dddE+xx with an
 * exponent of at least two digits beyond that.
 */
export function numberToText(value: f64): usize {
  noteWork(DIGITS_UNITS);
  const magnitude = abs(value);
  // Subnormals count as zero, as everywhere in Excel.
  if (magnitude < 2.2250738585072014e-308) return textOf('0');
  if (magnitude - magnitude != 0) return textOf('#NUM!');
  if (magnitude < 1e15 && floor(magnitude) == magnitude) {
    return integerText(<u64>magnitude, value < 0);
  }
  const digits = roundDigits(magnitude, 15);
  // Exact arithmetic takes the longer, the larger or the smaller a number is.
  noteWork(<u32>(digitsExponent * digitsExponent) >> 6);
  return layOut(digits, 15, digitsExponent, value < 0);
}

/** The fewest digits (17 at most) that read back as the same double, laid out the same way. */
export function shortestText(value: f64): usize {
  const magnitude = abs(value);
  if (magnitude < 2.2250738585072014e-308) return textOf('0');
  if (magnitude - magnitude != 0) return textOf('#NUM!');
  if (magnitude < 1e15 && floor(magnitude) == magnitude) {
    return integerText(<u64>magnitude, value < 0);
  }
  let count: u32 = 15;
  let digits = roundDigits(magnitude, count);
  while (count < 17 && fromDecimal(digits, digitsExponent - <i32>count + 1) != magnitude) {
    count++;
    digits = roundDigits(magnitude, count);
  }
  return layOut(digits, count, digitsExponent, value < 0);
}

function integerText(magnitude: u64, negative: bool): usize {
  let count: u32 = 1;
  while (magnitude >= tenTo(count)) count++;
  const sign: u32 = negative ? 1 : 0;
  const text = newText(count + sign);
  if (negative) setUnit(text, 0, 45);
  putDigits(text, sign, count, magnitude);
  return text;
}

/** Writes `count` digits of a number ending before `start + count`. */
function putDigits(text: usize, start: u32, count: u32, digits: u64): void {
  let rest = digits;
  for (let index = start + count; index > start; index--) {
    setUnit(text, index - 1, 48 + <u32>(rest % 10));
    rest /= 10;
  }
}

function layOut(allDigits: u64, allCount: u32, exponent: i32, negative: bool): usize {
  let digits = allDigits;
  let count = allCount;
  while (count > 1 && digits % 10 == 0) {
    digits /= 10;
    count--;
  }
  const sign: u32 = negative ? 1 : 0;
  if (exponent >= 20 || (exponent < 0 && <i32>count - exponent + 1 > 20)) {
    return scientific(digits, count, exponent, negative);
  }
  if (exponent < 0) {
    const zeros = <u32>(-exponent - 1);
    const text = newText(sign + 2 + zeros + count);
    putDigits(text, sign, 2 + zeros + count, digits);
    setUnit(text, sign + 1, 46);
    if (negative) setUnit(text, 0, 45);
    return text;
  }
  const whole = <u32>exponent + 1;
  const fraction = count > whole ? count - whole : 0;
  const text = newText(sign + whole + (fraction ? fraction + 1 : 0));
  if (negative) setUnit(text, 0, 45);
  if (!fraction) {
    putDigits(text, sign, count, digits);
    for (let index = count; index < whole; index++) setUnit(text, sign + index, 48);
    return text;
  }
  const scale = tenTo(fraction);
  putDigits(text, sign, whole, digits / scale);
  setUnit(text, sign + whole, 46);
  putDigits(text, sign + whole + 1, fraction, digits % scale);
  return text;
}

/** d.dddE+xx */
function scientific(digits: u64, count: u32, exponent: i32, negative: bool): usize {
  const power = <u32>abs(exponent);
  const powerCount: u32 = power >= 100 ? 3 : 2;
  const start: u32 = negative ? 1 : 0;
  const mantissa: u32 = count > 1 ? count + 1 : 1;
  const text = newText(start + mantissa + 2 + powerCount);
  if (negative) setUnit(text, 0, 45);
  const scale = tenTo(count - 1);
  setUnit(text, start, 48 + <u32>(digits / scale));
  if (count > 1) {
    setUnit(text, start + 1, 46);
    putDigits(text, start + 2, count - 1, digits % scale);
  }
  setUnit(text, start + mantissa, 69);
  setUnit(text, start + mantissa + 1, exponent < 0 ? 45 : 43);
  putDigits(text, start + mantissa + 2, powerCount, power);
  return text;
}
