import {
  CELL_PENDING,
  CHUNK_ROWS,
  KIND_BOOLEAN,
  KIND_MASK,
  KIND_NUMBER,
  KIND_STRING,
} from '../abi';
import { Chunk, chunkAt } from '../grid/sheet';
import { allocate, allocateZeroed, release } from '../memory/arena';
import { addressOf, at } from '../memory/pointer';
import { equalTexts, lengthOf, lowerUnit, unit } from '../memory/text';
import { parseNumber, parsedNumber } from '../values/typed-number';

/**
 * Hash indexes over the rows of column ranges, so that n exact lookups or criteria over n rows cost
 * n steps, not n². The third question about a range within a recalculation builds its index, if no
 * cell of it waits to be computed; then none can change before dropColumnIndexes. Whoever writes
 * cells otherwise (a spill, say) drops the indexes.
 */
@unmanaged
class Index {
  /** Address of the column record; 0 when the entry is free. */
  column: u32 = 0;
  row0: u32 = 0;
  /** One past the last row. */
  rowEnd: u32 = 0;
  /** INDEX_*. */
  purpose: u32 = 0;
  uses: u32 = 0;
  /** Buckets of eight bytes: a hash, then first row - row0 + 1 (0 = empty). 0 until built. */
  buckets: u32 = 0;
  bucketCount: u32 = 0;
  /** For criteria, by row - row0: the next row - row0 + 1 with the same key, or 0. */
  following: u32 = 0;
}

/** Each cell under its own value; only the first row of each is found. */
export const INDEX_LOOKUP: u32 = 0;
/** Text that reads as a number under the number, since both meet the same criterion; all rows. */
export const INDEX_CRITERIA: u32 = 1;

const ENTRY_COUNT: u32 = 128;
const PROBE_COUNT: u32 = 4;
const USES_TO_BUILD: u32 = 3;
const INDEX_BYTES: usize = offsetof<Index>();

/** The entries; 0 while nobody has asked. */
let entries: usize = 0;

/** Forgets all indexes; at the start and the end of every recalculation. */
export function dropColumnIndexes(): void {
  if (!entries) return;
  for (let number: u32 = 0; number < ENTRY_COUNT; number++) {
    dropIndex(at<Index>(entries + <usize>number * INDEX_BYTES));
  }
  release(entries, ENTRY_COUNT * <u32>INDEX_BYTES);
  entries = 0;
}

function dropIndex(index: Index): void {
  release(index.buckets, index.bucketCount << 3);
  release(index.following, (index.rowEnd - index.row0) << 2);
  index.buckets = 0;
  index.following = 0;
}

/** Counts a question about rows of a column; answers the index once there is one, or 0. */
export function columnIndex(purpose: u32, column: usize, row0: u32, rowEnd: u32): usize {
  if (!entries) entries = allocateZeroed(ENTRY_COUNT * <u32>INDEX_BYTES);
  const mixed = <u32>column * 0x9e3779b1 + row0 * 0x85ebca6b + rowEnd * 0xc2b2ae35 + purpose;
  const start = mixed >> 25;
  let worst: usize = 0;
  for (let probe: u32 = 0; probe < PROBE_COUNT; probe++) {
    const place = entries + <usize>((start + probe) & (ENTRY_COUNT - 1)) * INDEX_BYTES;
    const index = at<Index>(place);
    if (
      index.column == <u32>column &&
      index.row0 == row0 &&
      index.rowEnd == rowEnd &&
      index.purpose == purpose
    ) {
      if (index.buckets) return place;
      if (++index.uses >= USES_TO_BUILD && build(index)) return place;
      return 0;
    }
    if (!worst || index.uses < at<Index>(worst).uses) worst = place;
  }
  const index = at<Index>(worst);
  dropIndex(index);
  index.column = <u32>column;
  index.row0 = row0;
  index.rowEnd = rowEnd;
  index.purpose = purpose;
  index.uses = 1;
  return 0;
}

/** The first row with the key, counted from row0 and plus one; 0 when there is none. */
export function firstWithKey(place: usize, kind: u32, payload: u64): u32 {
  if (!isFiled(kind)) return 0;
  return load<u32>(findBucket(at<Index>(place), hashKey(kind, payload), kind, payload), 4);
}

/** The next such row after one, in the same count; for criteria only. */
export function nextWithKey(place: usize, row: u32): u32 {
  return load<u32>(<usize>at<Index>(place).following + ((<usize>(row - 1)) << 2));
}

/** Whether a cell is filed under the number its text reads as, which is then parsedNumber. */
function isNumeral(index: Index, kind: u32, payload: u64): bool {
  return kind == KIND_STRING && index.purpose == INDEX_CRITERIA && parseNumber(<usize>payload);
}

function hashKey(kind: u32, payload: u64): u32 {
  if (kind == KIND_STRING) return hashText(<usize>payload);
  if (kind == KIND_BOOLEAN) return <u32>payload;
  // Both zeros are one number: they differ in the sign bit.
  const bits = payload << 1 ? payload : 0;
  return <u32>(((bits ^ (bits >> 32)) * 0x9e3779b97f4a7c15) >> 32);
}

