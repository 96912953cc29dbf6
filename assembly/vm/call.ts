import {
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_REFERENCE,
  KIND_STRING,
} from '../abi';
import { emptyText } from '../memory/text';
import { numberToText } from '../values/number-text';
import { parseNumber, parsedNumber } from '../values/typed-number';
import { textToBoolean } from '../values/boolean-text';
import { textOf } from '../memory/text';
import { areaCountOf, areaOf } from './reference';
import {
  SLOT_BYTES,
  copySlot,
  kindOf,
  numberOf,
  setBoolean,
  setError,
  setNumber,
  setSlot,
  setText,
  wordOf,
} from './slot';

/**
 * State of a call of a worksheet function. Arguments are consecutive slots; the answer goes into
 * `answer` (the slot of the first argument, so write it last). The first failed conversion sets
 * `failure`, which is then the answer: functions convert their arguments in order, check `failed()`
 * once, and compute.
 */
export let firstArgument: usize = 0;
export let argumentCount: u32 = 0;
export let answer: usize = 0;
/** Error number of the first failed conversion, or -1. */
export let failure: i32 = -1;

/** Set when a function leaves arrays in the place of single values to be taken one by one. */
export let isDeclined: bool = false;

export function decline(): void {
  isDeclined = true;
}

/** Opens a call; the machine does this before it enters a function. */
export function openCall(first: usize, count: u32): void {
  firstArgument = first;
  argumentCount = count;
  answer = first;
  failure = -1;
  isDeclined = false;
}

export function argument(index: u32): usize {
  return firstArgument + <usize>index * SLOT_BYTES;
}

/** Returns whether the argument was written at all; one left empty between commas was. */
export function given(index: u32): bool {
  return index < argumentCount;
}

/** Returns whether the argument was left empty between commas. */
export function omitted(index: u32): bool {
  return index < argumentCount && kindOf(argument(index)) == KIND_OMITTED;
}

export function fail(code: u32): void {
  if (failure < 0) failure = <i32>code;
}

/** True when a conversion failed; the answer is then that error. */
export function failed(): bool {
  if (failure < 0) return false;
  setError(answer, <u32>failure);
  return true;
}

/** The number a value converts to by the rules of operators; fails with its error or #VALUE!. */
export function slotNumber(slot: usize): f64 {
  const kind = kindOf(slot);
  if (kind == KIND_NUMBER) return numberOf(slot);
  if (kind == KIND_BOOLEAN) return <f64>wordOf(slot);
  if (kind == KIND_BLANK || kind == KIND_OMITTED) return 0;
  if (kind == KIND_STRING) {
    if (parseNumber(wordOf(slot))) return parsedNumber;
    fail(ERROR_VALUE);
    return 0;
  }
  failWith(slot);
  return 0;
}

/** The text a value converts to; numbers as General with 15 digits. */
export function slotText(slot: usize): usize {
  const kind = kindOf(slot);
  if (kind == KIND_STRING) return wordOf(slot);
  if (kind == KIND_NUMBER) return numberToText(numberOf(slot));
  if (kind == KIND_BOOLEAN) return textOf(wordOf(slot) ? 'TRUE' : 'FALSE');
  if (kind == KIND_BLANK || kind == KIND_OMITTED) return emptyText();
  failWith(slot);
  return emptyText();
}

/** The truth of a value: numbers but 0, and the texts TRUE and FALSE; other text is #VALUE!. */
export function slotBoolean(slot: usize): bool {
  const kind = kindOf(slot);
  if (kind == KIND_BOOLEAN) return wordOf(slot) != 0;
  if (kind == KIND_NUMBER) return numberOf(slot) != 0;
  if (kind == KIND_BLANK || kind == KIND_OMITTED) return false;
  if (kind == KIND_STRING) {
    const truth = textToBoolean(wordOf(slot));
    if (truth < 0) fail(ERROR_VALUE);
    return truth > 0;
  }
  failWith(slot);
  return false;
}

function failWith(slot: usize): void {
  const kind = kindOf(slot);
  fail(kind == KIND_ERROR ? wordOf(slot) : ERROR_VALUE);
}

export function numberArgument(index: u32): f64 {
  return slotNumber(argument(index));
}

/** The number, or `otherwise` when the argument is not there at all (empty counts as 0). */
export function numberOr(index: u32, otherwise: f64): f64 {
  return index < argumentCount ? slotNumber(argument(index)) : otherwise;
}

/** The number cut towards zero. */
export function integerArgument(index: u32): f64 {
  return trunc(slotNumber(argument(index)));
}

export function integerOr(index: u32, otherwise: f64): f64 {
  return index < argumentCount ? trunc(slotNumber(argument(index))) : otherwise;
}

export function textArgument(index: u32): usize {
  return slotText(argument(index));
}

export function booleanArgument(index: u32): bool {
  return slotBoolean(argument(index));
}

export function booleanOr(index: u32, otherwise: bool): bool {
  return index < argumentCount ? slotBoolean(argument(index)) : otherwise;
}

/** The only area of a reference argument; anything else fails with #VALUE! (#REF! for unions). */
export function areaArgument(index: u32): usize {
  const slot = argument(index);
  const kind = kindOf(slot);
  if (kind != KIND_REFERENCE) {
    failWith(slot);
    return 0;
  }
  const reference = <usize>wordOf(slot);
  if (areaCountOf(reference) != 1) {
    fail(ERROR_REFERENCE);
    return 0;
  }
  return areaOf(reference, 0);
}

export function isScalarKind(kind: u32): bool {
  return kind != KIND_ARRAY && kind != KIND_REFERENCE && kind != KIND_LAMBDA;
}

export function answerNumber(value: f64): void {
  setNumber(answer, value);
}

export function answerText(text: usize): void {
  setText(answer, text);
}

export function answerBoolean(value: bool): void {
  setBoolean(answer, value);
}

export function answerError(code: u32): void {
  setError(answer, code);
}

export function answerArray(array: usize): void {
  setSlot(answer, KIND_ARRAY, array);
}

/** Copies a slot (an argument, say) as the answer. */
export function answerSlot(slot: usize): void {
  copySlot(answer, slot);
}

/** Clears a failed conversion, for code outside of a function's call. */
export function clearFailure(): void {
  failure = -1;
}

/** Restores the state of a call after another one ran inside it. */
export function reopenCall(first: usize, count: u32, into: usize, failedWith: i32): void {
  firstArgument = first;
  argumentCount = count;
  answer = into;
  failure = failedWith;
}
