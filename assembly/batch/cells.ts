import {
  CELL_PENDING,
  CHUNK_ROWS,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_MASK,
  KIND_NUMBER,
  KIND_REFERENCE,
  KIND_STRING,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
} from '../abi';
import { RECORD_AREA, RECORD_STRUCTURED, ReferenceRecord, TABLE_THIS_ROW } from '../formula/token';
import { SHEET_THERE } from '../grid/model';
import { Chunk, Column, Sheet, chunkAt, columnAt, onGrid } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { setFormulaCell } from '../vm/context';
import { pushStructured } from '../vm/record-table';
import { Area, areaOf } from '../vm/reference';
import { SLOT_BYTES, kindOf, wordOf } from '../vm/slot';
import {
  LANES_BOOLEAN,
  LANES_NUMBER,
  LANES_REFERENCE,
  Register,
  laneCount,
  ownLanes,
  setLanes,
  setUniform,
} from './register';

/** Reads the references of a batch into lanes. */

/** Area of a reference for the first row of the batch. */
export let areaSheet: usize = 0;
export let areaRow0: i32 = 0;
export let areaRow1: i32 = 0;
export let areaColumn0: i32 = 0;
export let areaColumn1: i32 = 0;
/** True when the area moves down with the rows of the batch, false when it is fixed. */
export let areaMoves: bool = false;

// Column and rows that the batch computes.
let batchColumn: usize = 0;
let batchRow: u32 = 0;
let batchRows: u32 = 0;

/** Sets the column and the rows that are computed. */
export function openCells(column: usize, row: u32, rows: u32): void {
  batchColumn = column;
  batchRow = row;
  batchRows = rows;
}

/**
 * Finds the area of a reference. Returns false if it leaves the grid, if its sheet is gone, or if
 * its corners move apart as the rows go down.
 */
export function placeArea(record: ReferenceRecord): bool {
  if (record.kind == RECORD_STRUCTURED) return placeStructured(record);
  const flags = <u32>record.flags;
  const isFixed = (flags & REFERENCE_ROW0_ABSOLUTE) != 0;
  if (isFixed != ((flags & REFERENCE_ROW1_ABSOLUTE) != 0)) return false;
  const column = at<Column>(batchColumn);
  areaSheet = record.sheet ? record.sheet : column.sheet;
  if (at<Sheet>(areaSheet).state != SHEET_THERE) return false;
  const down = isFixed ? 0 : <i32>batchRow;
  areaMoves = !isFixed;
  areaRow0 = min(record.row0, record.row1) + down;
  areaRow1 = max(record.row0, record.row1) + down;
  const right = <i32>column.number;
  const first = record.column0 + (flags & REFERENCE_COLUMN0_ABSOLUTE ? 0 : right);
  const last = record.column1 + (flags & REFERENCE_COLUMN1_ABSOLUTE ? 0 : right);
  areaColumn0 = min(first, last);
  areaColumn1 = max(first, last);
  const end = areaRow1 + (isFixed ? 0 : <i32>batchRows - 1);
  return onGrid(areaRow0, areaColumn0) && onGrid(end, areaColumn1);
}

/** Finds a part of a table: one cell in each row, or the same cells for all rows. */
function placeStructured(record: ReferenceRecord): bool {
  if (!resolveStructured(record, batchRow)) return false;
  areaMoves = (record.parts & TABLE_THIS_ROW) != 0;
  if (!areaMoves) return true;
  // The last row has to be one of the table's data too.
  const last = batchRow + batchRows - 1;
  return resolveStructured(record, last) && resolveStructured(record, batchRow);
}

/** Finds the cells that a structured reference means for a formula in a row. */
function resolveStructured(record: ReferenceRecord, row: u32): bool {
  const column = at<Column>(batchColumn);
  setFormulaCell(column.sheet, row, column.number);
  const slot = scratch(<u32>SLOT_BYTES);
  pushStructured(record, slot);
  if (kindOf(slot) != KIND_REFERENCE) return false;
  const area = at<Area>(areaOf(wordOf(slot), 0));
  areaSheet = area.sheet;
  areaRow0 = area.row0;
  areaRow1 = area.row1;
  areaColumn0 = area.column0;
  areaColumn1 = area.column1;
  return true;
}

/**
 * Finds the area of a column from a fixed row to the formula's row or a neighbour: its extent for
 * the first row of the batch.
 */
