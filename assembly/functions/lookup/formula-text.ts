import {
  CELL_FORMULA,
  CELL_SPILLED,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  KIND_ERROR,
  KIND_STRING,
} from '../../abi';
import { MODE_ARRAY, Template } from '../../formula/template';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from '../../formula/unparse';
import { Run, constantsAt, runAt } from '../../graph/run';
import { columnAt, tagAt } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { textFrom } from '../../memory/text';
import { appendPiece, appendUnit, closeBuilder, openBuilder } from '../../values/text-builder';
import { ITEM_LIMIT, newArray, setItemAt } from '../../vm/array';
import { answerArray, answerError, answerText, areaArgument, failed } from '../../vm/call';
import { Area } from '../../vm/reference';

/** The formula of a cell as text, or 0; that of a fixed array stands in braces. */
function formulaTextAt(sheet: usize, row: u32, column: u32): usize {
  const tag = tagAt(sheet, row, column);
  if (!(tag & CELL_FORMULA) || tag & CELL_SPILLED) return 0;
  const record = columnAt(sheet, column);
  const address = record ? runAt(record, row) : 0;
  if (!address) return 0;
  const run = at<Run>(address);
  const template = at<Template>(run.template);
  openUnparser();
  unparse(template, constantsAt(run, row), row, column, false);
  const text = textFrom(unparsedUnits(), unparsedLength());
  return template.mode == MODE_ARRAY ? inBraces(text) : text;
}

function inBraces(text: usize): usize {
  openBuilder();
  appendUnit(123);
  appendPiece(text, 0, unparsedLength());
  appendUnit(125);
  return closeBuilder();
}

/** FORMULATEXT(reference): cell by cell; #N/A where there is no formula. */
export function evaluateFormulaText(): void {
  const address = areaArgument(0);
  if (failed()) return;
  const area = at<Area>(address);
  const rows = area.row1 - area.row0 + 1;
  const columns = area.column1 - area.column0 + 1;
  if (rows * columns == 1) {
    const text = formulaTextAt(area.sheet, area.row0, area.column0);
    if (text) return answerText(text);
    return answerError(ERROR_NOT_AVAILABLE);
  }
  if (<u64>rows * columns > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(rows, columns);
  for (let place: u32 = 0; place < rows * columns; place++) {
    const row = area.row0 + place / columns;
    const text = formulaTextAt(area.sheet, row, area.column0 + (place % columns));
    if (text) setItemAt(array, place, KIND_STRING, text);
    else setItemAt(array, place, KIND_ERROR, ERROR_NOT_AVAILABLE);
  }
  answerArray(array);
}
