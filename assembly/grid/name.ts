import { allocateZeroed } from '../memory/arena';
import { at } from '../memory/pointer';
import { equalTexts, internText } from '../memory/text';
import { item, lengthOfVector, push } from '../memory/vector';
import { MODEL_NAMES, MODEL_TABLES } from './model';

/** A defined name. Formulas hold its address; one that is not defined (yet) has no template. */
@unmanaged
export class Name {
  /** Interned. */
  text: u32 = 0;
  /** Sheet of its scope, or 0 for the workbook. */
  scope: u32 = 0;
  /** Template of its formula, compiled for cell A1 of its scope (or of any sheet), or 0. */
  template: u32 = 0;
  /** Its constants: slots in the order of the template. */
  constants: u32 = 0;
  /** Of a workbook's name: how many sheets have (or had) one of their own. */
  scopedCount: u32 = 0;
}

/**
 * What a name means on a sheet: the sheet's own definition before the workbook's. Formulas hold the
 * workbook's record, so that a definition may come and go without them being compiled again.
 */
export function resolveName(address: usize, sheet: usize): usize {
  const name = at<Name>(address);
  const wanted: usize = name.scope ? 0 : sheet;
  if (name.scope ? name.template != 0 : name.scopedCount == 0) return address;
  const count = lengthOfVector(MODEL_NAMES);
  for (let index: u32 = 0; index < count; index++) {
    const other = item(MODEL_NAMES, index);
    const candidate = at<Name>(other);
    if (candidate.scope != <u32>wanted || !candidate.template) continue;
    if (equalTexts(candidate.text, name.text)) return other;
  }
  return address;
}

/** The name as a formula on `sheet` sees it, or 0. */
export function findName(text: usize, sheet: usize): usize {
  const count = lengthOfVector(MODEL_NAMES);
  let found: usize = 0;
  for (let index: u32 = 0; index < count; index++) {
    const address = <usize>item(MODEL_NAMES, index);
    const name = at<Name>(address);
    if (!name.template || !equalTexts(name.text, text)) continue;
    if (name.scope == <u32>sheet) return address;
    if (!name.scope) found = address;
  }
  return found;
}

/** The name with exactly this scope, made if needed. */
export function ensureName(text: usize, scope: usize): usize {
  const count = lengthOfVector(MODEL_NAMES);
  for (let index: u32 = 0; index < count; index++) {
    const address = <usize>item(MODEL_NAMES, index);
    const name = at<Name>(address);
    if (name.scope == <u32>scope && equalTexts(name.text, text)) return address;
  }
  const address = allocateZeroed(offsetof<Name>());
  at<Name>(address).text = <u32>internText(text);
  at<Name>(address).scope = <u32>scope;
  push(MODEL_NAMES, <u32>address);
  if (scope) at<Name>(ensureName(text, 0)).scopedCount++;
  return address;
}

/** A table, so that structured references find its place. */
@unmanaged
export class Table {
  name: u32 = 0;
  sheet: u32 = 0;
  row: u32 = 0;
  column: u32 = 0;
  rows: u32 = 0;
  columns: u32 = 0;
  /** Bit 0: has a header row, bit 1: has a totals row. */
  flags: u32 = 0;
  /** Array of interned column names. */
  columnNames: u32 = 0;
}

export function findTable(text: usize): usize {
  const count = lengthOfVector(MODEL_TABLES);
  for (let index: u32 = 0; index < count; index++) {
    const table = <usize>item(MODEL_TABLES, index);
    if (equalTexts(at<Table>(table).name, text)) return table;
  }
  return 0;
}

/** The table that covers a cell, for `[@Column]` written inside it; or 0. */
export function tableAround(sheet: usize, row: u32, column: u32): usize {
  const count = lengthOfVector(MODEL_TABLES);
  for (let index: u32 = 0; index < count; index++) {
    const address = <usize>item(MODEL_TABLES, index);
    const table = at<Table>(address);
    if (table.sheet != <u32>sheet) continue;
    if (row - table.row < table.rows && column - table.column < table.columns) return address;
  }
  return 0;
}

/** Number of a column by name, or -1. */
export function tableColumn(table: usize, name: usize): i32 {
  const record = at<Table>(table);
  for (let index: u32 = 0; index < record.columns; index++) {
    const text = load<u32>(<usize>record.columnNames + ((<usize>index) << 2));
    if (equalTexts(text, name)) return <i32>index;
  }
  return -1;
}
