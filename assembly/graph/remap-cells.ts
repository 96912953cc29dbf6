import { CHUNK_ROWS, KIND_MASK, KIND_STRING } from '../abi';
import {
  COLUMN_RUNS,
  Chunk,
  Column,
  SHEET_COLUMNS,
  Sheet,
  columnRows,
  ensureChunk,
} from '../grid/sheet';
import { dropIndex } from '../indexes/column-index';
import { allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { dropText } from '../memory/text';
import { freeVector, push, reserve } from '../memory/vector';
import {
  firstMoved,
  lineMapPieces,
  mapLine,
  pieceBehind,
  pieceEnd,
  pieceFrom,
  pieceTo,
} from './line-map';

/** Moves the cells of a column by the line map of rows; cells of deleted rows are dropped. */
export function moveRows(column: usize): void {
  if (at<Column>(column).former) moveRows(at<Column>(column).former);
  if (columnRows(column) <= firstMoved) return;
  dropIndex(column);
  const record = at<Column>(column);
  const kept = firstMoved >> 10;
  const fresh = allocateZeroed(offsetof<Column>());
  for (let index = kept; index < record.chunksLength; index++) {
    const chunk = load<u32>(<usize>record.chunks + ((<usize>index) << 2));
    if (!chunk) continue;
    moveChunk(at<Chunk>(chunk), index << 10, fresh);
    freeChunk(chunk);
  }
  const moved = at<Column>(fresh);
  record.chunksLength = min(kept, record.chunksLength);
  reserve(column, max(moved.chunksLength, record.chunksLength));
  while (record.chunksLength < moved.chunksLength) {
    const index = record.chunksLength;
    push(column, index < kept ? 0 : load<u32>(<usize>moved.chunks + ((<usize>index) << 2)));
  }
  freeVector(fresh);
  release(fresh, offsetof<Column>());
}

/** Moves the rows of one chunk and drops the texts of those that are deleted. */
function moveChunk(chunk: Chunk, start: u32, fresh: usize): void {
  let done: u32 = 0;
  // Pieces are in the order of their old rows; what lies between them is deleted.
  for (let index = pieceBehind(start); index < lineMapPieces(); index++) {
    const from = max(pieceFrom(index), start);
    const end = min(pieceEnd(index), start + chunk.capacity);
    if (from >= end) break;
    dropTexts(chunk, done, from - start);
    done = end - start;
    copyRows(chunk, from - start, done, fresh, from - pieceFrom(index) + pieceTo(index));
  }
  dropTexts(chunk, done, chunk.capacity);
}

function dropTexts(chunk: Chunk, from: u32, end: u32): void {
  for (let offset = from; offset < end; offset++) {
    if ((load<u8>(<usize>chunk.tags + offset) & KIND_MASK) != KIND_STRING) continue;
    dropText(<usize>load<u64>(<usize>chunk.values + ((<usize>offset) << 3)));
  }
}

function copyRows(chunk: Chunk, from: u32, end: u32, fresh: usize, target: u32): void {
  let last = end;
  while (last > from && !load<u8>(<usize>chunk.tags + last - 1)) last--;
  let offset = from;
  let row = target;
  while (offset < last) {
    const count = min(last - offset, CHUNK_ROWS - (row & (CHUNK_ROWS - 1)));
    const into = at<Chunk>(ensureChunk(fresh, row + count - 1));
    const place = row & (CHUNK_ROWS - 1);
    memory.copy(<usize>into.tags + place, <usize>chunk.tags + offset, count);
    memory.copy(
      <usize>into.values + ((<usize>place) << 3),
      <usize>chunk.values + ((<usize>offset) << 3),
      (<usize>count) << 3,
    );
    for (let index: u32 = 0; index < count; index++) {
      if (load<u8>(<usize>into.tags + place + index)) into.count++;
    }
    offset += count;
    row += count;
  }
}

function freeChunk(address: usize): void {
  const chunk = at<Chunk>(address);
  if (chunk.capacity) {
    release(chunk.values, chunk.capacity << 3);
    release(chunk.tags, chunk.capacity);
  }
  release(address, offsetof<Chunk>());
}

/** Frees a column with all of its content; its runs were killed before. */
export function freeColumn(column: usize): void {
  dropIndex(column);
  const record = at<Column>(column);
  if (record.former) freeColumn(record.former);
  for (let index: u32 = 0; index < record.chunksLength; index++) {
    const chunk = load<u32>(<usize>record.chunks + ((<usize>index) << 2));
    if (!chunk) continue;
    dropTexts(at<Chunk>(chunk), 0, at<Chunk>(chunk).capacity);
    freeChunk(chunk);
  }
  freeVector(column);
  freeVector(column + COLUMN_RUNS);
  release(column, offsetof<Column>());
}

/** Moves the columns of a sheet by the line map of columns; deleted ones are dropped. */
export function moveColumns(sheet: usize): void {
  const record = at<Sheet>(sheet);
  const old = <usize>record.columns;
  const count = record.columnsLength;
  const capacity = record.columnsCapacity;
  let length: u32 = 0;
  for (let number: u32 = 0; number < count; number++) {
    const target = mapLine(number);
    if (target >= 0 && load<u32>(old + ((<usize>number) << 2))) length = max(length, target + 1);
  }
  record.columns = 0;
  record.columnsLength = 0;
  record.columnsCapacity = 0;
  reserve(sheet + SHEET_COLUMNS, max(length, 1));
  memory.fill(record.columns, 0, (<usize>length) << 2);
  record.columnsLength = length;
  for (let number: u32 = 0; number < count; number++) {
    const column = load<u32>(old + ((<usize>number) << 2));
    if (!column) continue;
    const target = mapLine(number);
    if (target < 0) {
      freeColumn(column);
      continue;
    }
    at<Column>(column).number = <u32>target;
    store<u32>(<usize>record.columns + ((<usize>target) << 2), column);
  }
  if (capacity) release(old, capacity << 2);
}
