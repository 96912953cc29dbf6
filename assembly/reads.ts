import {
  CELL_ANCHOR,
  CELL_FORMULA,
  CELL_SPILLED,
  COLUMN_LIMIT,
  KIND_BLANK,
  KIND_MASK,
  KIND_STRING,
  LENS_INPUT,
  LENS_VALUE,
  ROW_LIMIT,
  STATUS_BAD_COMMAND,
  STATUS_OK,
} from './abi';
import { bytesIn, extend, newBuffer, pushWord, startOf, wordAt } from './formula/buffer';
import { TEMPLATE_UNREAD, Template } from './formula/template';
import { openUnparser, unparse, unparsedLength, unparsedUnits } from './formula/unparse';
import { Run, constantsAt, runAt } from './graph/run';
import { SPILL_BLOCKED, SPILL_FIXED, Spill, spillOf } from './graph/spill';
import { MODEL_SHEETS, sheetByKey } from './grid/model';
import { Chunk, Column, Sheet, chunkAt, columnAt, usedRows } from './grid/sheet';
import { at } from './memory/pointer';
import { scratch } from './memory/scratch';
import { lengthOf, textFrom } from './memory/text';
import { item, lengthOfVector } from './memory/vector';
import { columnsOf, rowsOf } from './vm/array';
import { shownItem, shownKind, shownPayload } from './graph/spill-write';

/** Address and number of entries (or units) of the last result for the host. */
export let resultStart: usize = 0;
export let resultCount: u32 = 0;

export function setResult(start: usize, count: u32): void {
  resultStart = start;
  resultCount = count;
}

const ENTRY_BYTES: u32 = 16;
const VALUE_BYTES: u32 = 32;

/** Cells of a rectangle, row by row: payload, kind, flags. */
export function readCells(
  key: u32,
  row0: u32,
  column0: u32,
  row1: u32,
  column1: u32,
  lens: u32,
): u32 {
  const sheet = sheetByKey(key);
  const isOff =
    row1 >= <u32>ROW_LIMIT || column1 >= <u32>COLUMN_LIMIT || row0 > row1 || column0 > column1;
  if (!sheet || isOff) return STATUS_BAD_COMMAND;
  const columns = column1 - column0 + 1;
  const count = (row1 - row0 + 1) * columns;
  const start = scratch(count * ENTRY_BYTES);
  memory.fill(start, 0, <usize>count * ENTRY_BYTES);
  setResult(start, count);
  if (lens != LENS_VALUE) openUnparser();
  for (let column = column0; column <= column1; column++) {
    const record = columnAt(sheet, column);
    if (!record) continue;
    let entry = start + <usize>(column - column0) * ENTRY_BYTES;
    for (let row = row0; row <= row1; row++) {
      readInto(entry, record, row, lens);
      entry += <usize>columns * ENTRY_BYTES;
    }
  }
  return STATUS_OK;
}

function readInto(entry: usize, column: usize, row: u32, lens: u32): void {
  const address = chunkAt(column, row >> 10);
  if (!address) return;
  const chunk = at<Chunk>(address);
  const offset = row & 1023;
  if (offset >= chunk.capacity) return;
  const tag = <u32>load<u8>(<usize>chunk.tags + offset);
  if (lens == LENS_INPUT && tag & CELL_SPILLED) return;
  const flags = tag & (CELL_FORMULA | CELL_SPILLED | CELL_ANCHOR);
  store<u32>(entry, flags, 12);
  if (lens != LENS_VALUE && tag & CELL_FORMULA) {
    store<u32>(entry, <u32>formulaText(column, row));
    store<u32>(entry, KIND_STRING, 8);
    return;
  }
  store<u64>(entry, load<u64>(<usize>chunk.values + ((<usize>offset) << 3)));
  store<u32>(entry, tag & KIND_MASK, 8);
}

/**
 * Returns an array as entries, row by row; items that a cell cannot hold are what it would show.
 */
export function entriesOf(array: usize): usize {
  const count = rowsOf(array) * columnsOf(array);
  const start = scratch(count * ENTRY_BYTES);
  for (let index: u32 = 0; index < count; index++) {
    const entry = start + <usize>index * ENTRY_BYTES;
    shownItem(array, index);
    store<u64>(entry, shownPayload);
    store<u32>(entry, shownKind, 8);
    store<u32>(entry, 0, 12);
  }
  return start;
}

function formulaText(column: usize, row: u32): usize {
  const run = at<Run>(runAt(column, row));
  const template = at<Template>(run.template);
  unparse(template, constantsAt(run, row), row, at<Column>(column).number, false);
  return textFrom(unparsedUnits(), unparsedLength());
}

