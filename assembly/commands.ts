import {
  COLUMN_LIMIT,
  COMMAND_BLOCK,
  COMMAND_CELL,
  COMMAND_END,
  COMMAND_FILL,
  COMMAND_MERGES,
  COMMAND_NAME_DELETE,
  COMMAND_NAME_SET,
  COMMAND_REMAP,
  COMMAND_ROWS_HIDDEN,
  COMMAND_SETTING,
  COMMAND_SHEET_ADD,
  COMMAND_SHEET_DELETE,
  COMMAND_SHEET_MOVE,
  COMMAND_SHEET_RENAME,
  COMMAND_TABLE_SET,
  INPUT_BLANK,
  INPUT_BOOLEAN,
  INPUT_ERROR,
  INPUT_FORMULA,
  INPUT_FORMULA_ARRAY,
  INPUT_FORMULA_LEGACY,
  INPUT_NUMBER,
  INPUT_SKIP,
  INPUT_STRING,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
  REMAP_DELETE_SPANS,
  ROWS_HIDDEN_BY_FILTER,
  ROW_LIMIT,
  STATUS_BAD_COMMAND,
  STATUS_OK,
} from './abi';
import { closeCarried, openCarried } from './formula/carried';
import { MODE_DYNAMIC, MODE_LEGACY, TEMPLATE_NAMES } from './formula/template';
import { propagate, propagateWithin } from './graph/dirty';
import { enterArray, enterBlank, enterFormula, enterValue } from './graph/enter';
import { defineName, refresh } from './graph/relink';
import { remap, remapSpans } from './graph/remap';
import { changeSetting } from './graph/settings';
import { deleteSheet, insertSheet, moveSheet, renameSheet } from './graph/sheets';
import { setTable } from './graph/tables';
import { hideRows, settleVisibility } from './graph/visibility';
import { disturbArea } from './graph/spill';
import { addMerge, removeMerge } from './grid/merged-areas';
import { model, sheetByKey } from './grid/model';
import { internUnits, textFrom } from './memory/text';
import { SMALLEST_NUMBER } from './vm/slot';

/** Reads a buffer of commands (formats in abi.ts) and applies them in order. */
let place: usize = 0;
let end: usize = 0;
let isBad: bool = false;

export function applyCommands(start: usize, byteCount: u32, markSteps: u32): u32 {
  propagate();
  place = start;
  end = start + byteCount;
  isBad = false;
  while (place < end && !isBad) {
    const command = word();
    if (command == COMMAND_END) break;
    applyCommand(command);
  }
  settleVisibility();
  model().steps = propagateWithin(markSteps);
  model().wasEdited = 1;
  return isBad ? STATUS_BAD_COMMAND : STATUS_OK;
}

function applyCommand(command: u32): void {
  switch (command) {
    case COMMAND_CELL:
      return applyCell();
    case COMMAND_FILL:
      return applyFill();
    case COMMAND_BLOCK:
      return applyBlock();
    case COMMAND_REMAP:
      return applyRemap();
    case COMMAND_ROWS_HIDDEN:
      return applyRowsHidden();
    case COMMAND_MERGES:
      return applyMerges();
    case COMMAND_SHEET_ADD:
      return applySheetAdd();
    case COMMAND_SHEET_DELETE:
    case COMMAND_SHEET_RENAME:
    case COMMAND_SHEET_MOVE:
      return applySheet(command);
    case COMMAND_NAME_SET:
    case COMMAND_NAME_DELETE:
      return applyName(command);
    case COMMAND_TABLE_SET:
      return applyTable();
    case COMMAND_SETTING:
      return applySetting();
    default:
      isBad = true;
  }
}

function word(): u32 {
  if (place + 4 > end) {
    isBad = true;
    return 0;
  }
  const value = load<u32>(place);
  place += 4;
  return value;
}

/** Address of the last string that was read. */
let units: usize = 0;
let unitCount: u32 = 0;

function string(): void {
  unitCount = word();
  units = place;
  const bytes = (<u64>unitCount * 2 + 3) & ~3;
  if (place + bytes > <u64>end) {
    isBad = true;
    unitCount = 0;
    return;
  }
  place += <usize>bytes;
}

