import { ERROR_NOT_AVAILABLE, ERROR_VALUE, KIND_ARRAY, KIND_ERROR, KIND_LAMBDA } from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { equalSlots } from '../../values/compare';
import { newArray, setItemFrom } from '../../vm/array';
import { clearFailure, failure, slotBoolean, slotNumber } from '../../vm/call';
import { allowShape, isManyAreas, toScalar } from '../../vm/lift';
import { runArgument, setTop, top } from '../../vm/machine';
import {
  Operand,
  loadOperand,
  openOperand,
  repeatRow,
  shapeColumns,
  shapeRows,
  startShape,
  varyingRows,
} from '../../vm/operand';
import {
  SLOT_BYTES,
  copySlot,
  kindOf,
  setBlank,
  setBoolean,
  setError,
  setSlot,
  wordOf,
} from '../../vm/slot';
import { sparseIn } from '../../vm/sparse';
import { LAZY_CHOOSE, LAZY_IF, LAZY_IFERROR, LAZY_IFNA, LAZY_IFS } from './lazy-modes';
import { branchSparsely, isBranching, takesBranch } from './sparse-branch';

/** Addresses of the arguments' operands, and their number: what the pick functions read. */
let operands: usize = 0;
let operandCount: u32 = 0;
/** Where the item picked is put, and a slot for comparisons. */
let picked: usize = 0;
let compared: usize = 0;

/**
 * A lazy function item by item. The first `done` arguments lie side by side from `values` on,
 * which is the top of the stack; the others are run now, a branch that no item takes excepted.
 */
export function liftLazy(
  mode: u32,
  offsets: usize,
  count: u32,
  values: usize,
  done: u32,
  place: usize,
): void {
  setTop(values + <usize>done * SLOT_BYTES);
  for (let index = done; index < count; index++) {
    if (index && !isNeeded(mode, index, values)) {
      setBlank(top);
      setTop(top + SLOT_BYTES);
    } else runArgument(offsets, index);
  }
  if (branchSparsely(mode, count, values, place)) return;
  startShape();
  // Only now: the arguments may have lifted a lazy function of their own.
  operands = scratch(count << 2);
  operandCount = count;
  picked = scratch(2 * <u32>SLOT_BYTES);
  compared = picked + SLOT_BYTES;
  for (let index: u32 = 0; index < count; index++) {
    const slot = values + <usize>index * SLOT_BYTES;
    if (isManyAreas(slot)) return setError(place, ERROR_VALUE);
    store<u32>(operands + ((<usize>index) << 2), <u32>addressOf(openOperand(slot)));
  }
  if (suspended || !allowShape(place, 2)) return;
  const rows = shapeRows;
  const columns = shapeColumns;
  const used = min(rows, varyingOf(count) + 1);
  const array = newArray(rows, columns);
  for (let index: u32 = 0; index < used * columns; index++) {
    pick(mode, index / columns, index % columns);
    if (kindOf(picked) == KIND_LAMBDA) toScalar(picked);
    setItemFrom(array, index, picked);
  }
  if (used < rows) repeatRow(array, used - 1);
  setSlot(place, KIND_ARRAY, array);
}

/** Rows in which items of any operand may differ. */
function varyingOf(count: u32): u32 {
  let rows: u32 = 0;
  for (let index: u32 = 0; index < count; index++) rows = max(rows, varyingRows(operandAt(index)));
  return rows;
}

function operandAt(index: u32): Operand {
  return at<Operand>(load<u32>(operands + ((<usize>index) << 2)));
}

function loadArgument(index: u32, row: u32, column: u32, slot: usize): void {
  loadOperand(operandAt(index), row, column, slot);
}

/**
 * Returns whether any item takes argument `index`. A branch not taken must not run, or a lambda
 * that calls itself in it would never end.
 */
function isNeeded(mode: u32, index: u32, condition: usize): bool {
  if (!isBranching(mode) || isManyAreas(condition)) return true;
  if (sparseIn(condition)) return takesBranch(mode, index, condition);
  const operand = openOperand(condition);
  const slot = scratch(<u32>SLOT_BYTES);
  const rows = min(operand.rows, operand.heldRows + 1);
  for (let row: u32 = 0; row < rows; row++) {
    for (let column: u32 = 0; column < operand.columns; column++) {
      loadOperand(operand, row, column, slot);
      if (mode != LAZY_IF) {
        if (kindOf(slot) == KIND_ERROR) return true;
        continue;
      }
      clearFailure();
      const isTrue = slotBoolean(slot);
      if (failure < 0 && isTrue == (index == 1)) return true;
    }
  }
  return false;
}

/** Computes one item into `picked`. */
function pick(mode: u32, row: u32, column: u32): void {
  if (mode == LAZY_IFS) return pickByCondition(row, column);
  loadArgument(0, row, column, picked);
  clearFailure();
  switch (mode) {
    case LAZY_IF: {
      const isTrue = slotBoolean(picked);
      if (failure >= 0) return setError(picked, <u32>failure);
      if (isTrue) return loadArgument(1, row, column, picked);
      if (operandCount > 2) return loadArgument(2, row, column, picked);
      return setBoolean(picked, false);
    }
    case LAZY_IFERROR:
      if (kindOf(picked) == KIND_ERROR) loadArgument(1, row, column, picked);
      return;
    case LAZY_IFNA:
      if (kindOf(picked) != KIND_ERROR || wordOf(picked) != ERROR_NOT_AVAILABLE) return;
      return loadArgument(1, row, column, picked);
    case LAZY_CHOOSE: {
      const index = trunc(slotNumber(picked));
      if (failure >= 0) return setError(picked, <u32>failure);
      if (!(index >= 1 && index < <f64>operandCount)) return setError(picked, ERROR_VALUE);
      return loadArgument(<u32>index, row, column, picked);
    }
    default:
      return pickByCase(row, column);
  }
}

/** IFS: the value behind the first condition that holds. */
function pickByCondition(row: u32, column: u32): void {
  for (let index: u32 = 0; index + 1 < operandCount; index += 2) {
    loadArgument(index, row, column, picked);
    clearFailure();
    const isTrue = slotBoolean(picked);
    if (failure >= 0) return setError(picked, <u32>failure);
    if (isTrue) return loadArgument(index + 1, row, column, picked);
  }
  setError(picked, ERROR_NOT_AVAILABLE);
}

/** SWITCH: the result behind the first case that equals the value in `picked`. */
function pickByCase(row: u32, column: u32): void {
  if (kindOf(picked) == KIND_ERROR) return;
  let index: u32 = 1;
  for (; index + 1 < operandCount; index += 2) {
    loadArgument(index, row, column, compared);
    if (kindOf(compared) == KIND_ERROR) return copySlot(picked, compared);
    if (equalSlots(picked, compared)) return loadArgument(index + 1, row, column, picked);
  }
  if (index < operandCount) return loadArgument(index, row, column, picked);
  setError(picked, ERROR_NOT_AVAILABLE);
}
