import {
  ERROR_CALCULATION,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_OMITTED,
  KIND_REFERENCE,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { ITEM_LIMIT, MADE_LIMIT, newArray, setItemAt, setItemFrom } from '../../vm/array';
import {
  answerArray,
  answerSlot,
  argument,
  argumentCount,
  fail,
  failed,
  integerArgument,
} from '../../vm/call';
import { invokeLambda } from '../../vm/lambda';
import { Area, setArea, setReference } from '../../vm/reference';
import { SLOT_BYTES, copySlot, kindOf, setError, setNumber, setSlot, wordOf } from '../../vm/slot';
import { View, itemKind, itemPayload, openView, viewItem } from '../../vm/view';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callLambda. */
export const LAMBDA_HELPERS: string = `
MAP 2 255 +a;
REDUCE 3 3 a;
SCAN 3 3 a;
BYROW 2 2 a;
BYCOL 2 2 a;
MAKEARRAY 3 3 vva;
`;

export function callLambdaHelper(index: u32): void {
  switch (index) {
    case 0:
      return evaluateMap();
    case 1:
      return evaluateReduce();
    case 2:
      return evaluateScan();
    case 3:
      return evaluateLines(true);
    case 4:
      return evaluateLines(false);
    default:
      return evaluateMakeArray();
  }
}

/** The last argument as a lambda; anything else fails. */
function lambdaArgument(): usize {
  const slot = argument(argumentCount - 1);
  const kind = kindOf(slot);
  if (kind == KIND_LAMBDA) return wordOf(slot);
  fail(kind == KIND_ERROR ? wordOf(slot) : ERROR_VALUE);
  return 0;
}

/**
 * Puts an item into a slot. Items of ranges go in as references, so that functions which want one
 * (SUBTOTAL in MAP, say) find it.
 */
function loadPart(slot: usize, view: View, row: u32, column: u32): void {
  if (view.sheet) {
    const area = scratch(<u32>offsetof<Area>());
    const top = view.row0 + row;
    const left = view.column0 + column;
    setArea(area, view.sheet, top, left, top, left);
    return setReference(slot, area);
  }
  viewItem(view, row, column);
  setSlot(slot, itemKind, itemPayload);
}

/** Makes a lambda's result one value; an array of more than one is #CALC!. */
function reduceToScalar(slot: usize): void {
  const kind = kindOf(slot);
  if (kind == KIND_LAMBDA) return setError(slot, ERROR_CALCULATION);
  if (kind != KIND_ARRAY && kind != KIND_REFERENCE) return;
  const view = openView(slot);
  if (view.rows != 1 || view.columns != 1) return setError(slot, ERROR_CALCULATION);
  viewItem(view, 0, 0);
  setSlot(slot, itemKind, itemPayload);
}

function checkSize(rows: u32, columns: u32): void {
  if (<u64>rows * columns > ITEM_LIMIT) fail(ERROR_NUMBER);
}

/** MAP(array, …, lambda): arrays of different sizes are padded with #N/A. */
function evaluateMap(): void {
  const lambda = lambdaArgument();
  const count = argumentCount - 1;
  const views = scratch(count << 2);
  let rows: u32 = 0;
  let columns: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const view = openView(argument(index));
    store<u32>(views + ((<usize>index) << 2), <u32>addressOf(view));
    rows = max(rows, view.rows);
    columns = max(columns, view.columns);
  }
  checkSize(rows, columns);
  if (failed()) return;
  const slots = scratch((count + 1) * <u32>SLOT_BYTES);
  const result = slots + <usize>count * SLOT_BYTES;
  const array = newArray(rows, columns);
  for (let place: u32 = 0; place < rows * columns && !suspended; place++) {
    const row = place / columns;
    const column = place % columns;
    for (let index: u32 = 0; index < count; index++) {
      const view = at<View>(load<u32>(views + ((<usize>index) << 2)));
      const slot = slots + <usize>index * SLOT_BYTES;
      if (row < view.rows && column < view.columns) loadPart(slot, view, row, column);
      else setError(slot, ERROR_NOT_AVAILABLE);
    }
    invokeLambda(lambda, slots, count, result);
    reduceToScalar(result);
    setItemFrom(array, place, result);
  }
  answerArray(array);
}

/** Slots of an accumulating call: the accumulator, the item, the result. */
let accumulator: usize = 0;

function openAccumulator(): void {
  accumulator = scratch(3 * <u32>SLOT_BYTES);
}

