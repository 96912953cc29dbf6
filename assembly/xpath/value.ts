import { bytesIn, cutBuffer, extend, newBuffer, startOf } from '../formula/buffer';
import { unitsOf } from '../memory/pointer';
import { pay } from '../xml/payment';
import { valueLength, valueUnits } from '../xml/tree';
import { dropSet, nodeAt, sizeOf } from './node-set';
import { numberOfText, textOfNumber, writtenLength } from './number';

/**
 * Values of a running expression, on a stack of their own: kind, length of a text, and the double,
 * boolean, address of units or set of nodes.
 */
export const VALUE_NUMBER: u32 = 0;
export const VALUE_TEXT: u32 = 1;
export const VALUE_BOOLEAN: u32 = 2;
export const VALUE_NODES: u32 = 3;

const VALUE_BYTES: u32 = 16;
let stack: usize = 0;

export function openValues(): void {
  stack = newBuffer(128);
}

function push(kind: u32, length: u32): usize {
  const place = extend(stack, VALUE_BYTES);
  store<u32>(place, kind);
  store<u32>(place, length, 4);
  return place;
}

export function pushNumber(value: f64): void {
  store<f64>(push(VALUE_NUMBER, 0), value, 8);
}

export function pushText(units: usize, length: u32): void {
  store<u32>(push(VALUE_TEXT, length), <u32>units, 8);
}

export function pushBoolean(value: bool): void {
  store<u32>(push(VALUE_BOOLEAN, 0), value ? 1 : 0, 8);
}

export function pushSet(set: usize): void {
  store<u32>(push(VALUE_NODES, 0), <u32>set, 8);
}

/** The latest value (distance 0) or one before it. */
function placeOf(distance: u32): usize {
  return startOf(stack) + bytesIn(stack) - (distance + 1) * VALUE_BYTES;
}

/** Kind of the latest value (distance 0) or of one before it. */
export function kindOfValue(distance: u32 = 0): u32 {
  return load<u32>(placeOf(distance));
}

function forget(): void {
  cutBuffer(stack, bytesIn(stack) - VALUE_BYTES);
}

/** Takes the set of nodes; the caller drops it. */
export function popSet(): usize {
  const set = <usize>load<u32>(placeOf(0), 8);
  forget();
  return set;
}

/** The text that popText took. */
export let textUnits: usize = 0;
export let textLength: u32 = 0;

const TRUTH: string = 'truefalse';

/** Takes a value as a text. */
export function popText(): void {
  const place = placeOf(0);
  const kind = load<u32>(place);
  textUnits = load<u32>(place, 8);
  textLength = load<u32>(place, 4);
  if (kind == VALUE_NUMBER) {
    textUnits = textOfNumber(load<f64>(place, 8));
    textLength = writtenLength;
  } else if (kind == VALUE_BOOLEAN) {
    textLength = textUnits ? 4 : 5;
    textUnits = unitsOf(TRUTH) + (textUnits ? 0 : 8);
  } else if (kind == VALUE_NODES) {
    const set = textUnits;
    textUnits = sizeOf(set) ? valueUnits(nodeAt(set, 0)) : 0;
    textLength = sizeOf(set) ? valueLength(nodeAt(set, 0)) : 0;
    dropSet(set);
  }
  forget();
}

/** Takes a value as a number. */
export function popNumber(): f64 {
  const place = placeOf(0);
  const kind = load<u32>(place);
  if (kind == VALUE_NUMBER || kind == VALUE_BOOLEAN) {
    const value = kind == VALUE_NUMBER ? load<f64>(place, 8) : <f64>load<u32>(place, 8);
    forget();
    return value;
  }
  popText();
  return numberOfText(textUnits, textLength);
}

/** Takes a value as a boolean. */
export function popBoolean(): bool {
  const place = placeOf(0);
  const kind = load<u32>(place);
  const value = load<f64>(place, 8);
  const word = load<u32>(place, 8);
  const length = load<u32>(place, 4);
  forget();
  if (kind == VALUE_NUMBER) return value == value && value != 0;
  if (kind == VALUE_BOOLEAN) return word != 0;
  if (kind == VALUE_TEXT) return length > 0;
  const size = sizeOf(word);
  dropSet(word);
  return size > 0;
}

/** The number that a node says. */
export function numberOfNode(node: u32): f64 {
  return numberOfText(valueUnits(node), valueLength(node));
}

/** Returns whether two texts are the same. */
export function isSame(left: usize, leftLength: u32, right: usize, rightLength: u32): bool {
  const isEven = leftLength == rightLength;
  if (!pay(isEven ? 2 + (leftLength >> 4) : 1) || !isEven) return false;
  return !memory.compare(left, right, (<usize>leftLength) << 1);
}
