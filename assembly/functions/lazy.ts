import { ERROR_NOT_AVAILABLE, ERROR_VALUE, KIND_ARRAY, KIND_ERROR, KIND_OMITTED } from '../abi';
import { equalSlots } from '../values/compare';
import { columnsOf, rowsOf } from '../vm/array';
import { answer, clearFailure, failure, slotBoolean, slotNumber } from '../vm/call';
import { toScalar } from '../vm/lift';
import { runArgument } from '../vm/machine';
import { settle } from '../vm/settle';
import { copySlot, kindOf, setBlank, setBoolean, setError, wordOf } from '../vm/slot';
import {
  LAZY_CHOOSE,
  LAZY_IF,
  LAZY_IFERROR,
  LAZY_IFNA,
  LAZY_IFS,
  LAZY_SWITCH,
  liftLazy,
} from './lazy-lift';

/**
 * Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callLazy; the
 * parser writes code of its own for the first two.
 */
export const LAZY: string = `
LET 3 253 r;
LAMBDA 1 254 r;
IF 2 3 vrr;
IFS 2 254 +vr;
IFERROR 2 2 v;
IFNA 2 2 v;
CHOOSE 2 255 vr;
SWITCH 3 254 v+vr;
`;

/** Enters a lazy function; it runs of its arguments only those it needs. */
export function callLazy(index: u32, offsets: usize, count: u32): void {
  const place = answer;
  switch (index) {
    case LAZY_IF:
      return evaluateIf(offsets, count, place);
    case LAZY_IFS:
      return evaluateIfs(offsets, count, place);
    case LAZY_IFERROR:
      return evaluateIfError(offsets, place, LAZY_IFERROR);
    case LAZY_IFNA:
      return evaluateIfError(offsets, place, LAZY_IFNA);
    case LAZY_CHOOSE:
      return evaluateChoose(offsets, count, place);
    default:
      return evaluateSwitch(offsets, count, place);
  }
}

/** Whether a slot is one value (an array of one item is); false when the call must be lifted. */
function isOne(slot: usize): bool {
  if (settle(slot)) return true;
  if (kindOf(slot) != KIND_ARRAY) return false;
  if (rowsOf(wordOf(slot)) != 1 || columnsOf(wordOf(slot)) != 1) return false;
  toScalar(slot);
  return true;
}

/** The answer is argument `index`, whatever it is; one left empty is a blank. */
function answerArgument(offsets: usize, index: u32, place: usize): void {
  copySlot(place, runArgument(offsets, index));
  if (kindOf(place) == KIND_OMITTED) setBlank(place);
}

/** IF(condition, [then], [else]) */
function evaluateIf(offsets: usize, count: u32, place: usize): void {
  const condition = runArgument(offsets, 0);
  if (!isOne(condition)) return liftLazy(LAZY_IF, offsets, count, condition, 1, place);
  clearFailure();
  const isTrue = slotBoolean(condition);
  if (failure >= 0) return setError(place, <u32>failure);
  if (isTrue) return answerArgument(offsets, 1, place);
  if (count > 2) return answerArgument(offsets, 2, place);
  setBoolean(place, false);
}

/** IFS(condition, value, …): #N/A when no condition holds. */
function evaluateIfs(offsets: usize, count: u32, place: usize): void {
  let first: usize = 0;
  for (let index: u32 = 0; index < count; index += 2) {
    const condition = runArgument(offsets, index);
    if (!first) first = condition;
    if (!isOne(condition)) return liftLazy(LAZY_IFS, offsets, count, first, 0, place);
    clearFailure();
    const isTrue = slotBoolean(condition);
    if (failure >= 0) return setError(place, <u32>failure);
    if (!isTrue) continue;
    if (index + 1 < count) return answerArgument(offsets, index + 1, place);
    return setError(place, ERROR_VALUE);
  }
  setError(place, ERROR_NOT_AVAILABLE);
}

/** IFERROR and IFNA(value, otherwise) */
function evaluateIfError(offsets: usize, place: usize, mode: u32): void {
  const value = runArgument(offsets, 0);
  if (!isOne(value)) return liftLazy(mode, offsets, 2, value, 1, place);
  const isCaught =
    kindOf(value) == KIND_ERROR && (mode == LAZY_IFERROR || wordOf(value) == ERROR_NOT_AVAILABLE);
  if (isCaught) return answerArgument(offsets, 1, place);
  copySlot(place, value);
  if (kindOf(place) == KIND_OMITTED) setBlank(place);
}

/** CHOOSE(number, value, …): the value may be a reference. */
function evaluateChoose(offsets: usize, count: u32, place: usize): void {
  const number = runArgument(offsets, 0);
  if (!isOne(number)) return liftLazy(LAZY_CHOOSE, offsets, count, number, 1, place);
  clearFailure();
  const index = trunc(slotNumber(number));
  if (failure >= 0) return setError(place, <u32>failure);
  if (!(index >= 1 && index < <f64>count)) return setError(place, ERROR_VALUE);
  answerArgument(offsets, <u32>index, place);
}

/** SWITCH(value, case, result, …, [otherwise]): #N/A when no case is equal. */
function evaluateSwitch(offsets: usize, count: u32, place: usize): void {
  const value = runArgument(offsets, 0);
  if (!isOne(value)) return liftLazy(LAZY_SWITCH, offsets, count, value, 1, place);
  if (kindOf(value) == KIND_ERROR) return copySlot(place, value);
  if (kindOf(value) == KIND_OMITTED) setBlank(value);
  let index: u32 = 1;
  for (; index + 1 < count; index += 2) {
    const candidate = runArgument(offsets, index);
    if (!isOne(candidate)) return liftLazy(LAZY_SWITCH, offsets, count, value, 0, place);
    if (kindOf(candidate) == KIND_ERROR) return copySlot(place, candidate);
    if (equalSlots(value, candidate)) return answerArgument(offsets, index + 1, place);
  }
  if (index < count) return answerArgument(offsets, index, place);
  setError(place, ERROR_NOT_AVAILABLE);
}
