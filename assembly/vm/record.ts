import {
  COLUMN_LIMIT,
  ERROR_BLOCKED,
  ERROR_NULL,
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_ERROR,
  KIND_REFERENCE,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
  ROW_LIMIT,
} from '../abi';
import {
  RECORD_AREA,
  RECORD_BYTES,
  RECORD_EXTERNAL,
  RECORD_STRUCTURED,
  REFERENCE_TRIM_LEADING,
  REFERENCE_TRIM_TRAILING,
  REFERENCE_WRAPS,
  ReferenceRecord,
} from '../formula/token';
import { spillAt, spilledColumns, spilledRows } from '../graph/spill';
import { MODEL_SHEETS, SHEET_THERE, indexOfSheet } from '../grid/model';
import { Sheet, cellPayload, onGrid, readCell } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { item, lengthOfVector } from '../memory/vector';
import { formulaColumn, formulaRow, formulaSheet, noteDynamicRead } from './context';
import { pushStructured } from './record-table';
import { trimArea } from './record-trim';
import {
  Area,
  areaCountOf,
  areaOf,
  markSpan,
  newReference,
  setArea,
  setReference,
} from './reference';
import { copySlot, kindOf, setError, setSlot, wordOf } from './slot';
import { itemKind, itemPayload, openView, viewItem } from './view';

/** The value of the one cell that record `index` names. */
export function pushCell(recordsBase: usize, index: u32, slot: usize): void {
  const record = at<ReferenceRecord>(recordsBase + <usize>index * RECORD_BYTES);
  let sheet = formulaSheet;
  if (record.sheet) {
    sheet = record.sheet;
    if (at<Sheet>(sheet).state != SHEET_THERE) return setError(slot, ERROR_REFERENCE);
  }
  const flags = <u32>record.flags;
  let row = flags & REFERENCE_ROW0_ABSOLUTE ? record.row0 : record.row0 + <i32>formulaRow;
  let column =
    flags & REFERENCE_COLUMN0_ABSOLUTE ? record.column0 : record.column0 + <i32>formulaColumn;
  if (flags & REFERENCE_WRAPS) {
    row = wrapped(row, ROW_LIMIT);
    column = wrapped(column, COLUMN_LIMIT);
  }
  if (!onGrid(row, column)) return setError(slot, ERROR_REFERENCE);
  const kind = readCell(sheet, row, column);
  setSlot(slot, kind, kind == KIND_BLANK ? 0 : cellPayload);
}

/** Record `index` as a reference. */
export function pushRecord(recordsBase: usize, index: u32, slot: usize): void {
  const record = at<ReferenceRecord>(recordsBase + <usize>index * RECORD_BYTES);
  if (record.kind == RECORD_STRUCTURED) return pushStructured(record, slot);
  if (record.kind == RECORD_EXTERNAL) return setError(slot, ERROR_BLOCKED);
  if (record.kind != RECORD_AREA) return setError(slot, ERROR_REFERENCE);
  const area = scratch(<u32>offsetof<Area>());
  if (!placeRecord(record, area)) return setError(slot, ERROR_REFERENCE);
  if (record.lastSheet) return pushSheets(record, area, slot);
  const sheet = record.sheet ? <usize>record.sheet : formulaSheet;
  if (record.sheet && at<Sheet>(sheet).state != SHEET_THERE) {
    return setError(slot, ERROR_REFERENCE);
  }
  at<Area>(area).sheet = <u32>sheet;
  const trim = <u32>record.flags & (REFERENCE_TRIM_LEADING | REFERENCE_TRIM_TRAILING);
  if (trim && !trimArea(area, trim)) return setError(slot, ERROR_REFERENCE);
  setReference(slot, area);
}

/** A line of a defined name that may be beyond the edge: it goes on at the other one, as in Excel. */
export function wrapped(line: i32, limit: i32): i32 {
  return line >= limit ? line - limit : line;
}

/**
 * Corners of a record for the formula's cell, in order; returns false when they run off the grid.
 */
function placeRecord(record: ReferenceRecord, area: usize): bool {
  const flags = <u32>record.flags;
  const down = <i32>formulaRow;
  const right = <i32>formulaColumn;
  let row0 = record.row0 + (flags & REFERENCE_ROW0_ABSOLUTE ? 0 : down);
  let row1 = record.row1 + (flags & REFERENCE_ROW1_ABSOLUTE ? 0 : down);
  let column0 = record.column0 + (flags & REFERENCE_COLUMN0_ABSOLUTE ? 0 : right);
  let column1 = record.column1 + (flags & REFERENCE_COLUMN1_ABSOLUTE ? 0 : right);
  if (flags & REFERENCE_WRAPS) {
    row0 = wrapped(row0, ROW_LIMIT);
    row1 = wrapped(row1, ROW_LIMIT);
    column0 = wrapped(column0, COLUMN_LIMIT);
    column1 = wrapped(column1, COLUMN_LIMIT);
  }
  if (!onGrid(row0, column0) || !onGrid(row1, column1)) return false;
  const top = min(row0, row1);
  const left = min(column0, column1);
  setArea(area, 0, top, left, max(row0, row1), max(column0, column1));
  return true;
}

/** `First:Last!A1`: the same area of every sheet between two tabs, in tab order. */
function pushSheets(record: ReferenceRecord, place: usize, slot: usize): void {
  const first = indexOfSheet(MODEL_SHEETS, record.sheet);
  const last = indexOfSheet(MODEL_SHEETS, record.lastSheet);
  if (max(first, last) >= lengthOfVector(MODEL_SHEETS)) return setError(slot, ERROR_REFERENCE);
  const from = min(first, last);
  const count = max(first, last) - from + 1;
  const reference = newReference(count);
  for (let index: u32 = 0; index < count; index++) {
    const area = areaOf(reference, index);
    memory.copy(area, place, offsetof<Area>());
    at<Area>(area).sheet = item(MODEL_SHEETS, from + index);
  }
  if (count > 1) markSpan(reference);
  setSlot(slot, KIND_REFERENCE, reference);
}

