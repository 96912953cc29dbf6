import {
  ERROR_CALCULATION,
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_REFERENCE,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { newArray, setItemAt } from '../../vm/array';
import {
  answer,
  answerArray,
  answerError,
  areaArgument,
  argument,
  argumentCount,
  fail,
  failed,
  given,
  integerArgument,
  integerOr,
  omitted,
} from '../../vm/call';
import { Area, areaOf, setArea, setReference } from '../../vm/reference';
import { kindOf, wordOf } from '../../vm/slot';
import {
  View,
  itemKind,
  itemNumber,
  itemPayload,
  itemWord,
  openView,
  viewItem,
} from '../../vm/view';
import { openArrayArgument, pickLines } from './dynamic-filter';

/** Answers a part of the first argument, from zero, ends included: a reference of a reference. */
function answerPart(row0: u32, column0: u32, row1: u32, column1: u32): void {
  const slot = argument(0);
  if (kindOf(slot) == KIND_REFERENCE) {
    const from = at<Area>(areaOf(wordOf(slot), 0));
    const top = from.row0;
    const left = from.column0;
    const area = scratch(<u32>offsetof<Area>());
    setArea(area, from.sheet, top + row0, left + column0, top + row1, left + column1);
    return setReference(answer, area);
  }
  const view = openView(slot);
  const columns = column1 - column0 + 1;
  const array = newArray(row1 - row0 + 1, columns);
  for (let row = row0; row <= row1; row++) {
    for (let column = column0; column <= column1; column++) {
      viewItem(view, row, column);
      setItemAt(array, (row - row0) * columns + column - column0, itemKind, itemPayload);
    }
  }
  answerArray(array);
}

/** First and last line that TAKE or DROP keeps; first above last when none is left. */
let firstKept: i32 = 0;
let lastKept: i32 = 0;

function keepLines(index: u32, total: u32, drop: bool): void {
  firstKept = 0;
  lastKept = <i32>total - 1;
  if (!given(index) || omitted(index)) return;
  const wanted = integerArgument(index);
  const count = <i32>min(abs(wanted), <f64>total);
  if (drop) {
    if (wanted > 0) firstKept = count;
    else lastKept = <i32>total - 1 - count;
  } else if (wanted >= 0) lastKept = count - 1;
  else firstKept = <i32>total - count;
}

function cut(drop: bool): void {
  const view = openArrayArgument(0);
  keepLines(1, view.rows, drop);
  const row0 = firstKept;
  const row1 = lastKept;
  keepLines(2, view.columns, drop);
  if (failed()) return;
  if (row0 > row1 || firstKept > lastKept) return answerError(ERROR_CALCULATION);
  answerPart(row0, firstKept, row1, lastKept);
}

/** TAKE(array, rows, [columns]): below zero from the end. */
export function evaluateTake(): void {
  cut(false);
}

/** DROP(array, rows, [columns]) */
export function evaluateDrop(): void {
  cut(true);
}

/** Adds the line numbers of one argument to a list; returns the new count. */
function addLines(index: u32, total: u32, list: usize, count: u32): u32 {
  const view = openArrayArgument(index);
  for (let row: u32 = 0; row < view.usedRows; row++) {
    for (let column: u32 = 0; column < view.usedColumns; column++) {
      viewItem(view, row, column);
      if (itemKind == KIND_ERROR) fail(itemWord());
      const number = itemKind == KIND_NUMBER ? trunc(itemNumber()) : 0;
      if (number == 0 || abs(number) > <f64>total) {
        fail(ERROR_VALUE);
        return count;
      }
      const line = number > 0 ? number - 1 : <f64>total + number;
      store<u32>(list + ((<usize>count) << 2), <u32>line);
      count++;
    }
  }
  return count;
}

function chooseLines(byRow: bool): void {
  const source = openArrayArgument(0);
  let room: u32 = 0;
  for (let index: u32 = 1; index < argumentCount; index++) {
    const view = openView(argument(index));
    room += view.usedRows * view.usedColumns;
  }
  const list = scratch(room << 2);
  const total = byRow ? source.rows : source.columns;
  let count: u32 = 0;
  for (let index: u32 = 1; index < argumentCount; index++) {
    count = addLines(index, total, list, count);
  }
  if (!count) fail(ERROR_VALUE);
  if (failed()) return;
  const array = pickLines(source, list, count, byRow);
  if (failed()) return;
  answerArray(array);
}

/** CHOOSECOLS(array, column, …): below zero from the end. */
export function evaluateChooseColumns(): void {
  chooseLines(false);
}

/** CHOOSEROWS(array, row, …) */
export function evaluateChooseRows(): void {
  chooseLines(true);
}

function lineIsBlank(view: View, line: u32, isRow: bool): bool {
  const count = isRow ? view.usedColumns : view.usedRows;
  for (let index: u32 = 0; index < count && !suspended; index++) {
    viewItem(view, isRow ? line : index, isRow ? index : line);
    if (itemKind != KIND_BLANK) return false;
  }
  return true;
}

/** Cuts blank lines off by a mode: 1 before, 2 behind, 3 both. */
function trimLines(view: View, mode: f64, isRow: bool): void {
  firstKept = 0;
  lastKept = <i32>(isRow ? view.rows : view.columns) - 1;
  const used = isRow ? view.usedRows : view.usedColumns;
  if (mode >= 2) {
    lastKept = min(lastKept, <i32>used - 1);
    while (lastKept >= 0 && lineIsBlank(view, lastKept, isRow)) lastKept--;
  }
  if (mode != 1 && mode != 3) return;
  while (firstKept <= lastKept && lineIsBlank(view, firstKept, isRow)) {
    firstKept++;
    if (firstKept >= <i32>used) firstKept = lastKept + 1;
  }
}

function trimMode(index: u32): f64 {
  const mode = omitted(index) ? 3 : integerOr(index, 3);
  if (!(mode >= 0 && mode <= 3)) fail(ERROR_VALUE);
  return mode;
}

/** TRIMRANGE(range, [rows], [columns]): 0 keeps, 1 trims before, 2 behind, 3 both. */
export function evaluateTrimRange(): void {
  if (kindOf(argument(0)) == KIND_REFERENCE) areaArgument(0);
  const view = openArrayArgument(0);
  const rowMode = trimMode(1);
  const columnMode = trimMode(2);
  if (failed()) return;
  trimLines(view, rowMode, true);
  const row0 = firstKept;
  const row1 = lastKept;
  trimLines(view, columnMode, false);
  if (row0 > row1 || firstKept > lastKept) return answerError(ERROR_REFERENCE);
  answerPart(row0, firstKept, row1, lastKept);
}
