import {
  COLUMN_LIMIT,
  ERROR_FIELD,
  ERROR_NUMBER,
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_OMITTED,
  KIND_REFERENCE,
  ROW_LIMIT,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { needsQuotesAlone } from '../../formula/sheet-name';
import { lengthOf, unit } from '../../memory/text';
import { appendUnit, closeBuilder, openBuilder } from '../../values/text-builder';
import { appendWhole } from '../../values/text-builder';
import { ITEM_LIMIT, newArray, setItemAt, setItemNumber } from '../../vm/array';
import {
  answerArray,
  answerError,
  answerNumber,
  answerSlot,
  answerText,
  areaArgument,
  argument,
  argumentCount,
  booleanOr,
  fail,
  failed,
  given,
  integerArgument,
  integerOr,
  omitted,
  textArgument,
} from '../../vm/call';
import { formulaColumn, formulaColumns, formulaRow, formulaRows } from '../../vm/context';
import { Area, areaCountOf } from '../../vm/reference';
import { kindOf, wordOf } from '../../vm/slot';
import { itemKind, itemPayload, openView, viewItem } from '../../vm/view';

/** Consecutive numbers, one a row or one a column. */
function answerCount(first: u32, rows: u32, columns: u32): void {
  const count = rows * columns;
  if (count == 1) return answerNumber(first);
  const array = newArray(rows, columns);
  for (let index: u32 = 0; index < count; index++) setItemNumber(array, index, first + index);
  answerArray(array);
}

/** ROW([reference]): one number a row; without a reference the formula's own row. */
export function evaluateRow(): void {
  if (!argumentCount) return answerCount(formulaRow + 1, formulaRows, 1);
  const address = areaArgument(0);
  if (failed()) return;
  const area = at<Area>(address);
  answerCount(area.row0 + 1, area.row1 - area.row0 + 1, 1);
}

/** COLUMN([reference]): of a legacy array formula without one, each column that it fills. */
export function evaluateColumn(): void {
  if (!argumentCount) return answerCount(formulaColumn + 1, 1, formulaColumns);
  const address = areaArgument(0);
  if (failed()) return;
  const area = at<Area>(address);
  answerCount(area.column0 + 1, 1, area.column1 - area.column0 + 1);
}

/** Fails with an error argument, and for a union, which has no one size. */
function checkRectangle(slot: usize): void {
  const kind = kindOf(slot);
  if (kind == KIND_OMITTED || kind == KIND_BLANK) fail(ERROR_VALUE);
  if (kind == KIND_ERROR) fail(wordOf(slot));
  if (kind == KIND_REFERENCE && areaCountOf(wordOf(slot)) != 1) fail(ERROR_REFERENCE);
}

/** ROWS(array or reference) */
export function evaluateRows(): void {
  checkRectangle(argument(0));
  if (failed()) return;
  answerNumber(openView(argument(0)).rows);
}

/** COLUMNS(array or reference) */
export function evaluateColumns(): void {
  checkRectangle(argument(0));
  if (failed()) return;
  answerNumber(openView(argument(0)).columns);
}

/** AREAS(reference) */
export function evaluateAreas(): void {
  const slot = argument(0);
  if (kindOf(slot) == KIND_ERROR) return answerError(wordOf(slot));
  if (kindOf(slot) != KIND_REFERENCE) return answerError(ERROR_VALUE);
  answerNumber(areaCountOf(wordOf(slot)));
}

/** TRANSPOSE(array) */
export function evaluateTranspose(): void {
  const slot = argument(0);
  if (kindOf(slot) == KIND_ERROR) return answerError(wordOf(slot));
  const view = openView(slot);
  if (<u64>view.rows * view.columns > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(view.columns, view.rows);
  for (let row: u32 = 0; row < view.usedRows && !suspended; row++) {
    for (let column: u32 = 0; column < view.usedColumns; column++) {
      viewItem(view, row, column);
      setItemAt(array, column * view.rows + row, itemKind, itemPayload);
    }
  }
  answerArray(array);
}

/** Appends a column's letters; columns count from zero. */
export function appendLetters(column: u32): void {
  if (column >= 702) appendUnit(65 + (column - 702) / 676);
  if (column >= 26) appendUnit(65 + (((column - 26) / 26) % 26));
  appendUnit(65 + (column % 26));
}

/** Where a sheet's name begins after a workbook's in brackets: `[Book1]Sheet1`. */
function sheetStart(name: usize): u32 {
  const length = lengthOf(name);
  if (length == 0 || unit(name, 0) != 91) return 0;
  for (let index: u32 = 1; index < length; index++) {
    if (unit(name, index) == 93) return index + 1;
  }
  return 0;
}

/**
 * Returns whether a sheet name needs quotes: alone, as in any formula; behind a workbook's in
 * brackets, when it has other characters than letters, digits, `_` and `.`, or begins with a digit.
 */
function needsQuotes(name: usize): bool {
  const start = sheetStart(name);
  if (!start) return needsQuotesAlone(name);
  for (let index: u32 = 0; index < lengthOf(name); index++) {
    const code = unit(name, index);
    if (index == 0 || index + 1 == start) continue;
    const digit = code - 48 < 10;
    if (digit && index == start) return true;
    if (digit || (code | 32) - 97 < 26 || code == 95 || code == 46 || code >= 128) continue;
    return true;
  }
  return false;
}

function appendSheetName(name: usize): void {
  const quoted = needsQuotes(name);
  if (quoted) appendUnit(39);
  const length = lengthOf(name);
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(name, index);
    if (code == 39) appendUnit(39);
    appendUnit(code);
  }
  if (quoted) appendUnit(39);
  appendUnit(33);
}

/** One coordinate in R1C1: absolute as it is, relative in brackets, nothing for relative zero. */
function appendR1C1(letter: u32, value: i32, absolute: bool): void {
  appendUnit(letter);
  if (!absolute) appendUnit(91);
  if (value < 0) appendUnit(45);
  appendWhole(<u32>abs(value));
  if (!absolute) appendUnit(93);
}

/** ADDRESS(row, column, [1 to 4: which parts are absolute], [A1], [sheet]) */
export function evaluateAddress(): void {
  const row = integerArgument(0);
  const column = integerArgument(1);
  const kind = omitted(2) ? 1 : integerOr(2, 1);
  const isA1 = omitted(3) ? true : booleanOr(3, true);
  const sheet: usize = given(4) ? textArgument(4) : 0;
  if (!(row >= (isA1 || kind == 1 || kind == 2 ? 1 : -(<f64>ROW_LIMIT)))) fail(ERROR_VALUE);
  if (!(column >= (isA1 || kind == 1 || kind == 3 ? 1 : -(<f64>COLUMN_LIMIT)))) fail(ERROR_VALUE);
  if (row > <f64>ROW_LIMIT || column > <f64>COLUMN_LIMIT) fail(ERROR_VALUE);
  if (!(kind >= 1 && kind <= 4)) fail(ERROR_VALUE);
  if (failed()) return;
  const rowAbsolute = kind == 1 || kind == 2;
  const columnAbsolute = kind == 1 || kind == 3;
  openBuilder();
  if (sheet && lengthOf(sheet)) appendSheetName(sheet);
  else if (sheet) appendUnit(33);
  if (isA1) {
    if (columnAbsolute) appendUnit(36);
    appendLetters(<u32>column - 1);
    if (rowAbsolute) appendUnit(36);
    appendWhole(<u32>row);
  } else {
    appendR1C1(82, <i32>row, rowAbsolute);
    appendR1C1(67, <i32>column, columnAbsolute);
  }
  answerText(closeBuilder());
}

/** HYPERLINK(address, [shown]): the value shown. */
export function evaluateHyperlink(): void {
  const address = textArgument(0);
  if (failed()) return;
  if (given(1)) answerSlot(argument(1));
  else answerText(address);
}

/** GETPIVOTDATA: there are no pivot tables here, so none is found. */
export function evaluateGetPivotData(): void {
  answerError(ERROR_REFERENCE);
}

/** FIELDVALUE(value, field): there are no linked data types, so no value has fields. */
export function evaluateFieldValue(): void {
  const slot = argument(0);
  answerError(kindOf(slot) == KIND_ERROR ? wordOf(slot) : ERROR_FIELD);
}