export function placeRunning(record: ReferenceRecord): bool {
  if (record.kind != RECORD_AREA) return false;
  const flags = <u32>record.flags;
  const parts = flags & (REFERENCE_ROW0_ABSOLUTE | REFERENCE_ROW1_ABSOLUTE);
  if (parts != REFERENCE_ROW0_ABSOLUTE) return false;
  const column = at<Column>(batchColumn);
  const right = <i32>column.number;
  areaSheet = record.sheet ? record.sheet : column.sheet;
  if (at<Sheet>(areaSheet).state != SHEET_THERE) return false;
  areaColumn0 = record.column0 + (flags & REFERENCE_COLUMN0_ABSOLUTE ? 0 : right);
  areaColumn1 = record.column1 + (flags & REFERENCE_COLUMN1_ABSOLUTE ? 0 : right);
  areaRow0 = record.row0;
  areaRow1 = record.row1 + <i32>batchRow;
  if (areaColumn0 != areaColumn1 || areaRow1 < areaRow0) return false;
  return onGrid(areaRow0, areaColumn0) && onGrid(areaRow1 + <i32>batchRows - 1, areaColumn0);
}

// Bits that all tags, and bits that any tag, of the last check have.
let everyTag: u32 = 0;
let someTag: u32 = 0;

/** Checks the tags of consecutive cells, eight at a time. */
function lookAtTags(tags: usize, count: u32): void {
  everyTag = 255;
  someTag = 0;
  let place = tags;
  const end = tags + count;
  if (count >= 8) {
    let every = load<u64>(end - 8);
    let some = every;
    for (; place + 8 <= end; place += 8) {
      const eight = load<u64>(place);
      every &= eight;
      some |= eight;
    }
    for (let shift: u64 = 32; shift >= 8; shift >>= 1) {
      every &= every >> shift;
      some |= some >> shift;
    }
    everyTag = <u32>every & 255;
    someTag = <u32>some & 255;
    return;
  }
  for (; place < end; place++) {
    const tag = <u32>load<u8>(place);
    everyTag &= tag;
    someTag |= tag;
  }
}

const KIND_TAGS: u32 = KIND_MASK | CELL_PENDING;

/** Returns whether the last check only found numbers and blanks. */
function areNumbersOrBlank(): bool {
  return (someTag & KIND_TAGS & ~(<u32>KIND_NUMBER)) == 0;
}

function areBooleans(): bool {
  return (everyTag & KIND_MASK) == KIND_BOOLEAN && (someTag & KIND_TAGS) == KIND_BOOLEAN;
}

/** Returns whether any of `count` cells is a text or a boolean. Their tags begin at `tags`. */
export function haveTexts(tags: usize, count: u32): bool {
  lookAtTags(tags, count);
  // All other kinds of cells lack the bit.
  return (someTag & KIND_STRING) != 0;
}

/** True when a cell of the last gather was blank; true when one was neither number nor blank. */
export let gatheredBlank: bool = false;
export let gatheredOther: bool = false;

/** Chunk and number of the rows from `row` on that lie in one chunk; 0 for none. */
let partChunk: usize = 0;
let partHeld: u32 = 0;

function openPart(column: usize, row: u32, count: u32): u32 {
  const offset = row & (CHUNK_ROWS - 1);
  const part = min(count, CHUNK_ROWS - offset);
  partChunk = column ? chunkAt(column, row >> 10) : 0;
  partHeld = 0;
  if (partChunk && offset < at<Chunk>(partChunk).capacity) {
    partHeld = min(part, at<Chunk>(partChunk).capacity - offset);
  }
  return part;
}

/**
 * Copies cells of a column as lanes to `out`. Blank cells are 0, errors and pending cells not
 * finite, texts and booleans `other`.
 */
export function gatherCells(column: usize, row: u32, count: u32, out: usize, other: f64): void {
  gatheredBlank = false;
  gatheredOther = false;
  let done: u32 = 0;
  while (done < count) {
    const part = openPart(column, row + done, count - done);
    const offset = (row + done) & (CHUNK_ROWS - 1);
    const to = out + ((<usize>done) << 3);
    if (partHeld) gatherPart(at<Chunk>(partChunk), offset, partHeld, to, other);
    if (partHeld < part) {
      gatheredBlank = true;
      memory.fill(to + ((<usize>partHeld) << 3), 0, (<usize>(part - partHeld)) << 3);
    }
    done += part;
  }
}

function gatherPart(chunk: Chunk, offset: u32, count: u32, out: usize, other: f64): void {
  const tags = <usize>chunk.tags + offset;
  const values = <usize>chunk.values + ((<usize>offset) << 3);
  lookAtTags(tags, count);
  if (areNumbersOrBlank()) {
    if (!(everyTag & KIND_NUMBER)) gatheredBlank = true;
    memory.copy(out, values, (<usize>count) << 3);
    return;
  }
  for (let index: u32 = 0; index < count; index++) {
    const place = (<usize>index) << 3;
    store<f64>(out + place, lane(load<u8>(tags + index), values + place, other));
  }
}

