import { isExhausted } from '../xml/payment';
import { valueLength, valueUnits } from '../xml/tree';
import { dropSet, nodeAt, sizeOf } from './node-set';
import {
  OPERATOR_EQUAL,
  OPERATOR_GREATER,
  OPERATOR_GREATER_EQUAL,
  OPERATOR_LESS,
  OPERATOR_LESS_EQUAL,
  OPERATOR_NOT_EQUAL,
} from './operator';
import {
  VALUE_BOOLEAN,
  VALUE_NODES,
  VALUE_NUMBER,
  VALUE_TEXT,
  isSame,
  kindOfValue,
  numberOfNode,
  popBoolean,
  popNumber,
  popSet,
  popText,
  pushBoolean,
  textLength,
  textUnits,
} from './value';

/** Compares the latest two values: as booleans, numbers or texts, by what kinds they are. */
export function compareValues(operator: u32): void {
  const right = kindOfValue();
  const left = kindOfValue(1);
  if (left == VALUE_NODES && right == VALUE_NODES) return pushBoolean(compareSets(operator));
  if (left == VALUE_NODES || right == VALUE_NODES) {
    const other = left == VALUE_NODES ? right : left;
    if (other != VALUE_BOOLEAN) return pushBoolean(compareSet(operator, left == VALUE_NODES));
  }
  if (operator > OPERATOR_NOT_EQUAL) return pushBoolean(compareAsNumbers(operator));
  if (left == VALUE_BOOLEAN || right == VALUE_BOOLEAN) {
    const one = popBoolean();
    const other = popBoolean();
    return pushBoolean((one == other) == (operator == OPERATOR_EQUAL));
  }
  if (left == VALUE_NUMBER || right == VALUE_NUMBER) return pushBoolean(compareAsNumbers(operator));
  popText();
  const units = textUnits;
  const length = textLength;
  popText();
  pushBoolean(isSame(units, length, textUnits, textLength) == (operator == OPERATOR_EQUAL));
}

/** A set beside a boolean counts as one. */
function popOperand(): f64 {
  return kindOfValue() == VALUE_NODES ? (popBoolean() ? 1 : 0) : popNumber();
}

function compareAsNumbers(operator: u32): bool {
  const right = popOperand();
  const left = popOperand();
  return meets(operator, left, right);
}

function meets(operator: u32, left: f64, right: f64): bool {
  switch (operator) {
    case OPERATOR_EQUAL:
      return left == right;
    case OPERATOR_NOT_EQUAL:
      return left != right;
    case OPERATOR_LESS:
      return left < right;
    case OPERATOR_LESS_EQUAL:
      return left <= right;
    case OPERATOR_GREATER:
      return left > right;
    default:
      return left >= right;
  }
}

/** The operator that holds for the operands in the other order. */
function turned(operator: u32): u32 {
  if (operator == OPERATOR_LESS) return OPERATOR_GREATER;
  if (operator == OPERATOR_LESS_EQUAL) return OPERATOR_GREATER_EQUAL;
  if (operator == OPERATOR_GREATER) return OPERATOR_LESS;
  return operator == OPERATOR_GREATER_EQUAL ? OPERATOR_LESS_EQUAL : operator;
}

/** Compares a set with a number or a text: true if one of the nodes meets it. */
function compareSet(operator: u32, setIsLeft: bool): bool {
  let set: usize = 0;
  if (!setIsLeft) set = popSet();
  const isText = operator <= OPERATOR_NOT_EQUAL && kindOfValue() == VALUE_TEXT;
  let number: f64 = 0;
  if (isText) popText();
  else number = popNumber();
  const units = textUnits;
  const length = textLength;
  if (setIsLeft) set = popSet();
  const direction = setIsLeft ? operator : turned(operator);
  const count = sizeOf(set);
  let isMet: bool = false;
  for (let index: u32 = 0; index < count && !isMet && !isExhausted; index++) {
    const node = nodeAt(set, index);
    isMet = isText
      ? saysSame(node, units, length) == (operator == OPERATOR_EQUAL)
      : meets(direction, numberOfNode(node), number);
  }
  dropSet(set);
  return isMet;
}

function saysSame(node: u32, units: usize, length: u32): bool {
  return isSame(valueUnits(node), valueLength(node), units, length);
}

function compareSets(operator: u32): bool {
  const right = popSet();
  const left = popSet();
  let isMet: bool = false;
  if (sizeOf(left) && sizeOf(right)) {
    if (operator == OPERATOR_EQUAL) isMet = haveSame(left, right);
    else if (operator == OPERATOR_NOT_EQUAL) isMet = haveOther(left, right);
    else isMet = haveOrdered(operator, left, right);
  }
  dropSet(left);
  dropSet(right);
  return isMet;
}

function haveSame(left: usize, right: usize): bool {
  const leftSize = sizeOf(left);
  const rightSize = sizeOf(right);
  for (let one: u32 = 0; one < leftSize && !isExhausted; one++) {
    const node = nodeAt(left, one);
    const units = valueUnits(node);
    const length = valueLength(node);
    for (let other: u32 = 0; other < rightSize; other++) {
      if (saysSame(nodeAt(right, other), units, length)) return true;
    }
  }
  return false;
}

/**
 * Returns whether two nodes of the sets differ: not every node of both has the text of the first
 * one.
 */
function haveOther(left: usize, right: usize): bool {
  const first = nodeAt(left, 0);
  const units = valueUnits(first);
  const length = valueLength(first);
  return differs(left, units, length) || differs(right, units, length);
}

function differs(set: usize, units: usize, length: u32): bool {
  const count = sizeOf(set);
  for (let index: u32 = 0; index < count && !isExhausted; index++) {
    if (!saysSame(nodeAt(set, index), units, length)) return true;
  }
  return false;
}

/**
 * Returns whether some node of one set and some of the other are in order: then the least of one
 * and the greatest of the other are.
 */
function haveOrdered(operator: u32, left: usize, right: usize): bool {
  const isLess = operator <= OPERATOR_LESS_EQUAL;
  const one = isLess ? least(left, 1) : -least(left, -1);
  const other = isLess ? -least(right, -1) : least(right, 1);
  return meets(operator, one, other);
}

/** The least of the numbers times a sign; NaN if there are none. */
function least(set: usize, sign: f64): f64 {
  const count = sizeOf(set);
  let result: f64 = NaN;
  for (let index: u32 = 0; index < count && !isExhausted; index++) {
    const value = sign * numberOfNode(nodeAt(set, index));
    if (value == value && !(result <= value)) result = value;
  }
  return result;
}
