import {
  ERROR_CALCULATION,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_REFERENCE,
  KIND_STRING,
} from '../abi';
import {
  OPERATOR_ADD,
  OPERATOR_DIVIDE,
  OPERATOR_MULTIPLY,
  OPERATOR_SUBTRACT,
} from '../formula/token';
import {
  FUNCTION_TAKES_EACH,
  FUNCTION_TAKES_WHOLE,
  FUNCTION_VOLATILE,
  FunctionRecord,
  kindOfParameter,
} from '../functions/function-record';
import { callFunction } from './function-entries';
import { cellPayload, readCell, suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import {
  ITEM_LIMIT,
  newArray,
  referencesOf,
  setItemAt,
  setItemFrom,
  setItemNumber,
  setItemReference,
} from './array';
import {
  answer,
  argumentCount,
  failure,
  firstArgument,
  isDeclined,
  openCall,
  reopenCall,
} from './call';
import { burn } from './cell-fuel';
import { setTop, top } from './machine';
import { OP_NEGATE, OP_PLUS } from './opcode';
import {
  Operand,
  loadOperand,
  loadReferenced,
  openOperand,
  repeatRow,
  shapeColumns,
  shapeRows,
  startShape,
  varyingRows,
} from './operand';
import { applyBinary, applyUnary, compareDoubles, comparesItems, compareWords } from './operator';
import { Area, areaCountOf, areaOf } from './reference';
import { SLOT_BYTES, copySlot, kindOf, setError, setSlot, wordOf } from './slot';
import { binarySparsely, unarySparsely } from './sparse-operation';
import { itemKind, itemPayload, openView, viewItem } from './view';

/**
 * Makes a reference to one cell that cell's value; returns false for arrays and larger references.
 */
export function derefer(slot: usize): bool {
  if (kindOf(slot) != KIND_REFERENCE) return false;
  const reference = <usize>wordOf(slot);
  if (areaCountOf(reference) != 1) return false;
  const area = at<Area>(areaOf(reference, 0));
  if (area.row0 != area.row1 || area.column0 != area.column1) return false;
  const kind = readCell(area.sheet, area.row0, area.column0);
  setSlot(slot, kind, kind == KIND_BLANK ? 0 : cellPayload);
  return true;
}

/** Makes any value a scalar: the top left item of arrays and references. */
export function toScalar(slot: usize): void {
  const kind = kindOf(slot);
  if (kind == KIND_LAMBDA) return setError(slot, ERROR_CALCULATION);
  if (kind != KIND_ARRAY && kind != KIND_REFERENCE) return;
  viewItem(openView(slot), 0, 0);
  setSlot(slot, itemKind, itemPayload);
}

/** A union or a 3-D reference has no one rectangle to compute with. */
export function isManyAreas(slot: usize): bool {
  return kindOf(slot) == KIND_REFERENCE && areaCountOf(wordOf(slot)) != 1;
}

/** Returns whether the shape is small enough and fuel is left for it; else the slot gets #NUM!. */
export function allowShape(out: usize, stepsPerItem: u32): bool {
  const count = <u64>shapeRows * shapeColumns;
  if (count <= ITEM_LIMIT && burn(<u32>((count * stepsPerItem) >> 3) + 1)) return true;
  setError(out, ERROR_NUMBER);
  return false;
}

/** A binary operator over arrays and references, item by item. */
export function broadcastBinary(operator: u32, left: usize, right: usize, out: usize): void {
  if (isManyAreas(left) || isManyAreas(right)) return setError(out, ERROR_VALUE);
  if (binarySparsely(operator, left, right, out)) return;
  startShape();
  const a = openOperand(left);
  const b = openOperand(right);
  if (suspended || !allowShape(out, 1)) return;
  const rows = shapeRows;
  const columns = shapeColumns;
  const array = newArray(rows, columns);
  // Behind the used rows of whole columns all rows are alike: one is computed, the rest are copies.
  const used = min(rows, max(varyingRows(a), varyingRows(b)) + 1);
  const isArithmetic =
    operator == OPERATOR_ADD || operator == OPERATOR_SUBTRACT || operator == OPERATOR_MULTIPLY;
  const slots = scratch(2 * <u32>SLOT_BYTES);
  for (let row: u32 = 0; row < used && burn(1); row++) {
    if (columns == 1) {
      nextRow = row;
      computeDown(operator, a, b, array);
      if (nextRow > row && !burn(nextRow - row)) break;
      row = nextRow;
      if (row >= used) break;
    }
    let column: u32 = 0;
    if (isArithmetic && columns > 1) column = computeNumbers(operator, a, b, row, array, columns);
    for (; column < columns; column++) {
      loadOperand(a, row, column, slots);
      loadOperand(b, row, column, slots + SLOT_BYTES);
      applyBinary(operator, slots, slots + SLOT_BYTES, slots);
      setItemFrom(array, row * columns + column, slots);
    }
  }
  if (used < rows) repeatRow(array, used - 1);
  setSlot(out, KIND_ARRAY, array);
}

/** Row of a column that is computed next. */
let nextRow: u32 = 0;
/** Rows that computeDown computes at a time, which are paid for together. */
const DOWN_ROWS: u32 = 1024;

/**
 * The common cases of columns: from nextRow on, as long as both items are numbers or booleans, or
 * texts that are compared, and the result is no error.
 */
function computeDown(operator: u32, a: Operand, b: Operand, array: usize): void {
  const stepA: u32 = a.rows == 1 ? 0 : 1;
  const stepB: u32 = b.rows == 1 ? 0 : 1;
  const held = min(stepA ? a.heldRows : shapeRows, stepB ? b.heldRows : shapeRows);
  const end = min(held, nextRow + DOWN_ROWS);
  const isComparison = comparesItems(operator);
  for (; nextRow < end; nextRow++) {
    const placeA = nextRow * stepA;
    const placeB = nextRow * stepB;
    const kindA = <u32>load<u8>(<usize>a.kinds + placeA);
    const kindB = <u32>load<u8>(<usize>b.kinds + placeB);
    const itemA = load<u64>(<usize>a.payloads + ((<usize>placeA) << 3));
    const itemB = load<u64>(<usize>b.payloads + ((<usize>placeB) << 3));
    if (isComparison) {
      if (kindA != kindB) return;
      let verdict: bool = false;
      if (kindA == KIND_NUMBER) {
        verdict = compareDoubles(operator, reinterpret<f64>(itemA), reinterpret<f64>(itemB));
      } else if (kindA == KIND_STRING) verdict = compareWords(operator, <u32>itemA, <u32>itemB);
      else return;
      setItemAt(array, nextRow, KIND_BOOLEAN, verdict ? 1 : 0);
      continue;
    }
    if (!isNumeric(kindA) || !isNumeric(kindB)) return;
    const x = kindA == KIND_NUMBER ? reinterpret<f64>(itemA) : <f64>(<u32>itemA);
    const y = kindB == KIND_NUMBER ? reinterpret<f64>(itemB) : <f64>(<u32>itemB);
    if (operator == OPERATOR_DIVIDE && y == 0) return;
    const value = computed(operator, x, y);
    if (value - value != 0) return;
    setItemNumber(array, nextRow, value);
  }
}

function isNumeric(kind: u32): bool {
  return kind == KIND_NUMBER || kind == KIND_BOOLEAN;
}

/** The value of one of four operators; NaN for others. */
function computed(operator: u32, x: f64, y: f64): f64 {
  if (operator == OPERATOR_MULTIPLY) return x * y;
  if (operator == OPERATOR_ADD) return x + y;
  if (operator == OPERATOR_SUBTRACT) return x - y;
  return operator == OPERATOR_DIVIDE ? x / y : NaN;
}

/** Where an operand's row begins, in items; -1 when it is not held. */
function rowStart(operand: Operand, row: u32): i32 {
  const down: u32 = operand.rows == 1 ? 0 : row;
  return down < operand.heldRows ? <i32>(down * operand.heldColumns) : -1;
}

/**
 * The common case of broadcastBinary: from the row's start on, as long as both items are numbers
 * and the result is finite. Returns the column where something else comes. /
 */
function computeNumbers(
  operator: u32,
  a: Operand,
  b: Operand,
  row: u32,
  array: usize,
  columns: u32,
): u32 {
  const startA = rowStart(a, row);
  const startB = rowStart(b, row);
  if (startA < 0 || startB < 0) return 0;
  const end = min(
    columns,
    min(a.columns == 1 ? columns : a.heldColumns, b.columns == 1 ? columns : b.heldColumns),
  );
  const stepA: u32 = a.columns == 1 ? 0 : 1;
  const stepB: u32 = b.columns == 1 ? 0 : 1;
  for (let column: u32 = 0; column < end; column++) {
    const placeA = <usize>startA + column * stepA;
    const placeB = <usize>startB + column * stepB;
    if (load<u8>(<usize>a.kinds + placeA) != KIND_NUMBER) return column;
    if (load<u8>(<usize>b.kinds + placeB) != KIND_NUMBER) return column;
    const x = load<f64>(<usize>a.payloads + (placeA << 3));
    const y = load<f64>(<usize>b.payloads + (placeB << 3));
    const value = operator == OPERATOR_ADD ? x + y : operator == OPERATOR_SUBTRACT ? x - y : x * y;
    if (value - value != 0) return column;
    setItemNumber(array, row * columns + column, value);
  }
  return end;
}

/**
 * The common case of liftUnary: minus and percent of a column, as long as its items are numbers or
 * booleans. Returns the row where something else comes.
 */
function unaryDown(operation: u32, operand: Operand, array: usize, used: u32): u32 {
  if (operation == OP_PLUS || operand.columns != 1) return 0;
  const end = min(used, operand.heldRows);
  let row: u32 = 0;
  for (; row < end; row++) {
    const kind = <u32>load<u8>(<usize>operand.kinds + row);
    if (!isNumeric(kind)) return row;
    const payload = load<u64>(<usize>operand.payloads + ((<usize>row) << 3));
    const value = kind == KIND_NUMBER ? reinterpret<f64>(payload) : <f64>(<u32>payload);
    setItemNumber(array, row, operation == OP_NEGATE ? -value : value / 100);
  }
  return row;
}

/** Minus, percent or plus over an array or reference. */
export function liftUnary(operation: u32, slot: usize): void {
  if (isManyAreas(slot)) return setError(slot, ERROR_VALUE);
  if (unarySparsely(operation, slot)) return;
  startShape();
  const operand = openOperand(slot);
  if (suspended || !allowShape(slot, 1)) return;
  const columns = shapeColumns;
  const array = newArray(shapeRows, columns);
  const used = min(shapeRows, varyingRows(operand) + 1);
  const item = scratch(<u32>SLOT_BYTES);
  for (let row = unaryDown(operation, operand, array, used); row < used; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      loadOperand(operand, row, column, item);
      applyUnary(operation, item);
      setItemFrom(array, row * columns + column, item);
    }
  }
  if (used < shapeRows) repeatRow(array, used - 1);
  setSlot(slot, KIND_ARRAY, array);
}

