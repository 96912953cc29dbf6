import {
  ERROR_CALCULATION,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_OMITTED,
  KIND_REFERENCE,
  ROW_LIMIT,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { ITEM_LIMIT, columnsOf, newArray, setItemAt } from '../../vm/array';
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
} from '../../vm/call';
import { areaCountOf, areaOf, isSpan } from '../../vm/reference';
import { kindOf, payloadOf, wordOf } from '../../vm/slot';
import { View, itemKind, itemPayload, openAreaView, openView, viewItem } from '../../vm/view';
import { openArrayArgument } from './dynamic-filter';

let padKind: u32 = 0;
let padPayload: u64 = 0;

/** Reads the value that fills gaps: an argument, or #N/A. */
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

/** How many rectangles an argument is: a 3-D reference has one of each sheet; 0 for a union. */
function partsOf(slot: usize): u32 {
  if (kindOf(slot) != KIND_REFERENCE) return 1;
  const reference = wordOf(slot);
  return areaCountOf(reference) == 1 || isSpan(reference) ? areaCountOf(reference) : 0;
}

function openPart(slot: usize, index: u32): View {
  if (kindOf(slot) != KIND_REFERENCE) return openView(slot);
  return openAreaView(areaOf(wordOf(slot), index));
}

/** Views of the parts of `count` arguments from the first on, and how many; fails for a union. */
function openParts(count: u32): usize {
  partCount = 0;
  for (let index: u32 = 0; index < count; index++) {
    const parts = partsOf(argument(index));
    if (!parts) fail(ERROR_VALUE);
    partCount += parts;
  }
  const views = scratch(partCount << 2);
  let place = views;
  for (let index: u32 = 0; index < count; index++) {
    const slot = argument(index);
    const parts = partsOf(slot);
    for (let part: u32 = 0; part < parts; part++, place += 4) {
      store<u32>(place, <u32>addressOf(openPart(slot, part)));
    }
  }
  return views;
}

let partCount: u32 = 0;

function partAt(views: usize, index: u32): View {
  return at<View>(load<u32>(views + ((<usize>index) << 2)));
}

function stack(downwards: bool): void {
  let rows: u64 = 0;
  let columns: u64 = 0;
  const views = openParts(argumentCount);
  if (failed()) return;
  const count = partCount;
  for (let index: u32 = 0; index < count; index++) {
    const view = partAt(views, index);
    rows = downwards ? rows + view.rows : max(rows, <u64>view.rows);
    columns = downwards ? max(columns, <u64>view.columns) : columns + view.columns;
  }
  padKind = KIND_ERROR;
  padPayload = ERROR_NOT_AVAILABLE;
  const array = newPadded(rows, columns);
  if (failed()) return;
  let place: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const view = partAt(views, index);
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

/** The items of views in one line, without blanks (ignore 1 or 3) and errors (2 or 3). */
function line(views: usize, ignore: u32, byColumn: bool, downwards: bool): usize {
  const keepBlanks = (ignore & 1) == 0;
  let total: u64 = 0;
  for (let index: u32 = 0; index < partCount; index++) {
    const view = partAt(views, index);
    if (keepBlanks) total += <u64>view.rows * view.columns;
    else total += <u64>view.usedRows * view.usedColumns;
  }
  if (total > ITEM_LIMIT) {
    fail(ERROR_NUMBER);
    return 0;
  }
  lineKinds = scratch(<u32>total);
  linePayloads = scratch((<u32>total) << 3);
  lineLength = 0;
  for (let index: u32 = 0; index < partCount && !suspended; index++) {
    addToLine(partAt(views, index), ignore, byColumn);
  }
  if (!lineLength) {
    fail(ERROR_CALCULATION);
    return 0;
  }
  const array = newArray(downwards ? lineLength : 1, downwards ? 1 : lineLength);
  for (let index: u32 = 0; index < lineLength; index++) {
    const payload = load<u64>(linePayloads + ((<usize>index) << 3));
    setItemAt(array, index, load<u8>(lineKinds + index), payload);
  }
  return array;
}

let lineKinds: usize = 0;
let linePayloads: usize = 0;
let lineLength: u32 = 0;

function addToLine(view: View, ignore: u32, byColumn: bool): void {
  const keepBlanks = (ignore & 1) == 0;
  const rows = keepBlanks ? view.rows : view.usedRows;
  const columns = keepBlanks ? view.columns : view.usedColumns;
  const count = rows * columns;
  for (let index: u32 = 0; index < count && !suspended; index++) {
    const row = byColumn ? index % rows : index / columns;
    viewItem(view, row, byColumn ? index / rows : index % columns);
    if (itemKind == KIND_BLANK && !keepBlanks) continue;
    if (itemKind == KIND_ERROR && ignore & 2) continue;
    store<u8>(lineKinds + lineLength, <u8>itemKind);
    store<u64>(linePayloads + ((<usize>lineLength) << 3), itemPayload);
    lineLength++;
  }
}

function toLine(downwards: bool): void {
  const slot = argument(0);
  if (kindOf(slot) == KIND_ERROR) fail(wordOf(slot));
  const views = openParts(1);
  const ignore = integerOr(1, 0);
  const byColumn = booleanOr(2, false);
  if (!(ignore >= 0 && ignore <= 3)) fail(ERROR_VALUE);
  if (failed()) return;
  const array = line(views, <u32>ignore, byColumn, downwards);
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
