import {
  COLUMN_LIMIT,
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_ERROR,
  KIND_REFERENCE,
  ROW_LIMIT,
} from '../../abi';
import { parseAddress } from '../../formula/address';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { lengthOf } from '../../memory/text';
import { newArray, setItemAt } from '../../vm/array';
import {
  answer,
  answerArray,
  answerError,
  areaArgument,
  argument,
  booleanOr,
  fail,
  failed,
  given,
  integerArgument,
  integerOr,
  numberArgument,
  omitted,
  textArgument,
} from '../../vm/call';
import { Area, areaCountOf, areaOf, setArea, setReference } from '../../vm/reference';
import { kindOf, setError, wordOf } from '../../vm/slot';
import { View, itemKind, itemPayload, openView, viewItem } from '../../vm/view';
import { answerItem } from './lookup-match';

/** Which row and column INDEX picks (from one; 0 is all of them). */
let pickedRow: u32 = 0;
let pickedColumn: u32 = 0;

/** Reads row and column; one number alone counts along a vector. */
function readPick(rows: u32, columns: u32): void {
  let row = integerOr(1, 0);
  let column = integerOr(2, 0);
  if (!given(2) && rows == 1) {
    column = row;
    row = columns > 1 || column != 0 ? 1 : 0;
  }
  if (row < 0 || column < 0) fail(ERROR_VALUE);
  else if (row > <f64>rows || column > <f64>columns) fail(ERROR_REFERENCE);
  pickedRow = <u32>max(row, 0);
  pickedColumn = <u32>max(column, 0);
}

function pickFromReference(reference: usize): void {
  const number = integerOr(3, 1);
  if (number < 1) fail(ERROR_VALUE);
  else if (number > <f64>areaCountOf(reference)) fail(ERROR_REFERENCE);
  if (failed()) return;
  const area = at<Area>(areaOf(reference, <u32>number - 1));
  readPick(area.row1 - area.row0 + 1, area.column1 - area.column0 + 1);
  if (failed()) return;
  const row0 = pickedRow ? area.row0 + pickedRow - 1 : area.row0;
  const row1 = pickedRow ? row0 : area.row1;
  const column0 = pickedColumn ? area.column0 + pickedColumn - 1 : area.column0;
  const column1 = pickedColumn ? column0 : area.column1;
  const picked = scratch(<u32>offsetof<Area>());
  setArea(picked, area.sheet, row0, column0, row1, column1);
  setReference(answer, picked);
}

function pickFromView(view: View): void {
  readPick(view.rows, view.columns);
  if (integerOr(3, 1) != 1) fail(ERROR_REFERENCE);
  if (failed()) return;
  if (pickedRow && pickedColumn) return answerItem(view, pickedRow - 1, pickedColumn - 1);
  const rows: u32 = pickedRow ? 1 : view.rows;
  const columns: u32 = pickedColumn ? 1 : view.columns;
  const row0 = pickedRow ? pickedRow - 1 : 0;
  const column0 = pickedColumn ? pickedColumn - 1 : 0;
  const array = newArray(rows, columns);
  for (let row: u32 = 0; row < rows; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      viewItem(view, row0 + row, column0 + column);
      setItemAt(array, row * columns + column, itemKind, itemPayload);
    }
  }
  answerArray(array);
}

/** INDEX(array or reference, row, [column], [area]): of a reference, a reference. */
export function evaluateIndex(): void {
  const slot = argument(0);
  const kind = kindOf(slot);
  if (kind == KIND_ERROR) return answerError(wordOf(slot));
  if (kind == KIND_REFERENCE) pickFromReference(wordOf(slot));
  else pickFromView(openView(slot));
}

/** First and last of `count` places from `start`; a negative count goes the other way. */
function checkSpan(start: f64, count: f64, limit: f64): void {
  const first = count > 0 ? start : start + count + 1;
  const last = count > 0 ? start + count - 1 : start;
  if (count == 0 || !(first >= 0 && last < limit)) fail(ERROR_REFERENCE);
}

/** A height or width of OFFSET; one left empty is the reference's own. */
function extent(index: u32, own: u32): f64 {
  if (!given(index) || omitted(index)) return <f64>own;
  const size = numberArgument(index);
  // Less than one row or column is one.
  return abs(size) < 1 && size != 0 ? (size < 0 ? -1 : 1) : trunc(size);
}

/** OFFSET(reference, rows, columns, [height], [width]) */
export function evaluateOffset(): void {
  const address = areaArgument(0);
  const down = integerArgument(1);
  const right = integerArgument(2);
  if (failed()) return;
  const from = at<Area>(address);
  const height = extent(3, from.row1 - from.row0 + 1);
  const width = extent(4, from.column1 - from.column0 + 1);
  const row = <f64>from.row0 + down;
  const column = <f64>from.column0 + right;
  checkSpan(row, height, ROW_LIMIT);
  checkSpan(column, width, COLUMN_LIMIT);
  if (failed()) return;
  const row0 = <u32>(height > 0 ? row : row + height + 1);
  const column0 = <u32>(width > 0 ? column : column + width + 1);
  const row1 = row0 + <u32>abs(height) - 1;
  const column1 = column0 + <u32>abs(width) - 1;
  const area = scratch(<u32>offsetof<Area>());
  setArea(area, from.sheet, row0, column0, row1, column1);
  setReference(answer, area);
}

/** INDIRECT(text, [A1]): a reference, or #REF! for a text that is none. */
export function evaluateIndirect(): void {
  const text = textArgument(0);
  const isA1 = booleanOr(1, true);
  if (failed()) return;
  const place = answer;
  if (!lengthOf(text) || !parseAddress(text, isA1, place)) setError(place, ERROR_REFERENCE);
}
