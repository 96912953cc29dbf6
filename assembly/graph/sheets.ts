import { ROW_LIMIT } from '../abi';
import { TEMPLATE_NAMES, TEMPLATE_PLACE, TEMPLATE_SPAN } from '../formula/template';
import { MODEL_SHEETS, SHEET_DELETED, addSheet, indexOfSheet, missingSheet } from '../grid/model';
import {
  COLUMN_RUNS,
  SHEET_COLUMNS,
  SHEET_MERGES,
  SHEET_SPILLS,
  Sheet,
  columnAt,
} from '../grid/sheet';
import { release } from '../memory/arena';
import { at } from '../memory/pointer';
import { dropText, internText } from '../memory/text';
import { freeVector, insertItem, item, lengthOfVector, removeItems } from '../memory/vector';
import { propagate, touch } from './dirty';
import { refresh, relinkAwaiting } from './relink';
import { freeColumn } from './remap-cells';
import { killRun } from './run';
import { Spill } from './spill';
import { forgetVisibility } from './visibility';
import { WatchEntry, WatchList, nextEntry, openWalk } from './watch-list';
import { unlistSheet } from './watch-reset';

/** Adds a sheet; formulas that named it before refer to it from now on. */
export function insertSheet(key: u32, name: usize, index: u32): void {
  const sheet = addSheet(key, name, index);
  touchReaders(sheet);
  propagate();
  refresh(TEMPLATE_SPAN | TEMPLATE_PLACE | TEMPLATE_NAMES);
}

/** Marks everything that reads the sheet as pending. */
function touchReaders(sheet: usize): void {
  const record = at<Sheet>(sheet);
  for (let column: u32 = 0; column < record.watchersLength; column++) {
    if (load<u32>(<usize>record.watchers + ((<usize>column) << 2))) {
      touch(sheet, column, 0, ROW_LIMIT - 1);
    }
  }
  if (!record.wideWatchers) return;
  openWalk(at<WatchList>(record.wideWatchers), 0, ROW_LIMIT - 1);
  for (let place = nextEntry(); place; place = nextEntry()) {
    const entry = at<WatchEntry>(place);
    touch(sheet, entry.column0, entry.row0, entry.row1);
  }
}

/** Deletes a sheet; references to it are #REF! from now on. */
export function deleteSheet(sheet: usize): void {
  touchReaders(sheet);
  propagate();
  const record = at<Sheet>(sheet);
  for (let number: u32 = 0; number < record.columnsLength; number++) {
    const column = columnAt(sheet, number);
    if (!column) continue;
    const runs = column + COLUMN_RUNS;
    for (let index: u32 = 0; index < lengthOfVector(runs); index++) killRun(item(runs, index));
    freeColumn(column);
  }
  freeVector(sheet + SHEET_COLUMNS);
  for (let index: u32 = 0; index < lengthOfVector(sheet + SHEET_SPILLS); index++) {
    release(item(sheet + SHEET_SPILLS, index), offsetof<Spill>());
  }
  freeVector(sheet + SHEET_SPILLS);
  freeVector(sheet + SHEET_MERGES);
  forgetVisibility(sheet);
  unlistSheet(sheet);
  record.state = SHEET_DELETED;
  removeItems(MODEL_SHEETS, indexOfSheet(MODEL_SHEETS, sheet), 1);
  refresh(TEMPLATE_SPAN | TEMPLATE_PLACE | TEMPLATE_NAMES);
}

/** Renames a sheet; formulas that named a missing sheet of the new name refer to this one. */
export function renameSheet(sheet: usize, name: usize): void {
  dropText(at<Sheet>(sheet).name);
  at<Sheet>(sheet).name = <u32>internText(name);
  const missing = missingSheet(name);
  if (missing) relinkAwaiting(missing);
  refresh(missing ? TEMPLATE_PLACE | TEMPLATE_NAMES : TEMPLATE_PLACE);
}

export function moveSheet(sheet: usize, index: u32): void {
  removeItems(MODEL_SHEETS, indexOfSheet(MODEL_SHEETS, sheet), 1);
  insertItem(MODEL_SHEETS, min(index, lengthOfVector(MODEL_SHEETS)), <u32>sheet);
  refresh(TEMPLATE_SPAN | TEMPLATE_PLACE);
}
