import {
  CELL_ANCHOR,
  CELL_FORMULA,
  CELL_SPILLED,
  CHUNK_ROWS,
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
import { bytesIn, extend, newBuffer, pushWord, setWordAt, startOf, wordAt } from './formula/buffer';
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

/**
 * Returns one past the last row of a sheet that has a value; the result's count is one past the
 * last such column.
 */
export function readExtent(key: u32): u32 {
  const sheet = sheetByKey(key);
  let rows: u32 = 0;
  let columns: u32 = 0;
  const count: u32 = sheet ? at<Sheet>(sheet).columnsLength : 0;
  for (let number: u32 = 0; number < count; number++) {
    const column = columnAt(sheet, number);
    const filled = column ? filledRows(column) : 0;
    if (!filled) continue;
    rows = max(rows, filled);
    columns = number + 1;
  }
  setResult(0, columns);
  return rows;
}

const KINDS: u64 = 0x0101_0101_0101_0101 * <u64>KIND_MASK;

/** One past the last row of a column that has a value: not a blank that an array put there. */
function filledRows(column: usize): u32 {
  for (let band = at<Column>(column).chunksLength; band > 0; band--) {
    const address = chunkAt(column, band - 1);
    if (!address) continue;
    const tags = <usize>at<Chunk>(address).tags;
    let offset = at<Chunk>(address).capacity;
    while (offset && !(load<u64>(tags + offset - 8) & KINDS)) offset -= 8;
    while (offset && !(load<u8>(tags + offset - 1) & KIND_MASK)) offset--;
    if (offset) return ((band - 1) << 10) + offset;
  }
  return 0;
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
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    if (!column) continue;
    for (let band: u32 = 0; band < at<Column>(column).chunksLength; band++) {
      const chunk = chunkAt(column, band);
      if (chunk) count += at<Chunk>(chunk).count;
    }
  }
  return count;
}

/** Columns of the sheet under way that reach into a band of 1,024 rows, as words in a buffer. */
let reaching: usize = 0;
let reachingCount: u32 = 0;

function openBands(sheet: usize): void {
  const columns = at<Sheet>(sheet).columnsLength;
  reaching = newBuffer(columns << 2);
  for (let number: u32 = 0; number < columns; number++) {
    if (columnAt(sheet, number)) pushWord(reaching, number);
  }
  reachingCount = bytesIn(reaching) >> 2;
}

/** Keeps the columns that reach into a band, below all bands before; returns whether any does. */
function reachBand(sheet: usize, band: u32): bool {
  let kept: u32 = 0;
  for (let index: u32 = 0; index < reachingCount; index++) {
    const number = wordAt(reaching, index);
    if (at<Column>(columnAt(sheet, number)).chunksLength <= band) continue;
    setWordAt(reaching, kept++, number);
  }
  reachingCount = kept;
  return kept > 0;
}

/** Counts the cells of the columns that reach into a band. */
function countBand(sheet: usize, band: u32): f64 {
  let count: f64 = 0;
  for (let index: u32 = 0; index < reachingCount; index++) {
    const chunk = chunkAt(columnAt(sheet, wordAt(reaching, index)), band);
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
    openBands(sheet);
    for (let band: u32 = 0; wanted && reachBand(sheet, band); band++) {
      const count = countBand(sheet, band);
      if (skipping >= count) skipping -= count;
      else if (count) readBand(sheet, band);
    }
  }
  setResult(startOf(values), bytesIn(values) / VALUE_BYTES);
  return STATUS_OK;
}

/** Skips whole rows of a band, given as pairs of a column and its chunk; returns the next one. */
function skipRows(chunks: usize): u32 {
  if (skipping <= 0) return 0;
  const counts = scratch(CHUNK_ROWS << 1);
  memory.fill(counts, 0, CHUNK_ROWS << 1);
  for (let pair: u32 = 0; pair < bytesIn(chunks) >> 3; pair++) {
    addRows(at<Chunk>(wordAt(chunks, pair * 2 + 1)), counts);
  }
  let offset: u32 = 0;
  for (; offset < <u32>CHUNK_ROWS; offset++) {
    const count = load<u16>(counts + ((<usize>offset) << 1));
    if (skipping < <f64>count) break;
    skipping -= <f64>count;
  }
  return offset;
}

/** Adds one to the count of each row in which a chunk has a value. */
function addRows(chunk: Chunk, counts: usize): void {
  const ones = i8x16.splat(1);
  const kinds = i8x16.splat(<i8>KIND_MASK);
  for (let offset: u32 = 0; offset < chunk.capacity; offset += 16) {
    const tags = v128.and(v128.load(<usize>chunk.tags + offset), kinds);
    const filled = v128.and(i8x16.ne(tags, i8x16.splat(0)), ones);
    const place = counts + ((<usize>offset) << 1);
    v128.store(place, i16x8.add(v128.load(place), i16x8.extend_low_i8x16_u(filled)));
    const next = place + 16;
    v128.store(next, i16x8.add(v128.load(next), i16x8.extend_high_i8x16_u(filled)));
  }
}

function readBand(sheet: usize, band: u32): void {
  const chunks = newBuffer(256);
  for (let index: u32 = 0; index < reachingCount; index++) {
    const number = wordAt(reaching, index);
    const chunk = chunkAt(columnAt(sheet, number), band);
    if (!chunk || !at<Chunk>(chunk).count) continue;
    pushWord(chunks, number);
    pushWord(chunks, <u32>chunk);
  }
  const pairs = bytesIn(chunks) >> 3;
  for (let offset = skipRows(chunks); offset < <u32>CHUNK_ROWS && wanted; offset++) {
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