function lane(tag: u32, value: usize, other: f64): f64 {
  switch (tag & KIND_TAGS) {
    case KIND_NUMBER:
      return load<f64>(value);
    case KIND_BLANK:
      gatheredBlank = true;
      return 0;
    case KIND_STRING:
    case KIND_BOOLEAN:
      gatheredOther = true;
      return other;
    default:
      gatheredOther = true;
      return NaN;
  }
}

/** Reads a single fixed cell into all lanes; returns false if it is no number. */
function loadFixed(register: Register): bool {
  const column = columnAt(areaSheet, areaColumn0);
  openPart(column, areaRow0, 1);
  let tag: u32 = KIND_BLANK;
  let value: usize = 0;
  if (partHeld) {
    const offset = areaRow0 & (CHUNK_ROWS - 1);
    tag = load<u8>(<usize>at<Chunk>(partChunk).tags + offset) & KIND_TAGS;
    value = <usize>at<Chunk>(partChunk).values + ((<usize>offset) << 3);
  }
  register.type = tag == KIND_BOOLEAN ? LANES_BOOLEAN : LANES_NUMBER;
  register.hasBlank = tag == KIND_BLANK ? 1 : 0;
  if (tag == KIND_NUMBER) setUniform(register, load<f64>(value));
  else if (tag == KIND_BLANK) setUniform(register, 0);
  else if (tag == KIND_BOOLEAN) setUniform(register, <f64>load<u32>(value));
  else return false;
  return true;
}

/**
 * Reads the cells that a register refers to, one a row; returns false to leave them to the scalar
 * machine.
 */
export function loadRegister(register: Register): bool {
  if (register.type != LANES_REFERENCE) return true;
  if (!placeArea(at<ReferenceRecord>(register.record))) return false;
  if (areaColumn0 != areaColumn1 || areaRow0 != areaRow1) return false;
  if (!areaMoves) return loadFixed(register);
  if (readsBatch()) return loadAbove(register);
  loadColumn(register);
  return true;
}

/** Returns whether the current area contains cells that this batch computes. */
export function readsBatch(): bool {
  if (columnAt(areaSheet, areaColumn0) != batchColumn || !areaMoves) return false;
  return areaRow0 < <i32>(batchRow + batchRows) && areaRow1 + <i32>batchRows > <i32>batchRow;
}

/**
 * Reads the cells of the batch's own column some rows above, which the batch computes on its way.
 */
function loadAbove(register: Register): bool {
  const above = <i32>batchRow - areaRow0;
  const offset = batchRow & (CHUNK_ROWS - 1);
  if (above <= 0 || <u32>above > offset) return false;
  openPart(batchColumn, areaRow0, above);
  const chunk = at<Chunk>(partChunk);
  lookAtTags(<usize>chunk.tags + offset - above, above);
  if (!areNumbersOrBlank()) return false;
  register.type = LANES_NUMBER;
  register.hasBlank = 1;
  register.isStepped = 1;
  register.lanes = chunk.values + ((offset - above) << 3);
  register.step = 8;
  return true;
}

/** Uses the values of a column in place if they are all numbers. */
function loadColumn(register: Register): void {
  const column = columnAt(areaSheet, areaColumn0);
  const offset = areaRow0 & (CHUNK_ROWS - 1);
  openPart(column, areaRow0, laneCount);
  register.type = LANES_NUMBER;
  if (partHeld == laneCount) {
    const chunk = at<Chunk>(partChunk);
    const values = <usize>chunk.values + ((<usize>offset) << 3);
    lookAtTags(<usize>chunk.tags + offset, laneCount);
    if (areNumbersOrBlank()) {
      register.hasBlank = everyTag & KIND_NUMBER ? 0 : 1;
      return setLanes(register, values);
    }
    if (areBooleans()) return loadBooleans(register, values);
  }
  gatherCells(column, areaRow0, laneCount, ownLanes(register), NaN);
  register.hasBlank = gatheredBlank ? 1 : 0;
}

function loadBooleans(register: Register, values: usize): void {
  register.type = LANES_BOOLEAN;
  register.hasBlank = 0;
  const out = ownLanes(register);
  for (let index: u32 = 0; index < laneCount; index++) {
    const place = (<usize>index) << 3;
    store<f64>(out + place, <f64>load<u32>(values + place));
  }
}
