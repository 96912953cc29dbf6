import {
  CELL_PENDING,
  CHUNK_ROWS,
  KIND_BOOLEAN,
  KIND_MASK,
  KIND_NUMBER,
  KIND_STRING,
} from '../abi';
import { Chunk, chunkAt } from '../grid/sheet';
import { allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { equalTexts, lengthOf, lowerUnit, unit } from '../memory/text';

/**
 * Hash indexes over column ranges, for exact lookups. The third lookup over the same range within a
 * recalculation builds one, so n lookups over n rows cost n steps, not n². No cell of an indexed
 * range waits to be computed, so it cannot change before dropLookupIndexes; whoever writes cells
 * otherwise (a spill, say) must drop the indexes too.
 */
@unmanaged
class Index {
  /** Address of the column record; 0 when the entry is free. */
  column: u32 = 0;
  row0: u32 = 0;
  /** One past the last row. */
  rowEnd: u32 = 0;
  uses: u32 = 0;
  /** Buckets of eight bytes: a hash, then row + 1 (0 = empty). 0 until it is built. */
  buckets: u32 = 0;
  bucketCount: u32 = 0;
  spare0: u32 = 0;
  spare1: u32 = 0;
}

const ENTRY_COUNT: u32 = 64;
const PROBE_COUNT: u32 = 4;
const USES_TO_BUILD: u32 = 3;
const INDEX_BYTES: usize = offsetof<Index>();

/** The entries; 0 while no lookup has asked. */
let entries: usize = 0;

/** Forgets all indexes; at the start and the end of every recalculation. */
export function dropLookupIndexes(): void {
  if (!entries) return;
  for (let number: u32 = 0; number < ENTRY_COUNT; number++) {
    dropIndex(at<Index>(entries + <usize>number * INDEX_BYTES));
  }
  release(entries, ENTRY_COUNT * <u32>INDEX_BYTES);
  entries = 0;
}

function dropIndex(index: Index): void {
  release(index.buckets, index.bucketCount << 3);
  index.buckets = 0;
}

/** Counts a lookup over rows of a column; answers the index once there is one, or 0. */
export function lookupIndex(column: usize, row0: u32, rowEnd: u32): usize {
  if (!entries) entries = allocateZeroed(ENTRY_COUNT * <u32>INDEX_BYTES);
  const start = (<u32>column * 0x9e3779b1 + row0 * 0x85ebca6b + rowEnd * 0xc2b2ae35) >> 26;
  let worst: usize = 0;
  for (let probe: u32 = 0; probe < PROBE_COUNT; probe++) {
    const place = entries + <usize>((start + probe) & (ENTRY_COUNT - 1)) * INDEX_BYTES;
    const index = at<Index>(place);
    if (index.column == <u32>column && index.row0 == row0 && index.rowEnd == rowEnd) {
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
  index.uses = 1;
  return 0;
}

function hashNumber(payload: u64): u32 {
  const mixed = (payload ^ (payload >> 32)) * 0x9e3779b97f4a7c15;
  return <u32>(mixed >> 32);
}

function hashText(text: usize): u32 {
  const length = lengthOf(text);
  let hash: u32 = 0x811c9dc5;
  for (let place: u32 = 0; place < length; place++) {
    hash = (hash ^ lowerUnit(unit(text, place))) * 0x01000193;
  }
  return hash ^ (hash >> 15);
}

function hashValue(kind: u32, payload: u64): u32 {
  if (kind == KIND_STRING) return hashText(<usize>payload);
  return kind == KIND_NUMBER ? hashNumber(payload) : <u32>payload;
}

function isIndexed(kind: u32): bool {
  return kind == KIND_NUMBER || kind == KIND_STRING || kind == KIND_BOOLEAN;
}

/** Cells of the range that hold something, or -1 when one of them waits to be computed. */
function countCells(index: Index): i32 {
  let count: i32 = 0;
  for (let row = index.row0; row < index.rowEnd;) {
    const chunkEnd = min(index.rowEnd, (row | (CHUNK_ROWS - 1)) + 1);
    const chunk = chunkAt(index.column, row >> 10);
    if (chunk) {
      const record = at<Chunk>(chunk);
      const base = row & ~(CHUNK_ROWS - 1);
      const end = min(chunkEnd, base + record.capacity);
      for (; row < end; row++) {
        const tag = <u32>load<u8>(<usize>record.tags + (row - base));
        if (tag & CELL_PENDING) return -1;
        if (isIndexed(tag & KIND_MASK)) count++;
      }
    }
    row = chunkEnd;
  }
  return count;
}

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
  for (let row = index.row0; row < index.rowEnd;) {
    const chunkEnd = min(index.rowEnd, (row | (CHUNK_ROWS - 1)) + 1);
    const chunk = chunkAt(index.column, row >> 10);
    if (chunk) {
      const record = at<Chunk>(chunk);
      const base = row & ~(CHUNK_ROWS - 1);
      const end = min(chunkEnd, base + record.capacity);
      for (; row < end; row++) {
        const kind = <u32>load<u8>(<usize>record.tags + (row - base)) & KIND_MASK;
        const payload = load<u64>(<usize>record.values + ((<usize>(row - base)) << 3));
        if (isIndexed(kind)) addRow(index, row, kind, payload);
      }
    }
    row = chunkEnd;
  }
  return true;
}

/** Adds a row unless an earlier one has the same value: the first match wins. */
function addRow(index: Index, row: u32, kind: u32, payload: u64): void {
  const hash = hashValue(kind, payload);
  const bucket = findBucket(index, hash, kind, payload);
  if (load<u32>(bucket, 4)) return;
  store<u32>(bucket, hash);
  store<u32>(bucket, row + 1, 4);
}

/** The bucket with this value, or the empty one where it would go. */
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

function holds(index: Index, row: u32, kind: u32, payload: u64): bool {
  const record = at<Chunk>(chunkAt(index.column, row >> 10));
  const offset = <usize>(row & (CHUNK_ROWS - 1));
  if ((<u32>load<u8>(<usize>record.tags + offset) & KIND_MASK) != kind) return false;
  const cell = load<u64>(<usize>record.values + (offset << 3));
  if (cell == payload) return true;
  return kind == KIND_STRING && equalTexts(<usize>cell, <usize>payload);
}

/** The first row of the range that holds the value, or -1. */
export function indexedRow(place: usize, kind: u32, payload: u64): i32 {
  const index = at<Index>(place);
  if (!isIndexed(kind)) return -1;
  return <i32>load<u32>(findBucket(index, hashValue(kind, payload), kind, payload), 4) - 1;
}
