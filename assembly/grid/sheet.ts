import {
  CELL_PENDING,
  CHUNK_ROWS,
  COLUMN_LIMIT,
  KIND_BLANK,
  KIND_ERROR,
  KIND_MASK,
  KIND_STRING,
  ROW_LIMIT,
} from '../abi';
import { allocate, allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { dropText, internText } from '../memory/text';
import { noteWork } from '../memory/work';
import { reserve } from '../memory/vector';

/**
 * A sheet: columns in chunks of 1,024 rows. A value has eight raw bytes (a double, an address, or
 * the number of an error), its tag one byte: kind and flags of abi.ts.
 */
@unmanaged
export class Sheet {
  /** Key the host gave; never used again. */
  key: u32 = 0;
  /** Interned name; a sheet that only formulas name has one too. */
  name: u32 = 0;
  /** 0: only named by formulas, 1: exists, 2: deleted, so references to it are #REF!. */
  state: u32 = 0;
  /** Vectors: addresses of columns (0 = none yet) and of precedent lists, by column number. */
  columns: u32 = 0;
  columnsLength: u32 = 0;
  columnsCapacity: u32 = 0;
  watchers: u32 = 0;
  watchersLength: u32 = 0;
  watchersCapacity: u32 = 0;
  /** Precedents too wide to be listed column by column (graph/watch.ts). */
  wideWatchers: u32 = 0;
  /** Vector of spill records anchored here (graph/spill.ts). */
  spills: u32 = 0;
  spillsLength: u32 = 0;
  spillsCapacity: u32 = 0;
  /** Greatest extent of a spill below and beside its anchor. */
  spillRowsMost: u32 = 0;
  spillColumnsMost: u32 = 0;
  /** Vector of chunks by row / 1024 that say which rows are hidden (grid/row-visibility.ts). */
  hidden: u32 = 0;
  hiddenLength: u32 = 0;
  hiddenCapacity: u32 = 0;
  /** Vector of merged areas (grid/merged-areas.ts), and the greatest height of one. */
  merges: u32 = 0;
  mergesLength: u32 = 0;
  mergesCapacity: u32 = 0;
  mergeRowsMost: u32 = 0;
  /** 1 if new columns keep former values too. */
  isWatched: u32 = 0;
}

@unmanaged
export class Column {
  /** Vector of chunks by row / 1024 (0 = none yet). */
  chunks: u32 = 0;
  chunksLength: u32 = 0;
  chunksCapacity: u32 = 0;
  /** Vector of runs in row order, not overlapping (graph/run.ts). */
  runs: u32 = 0;
  runsLength: u32 = 0;
  runsCapacity: u32 = 0;
  sheet: u32 = 0;
  number: u32 = 0;
  /** Address of the index record of its cells (indexes/index-record.ts), or 0. */
  index: u32 = 0;
  /**
   * While changes are watched (changes.ts), a column with the former values of changed cells, each
   * with `CELL_FORMER` in its tag; else 0. It is freed with this one.
   */
  former: u32 = 0;
}

@unmanaged
export class Chunk {
  values: u32 = 0;
  tags: u32 = 0;
  /** Number of rows it has room for: 16 to 1,024, so that a sparse column takes little. */
  capacity: u32 = 0;
  /** Cells that are not blank. */
  count: u32 = 0;
}

export const COLUMN_RUNS: usize = offsetof<Column>('runs');
export const SHEET_COLUMNS: usize = offsetof<Sheet>('columns');
export const SHEET_WATCHERS: usize = offsetof<Sheet>('watchers');
export const SHEET_SPILLS: usize = offsetof<Sheet>('spills');
export const SHEET_MERGES: usize = offsetof<Sheet>('merges');
export const SHEET_HIDDEN: usize = offsetof<Sheet>('hidden');

/** Marks a kept former value. The flag has another meaning in other columns. */
const CELL_FORMER: u32 = CELL_PENDING;

/** Cost of reading one cell, in units of memory/work.ts. */
const READ_UNITS: u32 = 4;

/** Payload of the cell that readCell looked at last. */
export let cellPayload: u64 = 0;
/** Set when an evaluation has read a pending cell; its result must be dropped. */
export let suspended: bool = false;
/** Address of the pending cell. */
export let wantedSheet: usize = 0;
export let wantedRow: u32 = 0;
export let wantedColumn: u32 = 0;

/** Set with `suspended` when there is no cell to wait for, because the fuel is used up. */
export let halted: bool = false;

export function clearSuspension(): void {
  suspended = false;
  halted = false;
}

/** Stops the evaluation for good. All loops that stop for a pending cell stop for this too. */
export function haltEvaluation(): void {
  if (suspended) return;
  suspended = true;
  halted = true;
}

/**
 * Stops the evaluation that needs this cell; the cell is computed, and the evaluation starts again.
 */
export function suspendOn(sheet: usize, row: u32, column: u32): void {
  if (suspended) return;
  suspended = true;
  wantedSheet = sheet;
  wantedRow = row;
  wantedColumn = column;
}

export function columnAt(sheet: usize, column: u32): usize {
  const record = at<Sheet>(sheet);
  if (column >= record.columnsLength) return 0;
  return load<u32>(<usize>record.columns + ((<usize>column) << 2));
}

export function chunkAt(column: usize, index: u32): usize {
  const record = at<Column>(column);
  if (index >= record.chunksLength) return 0;
  return load<u32>(<usize>record.chunks + ((<usize>index) << 2));
}

/** Tag of a cell, flags included. */
export function tagAt(sheet: usize, row: u32, column: u32): u32 {
  const columnRecord = columnAt(sheet, column);
  if (!columnRecord) return KIND_BLANK;
  const chunk = chunkAt(columnRecord, row >> 10);
  if (!chunk) return KIND_BLANK;
  const offset = row & (CHUNK_ROWS - 1);
  const record = at<Chunk>(chunk);
  if (offset >= record.capacity) return KIND_BLANK;
  return load<u8>(<usize>record.tags + offset);
}

/**
 * Reads a cell: returns the kind of its value and sets `cellPayload`. A pending cell suspends the
 * evaluation.
 */
export function readCell(sheet: usize, row: u32, column: u32): u32 {
  const columnRecord = columnAt(sheet, column);
  if (!columnRecord) return KIND_BLANK;
  return readColumn(columnRecord, row);
}

export function readColumn(column: usize, row: u32): u32 {
  noteWork(READ_UNITS);
  const chunk = chunkAt(column, row >> 10);
  if (!chunk) return KIND_BLANK;
  const offset = row & (CHUNK_ROWS - 1);
  const record = at<Chunk>(chunk);
  if (offset >= record.capacity) return KIND_BLANK;
  const tag = <u32>load<u8>(<usize>record.tags + offset);
  if (tag & CELL_PENDING) {
    suspendOn(at<Column>(column).sheet, row, at<Column>(column).number);
    cellPayload = 0;
    return KIND_ERROR;
  }
  cellPayload = load<u64>(<usize>record.values + ((<usize>offset) << 3));
  return tag & KIND_MASK;
}

const PENDING_TAGS: u64 = 0x0101_0101_0101_0101 * <u64>CELL_PENDING;

/** Returns the first row up to `last` with a pending cell, or one past it. */
export function firstPending(column: usize, row: u32, last: u32): u32 {
  while (row <= last) {
    const chunk = chunkAt(column, row >> 10);
    const base = row & ~(CHUNK_ROWS - 1);
    const held = chunk ? base + at<Chunk>(chunk).capacity : base;
    const end = min(last + 1, held);
    const tags = chunk ? <usize>at<Chunk>(chunk).tags : 0;
    while (row < end) {
      const place = tags + (row - base);
      if (row + 8 <= end && !(load<u64>(place) & PENDING_TAGS)) row += 8;
      else if (load<u8>(place) & CELL_PENDING) return row;
      else row++;
    }
    row = base + CHUNK_ROWS;
  }
  return last + 1;
}

/**
 * Returns the first row up to `last`, in the same chunk, with a cell that is up to date, or one
 * past it.
 */
export function firstSettled(column: usize, row: u32, last: u32): u32 {
  const tags = <usize>at<Chunk>(chunkAt(column, row >> 10)).tags;
  while (row <= last) {
    const place = tags + (row & (CHUNK_ROWS - 1));
    if (row + 7 <= last && (load<u64>(place) & PENDING_TAGS) == PENDING_TAGS) row += 8;
    else if (load<u8>(place) & CELL_PENDING) row++;
    else return row;
  }
  return last + 1;
}

/** The column record, made if needed. */
export function ensureColumn(sheet: usize, column: u32): usize {
  const record = at<Sheet>(sheet);
  if (column >= record.columnsLength) {
    reserve(sheet + SHEET_COLUMNS, column + 1);
    const from = <usize>record.columns + ((<usize>record.columnsLength) << 2);
    memory.fill(from, 0, (<usize>(column + 1 - record.columnsLength)) << 2);
    record.columnsLength = column + 1;
  }
  const place = <usize>record.columns + ((<usize>column) << 2);
  let address = <usize>load<u32>(place);
  if (!address) {
    address = allocateZeroed(offsetof<Column>());
    at<Column>(address).sheet = <u32>sheet;
    at<Column>(address).number = column;
    if (record.isWatched) keepFormers(address);
    store<u32>(place, <u32>address);
  }
  return address;
}

/** Makes a column keep the former values of its cells. */
export function keepFormers(column: usize): void {
  at<Column>(column).former = <u32>allocateZeroed(offsetof<Column>());
}

/** Keeps the value of a cell before it is overwritten, unless an earlier value is kept. */
export function keepFormer(column: usize, row: u32, tag: u32, payload: u64): void {
  const former = <usize>at<Column>(column).former;
  const chunk = at<Chunk>(ensureChunk(former, row));
  if (load<u8>(<usize>chunk.tags + (row & (CHUNK_ROWS - 1)))) return;
  const isText = (tag & KIND_MASK) == KIND_STRING;
  writeCell(former, row, tag | CELL_FORMER, isText ? internText(<usize>payload) : payload);
}

/** The chunk of a row with room for it, made or enlarged if needed. */
export function ensureChunk(column: usize, row: u32): usize {
  const record = at<Column>(column);
  const index = row >> 10;
  if (index >= record.chunksLength) {
    reserve(column, index + 1);
    const from = <usize>record.chunks + ((<usize>record.chunksLength) << 2);
    memory.fill(from, 0, (<usize>(index + 1 - record.chunksLength)) << 2);
    record.chunksLength = index + 1;
  }
  const place = <usize>record.chunks + ((<usize>index) << 2);
  let chunk = <usize>load<u32>(place);
  if (!chunk) {
    chunk = allocateZeroed(offsetof<Chunk>());
    store<u32>(place, <u32>chunk);
  }
  const offset = row & (CHUNK_ROWS - 1);
  if (offset >= at<Chunk>(chunk).capacity) growChunk(chunk, offset);
  return chunk;
}

function growChunk(chunk: usize, offset: u32): void {
  const record = at<Chunk>(chunk);
  const old = record.capacity;
  let capacity: u32 = max(16, old << 1);
  while (capacity <= offset) capacity <<= 2;
  capacity = min(capacity, CHUNK_ROWS);
  const values = allocate(capacity << 3);
  const tags = allocate(capacity);
  memory.copy(values, record.values, (<usize>old) << 3);
  memory.fill(values + ((<usize>old) << 3), 0, (<usize>(capacity - old)) << 3);
  memory.copy(tags, record.tags, old);
  memory.fill(tags + old, 0, capacity - old);
  if (old) {
    release(record.values, old << 3);
    release(record.tags, old);
  }
  record.values = <u32>values;
  record.tags = <u32>tags;
  record.capacity = capacity;
}

/** Writes value and tag; keeps counts and holders of texts right. The text must be interned. */
export function writeCell(column: usize, row: u32, tag: u32, payload: u64): void {
  if (tag == KIND_BLANK) {
    const existing = chunkAt(column, row >> 10);
    if (!existing || (row & (CHUNK_ROWS - 1)) >= at<Chunk>(existing).capacity) return;
  }
  const chunk = at<Chunk>(ensureChunk(column, row));
  const offset = row & (CHUNK_ROWS - 1);
  const tagPlace = <usize>chunk.tags + offset;
  const valuePlace = <usize>chunk.values + ((<usize>offset) << 3);
  const old = <u32>load<u8>(tagPlace);
  if (at<Column>(column).former) keepFormer(column, row, old, load<u64>(valuePlace));
  if ((old & KIND_MASK) == KIND_STRING) dropText(<usize>load<u64>(valuePlace));
  if (old == 0) {
    if (tag != 0) chunk.count++;
  } else if (tag == 0) chunk.count--;
  store<u8>(tagPlace, <u8>tag);
  store<u64>(valuePlace, payload);
}

/** Sets or clears flags of a cell that has a chunk; its value stays. */
export function setFlags(column: usize, row: u32, keep: u32, add: u32): void {
  const chunk = at<Chunk>(ensureChunk(column, row));
  const place = <usize>chunk.tags + (row & (CHUNK_ROWS - 1));
  const old = <u32>load<u8>(place);
  const tag = (old & keep) | add;
  if (old == 0) {
    if (tag != 0) chunk.count++;
  } else if (tag == 0) chunk.count--;
  store<u8>(place, <u8>tag);
}

/** One past the last row that can hold anything in a column. */
export function columnRows(column: usize): u32 {
  const record = at<Column>(column);
  let index = record.chunksLength;
  while (index) {
    const chunk = load<u32>(<usize>record.chunks + ((<usize>(index - 1)) << 2));
    if (chunk && at<Chunk>(chunk).count) {
      return ((index - 1) << 10) + lastRow(chunk) + 1;
    }
    index--;
  }
  return 0;
}

function lastRow(chunk: usize): u32 {
  const tags = <usize>at<Chunk>(chunk).tags;
  let offset = at<Chunk>(chunk).capacity;
  // Eight cells at a time, because each formula with a whole column asks for this.
  while (offset && !load<u64>(tags + offset - 8)) offset -= 8;
  while (offset && !load<u8>(tags + offset - 1)) offset--;
  return offset ? offset - 1 : 0;
}

/** One past the last used row between two columns; whole-column references end there. */
export function usedRows(sheet: usize, column0: u32, column1: u32): u32 {
  const record = at<Sheet>(sheet);
  let rows: u32 = 0;
  const end = min(column1 + 1, record.columnsLength);
  for (let index = column0; index < end; index++) {
    const column = load<u32>(<usize>record.columns + ((<usize>index) << 2));
    if (column) rows = max(rows, columnRows(column));
  }
  return rows;
}

/** One past the last column that exists; whole-row references end there. */
export function usedColumns(sheet: usize): u32 {
  return at<Sheet>(sheet).columnsLength;
}

/** Returns whether a position is on the grid. */
export function onGrid(row: i32, column: i32): bool {
  return <u32>row < <u32>ROW_LIMIT && <u32>column < <u32>COLUMN_LIMIT;
}
