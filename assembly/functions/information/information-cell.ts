import {
  CELL_FORMULA,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_REFERENCE,
  KIND_STRING,
} from '../../abi';
import { MODEL_SHEETS, indexOfSheet, sheetByName } from '../../grid/model';
import { Sheet, cellPayload, readCell, tagAt } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { textIs, textOf } from '../../memory/text';
import { lengthOfVector } from '../../memory/vector';
import {
  appendText,
  appendUnit,
  appendWhole,
  closeBuilder,
  openBuilder,
} from '../../values/text-builder';
import { ITEM_LIMIT, newArray, setItemAt } from '../../vm/array';
import {
  answer,
  answerArray,
  answerBoolean,
  answerError,
  answerNumber,
  answerText,
  areaArgument,
  argument,
  argumentCount,
  fail,
  failed,
  given,
  omitted,
  textArgument,
} from '../../vm/call';
import { formulaColumn, formulaRow, formulaSheet } from '../../vm/context';
import { Area, areaCountOf, areaOf, setArea } from '../../vm/reference';
import { kindOf, setSlot, wordOf } from '../../vm/slot';
import { appendLetters } from '../lookup/lookup-place';

function holdsFormula(area: Area, row: u32, column: u32): u64 {
  return (tagAt(area.sheet, area.row0 + row, area.column0 + column) & CELL_FORMULA) != 0 ? 1 : 0;
}

/** ISFORMULA(reference): cell by cell. */
export function evaluateIsFormula(): void {
  const address = areaArgument(0);
  if (failed()) return;
  const area = at<Area>(address);
  const rows = area.row1 - area.row0 + 1;
  const columns = area.column1 - area.column0 + 1;
  if (rows * columns == 1) return answerBoolean(holdsFormula(area, 0, 0) != 0);
  if (<u64>rows * columns > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(rows, columns);
  for (let row: u32 = 0; row < rows; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      const verdict = holdsFormula(area, row, column);
      setItemAt(array, row * columns + column, KIND_BOOLEAN, verdict);
    }
  }
  answerArray(array);
}

/** The area CELL describes: its argument's first, or the formula's own cell. */
function describedArea(): usize {
  if (given(1) && !omitted(1)) return areaArgument(1);
  const area = scratch(<u32>offsetof<Area>());
  setArea(area, formulaSheet, formulaRow, formulaColumn, formulaRow, formulaColumn);
  return area;
}

/** The address as CELL("address") gives it: with the sheet when it is not the formula's. */
function answerAddress(area: Area): void {
  openBuilder();
  if (<usize>area.sheet != formulaSheet) {
    appendText(at<Sheet>(area.sheet).name);
    appendUnit(33);
  }
  appendUnit(36);
  appendLetters(area.column0);
  appendUnit(36);
  appendWhole(area.row0 + 1);
  answerText(closeBuilder());
}

/** CELL(what, [reference]): what a workbook without formats and a printer can tell. */
export function evaluateCell(): void {
  const what = textArgument(0);
  const address = describedArea();
  if (failed()) return;
  const area = at<Area>(address);
  if (textIs(what, 'ROW')) return answerNumber(area.row0 + 1);
  if (textIs(what, 'COL')) return answerNumber(area.column0 + 1);
  if (textIs(what, 'ADDRESS')) return answerAddress(area);
  if (textIs(what, 'COLOR') || textIs(what, 'PARENTHESES')) return answerNumber(0);
  if (textIs(what, 'PROTECT')) return answerNumber(1);
  if (textIs(what, 'FORMAT')) return answerText(textOf('G'));
  if (textIs(what, 'PREFIX') || textIs(what, 'FILENAME')) return answerText(textOf(''));
  if (!textIs(what, 'CONTENTS') && !textIs(what, 'TYPE')) return answerError(ERROR_VALUE);
  const kind = readCell(area.sheet, area.row0, area.column0);
  if (textIs(what, 'CONTENTS')) {
    setSlot(answer, kind, kind == KIND_BLANK ? 0 : cellPayload);
  } else if (kind == KIND_BLANK) answerText(textOf('b'));
  else answerText(textOf(kind == KIND_STRING ? 'l' : 'v'));
}

/** INFO(what): nothing about the machine is told, which would differ between two of them. */
export function evaluateInfo(): void {
  const what = textArgument(0);
  if (failed()) return;
  if (textIs(what, 'RECALC')) return answerText(textOf('Automatic'));
  if (textIs(what, 'SYSTEM')) return answerText(textOf('pcdos'));
  if (textIs(what, 'RELEASE')) return answerText(textOf('16.0'));
  if (textIs(what, 'NUMFILE')) return answerNumber(lengthOfVector(MODEL_SHEETS));
  answerError(ERROR_NOT_AVAILABLE);
}

/** The sheet an argument means: a reference's, or one by name. */
function meantSheet(slot: usize): usize {
  const kind = kindOf(slot);
  if (kind == KIND_REFERENCE) return at<Area>(areaOf(wordOf(slot), 0)).sheet;
  if (kind == KIND_ERROR) fail(wordOf(slot));
  return kind == KIND_STRING ? sheetByName(wordOf(slot)) : 0;
}

/** SHEET([reference or name]): its number from the left. */
export function evaluateSheet(): void {
  const sheet = argumentCount ? meantSheet(argument(0)) : formulaSheet;
  if (failed()) return;
  const index = indexOfSheet(MODEL_SHEETS, sheet);
  if (index < lengthOfVector(MODEL_SHEETS)) answerNumber(index + 1);
  else answerError(ERROR_NOT_AVAILABLE);
}

/** SHEETS([reference]): how many sheets it spans, or the workbook has. */
export function evaluateSheets(): void {
  if (!argumentCount) return answerNumber(lengthOfVector(MODEL_SHEETS));
  const slot = argument(0);
  if (kindOf(slot) == KIND_ERROR) return answerError(wordOf(slot));
  if (kindOf(slot) != KIND_REFERENCE) return answerError(ERROR_VALUE);
  const reference = <usize>wordOf(slot);
  let count: u32 = 0;
  let last: u32 = 0;
  for (let index: u32 = 0; index < areaCountOf(reference); index++) {
    const sheet = at<Area>(areaOf(reference, index)).sheet;
    if (sheet != last) count++;
    last = sheet;
  }
  answerNumber(count);
}
