import {
  CELL_FORMULA,
  CELL_PENDING,
  CELL_SPILLED,
  CHUNK_ROWS,
  KIND_BLANK,
  KIND_MASK,
  KIND_STRING,
} from '../abi';
import { carriedConstants, carriedTemplate, findCarried, keepCarried } from '../formula/carried';
import { setHome } from '../formula/lexer';
import {
  MODE_ARRAY,
  Template,
  compileAnyway,
  dropConstants,
  dropTemplate,
  holdTemplate,
  keepConstants,
} from '../formula/template';
import {
  Chunk,
  Column,
  Sheet,
  columnAt,
  columnRows,
  ensureChunk,
  ensureColumn,
  keepFormer,
  tagAt,
  writeCell,
} from '../grid/sheet';
import { at } from '../memory/pointer';
import { dropText } from '../memory/text';
import { touch } from './dirty';
import { Run, cutRuns, placeRun, queueRows } from './run';
import { disturbSpills, fixArea, removeSpills } from './spill';

/** Enters values and formulas into cells, one or a rectangle at a time. */

/** Removes the formulas and arrays in rows of a column. */
function vacate(column: usize, row0: u32, row1: u32): void {
  const record = at<Column>(column);
  if (record.runsLength) cutRuns(column, row0, row1);
  if (at<Sheet>(record.sheet).spillsLength) {
    removeSpills(record.sheet, record.number, row0, row1);
    disturbSpills(record.sheet, record.number, row0, row1);
  }
}

/** Writes one value. The caller holds a text once for the cell. */
export function enterValue(sheet: usize, row: u32, column: u32, kind: u32, payload: u64): void {
  if (kind == KIND_BLANK) return enterBlank(sheet, row, row, column);
  const record = ensureColumn(sheet, column);
  const tag = tagAt(sheet, row, column);
  if (tag & CELL_FORMULA || at<Sheet>(sheet).spillsLength) vacate(record, row, row);
  writeCell(record, row, kind, payload);
  touch(sheet, column, row, row);
}

/** Blanks rows of a column. */
export function enterBlank(sheet: usize, row0: u32, row1: u32, column: u32): void {
  const record = columnAt(sheet, column);
  if (!record) return;
  vacate(record, row0, row1);
  const rows = columnRows(record);
  if (row0 >= rows) return;
  const end = min(row1 + 1, rows);
  for (let row = row0; row < end; row++) {
    const tag = tagAt(sheet, row, column);
    // Cells spilled from an array formula elsewhere stay; that formula is computed again.
    if (tag && !(tag & CELL_SPILLED)) writeCell(record, row, KIND_BLANK, 0);
  }
  touch(sheet, column, row0, end - 1);
}

/**
 * Enters a formula (units without `=`) into a rectangle, relative to its first cell. A text that is
 * no formula, which admission would refuse, is kept and gives #NAME?.
 */
export function enterFormula(
  sheet: usize,
  row: u32,
  column: u32,
  rows: u32,
  columns: u32,
  mode: u32,
  units: usize,
  length: u32,
): usize {
  const isCell = rows == 1 && columns == 1;
  if (isCell && findCarried(row, column, mode, units, length)) {
    return placeFormula(sheet, row, row, column, carriedTemplate, carriedConstants);
  }
  setHome(row, column);
  const template = compileAnyway(units, length, mode);
  // The template is held meanwhile, because removing the old formulas may drop its last holder.
  holdTemplate(template);
  const constants = keepConstants();
  let last: usize = 0;
  for (let offset: u32 = 0; offset < columns; offset++) {
    last = placeFormula(sheet, row, row + rows - 1, column + offset, template, constants);
  }
  if (isCell && keepCarried(row, column, mode, units, length, template, constants)) return last;
  dropConstants(constants, at<Template>(template).constantCount);
  dropTemplate(template);
  return last;
}

function placeFormula(
  sheet: usize,
  row0: u32,
  row1: u32,
  column: u32,
  template: usize,
  constants: usize,
): usize {
  const record = ensureColumn(sheet, column);
  vacate(record, row0, row1);
  const run = placeRun(record, row0, row1, template, constants);
  stamp(record, row0, row1);
  queueRows(run, row0, row1);
  touch(sheet, column, row0, row1);
  return run;
}

/** Marks rows as pending formulas. */
function stamp(column: usize, row0: u32, row1: u32): void {
  const isWatched = at<Column>(column).former != 0;
  let row = row0;
  while (row <= row1) {
    const end = min(row1, row | (CHUNK_ROWS - 1));
    const chunk = at<Chunk>(ensureChunk(column, end));
    for (; row <= end; row++) {
      const offset = row & (CHUNK_ROWS - 1);
      const tagPlace = <usize>chunk.tags + offset;
      const valuePlace = <usize>chunk.values + ((<usize>offset) << 3);
      const old = load<u8>(tagPlace);
      if (isWatched) keepFormer(column, row, old, load<u64>(valuePlace));
      if (old == 0) chunk.count++;
      else if ((old & KIND_MASK) == KIND_STRING) dropText(<usize>load<u64>(valuePlace));
      store<u8>(tagPlace, CELL_FORMULA | CELL_PENDING);
      store<u64>(valuePlace, 0);
    }
  }
}

/** Enters a legacy array formula over its fixed area. */
export function enterArray(
  sheet: usize,
  row: u32,
  column: u32,
  rows: u32,
  columns: u32,
  units: usize,
  length: u32,
): void {
  for (let offset: u32 = 0; offset < columns; offset++) {
    enterBlank(sheet, row, row + rows - 1, column + offset);
  }
  const address = enterFormula(sheet, row, column, 1, 1, MODE_ARRAY, units, length);
  at<Run>(address).areaRows = rows;
  at<Run>(address).areaColumns = columns;
  fixArea(sheet, row, column, rows, columns);
}
