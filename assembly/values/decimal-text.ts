import { scratch } from '../memory/scratch';
import { digitsExponent, roundDigits } from './decimal';
import { appendUnit } from './text-builder';

/**
 * Numbers with a fixed count of decimals. Digits are those of General (15), and rounding is half
 * away from zero on them, as Excel rounds, not on the binary value.
 */
let digits: usize = 0;
let digitCount: i32 = 0;
/** How many of the digits stand before the decimal point; below zero for small numbers. */
let pointPlace: i32 = 0;

/** The fifteen digits of a number. */
function readDigits(value: f64): void {
  digits = scratch(16);
  digitCount = 0;
  pointPlace = 0;
  if (value == 0) return;
  let left = roundDigits(abs(value), 15);
  pointPlace = digitsExponent + 1;
  digitCount = 15;
  for (let index = 14; index >= 0; index--) {
    store<u8>(digits + index, <u8>(left % 10));
    left /= 10;
  }
}

/** Keeps the digits down to `decimals` behind the point. */
function cutDigits(decimals: i32): void {
  const kept = pointPlace + decimals;
  if (kept >= digitCount) return;
  if (kept < 0) {
    digitCount = 0;
    return;
  }
  const up = load<u8>(digits + kept) >= 5;
  digitCount = kept;
  if (!up) return;
  let index = kept - 1;
  while (index >= 0 && load<u8>(digits + index) == 9) store<u8>(digits + index--, 0);
  if (index >= 0) {
    store<u8>(digits + index, load<u8>(digits + index) + 1);
    return;
  }
  store<u8>(digits, 1);
  digitCount = max(kept, 1);
  for (index = 1; index < digitCount; index++) store<u8>(digits + index, 0);
  pointPlace++;
}

function digitAt(index: i32): u32 {
  return 48 + (index >= 0 && index < digitCount ? <u32>load<u8>(digits + index) : 0);
}

/** Rounds |value| and remembers its digits; returns whether anything but zeros is left. */
export function openDecimal(value: f64, decimals: i32): bool {
  readDigits(value);
  cutDigits(decimals);
  for (let index = 0; index < digitCount; index++) {
    if (load<u8>(digits + index)) return true;
  }
  return false;
}

/** Appends the rounded number to the text builder. */
export function appendDecimal(decimals: i32, commas: bool): void {
  if (digitCount == 0 || pointPlace <= 0) appendUnit(48);
  else {
    for (let index = 0; index < pointPlace; index++) {
      if (commas && index && (pointPlace - index) % 3 == 0) appendUnit(44);
      appendUnit(digitAt(index));
    }
  }
  if (decimals <= 0) return;
  appendUnit(46);
  for (let index = 0; index < decimals; index++) {
    appendUnit(digitCount == 0 ? 48 : digitAt(pointPlace + index));
  }
}
