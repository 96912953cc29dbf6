import {
  KIND_ARRAY,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_REFERENCE,
} from '../abi';
import { cellPayload, columnAt, readColumn } from '../grid/sheet';
import { indexOf } from '../indexes/column-index';
import { KINDS_PENDING, kindsOfRows } from '../indexes/row-kinds';
import { at, addressOf } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { Grid, itemKindOf, itemPayloadOf } from './array';
import { Area, areaCountOf, areaOf, usedAreaRows } from './reference';
import { copySlot, kindOf, setSlot, wordOf } from './slot';
import { NO_ROW, Sparse, loadPlace, loadRest, placeAt } from './sparse';
import { Split, holdsFor } from './split';

/** One value for all rows. */
export const READS_VALUE: u32 = 0;
export const READS_SPARSE: u32 = 1;
const READS_ARRAY: u32 = 2;
const READS_CELLS: u32 = 3;
const READS_SPLIT: u32 = 4;

/** Reads rows of a column downwards, of whatever it is made. */
@unmanaged
export class ColumnReader {
  mode: u32 = 0;
  /**
   * Slot of the value; address of the sparse or split column, of the array, or of the column record
   * or 0.
   */
  source: u32 = 0;
  /** Row of the sheet where the column begins; rows from `used` on are blank. */
  row0: u32 = 0;
  used: u32 = 0;
  /** Next place of a sparse column. */
  next: u32 = 0;
  /** Kinds of the items of arrays and cells, a bit each. */
  kinds: u32 = 0;
}

/** The only area of a slot that is a reference to one column; or 0. */
export function columnArea(slot: usize): usize {
  if (kindOf(slot) != KIND_REFERENCE || areaCountOf(wordOf(slot)) != 1) return 0;
  const area = areaOf(wordOf(slot), 0);
  return at<Area>(area).column0 == at<Area>(area).column1 ? area : 0;
}

/**
 * Opens a slot as one value or a column of so many rows. Returns 0 for all else, and where a cell
 * of the column waits to be computed.
 */
export function openReader(slot: usize, rows: u32): usize {
  const kind = kindOf(slot);
  const reader = at<ColumnReader>(scratch(<u32>offsetof<ColumnReader>()));
  reader.next = 0;
  reader.source = <u32>slot;
  reader.mode = READS_VALUE;
  if (kind == KIND_LAMBDA) return 0;
  if (kind == KIND_ARRAY) return openArray(reader, slot, rows) ? addressOf(reader) : 0;
  if (kind == KIND_REFERENCE) return openCells(reader, slot, rows) ? addressOf(reader) : 0;
  return addressOf(reader);
}

function openArray(reader: ColumnReader, slot: usize, rows: u32): bool {
  const array = <usize>wordOf(slot);
  const grid = at<Grid>(array);
  if (grid.columns != 1 || grid.rows != rows || grid.references) return false;
  reader.mode = grid.sparse ? READS_SPARSE : READS_ARRAY;
  reader.source = grid.sparse ? grid.sparse : <u32>array;
  reader.kinds = 0;
  if (grid.sparse) return true;
  if (grid.split) {
    const split = at<Split>(grid.split);
    reader.mode = READS_SPLIT;
    reader.source = grid.split;
    reader.kinds = (1 << kindOf(split.truth)) | (1 << kindOf(split.falsehood));
    return true;
  }
  for (let row: u32 = 0; row < rows; row++) reader.kinds |= 1 << itemKindOf(array, row);
  return true;
}

function openCells(reader: ColumnReader, slot: usize, rows: u32): bool {
  const address = columnArea(slot);
  if (!address) return false;
  const area = at<Area>(address);
  if (area.row1 - area.row0 + 1 != rows) return false;
  reader.mode = READS_CELLS;
  reader.row0 = area.row0;
  reader.used = usedAreaRows(address);
  const column = columnAt(area.sheet, area.column0);
  reader.source = <u32>column;
  reader.kinds = 1 << KIND_BLANK;
  if (!column) return true;
  reader.kinds = kindsOfRows(indexOf(column), area.row0, area.row0 + reader.used);
  return !(reader.kinds & KINDS_PENDING);
}

/** Returns whether all rows but those of `placeOf` have one value, which is put into the slot. */
export function readRest(reader: ColumnReader, slot: usize): bool {
  if (reader.mode == READS_SPARSE) loadRest(at<Sparse>(reader.source), slot);
  else if (reader.mode == READS_VALUE) readValue(reader, slot);
  else return false;
  return true;
}

function readValue(reader: ColumnReader, slot: usize): void {
  copySlot(slot, reader.source);
  if (kindOf(slot) == KIND_OMITTED) setSlot(slot, KIND_BLANK, 0);
}

/** The next row that may differ from the rest; NO_ROW where there is none. */
export function nextPlace(reader: ColumnReader): u32 {
  return reader.mode == READS_SPARSE ? placeAt(at<Sparse>(reader.source), reader.next) : NO_ROW;
}

/** Reads a row, which is below the one read before; of a sparse column its places one by one. */
export function readRow(reader: ColumnReader, row: u32, slot: usize): void {
  if (reader.mode == READS_VALUE) return readValue(reader, slot);
  if (reader.mode == READS_SPARSE) {
    const sparse = at<Sparse>(reader.source);
    if (placeAt(sparse, reader.next) == row) loadPlace(sparse, reader.next++, slot);
    else loadRest(sparse, slot);
    return;
  }
  if (reader.mode == READS_ARRAY) {
    return setSlot(slot, itemKindOf(reader.source, row), itemPayloadOf(reader.source, row));
  }
  if (reader.mode == READS_SPLIT) return readSplit(at<Split>(reader.source), row, slot);
  if (!reader.source || row >= reader.used) return setSlot(slot, KIND_BLANK, 0);
  const kind = readColumn(reader.source, reader.row0 + row);
  setSlot(slot, kind, kind == KIND_BLANK ? 0 : cellPayload);
}

function readSplit(split: Split, row: u32, slot: usize): void {
  let value: f64 = 0;
  if (row < split.used) {
    readColumn(split.column, split.row0 + row);
    value = reinterpret<f64>(cellPayload);
  }
  copySlot(slot, holdsFor(split, value) ? split.truth : split.falsehood);
}

/** Passes over the places of a sparse column that are above a row. */
export function passTo(reader: ColumnReader, row: u32): void {
  while (nextPlace(reader) < row) reader.next++;
}

const NUMERIC: u32 = (1 << KIND_BLANK) | (1 << KIND_NUMBER) | (1 << KIND_BOOLEAN);

/** Returns whether every item of a column of arrays or cells counts as a number. */
export function isNumeric(reader: ColumnReader): bool {
  return !(reader.kinds & ~NUMERIC);
}
