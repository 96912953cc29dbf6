import { ERROR_NOT_AVAILABLE, ERROR_VALUE, KIND_ARRAY, KIND_ERROR, KIND_OMITTED } from '../../abi';
import { equalSlots } from '../../values/compare';
import { columnsOf, rowsOf } from '../../vm/array';
import { clearFailure, failure, slotBoolean, slotNumber } from '../../vm/call';
import { LAZY_DONE, LAZY_LAST } from '../../vm/function-entries';
import { toScalar } from '../../vm/lift';
import { Pending } from '../../vm/pending';
import { settle } from '../../vm/settle';
import { copySlot, kindOf, setBlank, setBoolean, setError, wordOf } from '../../vm/slot';
import { liftLazy } from './lazy-lift';
import { LAZY_CHOOSE, LAZY_IF, LAZY_IFERROR, LAZY_IFNA, LAZY_IFS, LAZY_SWITCH } from './lazy-modes';

/**
 * Rows: name, fewest arguments, most, kinds, flags. The row number is the case of stepLazy; the
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

/** The answer is argument `index`. */
function last(index: u32): i32 {
  return LAZY_LAST | <i32>index;
}

/**
 * Goes on with a lazy function whose argument `index` came to the value in the slot, as
 * vm/function-entries.ts has it; LAZY_DONE when `place` has the answer. `first` is the slot of its
 * first argument; the others that were asked for lie behind it.
 */
export function stepLazy(waiting: Pending, value: usize, place: usize): i32 {
  const count = waiting.count;
  const offsets = <usize>waiting.offsets;
  const index = waiting.index;
  const first = <usize>waiting.first;
  switch (waiting.id & 0xffff) {
    case LAZY_IF:
      return stepIf(offsets, count, value, place);
    case LAZY_IFS:
      return stepIfs(offsets, count, index, first, value, place);
    case LAZY_IFERROR:
      return stepIfError(offsets, value, place, LAZY_IFERROR);
    case LAZY_IFNA:
      return stepIfError(offsets, value, place, LAZY_IFNA);
    case LAZY_CHOOSE:
      return stepChoose(offsets, count, value, place);
    default:
      return stepSwitch(offsets, count, index, first, value, place);
  }
}

/**
 * Returns whether a slot is one value (an array of one item is); returns false when the call must
 * be lifted. /
 */
function isOne(slot: usize): bool {
  if (settle(slot)) return true;
  if (kindOf(slot) != KIND_ARRAY) return false;
  if (rowsOf(wordOf(slot)) != 1 || columnsOf(wordOf(slot)) != 1) return false;
  toScalar(slot);
  return true;
}

function fail(place: usize, error: u32): i32 {
  setError(place, error);
  return LAZY_DONE;
}

function copied(place: usize, value: usize): i32 {
  copySlot(place, value);
  if (kindOf(place) == KIND_OMITTED) setBlank(place);
  return LAZY_DONE;
}

/** IF(condition, [then], [else]) */
function stepIf(offsets: usize, count: u32, condition: usize, place: usize): i32 {
  if (!isOne(condition)) return lifted(LAZY_IF, offsets, count, condition, 1, place);
  clearFailure();
  const isTrue = slotBoolean(condition);
  if (failure >= 0) return fail(place, <u32>failure);
  if (isTrue) return last(1);
  if (count > 2) return last(2);
  setBoolean(place, false);
  return LAZY_DONE;
}

function lifted(
  mode: u32,
  offsets: usize,
  count: u32,
  values: usize,
  done: u32,
  place: usize,
): i32 {
  liftLazy(mode, offsets, count, values, done, place);
  return LAZY_DONE;
}

/** IFS(condition, value, …): #N/A when no condition holds. */
function stepIfs(
  offsets: usize,
  count: u32,
  index: u32,
  first: usize,
  condition: usize,
  place: usize,
): i32 {
  if (!isOne(condition)) return lifted(LAZY_IFS, offsets, count, first, 0, place);
  clearFailure();
  const isTrue = slotBoolean(condition);
  if (failure >= 0) return fail(place, <u32>failure);
  if (isTrue) return index + 1 < count ? last(index + 1) : fail(place, ERROR_VALUE);
  return index + 2 < count ? <i32>(index + 2) : fail(place, ERROR_NOT_AVAILABLE);
}

/** IFERROR and IFNA(value, otherwise) */
function stepIfError(offsets: usize, value: usize, place: usize, mode: u32): i32 {
  if (!isOne(value)) return lifted(mode, offsets, 2, value, 1, place);
  const isCaught =
    kindOf(value) == KIND_ERROR && (mode == LAZY_IFERROR || wordOf(value) == ERROR_NOT_AVAILABLE);
  return isCaught ? last(1) : copied(place, value);
}

/** CHOOSE(number, value, …): the value may be a reference. */
function stepChoose(offsets: usize, count: u32, number: usize, place: usize): i32 {
  if (!isOne(number)) return lifted(LAZY_CHOOSE, offsets, count, number, 1, place);
  clearFailure();
  const index = trunc(slotNumber(number));
  if (failure >= 0) return fail(place, <u32>failure);
  if (!(index >= 1 && index < <f64>count)) return fail(place, ERROR_VALUE);
  return last(<u32>index);
}

/** SWITCH(value, case, result, …, [otherwise]): #N/A when no case is equal. */
function stepSwitch(
  offsets: usize,
  count: u32,
  index: u32,
  value: usize,
  candidate: usize,
  place: usize,
): i32 {
  if (index == 0) {
    if (!isOne(value)) return lifted(LAZY_SWITCH, offsets, count, value, 1, place);
    if (kindOf(value) == KIND_ERROR) return copied(place, value);
    if (kindOf(value) == KIND_OMITTED) setBlank(value);
  } else {
    if (!isOne(candidate)) return lifted(LAZY_SWITCH, offsets, count, value, 0, place);
    if (kindOf(candidate) == KIND_ERROR) return copied(place, candidate);
    if (equalSlots(value, candidate)) return last(index + 1);
  }
  const next: u32 = index == 0 ? 1 : index + 2;
  if (next + 1 < count) return <i32>next;
  return next < count ? last(next) : fail(place, ERROR_NOT_AVAILABLE);
}