function hashText(text: usize): u32 {
  const length = lengthOf(text);
  let hash: u32 = 0x811c9dc5;
  for (let place: u32 = 0; place < length; place++) {
    hash = (hash ^ lowerUnit(unit(text, place))) * 0x01000193;
  }
  return hash ^ (hash >> 15);
}

/** The bucket with this key, or the empty one where it would go. */
function findBucket(index: Index, hash: u32, kind: u32, payload: u64): usize {
  const mask = index.bucketCount - 1;
  let place = hash & mask;
  while (true) {
    const bucket = <usize>index.buckets + ((<usize>place) << 3);
    const row = load<u32>(bucket, 4);
    if (!row) return bucket;
    if (load<u32>(bucket) == hash && holds(index, row - 1, kind, payload)) return bucket;
    place = (place + 1) & mask;
  }
}

function holds(index: Index, offset: u32, kind: u32, payload: u64): bool {
  const row = index.row0 + offset;
  const chunk = at<Chunk>(chunkAt(index.column, row >> 10));
  const place = <usize>(row & (CHUNK_ROWS - 1));
  const cellKind = <u32>load<u8>(<usize>chunk.tags + place) & KIND_MASK;
  const cell = load<u64>(<usize>chunk.values + (place << 3));
  if (cellKind == kind) {
    if (cell == payload) return true;
    if (kind == KIND_NUMBER) return reinterpret<f64>(cell) == reinterpret<f64>(payload);
    return kind == KIND_STRING && equalTexts(<usize>cell, <usize>payload);
  }
  if (kind != KIND_NUMBER || !isNumeral(index, cellKind, cell)) return false;
  return parsedNumber == reinterpret<f64>(payload);
}

/** Cells that can be filed, or -1 when one of them waits to be computed. */
function countCells(index: Index): i32 {
  let count: i32 = 0;
  for (let row = index.row0; row < index.rowEnd;) {
    const base = row & ~(CHUNK_ROWS - 1);
    const chunk = chunkAt(index.column, row >> 10);
    if (chunk) {
      const end = min(index.rowEnd, base + at<Chunk>(chunk).capacity);
      for (; row < end; row++) {
        const tag = <u32>load<u8>(<usize>at<Chunk>(chunk).tags + (row - base));
        if (tag & CELL_PENDING) return -1;
        if (isFiled(tag & KIND_MASK)) count++;
      }
    }
    row = base + CHUNK_ROWS;
  }
  return count;
}

function isFiled(kind: u32): bool {
  return kind == KIND_NUMBER || kind == KIND_STRING || kind == KIND_BOOLEAN;
}

/**
 * Files the rows. For criteria from the last to the first, as chains grow at their heads; else from
 * the first to the last, which the processor reads faster.
 */
function build(index: Index): bool {
  const count = countCells(index);
  if (count < 0) {
    index.uses = 0;
    return false;
  }
  let bucketCount: u32 = 16;
  while (bucketCount < (<u32>count) << 1) bucketCount <<= 1;
  index.bucketCount = bucketCount;
  index.buckets = <u32>allocateZeroed(bucketCount << 3);
  if (index.purpose == INDEX_CRITERIA) {
    index.following = <u32>allocate((index.rowEnd - index.row0) << 2);
  }
  const chunk0 = index.row0 >> 10;
  const chunkEnd = (index.rowEnd + CHUNK_ROWS - 1) >> 10;
  for (let step = chunk0; step < chunkEnd; step++) {
    addChunk(index, index.following ? chunk0 + chunkEnd - 1 - step : step);
  }
  return true;
}

function addChunk(index: Index, number: u32): void {
  const chunk = at<Chunk>(chunkAt(index.column, number));
  if (!addressOf(chunk)) return;
  const base = number << 10;
  const row0 = max(base, index.row0);
  const rowEnd = min(index.rowEnd, base + chunk.capacity);
  for (let step = row0; step < rowEnd; step++) {
    const row = index.following ? row0 + rowEnd - 1 - step : step;
    const kind = <u32>load<u8>(<usize>chunk.tags + (row - base)) & KIND_MASK;
    if (!isFiled(kind)) continue;
    const payload = load<u64>(<usize>chunk.values + ((<usize>(row - base)) << 3));
    const place = row - index.row0;
    if (isNumeral(index, kind, payload)) {
      addRow(index, place, KIND_NUMBER, reinterpret<u64>(parsedNumber));
    } else addRow(index, place, kind, payload);
  }
}

function addRow(index: Index, place: u32, kind: u32, payload: u64): void {
  const hash = hashKey(kind, payload);
  const bucket = findBucket(index, hash, kind, payload);
  const first = load<u32>(bucket, 4);
  if (index.following) store<u32>(<usize>index.following + ((<usize>place) << 2), first);
  else if (first) return;
  store<u32>(bucket, hash);
  store<u32>(bucket, place + 1, 4);
}