/** Returns the sheet with the next key; an unknown key makes the buffer invalid. */
function sheet(): usize {
  const found = sheetByKey(word());
  if (!found) isBad = true;
  return found;
}

function applyCell(): void {
  const target = sheet();
  const row = word();
  const column = word();
  if (row >= <u32>ROW_LIMIT || column >= <u32>COLUMN_LIMIT) isBad = true;
  if (!isBad) applyInput(target, row, column, 1, 1);
}

function leavesGrid(from: u32, count: u32, limit: u32): bool {
  return <u64>from + count > limit;
}

function applyFill(): void {
  const target = sheet();
  const row = word();
  const column = word();
  const rows = word();
  const columns = word();
  if (leavesGrid(row, rows, ROW_LIMIT) || leavesGrid(column, columns, COLUMN_LIMIT)) isBad = true;
  if (!isBad && rows && columns) applyInput(target, row, column, rows, columns);
}

function applyBlock(): void {
  const target = sheet();
  const row = word();
  const column = word();
  const rows = word();
  const columns = word();
  if (leavesGrid(row, rows, ROW_LIMIT) || leavesGrid(column, columns, COLUMN_LIMIT)) isBad = true;
  if (isBad) return;
  openCarried(column, rows > 1 ? columns : 0);
  for (let index: u32 = 0; index < rows && !isBad; index++) {
    for (let offset: u32 = 0; offset < columns && !isBad; offset++) {
      applyInput(target, row + index, column + offset, 1, 1);
    }
  }
  closeCarried();
}

function applyInput(target: usize, row: u32, column: u32, rows: u32, columns: u32): void {
  const kind = word();
  switch (kind) {
    case INPUT_SKIP:
      return;
    case INPUT_BLANK:
      for (let offset: u32 = 0; offset < columns; offset++) {
        enterBlank(target, row, row + rows - 1, column + offset);
      }
      return;
    case INPUT_NUMBER: {
      const low = <u64>word();
      const payload = low | ((<u64>word()) << 32);
      return spread(target, row, column, rows, columns, KIND_NUMBER, enteredNumber(payload));
    }
    case INPUT_BOOLEAN:
      return spread(target, row, column, rows, columns, KIND_BOOLEAN, word());
    case INPUT_ERROR:
      return spread(target, row, column, rows, columns, KIND_ERROR, word());
    case INPUT_STRING:
      string();
      return spread(target, row, column, rows, columns, KIND_STRING, 0);
    case INPUT_FORMULA:
    case INPUT_FORMULA_LEGACY:
      string();
      if (isBad || !unitCount) return;
      enterFormula(
        target,
        row,
        column,
        rows,
        columns,
        kind == INPUT_FORMULA ? MODE_DYNAMIC : MODE_LEGACY,
        units + 2,
        unitCount - 1,
      );
      return;
    case INPUT_FORMULA_ARRAY:
      return applyArray(target, row, column);
    default:
      isBad = true;
  }
}

/** The number that a cell holds of the one entered: minus zero and denormals are zero in cells. */
function enteredNumber(payload: u64): u64 {
  return abs(reinterpret<f64>(payload)) < SMALLEST_NUMBER ? 0 : payload;
}

function spread(
  target: usize,
  row: u32,
  column: u32,
  rows: u32,
  columns: u32,
  kind: u32,
  payload: u64,
): void {
  for (let offset: u32 = 0; offset < columns; offset++) {
    for (let index: u32 = 0; index < rows; index++) {
      if (isBad) return;
      const value = kind == KIND_STRING ? <u64>internUnits(units, unitCount) : payload;
      enterValue(target, row + index, column + offset, kind, value);
    }
  }
}

function applyArray(target: usize, row: u32, column: u32): void {
  string();
  const row0 = word();
  const column0 = word();
  const row1 = word();
  const column1 = word();
  if (row0 != row || column0 != column || row1 < row0 || column1 < column0) isBad = true;
  if (row1 >= <u32>ROW_LIMIT || column1 >= <u32>COLUMN_LIMIT || !unitCount) isBad = true;
  if (isBad) return;
  enterArray(target, row, column, row1 - row0 + 1, column1 - column0 + 1, units + 2, unitCount - 1);
}

