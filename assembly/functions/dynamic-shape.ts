import {
  ERROR_CALCULATION,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_OMITTED,
  ROW_LIMIT,
} from '../abi';
import { suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { ITEM_LIMIT, columnsOf, newArray, setItemAt } from '../vm/array';
import {
  answerArray,
  argument,
  argumentCount,
  booleanOr,
  fail,
  failed,
  given,
  integerArgument,
  integerOr,
  omitted,
} from '../vm/call';
import { kindOf, payloadOf } from '../vm/slot';
import { View, itemKind, itemPayload, openView, viewItem } from '../vm/view';
import { openArrayArgument } from './dynamic-filter';

let padKind: u32 = 0;
let padPayload: u64 = 0;

/** What fills the gaps: an argument, or #N/A. */
function readPad(index: u32): void {
  padKind = KIND_ERROR;
  padPayload = ERROR_NOT_AVAILABLE;
  if (!given(index)) return;
  const slot = argument(index);
  if (kindOf(slot) == KIND_OMITTED) return;
  padKind = kindOf(slot);
  padPayload = payloadOf(slot);
}

/** An array of pads, or 0 after failing when it would be too large. */
function newPadded(rows: u64, columns: u64): usize {
  if (rows > 0xffffffff || columns > 0xffffffff || rows * columns > ITEM_LIMIT) {
    fail(ERROR_NUMBER);
    return 0;
  }
  const array = newArray(<u32>rows, <u32>columns);
  const count = <u32>(rows * columns);
  for (let index: u32 = 0; index < count; index++) setItemAt(array, index, padKind, padPayload);
  return array;
}

/** Copies a view into an array with its corner at row, column. */
function copyInto(array: usize, view: View, row0: u32, column0: u32): void {
  const width = columnsOf(array);
  for (let row: u32 = 0; row < view.rows && !suspended; row++) {
    for (let column: u32 = 0; column < view.columns; column++) {
      if (row < view.usedRows && column < view.usedColumns) {
        viewItem(view, row, column);
        setItemAt(array, (row0 + row) * width + column0 + column, itemKind, itemPayload);
      } else setItemAt(array, (row0 + row) * width + column0 + column, KIND_BLANK, 0);
    }
  }
}

/** A size of EXPAND: the array's own when it is left out. */
function expandedSize(index: u32, own: u32): u64 {
  if (!given(index) || omitted(index)) return own;
  const size = integerArgument(index);
  if (!(size >= <f64>own)) fail(ERROR_VALUE);
  else if (size > 1e9) fail(ERROR_NUMBER);
  return <u64>max(<f64>own, min(size, 1e9));
}

/** EXPAND(array, rows, [columns], [pad]) */
export function evaluateExpand(): void {
  const view = openArrayArgument(0);
  const rows = expandedSize(1, view.rows);
  const columns = expandedSize(2, view.columns);
  readPad(3);
  if (failed()) return;
  const array = newPadded(rows, columns);
  if (failed()) return;
  copyInto(array, view, 0, 0);
  answerArray(array);
}

function stack(downwards: bool): void {
  let rows: u64 = 0;
  let columns: u64 = 0;
  const views = scratch(argumentCount << 2);
  for (let index: u32 = 0; index < argumentCount; index++) {
    const view = openView(argument(index));
    store<u32>(views + ((<usize>index) << 2), <u32>addressOf(view));
    rows = downwards ? rows + view.rows : max(rows, <u64>view.rows);
    columns = downwards ? max(columns, <u64>view.columns) : columns + view.columns;
  }
  padKind = KIND_ERROR;
  padPayload = ERROR_NOT_AVAILABLE;
  const array = newPadded(rows, columns);
  if (failed()) return;
  let place: u32 = 0;
  for (let index: u32 = 0; index < argumentCount; index++) {
    const view = at<View>(load<u32>(views + ((<usize>index) << 2)));
    copyInto(array, view, downwards ? place : 0, downwards ? 0 : place);
    place += downwards ? view.rows : view.columns;
  }
  answerArray(array);
}

/** HSTACK(array, …) */
export function evaluateHstack(): void {
  stack(false);
}

/** VSTACK(array, …) */
export function evaluateVstack(): void {
  stack(true);
}

/** The items of a view in one line, without blanks (ignore 1 or 3) and errors (2 or 3). */
function line(view: View, ignore: u32, byColumn: bool, downwards: bool): usize {
  const keepBlanks = (ignore & 1) == 0;
  const rows = keepBlanks ? view.rows : view.usedRows;
  const columns = keepBlanks ? view.columns : view.usedColumns;
  if (<u64>rows * columns > ITEM_LIMIT) {
    fail(ERROR_NUMBER);
    return 0;
  }
  const total = rows * columns;
  const kinds = scratch(total);
  const payloads = scratch(total << 3);
  let count: u32 = 0;
  for (let index: u32 = 0; index < total && !suspended; index++) {
    const row = byColumn ? index % rows : index / columns;
    viewItem(view, row, byColumn ? index / rows : index % columns);
    if (itemKind == KIND_BLANK && !keepBlanks) continue;
    if (itemKind == KIND_ERROR && ignore & 2) continue;
    store<u8>(kinds + count, <u8>itemKind);
    store<u64>(payloads + ((<usize>count) << 3), itemPayload);
    count++;
  }
  if (!count) {
    fail(ERROR_CALCULATION);
    return 0;
  }
  const array = newArray(downwards ? count : 1, downwards ? 1 : count);
  for (let index: u32 = 0; index < count; index++) {
    setItemAt(array, index, load<u8>(kinds + index), load<u64>(payloads + ((<usize>index) << 3)));
  }
  return array;
}

function toLine(downwards: bool): void {
  const view = openArrayArgument(0);
  const ignore = integerOr(1, 0);
  const byColumn = booleanOr(2, false);
  if (!(ignore >= 0 && ignore <= 3)) fail(ERROR_VALUE);
  if (failed()) return;
  const array = line(view, <u32>ignore, byColumn, downwards);
  if (failed()) return;
  answerArray(array);
}

/** TOCOL(array, [ignore], [by column]) */
export function evaluateToColumn(): void {
  toLine(true);
}

/** TOROW(array, [ignore], [by column]) */
export function evaluateToRow(): void {
  toLine(false);
}

function wrap(byRow: bool): void {
  const view = openArrayArgument(0);
  const wanted = integerArgument(1);
  readPad(2);
  if (view.rows > 1 && view.columns > 1) fail(ERROR_VALUE);
  if (!(wanted >= 1)) fail(ERROR_NUMBER);
  if (failed()) return;
  const total = view.rows * view.columns;
  const width = <u32>min(wanted, <f64>ROW_LIMIT);
  const lines = (total + width - 1) / width;
  // A vector shorter than one line is a line of its own length.
  const across = min(width, total);
  const array = newPadded(byRow ? lines : across, byRow ? across : lines);
  if (failed()) return;
  for (let index: u32 = 0; index < total && !suspended; index++) {
    viewItem(view, view.rows > 1 ? index : 0, view.rows > 1 ? 0 : index);
    const place = byRow ? index : (index % across) * lines + index / across;
    setItemAt(array, place, itemKind, itemPayload);
  }
  answerArray(array);
}

/** WRAPCOLS(vector, count, [pad]) */
export function evaluateWrapColumns(): void {
  wrap(false);
}

/** WRAPROWS(vector, count, [pad]) */
export function evaluateWrapRows(): void {
  wrap(true);
}