/** Returns the only area of a slot's reference, or 0 after making the slot an error. */
function oneArea(slot: usize): usize {
  if (kindOf(slot) == KIND_ERROR) return 0;
  if (kindOf(slot) == KIND_REFERENCE && areaCountOf(wordOf(slot)) == 1) {
    return areaOf(wordOf(slot), 0);
  }
  setError(slot, ERROR_VALUE);
  return 0;
}

/** `A1#`: the area that the array of the formula in A1 fills. */
export function pushSpilled(slot: usize): void {
  const address = oneArea(slot);
  if (!address) return;
  const anchor = at<Area>(address);
  const row = anchor.row0;
  const column = anchor.column0;
  const isCell = row == anchor.row1 && column == anchor.column1;
  // Its extent is known only once it is computed; reading it suspends if it is not.
  const kind = readCell(anchor.sheet, row, column);
  if (!isCell || !spillAt(anchor.sheet, row, column)) {
    // A blocked or failed array shows its own error.
    if (isCell && kind == KIND_ERROR) return setSlot(slot, KIND_ERROR, cellPayload);
    return setError(slot, ERROR_REFERENCE);
  }
  const area = scratch(<u32>offsetof<Area>());
  setArea(area, anchor.sheet, row, column, row + spilledRows - 1, column + spilledColumns - 1);
  setReference(slot, area);
}

/** `@x`, and a range where a legacy formula wants one value: the cell in its own row or column. */
export function intersectImplicitly(slot: usize): void {
  const kind = kindOf(slot);
  if (kind == KIND_ARRAY) {
    viewItem(openView(slot), 0, 0);
    return setSlot(slot, itemKind, itemPayload);
  }
  if (kind != KIND_REFERENCE) return;
  const address = oneArea(slot);
  if (!address) return;
  const area = at<Area>(address);
  const oneRow = area.row0 == area.row1;
  const oneColumn = area.column0 == area.column1;
  if (oneRow && oneColumn) return;
  const row = oneRow ? area.row0 : formulaRow;
  const column = oneColumn ? area.column0 : formulaColumn;
  const isInside =
    row - area.row0 <= area.row1 - area.row0 &&
    column - area.column0 <= area.column1 - area.column0;
  if ((!oneRow && !oneColumn) || !isInside) return setError(slot, ERROR_VALUE);
  const cell = scratch(<u32>offsetof<Area>());
  setArea(cell, area.sheet, row, column, row, column);
  setReference(slot, cell);
}

/** Returns whether both operands are references; else `left` gets the first error, or #VALUE!. */
function areReferences(left: usize, right: usize): bool {
  if (kindOf(left) == KIND_ERROR) return false;
  if (kindOf(right) == KIND_ERROR) {
    copySlot(left, right);
    return false;
  }
  if (kindOf(left) == KIND_REFERENCE && kindOf(right) == KIND_REFERENCE) return true;
  setError(left, ERROR_VALUE);
  return false;
}

/** `left:right`: the smallest rectangle around both. */
export function joinRange(left: usize, right: usize): void {
  if (!areReferences(left, right)) return;
  const first = oneArea(left);
  if (!first) return;
  const second = oneArea(right);
  const a = at<Area>(first);
  const b = at<Area>(second);
  if (!second || a.sheet != b.sheet) return setError(left, ERROR_VALUE);
  // The joined range holds cells that neither operand names.
  noteDynamicRead();
  const area = scratch(<u32>offsetof<Area>());
  const row0 = min(a.row0, b.row0);
  const column0 = min(a.column0, b.column0);
  setArea(area, a.sheet, row0, column0, max(a.row1, b.row1), max(a.column1, b.column1));
  setReference(left, area);
}

/** `(left, right)`: the areas of both, one after another. */
export function uniteAreas(left: usize, right: usize): void {
  if (!areReferences(left, right)) return;
  const head = areaCountOf(wordOf(left));
  const tail = areaCountOf(wordOf(right));
  const union = newReference(head + tail);
  const bytes = offsetof<Area>();
  memory.copy(areaOf(union, 0), areaOf(wordOf(left), 0), <usize>head * bytes);
  memory.copy(areaOf(union, head), areaOf(wordOf(right), 0), <usize>tail * bytes);
  setSlot(left, KIND_REFERENCE, union);
}

/** `left right`: what areas have in common; #NULL! when that is nothing. */
export function intersectAreas(left: usize, right: usize): void {
  if (!areReferences(left, right)) return;
  const lefts = areaCountOf(wordOf(left));
  const rights = areaCountOf(wordOf(right));
  const common = newReference(lefts * rights);
  let count: u32 = 0;
  for (let index: u32 = 0; index < lefts * rights; index++) {
    const a = at<Area>(areaOf(wordOf(left), index / rights));
    const b = at<Area>(areaOf(wordOf(right), index % rights));
    const row0 = max(a.row0, b.row0);
    const row1 = min(a.row1, b.row1);
    const column0 = max(a.column0, b.column0);
    const column1 = min(a.column1, b.column1);
    if (a.sheet != b.sheet || row0 > row1 || column0 > column1) continue;
    setArea(areaOf(common, count++), a.sheet, row0, column0, row1, column1);
  }
  store<u32>(common, count);
  if (count) setSlot(left, KIND_REFERENCE, common);
  else setError(left, ERROR_NULL);
}
