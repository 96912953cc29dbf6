import {
  CELL_FORMULA,
  CELL_SPILLED,
  CHANGES_ALL,
  CHANGES_ERRORS,
  CHUNK_ROWS,
  KIND_BLANK,
  KIND_ERROR,
  KIND_MASK,
} from './abi';
import { bytesIn, extend, newBuffer, pushWord, startOf, wordAt } from './formula/buffer';
import { freeColumn } from './graph/remap-cells';
import { MODEL_SHEETS, model } from './grid/model';
import { Chunk, Column, Sheet, chunkAt, columnAt, keepFormers } from './grid/sheet';
import { at } from './memory/pointer';
import { scratch } from './memory/scratch';
import { item, lengthOfVector } from './memory/vector';
import { setResult } from './reads';

/**
 * Finds the cells whose value changed. While changes are watched, each column has a second column
 * with the former values of its cells (grid/sheet.ts), which moves and goes with it, so that both
 * can be compared at any time.
 */
const ENTRY_BYTES: u32 = 40;

/** Drops the former values, and starts or stops keeping them. */
export function setWatched(isWatched: bool): void {
  model().isWatched = isWatched ? 1 : 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    const sheet = item(MODEL_SHEETS, index);
    at<Sheet>(sheet).isWatched = isWatched ? 1 : 0;
    for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
      const column = columnAt(sheet, number);
      if (!column) continue;
      forgetFormers(at<Column>(column));
      if (isWatched) keepFormers(column);
    }
  }
}

function forgetFormers(column: Column): void {
  if (!column.former) return;
  freeColumn(column.former);
  column.former = 0;
}

let wanted: u32 = 0;
let limit: u32 = 0;
let entries: usize = 0;
/** Number of changes so far, also those beyond the limit. */
let count: f64 = 0;

/**
 * Finds the changed cells of a kind in sheet, row and column order; the first `most` are the
 * result. Returns their number.
 */
export function findChanges(which: u32, most: u32): f64 {
  wanted = which;
  limit = most;
  count = 0;
  entries = newBuffer(min(most, 1024) * ENTRY_BYTES + 64);
  keptRows = scratch(CHUNK_ROWS);
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    const sheet = item(MODEL_SHEETS, index);
    const bands = bandsOf(sheet);
    for (let band: u32 = 0; band < bands; band++) findInBand(sheet, band);
  }
  setResult(startOf(entries), bytesIn(entries) / ENTRY_BYTES);
  return count;
}

/** Returns the number of bands of 1,024 rows that have changes in a sheet. */
function bandsOf(sheet: usize): u32 {
  let bands: u32 = 0;
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    const former = column ? <usize>at<Column>(column).former : 0;
    if (former) bands = max(bands, at<Column>(former).chunksLength);
  }
  return bands;
}

/** Looks at 1,024 rows of all columns of a sheet, row by row. */
function findInBand(sheet: usize, band: u32): void {
  const columns = newBuffer(256);
  memory.fill(keptRows, 0, CHUNK_ROWS);
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    const former = column ? <usize>at<Column>(column).former : 0;
    const chunk = former ? chunkAt(former, band) : 0;
    if (!chunk || !at<Chunk>(chunk).count) continue;
    pushWord(columns, <u32>column);
    noteKept(at<Chunk>(chunk));
  }
  const columnCount = bytesIn(columns) >> 2;
  if (!columnCount) return;
  for (let offset: u32 = 0; offset < <u32>CHUNK_ROWS; offset++) {
    // Mostly few cells of a band have changed, so eight rows are skipped at once.
    if (!(offset & 7) && !load<u64>(keptRows + offset)) {
      offset += 7;
      continue;
    }
    if (!load<u8>(keptRows + offset)) continue;
    for (let index: u32 = 0; index < columnCount; index++) {
      compare(wordAt(columns, index), (band << 10) + offset);
    }
  }
}

/** One byte for each row of a band; 0 if no column keeps a former value there. */
let keptRows: usize = 0;

/** Notes the rows in which a chunk holds something; its tags are a multiple of eight. */
function noteKept(chunk: Chunk): void {
  for (let offset: u32 = 0; offset < chunk.capacity; offset += 8) {
    const place = keptRows + offset;
    store<u64>(place, load<u64>(place) | load<u64>(<usize>chunk.tags + offset));
  }
}

// Tag and payload of the cell that was read last.
let foundTag: u32 = 0;
let foundPayload: u64 = 0;

function look(column: usize, row: u32): void {
  foundTag = 0;
  foundPayload = 0;
  const chunk = chunkAt(column, row >> 10);
  const offset = row & (CHUNK_ROWS - 1);
  if (!chunk || offset >= at<Chunk>(chunk).capacity) return;
  foundTag = load<u8>(<usize>at<Chunk>(chunk).tags + offset);
  foundPayload = load<u64>(<usize>at<Chunk>(chunk).values + ((<usize>offset) << 3));
}

function compare(column: usize, row: u32): void {
  look(at<Column>(column).former, row);
  if (!foundTag) return;
  const formerTag = foundTag;
  const formerPayload = foundPayload;
  look(column, row);
  const formerKind = formerTag & KIND_MASK;
  const kind = foundTag & KIND_MASK;
  // Texts are interned, so equal ones have one address.
  if (kind == formerKind && foundPayload == formerPayload) return;
  const isBlanked = kind == KIND_BLANK && (formerTag & CELL_SPILLED) != 0;
  const isComputed = (foundTag & (CELL_FORMULA | CELL_SPILLED)) != 0 || isBlanked;
  if (!isComputed && wanted != CHANGES_ALL) return;
  if (wanted == CHANGES_ERRORS && kind != KIND_ERROR) return;
  if (++count > limit) return;
  const entry = extend(entries, ENTRY_BYTES);
  store<u64>(entry, formerPayload);
  store<u32>(entry, formerKind, 8);
  store<u32>(entry, at<Sheet>(at<Column>(column).sheet).key, 12);
  store<u64>(entry, foundPayload, 16);
  store<u32>(entry, kind, 24);
  store<u32>(entry, row, 28);
  store<u32>(entry, at<Column>(column).number, 32);
  store<u32>(entry, 0, 36);
}
