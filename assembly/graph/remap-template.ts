import {
  AXIS_ROWS,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
  REFERENCE_WHOLE_COLUMNS,
  REFERENCE_WHOLE_ROWS,
} from '../abi';
import { setHome } from '../formula/lexer';
import { Template, compile } from '../formula/template';
import {
  RECORD_AREA,
  RECORD_BYTES,
  RECORD_DELETED,
  RECORD_STRUCTURED,
  ReferenceRecord,
} from '../formula/token';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from '../formula/unparse';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { isRigid, lineLimit, mapLines, mapped0, mapped1 } from './line-map';

/**
 * A template after rows or columns of a sheet were inserted, deleted or moved: each reference into
 * that sheet follows its cells, and one whose cells are gone becomes #REF!.
 */

/** Sheet and axis of the edit, set once before templates are rewritten. */
let editedSheet: usize = 0;
let editedAxis: u32 = 0;

export function openTemplateMap(sheet: usize, axis: u32): void {
  editedSheet = sheet;
  editedAxis = axis;
  openUnparser();
}

/** Returns whether a reference in a formula on sheet `home` reads the edited sheet. */
export function readsEdited(record: ReferenceRecord, home: usize): bool {
  if (record.kind != RECORD_AREA || record.lastSheet) return false;
  return (record.sheet ? <usize>record.sheet : home) == editedSheet;
}

function fixed0(record: ReferenceRecord): bool {
  const bit = editedAxis == AXIS_ROWS ? REFERENCE_ROW0_ABSOLUTE : REFERENCE_COLUMN0_ABSOLUTE;
  return (record.flags & bit) != 0;
}

function fixed1(record: ReferenceRecord): bool {
  const bit = editedAxis == AXIS_ROWS ? REFERENCE_ROW1_ABSOLUTE : REFERENCE_COLUMN1_ABSOLUTE;
  return (record.flags & bit) != 0;
}

/** Returns the first line of a record for a cell at `line`, on the axis of the edit. */
export function firstLine(record: ReferenceRecord, line: i32): i32 {
  const value = editedAxis == AXIS_ROWS ? record.row0 : record.column0;
  return fixed0(record) ? value : value + line;
}

export function lastLine(record: ReferenceRecord, line: i32): i32 {
  const value = editedAxis == AXIS_ROWS ? record.row1 : record.column1;
  return fixed1(record) ? value : value + line;
}

/** Returns whether the first corner moves along with the formula's cell. */
export function isRelative0(record: ReferenceRecord): bool {
  return !fixed0(record);
}

export function isRelative1(record: ReferenceRecord): bool {
  return !fixed1(record);
}

/** Returns whether a reference spans all lines of the axis, which no edit changes. */
export function spansAxis(record: ReferenceRecord): bool {
  const bit = editedAxis == AXIS_ROWS ? REFERENCE_WHOLE_COLUMNS : REFERENCE_WHOLE_ROWS;
  return (record.flags & bit) != 0;
}

/** True when cells of the last rewritten template must be computed again. */
export let mustRecompute: bool = false;

/**
 * Returns the template as it reads at (newRow, newColumn) for a formula that was at (row, column)
 * on `home`. The literals of the cell complete the text in between.
 */
export function carryTemplate(
  address: usize,
  literals: usize,
  home: usize,
  row: i32,
  column: i32,
  newRow: i32,
  newColumn: i32,
): usize {
  const template = at<Template>(address);
  const byteCount = template.referenceCount * RECORD_BYTES;
  const copies = scratch(max(byteCount, 16));
  memory.copy(copies, template.references, byteCount);
  mustRecompute = false;
  const line = editedAxis == AXIS_ROWS ? row : column;
  const newLine = editedAxis == AXIS_ROWS ? newRow : newColumn;
  let isChanged = false;
  for (let index: u32 = 0; index < template.referenceCount; index++) {
    const record = at<ReferenceRecord>(copies + <usize>index * RECORD_BYTES);
    if (record.kind == RECORD_STRUCTURED || record.lastSheet) mustRecompute = true;
    if (readsEdited(record, home)) carryRecord(record, line, newLine);
    else stayInPlace(record, line, newLine);
  }
  isChanged = memory.compare(copies, template.references, byteCount) != 0;
  if (!isChanged) return address;
  const changed = at<Template>(scratch(offsetof<Template>()));
  memory.copy(addressOf(changed), address, offsetof<Template>());
  changed.references = <u32>copies;
  unparse(changed, literals, newRow, newColumn, false);
  setHome(newRow, newColumn);
  const carried = compile(unparsedUnits() + 2, unparsedLength() - 1, template.mode);
  return carried ? carried : address;
}

function carryRecord(record: ReferenceRecord, line: i32, newLine: i32): void {
  if (spansAxis(record)) {
    mustRecompute = true;
    return;
  }
  const first = firstLine(record, line);
  const last = lastLine(record, line);
  if (<u32>first >= lineLimit || <u32>last >= lineLimit) {
    // It reads #REF! already, and still does in any form.
    record.kind = <u16>RECORD_DELETED;
    return;
  }
  if (!mapLines(min(first, last), max(first, last))) {
    record.kind = <u16>RECORD_DELETED;
    mustRecompute = true;
    return;
  }
  if (!isRigid) mustRecompute = true;
  const keepsOrder = first <= last;
  placeRecord(record, keepsOrder ? mapped0 : mapped1, keepsOrder ? mapped1 : mapped0, newLine);
}

/** Adjusts the offsets of a reference elsewhere, because the formula's own cell moves. */
function stayInPlace(record: ReferenceRecord, line: i32, newLine: i32): void {
  if (record.kind != RECORD_AREA || line == newLine) return;
  placeRecord(record, firstLine(record, line), lastLine(record, line), newLine);
}

function placeRecord(record: ReferenceRecord, first: i32, last: i32, line: i32): void {
  const start = fixed0(record) ? first : first - line;
  const end = fixed1(record) ? last : last - line;
  if (editedAxis == AXIS_ROWS) {
    record.row0 = start;
    record.row1 = end;
  } else {
    record.column0 = start;
    record.column1 = end;
  }
}