/** How a formula was entered (MODE_*), or -1 where there is none that can be read. */
export function modeOf(key: u32, row: u32, column: u32): i32 {
  const sheet = sheetByKey(key);
  const record = sheet ? columnAt(sheet, column) : 0;
  const run = record ? runAt(record, row) : 0;
  if (!run) return -1;
  const template = at<Template>(at<Run>(run).template);
  return template.flags & TEMPLATE_UNREAD ? -1 : <i32>template.mode;
}

/** Returns one past the last row that holds anything between two columns of a sheet. */
export function usedRowsOf(key: u32, column0: u32, column1: u32): u32 {
  const sheet = sheetByKey(key);
  return sheet ? usedRows(sheet, column0, column1) : 0;
}

/** Bit that marks a fixed area in the result of readArea. */
const FIXED_BIT: i32 = 1 << 30;

/** Rows of the area an array fills from a cell, or 0; its columns are the result's count. */
export function readArea(key: u32, row: u32, column: u32): i32 {
  const sheet = sheetByKey(key);
  const address = sheet ? spillOf(sheet, row, column) : 0;
  if (!address) return 0;
  const spill = at<Spill>(address);
  if (spill.flags & SPILL_BLOCKED) return 0;
  setResult(0, spill.columns);
  return <i32>spill.rows | (spill.flags & SPILL_FIXED ? FIXED_BIT : 0);
}

/** Cells that are not blank, in the whole workbook. */
export function countValues(): f64 {
  let count: f64 = 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    count += countSheet(item(MODEL_SHEETS, index));
  }
  return count;
}

function countSheet(sheet: usize): f64 {
  let count: f64 = 0;
  const bands = bandsOf(sheet);
  for (let band: u32 = 0; band < bands; band++) count += countBand(sheet, band);
  return count;
}

/** Bands of 1,024 rows that a sheet reaches into. */
function bandsOf(sheet: usize): u32 {
  let bands: u32 = 0;
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    if (column) bands = max(bands, at<Column>(column).chunksLength);
  }
  return bands;
}

function countBand(sheet: usize, band: u32): f64 {
  let count: f64 = 0;
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    const chunk = column ? chunkAt(column, band) : 0;
    if (chunk) count += at<Chunk>(chunk).count;
  }
  return count;
}

// Position of a paged read of values.
let skipping: f64 = 0;
let wanted: u32 = 0;
/** Units of texts that a page may still have. */
let unitsWanted: i64 = 0;
const PAGE_UNITS: i64 = 1 << 20;
let values: usize = 0;

/**
 * Returns non-blank cells in sheet, row and column order from a position on: at most `limit`, and
 * fewer if their texts are long.
 */
export function readPage(offset: f64, limit: u32): u32 {
  skipping = offset;
  wanted = limit;
  unitsWanted = PAGE_UNITS;
  values = newBuffer(min(limit, 1024) * VALUE_BYTES + 64);
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS) && wanted; index++) {
    const sheet = item(MODEL_SHEETS, index);
    const bands = bandsOf(sheet);
    for (let band: u32 = 0; band < bands && wanted; band++) {
      const count = countBand(sheet, band);
      if (skipping >= count) skipping -= count;
      else if (count) readBand(sheet, band);
    }
  }
  setResult(startOf(values), bytesIn(values) / VALUE_BYTES);
  return STATUS_OK;
}

function readBand(sheet: usize, band: u32): void {
  const chunks = newBuffer(256);
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    const chunk = column ? chunkAt(column, band) : 0;
    if (!chunk || !at<Chunk>(chunk).count) continue;
    pushWord(chunks, number);
    pushWord(chunks, <u32>chunk);
  }
  const pairs = bytesIn(chunks) >> 3;
  for (let offset: u32 = 0; offset < 1024 && wanted; offset++) {
    for (let pair: u32 = 0; pair < pairs && wanted; pair++) {
      const chunk = at<Chunk>(wordAt(chunks, pair * 2 + 1));
      if (offset >= chunk.capacity) continue;
      const tag = <u32>load<u8>(<usize>chunk.tags + offset);
      if ((tag & KIND_MASK) == KIND_BLANK) continue;
      if (skipping > 0) {
        skipping--;
        continue;
      }
      wanted--;
      if ((tag & KIND_MASK) == KIND_STRING) {
        const text = <usize>load<u32>(<usize>chunk.values + ((<usize>offset) << 3));
        unitsWanted -= lengthOf(text);
        if (unitsWanted < 0) wanted = 0;
      }
      const entry = extend(values, VALUE_BYTES);
      store<u64>(entry, load<u64>(<usize>chunk.values + ((<usize>offset) << 3)));
      store<u32>(entry, tag & KIND_MASK, 8);
      store<u32>(entry, at<Sheet>(sheet).key, 12);
      store<u32>(entry, (band << 10) + offset, 16);
      store<u32>(entry, wordAt(chunks, pair * 2), 20);
      store<u64>(entry, 0, 24);
    }
  }
}