/** REDUCE([initial], array, lambda): without an initial value the first item is it. */
function evaluateReduce(): void {
  const lambda = lambdaArgument();
  const view = openView(argument(1));
  if (kindOf(argument(0)) == KIND_ERROR) fail(wordOf(argument(0)));
  if (<f64>view.rows * view.columns > MADE_LIMIT) fail(ERROR_NUMBER);
  if (failed()) return;
  openAccumulator();
  const slots = accumulator;
  let place: u32 = 0;
  if (kindOf(argument(0)) == KIND_OMITTED) loadPart(slots, view, 0, place++);
  else copySlot(slots, argument(0));
  for (; place < view.rows * view.columns && !suspended; place++) {
    loadPart(slots + SLOT_BYTES, view, place / view.columns, place % view.columns);
    invokeLambda(lambda, slots, 2, slots + 2 * SLOT_BYTES);
    copySlot(slots, slots + 2 * SLOT_BYTES);
  }
  answerSlot(slots);
}

/** SCAN([initial], array, lambda): every accumulator on the way. */
function evaluateScan(): void {
  const lambda = lambdaArgument();
  const view = openView(argument(1));
  if (kindOf(argument(0)) == KIND_ERROR) fail(wordOf(argument(0)));
  if (<f64>view.rows * view.columns > MADE_LIMIT) fail(ERROR_NUMBER);
  if (failed()) return;
  openAccumulator();
  const slots = accumulator;
  const array = newArray(view.rows, view.columns);
  let place: u32 = 0;
  if (kindOf(argument(0)) == KIND_OMITTED) {
    viewItem(view, 0, 0);
    setSlot(slots, itemKind, itemPayload);
    setItemAt(array, place++, itemKind, itemPayload);
  } else copySlot(slots, argument(0));
  for (; place < view.rows * view.columns && !suspended; place++) {
    loadPart(slots + SLOT_BYTES, view, place / view.columns, place % view.columns);
    invokeLambda(lambda, slots, 2, slots + 2 * SLOT_BYTES);
    copySlot(slots, slots + 2 * SLOT_BYTES);
    reduceToScalar(slots);
    setItemFrom(array, place, slots);
  }
  answerArray(array);
}

/** Puts a whole row or column of a view into a slot. */
function loadLine(slot: usize, view: View, line: u32, byRow: bool): void {
  if (view.sheet) {
    const area = scratch(<u32>offsetof<Area>());
    const row = view.row0 + (byRow ? line : 0);
    const column = view.column0 + (byRow ? 0 : line);
    const lastRow = byRow ? row : row + view.rows - 1;
    const lastColumn = byRow ? column + view.columns - 1 : column;
    setArea(area, view.sheet, row, column, lastRow, lastColumn);
    return setReference(slot, area);
  }
  const count = byRow ? view.columns : view.rows;
  const array = newArray(byRow ? 1 : count, byRow ? count : 1);
  for (let place: u32 = 0; place < count; place++) {
    viewItem(view, byRow ? line : place, byRow ? place : line);
    setItemAt(array, place, itemKind, itemPayload);
  }
  setSlot(slot, KIND_ARRAY, array);
}

/** BYROW and BYCOL(array, lambda): one value a line. */
function evaluateLines(byRow: bool): void {
  const lambda = lambdaArgument();
  if (kindOf(argument(0)) == KIND_ERROR) fail(wordOf(argument(0)));
  const view = openView(argument(0));
  if (failed()) return;
  const count = byRow ? view.rows : view.columns;
  const array = newArray(byRow ? count : 1, byRow ? 1 : count);
  const slots = scratch(2 * <u32>SLOT_BYTES);
  for (let line: u32 = 0; line < count && !suspended; line++) {
    loadLine(slots, view, line, byRow);
    invokeLambda(lambda, slots, 1, slots + SLOT_BYTES);
    reduceToScalar(slots + SLOT_BYTES);
    setItemFrom(array, line, slots + SLOT_BYTES);
  }
  answerArray(array);
}

/** MAKEARRAY(rows, columns, lambda) */
function evaluateMakeArray(): void {
  const rows = integerArgument(0);
  const columns = integerArgument(1);
  const lambda = lambdaArgument();
  if (!(rows >= 1 && columns >= 1)) fail(ERROR_VALUE);
  else if (rows * columns > MADE_LIMIT) fail(ERROR_NUMBER);
  if (failed()) return;
  const width = <u32>columns;
  const count = <u32>rows * width;
  const array = newArray(<u32>rows, width);
  const slots = scratch(3 * <u32>SLOT_BYTES);
  for (let place: u32 = 0; place < count && !suspended; place++) {
    setNumber(slots, place / width + 1);
    setNumber(slots + SLOT_BYTES, (place % width) + 1);
    invokeLambda(lambda, slots, 2, slots + 2 * SLOT_BYTES);
    reduceToScalar(slots + 2 * SLOT_BYTES);
    setItemFrom(array, place, slots + 2 * SLOT_BYTES);
  }
  answerArray(array);
}