/** Returns whether a parameter wants a scalar. */
function isScalarPlace(function_: usize, index: u32): bool {
  const wanted = kindOfParameter(function_, index);
  return wanted == 118 || wanted == 116;
}

/**
 * Opens argument `index` where it is an array or larger reference in the place of a scalar, or an
 * array of references in the place of one; returns its address, or 0. /
 */
function liftedOperand(function_: usize, index: u32, slot: usize): usize {
  const kind = kindOf(slot);
  if (kind != KIND_ARRAY && kind != KIND_REFERENCE) return 0;
  if (isScalarPlace(function_, index)) return addressOf(openOperand(slot));
  const references = isEachTaken(function_, slot) ? referencesOf(wordOf(slot)) : 0;
  if (!references) return 0;
  const operand = openOperand(slot);
  operand.references = references;
  return addressOf(operand);
}

/** Returns whether a function is called for each of the references of an array. */
export function isEachTaken(function_: usize, slot: usize): bool {
  if (!(at<FunctionRecord>(function_).flags & FUNCTION_TAKES_EACH)) return false;
  return kindOf(slot) == KIND_ARRAY && referencesOf(wordOf(slot)) != 0;
}

/** Calls a function of a reference that may take arrays as a whole; returns false if it declines. */
function callWhole(function_: usize, base: usize, count: u32): bool {
  const mayTake = (at<FunctionRecord>(function_).flags & FUNCTION_TAKES_WHOLE) != 0;
  if (!mayTake || kindOf(base) != KIND_REFERENCE) return false;
  openCall(base, count);
  callFunction(at<FunctionRecord>(function_).id);
  return !isDeclined;
}

