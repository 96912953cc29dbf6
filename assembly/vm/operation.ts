import { KIND_ARRAY, KIND_NUMBER } from '../abi';
import { OPERATOR_ADD, OPERATOR_MULTIPLY, OPERATOR_SUBTRACT } from '../formula/token';
import { newArray, setItemFrom } from './array';
import { broadcastBinary, liftUnary } from './lift';
import { constantsBase } from './machine';
import { applyBinary, applyUnary, snapsToZero } from './operator';
import { settle } from './settle';
import { kindOf, numberOf, setNumber, setSlot } from './slot';

/** Operators on values of any kind, lifted over arrays; the answer is put into the left slot. */
export function binary(operator: u32, left: usize, right: usize): void {
  if (kindOf(left) == KIND_NUMBER && kindOf(right) == KIND_NUMBER) {
    const a = numberOf(left);
    const b = numberOf(right);
    if (operator == OPERATOR_ADD) return setNumber(left, a + b);
    if (operator == OPERATOR_MULTIPLY) return setNumber(left, a * b);
    if (operator == OPERATOR_SUBTRACT) return setNumber(left, a - b);
  }
  const leftScalar = settle(left);
  const rightScalar = settle(right);
  if (leftScalar && rightScalar) applyBinary(operator, left, right, left);
  else broadcastBinary(operator, left, right, left);
}

/** A sum or difference that ends a formula: what is as good as zero becomes zero. */
export function binarySnap(operator: u32, left: usize, right: usize): void {
  settle(left);
  settle(right);
  const bothNumbers = kindOf(left) == KIND_NUMBER && kindOf(right) == KIND_NUMBER;
  const a = numberOf(left);
  const b = numberOf(right);
  binary(operator, left, right);
  if (!bothNumbers || kindOf(left) != KIND_NUMBER) return;
  if (snapsToZero(a, b, numberOf(left))) setNumber(left, 0);
}

export function unary(operation: u32, slot: usize): void {
  if (settle(slot)) applyUnary(operation, slot);
  else liftUnary(operation, slot);
}

/** `{1,2;3,4}`, whose items are constants one after another. */
export function putArray(rows: u32, columns: u32, first: u32, slot: usize): void {
  const array = newArray(rows, columns);
  for (let index: u32 = 0; index < rows * columns; index++) {
    setItemFrom(array, index, constantsBase + ((<usize>(first + index)) << 4));
  }
  setSlot(slot, KIND_ARRAY, array);
}
