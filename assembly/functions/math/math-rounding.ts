import { ERROR_DIVISION, ERROR_NUMBER } from '../../abi';
import { digitsExponent, fromDecimal, roundDigits, tenTo } from '../../values/decimal';
import {
  answerError,
  answerNumber,
  failed,
  integerOr,
  numberArgument,
  numberOr,
} from '../../vm/call';
import { strictNumber } from '../shared/number-list';

export const HALF_AWAY: u32 = 0;
const AWAY: u32 = 1;
export const TOWARDS_ZERO: u32 = 2;

/** Digits that a number is rounded by, and those that a double has. */
const SHOWN_DIGITS: u32 = 15;
const ALL_DIGITS: u32 = 17;
/**
 * Share of a number: another number further away than this differs from it in the first 15 digits.
 */
const NEAR_NEXT: f64 = 1e-14;

/**
 * Rounds to decimal places the way Excel does: on the 15 significant digits of the decimal value,
 * so 1.005 (a double a little below) rounds to 1.01. Fractions behind more digits than that are
 * gone where a whole number is asked for, and stay where decimal places are.
 */
export function roundDecimal(value: f64, places: f64, mode: u32): f64 {
  const magnitude = abs(value);
  if (magnitude < 2.2250738585072014e-308) return 0;
  const wanted = <i32>min(max(places, -400), 400);
  let digits = roundDigits(magnitude, SHOWN_DIGITS);
  let dropped = <i32>SHOWN_DIGITS - 1 - digitsExponent - wanted;
  if (dropped < 0 && wanted <= 0) {
    digits = roundDigits(magnitude, ALL_DIGITS);
    dropped = <i32>ALL_DIGITS - 1 - digitsExponent - wanted;
  }
  if (dropped < 0) return value;
  let result: f64;
  if (dropped > 16) {
    result = mode == AWAY ? fromDecimal(1, -wanted) : 0;
  } else {
    const unit = tenTo(dropped);
    let kept = digits / unit;
    const rest = digits % unit;
    if (mode == AWAY ? rest > 0 : mode == HALF_AWAY && rest * 2 >= unit && rest > 0) kept++;
    result = fromDecimal(kept, -wanted);
  }
  return value < 0 ? -result : result;
}

function evaluatePlaces(mode: u32): void {
  const value = numberArgument(0);
  const places = integerOr(1, 0);
  if (failed()) return;
  answerNumber(roundDecimal(value, places, mode));
}

/** ROUND(number, digits): half away from zero. */
export function evaluateRound(): void {
  evaluatePlaces(HALF_AWAY);
}

export function evaluateRoundUp(): void {
  evaluatePlaces(AWAY);
}

export function evaluateRoundDown(): void {
  evaluatePlaces(TOWARDS_ZERO);
}

/** TRUNC(number, [digits]) */
export function evaluateTrunc(): void {
  const value = numberArgument(0);
  const places = integerOr(1, 0);
  if (failed()) return;
  answerNumber(places == 0 ? trunc(value) : roundDecimal(value, places, TOWARDS_ZERO));
}

/**
 * INT(number): down to a whole number. One that lies just below the next is taken for it, as Excel
 * looks at 15 significant digits: INT(123456789-0.0000004) is 123456789.
 */
export function evaluateInt(): void {
  const value = numberArgument(0);
  if (failed()) return;
  const below = floor(value);
  const isNearNext = below + 1 - value <= abs(value) * NEAR_NEXT;
  answerNumber(isNearNext ? roundDecimal(value, 0, value < 0 ? AWAY : TOWARDS_ZERO) : below);
}

/** MROUND(number, multiple): signs must agree. */
export function evaluateMround(): void {
  const value = strictNumber(0);
  const multiple = strictNumber(1);
  if (failed()) return;
  if (value == 0 || multiple == 0) answerNumber(0);
  else if (value < 0 != multiple < 0) answerError(ERROR_NUMBER);
  else answerNumber(floor(value / multiple + 0.5) * multiple);
}

/** A value on a step, but for its last bits, stays itself; others go up or down to one. */
function toStep(value: f64, step: f64, up: bool): f64 {
  const quotient = value / step;
  if (abs(quotient - nearest(quotient)) <= abs(quotient) * 4.5e-16) return value;
  return (up ? ceil(quotient) : floor(quotient)) * step;
}

/** CEILING(number, significance): away from zero when both are negative. */
export function evaluateCeiling(): void {
  const value = numberArgument(0);
  const step = numberArgument(1);
  if (failed()) return;
  if (value == 0 || step == 0) answerNumber(0);
  else if (value > 0 && step < 0) answerError(ERROR_NUMBER);
  else answerNumber(toStep(value, step, true));
}

/** FLOOR(number, significance): towards zero when both are negative. */
export function evaluateFloor(): void {
  const value = numberArgument(0);
  const step = numberArgument(1);
  if (failed()) return;
  if (value == 0) answerNumber(0);
  else if (step == 0) answerError(ERROR_DIVISION);
  else if (value > 0 && step < 0) answerError(ERROR_NUMBER);
  else answerNumber(toStep(value, step, false));
}

/** CEILING.MATH(number, [significance], [mode]): a mode rounds negative numbers away from zero. */
export function evaluateCeilingMath(): void {
  const value = numberArgument(0);
  const step = abs(numberOr(1, 1));
  const mode = numberOr(2, 0);
  if (failed()) return;
  if (step == 0) answerNumber(0);
  else if (value < 0 && mode != 0) answerNumber(toStep(value, step, false));
  else answerNumber(toStep(value, step, true));
}

/** FLOOR.MATH(number, [significance], [mode]): a mode rounds negative numbers towards zero. */
export function evaluateFloorMath(): void {
  const value = numberArgument(0);
  const step = abs(numberOr(1, 1));
  const mode = numberOr(2, 0);
  if (failed()) return;
  if (step == 0) answerNumber(0);
  else if (value < 0 && mode != 0) answerNumber(toStep(value, step, true));
  else answerNumber(toStep(value, step, false));
}

/** CEILING.PRECISE and ISO.CEILING(number, [significance]): up, whatever the signs. */
export function evaluateCeilingPrecise(): void {
  const value = numberArgument(0);
  const step = abs(numberOr(1, 1));
  if (failed()) return;
  answerNumber(step == 0 ? 0 : toStep(value, step, true));
}

export function evaluateFloorPrecise(): void {
  const value = numberArgument(0);
  const step = abs(numberOr(1, 1));
  if (failed()) return;
  answerNumber(step == 0 ? 0 : toStep(value, step, false));
}

/** EVEN(number): away from zero to the next even number. */
export function evaluateEven(): void {
  const value = numberArgument(0);
  if (failed()) return;
  const magnitude = ceil(abs(value) / 2) * 2;
  answerNumber(value < 0 ? -magnitude : magnitude);
}

/** ODD(number): away from zero to the next odd number; ODD(0) is 1. */
export function evaluateOdd(): void {
  const value = numberArgument(0);
  if (failed()) return;
  const magnitude = max(ceil((abs(value) - 1) / 2) * 2 + 1, 1);
  answerNumber(value < 0 ? -magnitude : magnitude);
}