function applyRemap(): void {
  const axis = word();
  const target = sheet();
  const operation = word();
  if (operation == REMAP_DELETE_SPANS) return applySpans(target, axis);
  const from = word();
  const count = word();
  const before = word();
  if (!isBad && count) remap(target, axis, operation, from, count, before);
}

/** Applies spans, which stay in the buffer. */
function applySpans(target: usize, axis: u32): void {
  const count = word();
  const spans = place;
  const bytes = (<u64>count) << 3;
  if (isBad || place + bytes > <u64>end) {
    isBad = true;
    return;
  }
  place += <usize>bytes;
  let next: u32 = 0;
  for (let index: u32 = 0; index < count && !isBad; index++) {
    const from = load<u32>(spans + ((<usize>index) << 3));
    const length = load<u32>(spans + ((<usize>index) << 3), 4);
    isBad = from < next || from > <u32>ROW_LIMIT || length > <u32>ROW_LIMIT - from;
    next = from + length;
  }
  if (!isBad && count) remapSpans(target, axis, spans, count);
}

function applyRowsHidden(): void {
  const target = sheet();
  const from = word();
  const count = word();
  const visibility = word();
  if (leavesGrid(from, count, ROW_LIMIT) || visibility > <u32>ROWS_HIDDEN_BY_FILTER) isBad = true;
  if (!isBad) hideRows(target, from, count, visibility);
}

/** Applies merged areas: first those that are removed, then those that are added. */
function applyMerges(): void {
  const target = sheet();
  for (let isAdded: u32 = 0; isAdded < 2 && !isBad; isAdded++) {
    const count = word();
    for (let index: u32 = 0; index < count && !isBad; index++) applyMerge(target, isAdded != 0);
  }
}

function applyMerge(target: usize, isAdded: bool): void {
  const row0 = word();
  const column0 = word();
  const row1 = word();
  const column1 = word();
  if (row1 < row0 || column1 < column0) isBad = true;
  if (row1 >= <u32>ROW_LIMIT || column1 >= <u32>COLUMN_LIMIT) isBad = true;
  if (isBad) return;
  if (isAdded) addMerge(target, row0, row1, column0, column1);
  else removeMerge(target, row0, row1, column0, column1);
  disturbArea(target, row0, column0, row1, column1);
}

function applySheetAdd(): void {
  const key = word();
  const index = word();
  string();
  if (!isBad) insertSheet(key, textFrom(units, unitCount), index);
}

function applySheet(command: u32): void {
  const target = sheet();
  if (isBad) return;
  if (command == COMMAND_SHEET_DELETE) return deleteSheet(target);
  if (command == COMMAND_SHEET_MOVE) return moveSheet(target, word());
  string();
  if (!isBad) renameSheet(target, textFrom(units, unitCount));
}

/** Returns the sheet with the next key, or 0 for the workbook (key 0). */
function scope(): usize {
  const key = word();
  if (!key) return 0;
  const found = sheetByKey(key);
  if (!found) isBad = true;
  return found;
}

function applyName(command: u32): void {
  const within = scope();
  string();
  if (isBad) return;
  const name = textFrom(units, unitCount);
  if (command == COMMAND_NAME_DELETE) {
    defineName(name, within, 0, 0);
    return refresh(TEMPLATE_NAMES);
  }
  string();
  if (isBad) return;
  // A definition that is no formula makes the name unknown.
  if (!unitCount || !defineName(name, within, units + 2, unitCount - 1)) {
    defineName(name, within, 0, 0);
  }
  refresh(TEMPLATE_NAMES);
}

function applyTable(): void {
  string();
  const name = textFrom(units, unitCount);
  const target = sheet();
  const row = word();
  const column = word();
  const rows = word();
  const columns = word();
  const flags = word();
  if (isBad || columns > <u32>COLUMN_LIMIT) {
    isBad = true;
    return;
  }
  const table = setTable(name, target, row, column, rows, columns, flags);
  for (let index: u32 = 0; index < columns; index++) {
    string();
    if (isBad) return;
    store<u32>(table + ((<usize>index) << 2), <u32>internUnits(units, unitCount));
  }
}

function applySetting(): void {
  const setting = word();
  if (place + 8 > end) isBad = true;
  if (isBad) return;
  isBad = !changeSetting(setting, load<f64>(place));
  place += 8;
}
