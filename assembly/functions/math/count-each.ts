import { KIND_ERROR, KIND_NUMBER, KIND_STRING } from '../../abi';
import { cellPayload, columnAt, readColumn, suspended } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { areFiled } from '../../indexes/key-rows';
import { kindsOfRows } from '../../indexes/row-kinds';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { isEquality, openCriterion } from '../../values/criteria';
import { newArray, itemKindOf, itemPayloadOf, setItemAt, setItemNumber } from '../../vm/array';
import { answerArray, argument, clearFailure, decline, failure } from '../../vm/call';
import { burn } from '../../vm/cell-fuel';
import { columnArea } from '../../vm/column-reader';
import { Area, usedAreaRows } from '../../vm/reference';
import { SLOT_BYTES, kindOf, setSlot, wordOf } from '../../vm/slot';
import { alikeTo, firstOf, tallyRows } from '../shared/alike-rows';
import { countMeeting } from './conditional';

/** Rows from which it pays. */
const ROWS_LEAST: u32 = 48;

/**
 * COUNTIF(range, range), where both are one column: how often each of its items is there. Items
 * that are alike are counted once, so n rows take n steps. Declines other arguments.
 */
export function countEach(): void {
  const address = columnArea(argument(0));
  const other = columnArea(argument(1));
  if (!address || !other) return decline();
  if (memory.compare(address, other, offsetof<Area>()) != 0) return decline();
  const area = at<Area>(address);
  const rows = area.row1 - area.row0 + 1;
  const column = columnAt(area.sheet, area.column0);
  if (!column || rows < ROWS_LEAST || usedAreaRows(address) != rows) return decline();
  const index = indexOf(column);
  if (!areFiled(index, area.row0, area.row0 + rows) || !burn(rows)) return decline();
  const kinds = kindsOfRows(index, area.row0, area.row0 + rows);
  hasTexts = ((kinds >> KIND_STRING) & 1) != 0;
  tallyRows(index, area.row0, rows);
  answerCounts(address, column);
}

let hasTexts: bool = false;

function answerCounts(address: usize, column: usize): void {
  const row0 = at<Area>(address).row0;
  const rows = at<Area>(address).row1 - row0 + 1;
  const array = newArray(rows, 1);
  const item = scratch(<u32>SLOT_BYTES);
  for (let row: u32 = 0; row < rows && !suspended; row++) {
    const first = firstOf(row);
    if (first < row) {
      setItemAt(array, row, itemKindOf(array, first), itemPayloadOf(array, first));
      continue;
    }
    const kind = readColumn(column, row0 + row);
    setSlot(item, kind, kind ? cellPayload : 0);
    if (meetsAlike(item)) {
      setItemNumber(array, row, alikeTo(row));
      continue;
    }
    setItemNumber(array, row, countMeeting(address, item));
    if (failure >= 0) setItemAt(array, row, KIND_ERROR, <u64>failure);
    clearFailure();
  }
  answerArray(array);
}

/** Returns whether cells meet an item as a criterion if they are alike, and only then. */
function meetsAlike(item: usize): bool {
  const kind = kindOf(item);
  if (kind == KIND_NUMBER) return !hasTexts;
  if (kind != KIND_STRING) return false;
  const criterion = openCriterion(item);
  const isPlain = failure < 0 && criterion.kind == KIND_STRING && isEquality(criterion);
  clearFailure();
  return isPlain && criterion.word == wordOf(item);
}
