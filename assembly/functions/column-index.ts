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
import { at } from '../memory/pointer';
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

/** Kind and payload a cell is filed under. */
let keyKind: u32 = 0;
let keyPayload: u64 = 0;

function readKey(index: Index, chunk: Chunk, offset: u32): void {
  keyKind = <u32>load<u8>(<usize>chunk.tags + offset) & KIND_MASK;
  keyPayload = load<u64>(<usize>chunk.values + ((<usize>offset) << 3));
  if (index.purpose != INDEX_CRITERIA || keyKind != KIND_STRING) return;
  if (!parseNumber(<usize>keyPayload)) return;
  keyKind = KIND_NUMBER;
  keyPayload = reinterpret<u64>(parsedNumber);
}

function hashKey(kind: u32, payload: u64): u32 {
  if (kind == KIND_NUMBER) {
    // Adding zero makes one of both zeros.
    const bits = reinterpret<u64>(reinterpret<f64>(payload) + 0.0);
    const mixed = (bits ^ (bits >> 32)) * 0x9e3779b97f4a7c15;
    return <u32>(mixed >> 32);
  }
  if (kind == KIND_BOOLEAN) return <u32>payload;
  const text = <usize>payload;
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
  readKey(index, at<Chunk>(chunkAt(index.column, row >> 10)), row & (CHUNK_ROWS - 1));
  if (keyKind != kind) return false;
  if (kind == KIND_NUMBER) return reinterpret<f64>(keyPayload) == reinterpret<f64>(payload);
  if (keyPayload == payload) return true;
  return kind == KIND_STRING && equalTexts(<usize>keyPayload, <usize>payload);
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

/** Files the rows from the last to the first, so that the first is found and chains run down. */
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
  for (let end = index.rowEnd; end > index.row0;) {
    const base = (end - 1) & ~(CHUNK_ROWS - 1);
    const chunk = chunkAt(index.column, base >> 10);
    if (chunk) addChunk(index, at<Chunk>(chunk), base, end);
    end = max(base, index.row0);
  }
  return true;
}

/** Files the rows of a chunk that begins at `base`, from the one before `rowEnd` upwards. */
function addChunk(index: Index, chunk: Chunk, base: u32, rowEnd: u32): void {
  const row0 = max(base, index.row0);
  for (let row = min(rowEnd, base + chunk.capacity); row > row0;) {
    const offset = --row - base;
    if (!isFiled(<u32>load<u8>(<usize>chunk.tags + offset) & KIND_MASK)) continue;
    readKey(index, chunk, offset);
    addRow(index, row - index.row0, keyKind, keyPayload);
  }
}

/** Puts a row before those filed under the same key. */
function addRow(index: Index, place: u32, kind: u32, payload: u64): void {
  const hash = hashKey(kind, payload);
  const bucket = findBucket(index, hash, kind, payload);
  if (index.following) {
    store<u32>(<usize>index.following + ((<usize>place) << 2), load<u32>(bucket, 4));
  }
  store<u32>(bucket, hash);
  store<u32>(bucket, place + 1, 4);
}
