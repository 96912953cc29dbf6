import { ERROR_REFERENCE, ERROR_VALUE } from '../abi';
import {
  ReferenceRecord,
  TABLE_ALL,
  TABLE_DATA,
  TABLE_HEADERS,
  TABLE_THIS_ROW,
  TABLE_TOTALS,
} from '../formula/token';
import { Table, findTable, tableAround, tableColumn } from '../grid/name';
import { at } from '../memory/pointer';
import { TEXT_HEADER, lengthOf, textFrom, unit } from '../memory/text';
import { scratch } from '../memory/scratch';
import { formulaColumn, formulaRow, formulaSheet } from './context';
import { Area, setArea, setReference } from './reference';
import { setError } from './slot';

const HAS_HEADER: u32 = 1;
const HAS_TOTALS: u32 = 2;

/** Rows of the table that the parts name, as one span; first is above last when there are none. */
let firstRow: u32 = 0;
let lastRow: u32 = 0;

/** A structured reference, resolved against where its table is now. */
export function pushStructured(record: ReferenceRecord, slot: usize): void {
  const address: usize = record.table
    ? findTable(record.table)
    : tableAround(formulaSheet, formulaRow, formulaColumn);
  if (!address) return setError(slot, ERROR_REFERENCE);
  const table = at<Table>(address);
  let first: i32 = 0;
  let last = <i32>table.columns - 1;
  if (record.columnName0) {
    first = columnNumber(address, record.columnName0);
    last = record.columnName1 ? columnNumber(address, record.columnName1) : first;
    if (first < 0 || last < 0) return setError(slot, ERROR_REFERENCE);
  }
  if (record.parts & TABLE_THIS_ROW) {
    spanOf(table, TABLE_DATA);
    // The formula's row must be one of the data's, wherever the formula's column is.
    if (formulaRow < firstRow || formulaRow > lastRow) return setError(slot, ERROR_VALUE);
    firstRow = formulaRow;
    lastRow = formulaRow;
  } else spanOf(table, record.parts);
  setColumns(table, min(first, last), max(first, last), slot);
}

/** Number of a column by name, or -1; files keep blanks behind a name in formulas alone. */
function columnNumber(table: usize, name: usize): i32 {
  const found = tableColumn(table, name);
  let length = lengthOf(name);
  if (found >= 0 || !length || unit(name, length - 1) != 32) return found;
  while (length && unit(name, length - 1) == 32) length--;
  return tableColumn(table, textFrom(name + TEXT_HEADER, length));
}

/** Parts of a table over all its columns. */
export function pushTablePart(address: usize, parts: u32, slot: usize): void {
  const table = at<Table>(address);
  spanOf(table, parts);
  setColumns(table, 0, table.columns - 1, slot);
}

/** The columns from first to last of the rows that spanOf found. */
function setColumns(table: Table, first: u32, last: u32, slot: usize): void {
  if (firstRow > lastRow) return setError(slot, ERROR_REFERENCE);
  const area = scratch(<u32>offsetof<Area>());
  setArea(area, table.sheet, firstRow, table.column + first, lastRow, table.column + last);
  setReference(slot, area);
}

/** Headers, data and totals lie under each other, so parts named together make one span. */
function spanOf(table: Table, parts: u32): void {
  const end = table.row + table.rows;
  const dataRow = table.row + (table.flags & HAS_HEADER ? 1 : 0);
  const dataEnd = end - (table.flags & HAS_TOTALS ? 1 : 0);
  firstRow = u32.MAX_VALUE;
  lastRow = 0;
  if (parts & TABLE_ALL) widen(table.row, end);
  if (parts == 0 || parts & TABLE_DATA) widen(dataRow, dataEnd);
  if (parts & TABLE_HEADERS) widen(table.row, dataRow);
  if (parts & TABLE_TOTALS) widen(dataEnd, end);
}

function widen(from: u32, end: u32): void {
  if (from >= end) return;
  firstRow = min(firstRow, from);
  lastRow = max(lastRow, end - 1);
}
