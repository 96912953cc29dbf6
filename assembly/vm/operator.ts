import {
  ERROR_DIVISION,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
  TEXT_LENGTH_LIMIT,
} from '../abi';
import {
  OPERATOR_ADD,
  OPERATOR_CONCATENATE,
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_GREATER,
  OPERATOR_GREATER_EQUAL,
  OPERATOR_LESS,
  OPERATOR_LESS_EQUAL,
  OPERATOR_MULTIPLY,
  OPERATOR_NOT_EQUAL,
  OPERATOR_SUBTRACT,
} from '../formula/token';
import { TEXT_HEADER, lengthOf, newText } from '../memory/text';
import { compareNumbers, compareSlots } from '../values/compare';
import { powerOf } from '../values/power';
import { compareTexts } from '../values/text-order';
import { clearFailure, failure, slotNumber, slotText } from './call';
import { OP_NEGATE, OP_PLUS } from './opcode';
import {
  copySlot,
  kindOf,
  numberOf,
  setBoolean,
  setError,
  setNumber,
  setSlot,
  setText,
} from './slot';

/** Applies a binary operator to two scalar slots; `out` may be either of them. */
export function applyBinary(operator: u32, left: usize, right: usize, out: usize): void {
  const leftKind = kindOf(left);
  const rightKind = kindOf(right);
  if (operator == OPERATOR_CONCATENATE) return concatenate(left, right, out);
  if (leftKind == KIND_NUMBER && rightKind == KIND_NUMBER) {
    return applyNumbers(operator, numberOf(left), numberOf(right), out);
  }
  if (operator >= OPERATOR_EQUAL) {
    if (leftKind == KIND_ERROR) return copySlot(out, left);
    if (rightKind == KIND_ERROR) return copySlot(out, right);
    return setBoolean(out, verdict(operator, compareSlots(left, right)));
  }
  // The left operand is converted first: text that is no number comes before an error on the right.
  clearFailure();
  const a = slotNumber(left);
  const b = slotNumber(right);
  if (failure >= 0) return setError(out, <u32>failure);
  applyNumbers(operator, a, b, out);
}

function applyNumbers(operator: u32, a: f64, b: f64, out: usize): void {
  switch (operator) {
    case OPERATOR_ADD:
      return setNumber(out, a + b);
    case OPERATOR_SUBTRACT:
      return setNumber(out, a - b);
    case OPERATOR_MULTIPLY:
      return setNumber(out, a * b);
    case OPERATOR_DIVIDE:
      if (b == 0) return setError(out, ERROR_DIVISION);
      return setNumber(out, a / b);
    case OPERATOR_EQUAL:
    case OPERATOR_NOT_EQUAL:
    case OPERATOR_LESS:
    case OPERATOR_LESS_EQUAL:
    case OPERATOR_GREATER:
    case OPERATOR_GREATER_EQUAL:
      return setBoolean(out, compareDoubles(operator, a, b));
    default:
      return power(a, b, out);
  }
}

function power(base: f64, exponent: f64, out: usize): void {
  if (base == 0 && exponent < 0) return setError(out, ERROR_DIVISION);
  if (base == 0 && exponent == 0) return setError(out, ERROR_NUMBER);
  setNumber(out, powerOf(base, exponent));
}

/** Numbers whose difference is more than this share of them differ in their first 15 digits. */
export const NEAR: f64 = 1e-14;

export function compareDoubles(operator: u32, a: f64, b: f64): bool {
  // Far apart: no need to look at 15 digits.
  if (abs(a - b) > abs(a) * NEAR) return verdict(operator, a < b ? -1 : 1);
  return verdict(operator, compareNumbers(a, b));
}

/** Returns whether an operator compares. */
export function comparesItems(operator: u32): bool {
  return operator >= OPERATOR_EQUAL && operator != OPERATOR_CONCATENATE;
}

/** Compares two texts; those of different lengths are not equal, which costs nothing. */
export function compareWords(operator: u32, left: u32, right: u32): bool {
  const isEquality = operator == OPERATOR_EQUAL || operator == OPERATOR_NOT_EQUAL;
  if (isEquality && lengthOf(left) != lengthOf(right)) return operator == OPERATOR_NOT_EQUAL;
  return verdict(operator, compareTexts(left, right));
}

function verdict(operator: u32, order: i32): bool {
  switch (operator) {
    case OPERATOR_EQUAL:
      return order == 0;
    case OPERATOR_NOT_EQUAL:
      return order != 0;
    case OPERATOR_LESS:
      return order < 0;
    case OPERATOR_LESS_EQUAL:
      return order <= 0;
    case OPERATOR_GREATER:
      return order > 0;
    default:
      return order >= 0;
  }
}

function concatenate(left: usize, right: usize, out: usize): void {
  clearFailure();
  const a = slotText(left);
  const b = slotText(right);
  if (failure >= 0) return setError(out, <u32>failure);
  const head = lengthOf(a);
  const tail = lengthOf(b);
  if (head + tail > <u32>TEXT_LENGTH_LIMIT) return setError(out, ERROR_VALUE);
  const text = newText(head + tail);
  memory.copy(text + TEXT_HEADER, a + TEXT_HEADER, (<usize>head) << 1);
  memory.copy(text + TEXT_HEADER + ((<usize>head) << 1), b + TEXT_HEADER, (<usize>tail) << 1);
  setText(out, text);
}

/** Share of its operands, 2^-50, below which a difference counts as zero. */
export const LAST_BITS: f64 = 8.881784197001252e-16;

/**
 * Excel rounds a sum or difference to zero when it is the formula's last step and only the last
 * bits of the operands are left of it ("Floating-point arithmetic may give inaccurate results in
 * Excel"); the bound of 2^-50 of the larger operand fits the published examples.
 */
export function snapsToZero(left: f64, right: f64, result: f64): bool {
  return result != 0 && abs(result) < max(abs(left), abs(right)) * LAST_BITS;
}

/** Minus, percent and plus on a scalar; plus leaves any value as it is. */
export function applyUnary(operation: u32, slot: usize): void {
  const kind = kindOf(slot);
  if (kind == KIND_ERROR) return;
  if (operation == OP_PLUS) {
    if (kind == KIND_BLANK || kind == KIND_OMITTED) setSlot(slot, KIND_BLANK, 0);
    return;
  }
  clearFailure();
  const value = slotNumber(slot);
  if (failure >= 0) setError(slot, <u32>failure);
  else setNumber(slot, operation == OP_NEGATE ? -value : value / 100);
}
