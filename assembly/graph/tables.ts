import { TEMPLATE_NAMES, TEMPLATE_TABLES } from '../formula/template';
import { MODEL_TABLES } from '../grid/model';
import { Table, findTable } from '../grid/name';
import { allocate, allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { dropText, emptyText, internText } from '../memory/text';
import { push } from '../memory/vector';
import { refresh } from './relink';

/**
 * Declares a table, or gives the one with this name another place and columns. The answer is the
 * list of its column names, to be filled with interned texts.
 */
export function setTable(
  name: usize,
  sheet: usize,
  row: u32,
  column: u32,
  rows: u32,
  columns: u32,
  flags: u32,
): usize {
  let address = findTable(name);
  if (!address) {
    address = allocateZeroed(offsetof<Table>());
    at<Table>(address).name = <u32>internText(name);
    push(MODEL_TABLES, <u32>address);
  }
  const table = at<Table>(address);
  for (let index: u32 = 0; index < table.columns; index++) {
    dropText(load<u32>(<usize>table.columnNames + ((<usize>index) << 2)));
  }
  if (table.columns) release(table.columnNames, table.columns << 2);
  table.sheet = <u32>sheet;
  table.row = row;
  table.column = column;
  table.rows = rows;
  table.columns = columns;
  table.flags = flags;
  table.columnNames = <u32>allocate(max(columns, 1) << 2);
  for (let index: u32 = 0; index < columns; index++) {
    store<u32>(<usize>table.columnNames + ((<usize>index) << 2), <u32>internText(emptyText()));
  }
  refresh(TEMPLATE_TABLES | TEMPLATE_NAMES);
  return table.columnNames;
}