/** Calls a function once an item for the scalar places that hold arrays. */
export function liftCall(function_: usize, base: usize, count: u32): void {
  if (callWhole(function_, base, count)) return;
  const operands = scratch(count << 2);
  startShape();
  for (let index: u32 = 0; index < count; index++) {
    const slot = base + <usize>index * SLOT_BYTES;
    const operand = liftedOperand(function_, index, slot);
    if (operand && isManyAreas(slot)) return setError(base, ERROR_VALUE);
    store<u32>(operands + ((<usize>index) << 2), <u32>operand);
  }
  if (suspended || !allowShape(base, 8)) return;
  const rows = shapeRows;
  const columns = shapeColumns;
  let used: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const operand = load<u32>(operands + ((<usize>index) << 2));
    if (operand) used = max(used, varyingRows(at<Operand>(operand)));
  }
  used = min(rows, used + 1);
  // RANDBETWEEN and its like draw anew for every item; OFFSET and INDIRECT answer references.
  const keepsReferences = (at<FunctionRecord>(function_).flags & FUNCTION_VOLATILE) != 0;
  if (keepsReferences) used = rows;
  const array = newArray(rows, columns);
  const first = firstArgument;
  const outerCount = argumentCount;
  const into = answer;
  const failedWith = failure;
  const slots = top;
  setTop(slots + <usize>count * SLOT_BYTES);
  for (let place: u32 = 0; place < used * columns && !suspended && burn(1); place++) {
    loadArguments(operands, base, slots, count, place / columns, place % columns);
    openCall(slots, count);
    callFunction(at<FunctionRecord>(function_).id);
    if (keepsReferences && kindOf(slots) == KIND_REFERENCE) {
      setItemReference(array, place, wordOf(slots));
    }
    toScalar(slots);
    setItemFrom(array, place, slots);
  }
  setTop(slots);
  reopenCall(first, outerCount, into, failedWith);
  if (used < rows) repeatRow(array, used - 1);
  setSlot(base, KIND_ARRAY, array);
}

/** The arguments of one of liftCall's calls. */
function loadArguments(
  operands: usize,
  base: usize,
  slots: usize,
  count: u32,
  row: u32,
  column: u32,
): void {
  for (let index: u32 = 0; index < count; index++) {
    const offset = <usize>index * SLOT_BYTES;
    const operand = load<u32>(operands + ((<usize>index) << 2));
    if (operand) loadReferenced(at<Operand>(operand), row, column, slots + offset);
    else copySlot(slots + offset, base + offset);
  }
}
