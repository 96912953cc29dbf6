import { KIND_BLANK, KIND_BOOLEAN, KIND_NUMBER, KIND_OMITTED, KIND_STRING } from '../abi';
import { emptyText } from '../memory/text';
import { kindOf, numberOf, wordOf } from '../vm/slot';
import { roundDigits, digitsExponent } from './decimal';
import { compareTexts } from './text-order';

/** Order of the types among each other: numbers before texts before booleans. */
function rankOf(kind: u32): i32 {
  if (kind == KIND_NUMBER) return 1;
  return kind == KIND_STRING ? 2 : 3;
}

/**
 * Returns whether two numbers agree as far as Excel compares: at 15 significant digits. Doubles
 * that are too far apart for that are told apart without making digits.
 */
function equalNumbers(left: f64, right: f64): bool {
  if (left == right) return true;
  if (abs(left - right) > abs(left) * 1e-14) return false;
  if (left < 0 != right < 0) return false;
  const digits = roundDigits(abs(left), 15);
  const power = digitsExponent;
  return roundDigits(abs(right), 15) == digits && digitsExponent == power;
}

export function compareNumbers(left: f64, right: f64): i32 {
  if (equalNumbers(left, right)) return 0;
  return left < right ? -1 : 1;
}

/**
 * Order of two scalar values that are no errors. A blank counts as 0, "" or FALSE, whatever the
 * other side is; texts compare without regard to case.
 */
export function compareSlots(left: usize, right: usize): i32 {
  let leftKind = kindOf(left);
  let rightKind = kindOf(right);
  if (leftKind == KIND_OMITTED) leftKind = KIND_BLANK;
  if (rightKind == KIND_OMITTED) rightKind = KIND_BLANK;
  if (leftKind == KIND_BLANK && rightKind == KIND_BLANK) return 0;
  if (leftKind == KIND_BLANK) return -compareToBlank(right, rightKind);
  if (rightKind == KIND_BLANK) return compareToBlank(left, leftKind);
  if (leftKind != rightKind) return rankOf(leftKind) - rankOf(rightKind);
  if (leftKind == KIND_NUMBER) return compareNumbers(numberOf(left), numberOf(right));
  if (leftKind == KIND_STRING) return compareTexts(wordOf(left), wordOf(right));
  return <i32>wordOf(left) - <i32>wordOf(right);
}

function compareToBlank(slot: usize, kind: u32): i32 {
  if (kind == KIND_NUMBER) return compareNumbers(numberOf(slot), 0);
  if (kind == KIND_STRING) return compareTexts(wordOf(slot), emptyText());
  return kind == KIND_BOOLEAN ? <i32>wordOf(slot) : 1;
}

export function equalSlots(left: usize, right: usize): bool {
  return compareSlots(left, right) == 0;
}
