import {
  CELL_PENDING,
  CHUNK_ROWS,
  KIND_BOOLEAN,
  KIND_MASK,
  KIND_NUMBER,
  KIND_STRING,
} from '../abi';
import { Chunk, Column, chunkAt } from '../grid/sheet';
import { hashFolded, hashWord, noteProbe } from '../memory/keyed-hash';
import { addressOf, at } from '../memory/pointer';
import { TEXT_HEADER, equalTexts, lengthOf } from '../memory/text';
import { noteWork, notedWork, setNotedWork } from '../memory/work';
import { parsedNumber, readNumber } from '../values/typed-number';
import { IndexRecord, giveBytes, takeBytes } from './index-record';

/**
 * Rows of a column by their value, so that n exact look-ups or criteria over n rows take n steps
 * and not n². Rows whose keys have the same hash form a chain in ascending order; a query walks it
 * and checks the cells, so other keys do no harm. Chunks are read at the first query, and changed
 * rows again.
 */
@unmanaged
class Part {
  /** By row of the chunk: its hash or 0, then the number of the next row of its chain plus one. */
  rows: u32 = 0;
  /** Rows of the chunk that may be unread: from the first up to the end. */
  stale0: u16 = 0;
  staleEnd: u16 = 0;
}

const PART_BYTES: u32 = offsetof<Part>();
const ROWS_BYTES: u32 = CHUNK_ROWS << 3;
const FOLLOWING: usize = (<usize>CHUNK_ROWS) << 2;
/** Queries before rows are read: a few walks over the cells cost less than reading them. */
const QUESTIONS_LEAST: u32 = 3;
/** Steps of changes in long chains, after which all rows are read anew. */
const STEPS_FREE: u32 = 1024;

let stepCount: u32 = 0;

// Chain of the current walk, and its position: the next row plus one.
let walked: usize = 0;
let walkedRow: u32 = 0;
let walkedEnd: u32 = 0;
let walkedHash: u32 = 0;

/**
 * Begins a walk over the rows from `row0` up to `rowEnd` that may hold a key. Returns false if a
 * walk over the cells is better: after few queries, if a cell there is pending, or if most rows
 * with the key are before row0.
 */
export function openRows(index: IndexRecord, hash: u32, row0: u32, rowEnd: u32): bool {
  if (index.keyQuestions < QUESTIONS_LEAST && ++index.keyQuestions < QUESTIONS_LEAST) return false;
  if (row0 < index.filed0 || rowEnd > index.filedEnd) {
    if (!fileRows(index, row0, rowEnd)) return false;
  }
  walked = addressOf(index);
  walkedEnd = rowEnd;
  walkedHash = hash;
  walkedRow = index.headCount ? load<u32>(headOf(index, hash)) : 0;
  let left = rowEnd - row0;
  while (walkedRow && walkedRow <= row0) {
    noteProbe();
    if (isWalked(index, walkedRow - 1) && !left--) return false;
    walkedRow = load<u32>(followingOf(index, walkedRow - 1));
  }
  noteWork(rowEnd - row0 - left);
  return true;
}

/** Other rows of the chain cost no fuel, because they depend on the secret key of the hash. */
function isWalked(index: IndexRecord, row: u32): bool {
  return load<u32>(hashOf(index, row)) == walkedHash;
}

/** Returns the next row of the walk, or -1. Its cell may still hold another key. */
export function nextRow(): i32 {
  const index = at<IndexRecord>(walked);
  while (walkedRow && walkedRow <= walkedEnd) {
    const row = walkedRow - 1;
    noteProbe();
    walkedRow = load<u32>(followingOf(index, row));
    if (!isWalked(index, row)) continue;
    noteWork(1);
    return <i32>row;
  }
  return -1;
}

/** Files these rows as far as they are not; returns false if a cell of them is pending. */
export function areFiled(index: IndexRecord, row0: u32, rowEnd: u32): bool {
  return (row0 >= index.filed0 && rowEnd <= index.filedEnd) || fileRows(index, row0, rowEnd);
}

/** No row, where a row is filed nowhere. */
export const NO_ALIKE: u32 = u32.MAX_VALUE;

/**
 * Returns the first row from `row0` on that holds the same as a filed row, texts without regard to
 * case; the row itself if none above does, and NO_ALIKE for a blank or an error.
 */
export function firstAlike(index: IndexRecord, row0: u32, row: u32): u32 {
  const isHeld = row >> 10 < index.partCount && partAt(index, row >> 10).rows != 0;
  const hash = isHeld ? load<u32>(hashOf(index, row)) : 0;
  if (!hash) return NO_ALIKE;
  let next = load<u32>(headOf(index, hash));
  for (; next <= row; next = load<u32>(followingOf(index, next - 1))) {
    noteProbe();
    if (next <= row0 || load<u32>(hashOf(index, next - 1)) != hash) continue;
    if (areAlike(index.column, next - 1, row)) return next - 1;
  }
  return row;
}

/** Returns whether two cells with values hold the same. */
function areAlike(column: usize, left: u32, right: u32): bool {
  const a = at<Chunk>(chunkAt(column, left >> 10));
  const b = at<Chunk>(chunkAt(column, right >> 10));
  const kind = <u32>load<u8>(<usize>a.tags + (left & (CHUNK_ROWS - 1))) & KIND_MASK;
  const other = <u32>load<u8>(<usize>b.tags + (right & (CHUNK_ROWS - 1))) & KIND_MASK;
  if (kind != other) return false;
  const payload = load<u64>(<usize>a.values + ((<usize>(left & (CHUNK_ROWS - 1))) << 3));
  const beside = load<u64>(<usize>b.values + ((<usize>(right & (CHUNK_ROWS - 1))) << 3));
  return payload == beside || (kind == KIND_STRING && equalTexts(<usize>payload, <usize>beside));
}

/**
 * Returns the hash of a cell's value or of a key; 0 for what is never looked up. Texts are hashed
 * without regard to case, and those that read as a number as that number, because both can meet one
 * criterion.
 */
export function keyHash(kind: u32, payload: u64): u32 {
  if (kind == KIND_NUMBER) return numberHash(payload);
  if (kind == KIND_BOOLEAN) return max<u32>(<u32>hashWord(payload), 1);
  if (kind != KIND_STRING) return 0;
  if (readNumber(<usize>payload)) return numberHash(reinterpret<u64>(parsedNumber));
  const hash = <u32>hashFolded(<usize>payload + TEXT_HEADER, lengthOf(<usize>payload));
  return max<u32>(hash, 1);
}

/**
 * Numbers are filed without their last twelve bits, so that those which are equal as far as
 * operators compare, at 15 digits, mostly stand together; callers look at the cells.
 */
const CUT_BITS: u64 = 12;

function numberHash(payload: u64): u32 {
  return max<u32>(<u32>hashWord(cutNumber(payload)), 1);
}

/** The number's first bits, rounded. Both zeros are one number: they differ in the sign bit. */
function cutNumber(payload: u64): u64 {
  return payload << 1 ? (payload + (1 << (CUT_BITS - 1))) >> CUT_BITS : 0;
}

/** Share of a number beyond which others are not equal to it for operators, and a little more. */
const NEAR: f64 = 1.1e-14;

/** Returns whether all numbers that operators take for equal to this one are filed with it. */
export function isFiledTogether(value: f64): bool {
  const cut = cutNumber(reinterpret<u64>(value));
  const below = cutNumber(reinterpret<u64>(value - value * NEAR));
  return below == cut && cutNumber(reinterpret<u64>(value + value * NEAR)) == cut;
}

/** Marks rows from `row0` to `row1`, which have changed or are pending, as unread. */
export function forgetRows(index: IndexRecord, row0: u32, row1: u32): void {
  if (row0 < index.filedEnd && row1 >= index.filed0) index.filed0 = index.filedEnd = 0;
  const numberEnd = min((row1 >> 10) + 1, index.partCount);
  for (let number = row0 >> 10; number < numberEnd; number++) {
    const part = partAt(index, number);
    if (!part.rows) continue;
    const first = number << 10;
    const from = max(row0, first) - first;
    const end = min(row1 + 1, first + CHUNK_ROWS) - first;
    const isKnown = part.stale0 >= part.staleEnd;
    part.stale0 = <u16>(isKnown ? from : min(<u32>part.stale0, from));
    part.staleEnd = <u16>(isKnown ? end : max(<u32>part.staleEnd, end));
  }
}

/** Frees all memory of the rows. */
export function dropKeyRows(index: IndexRecord): void {
  for (let number: u32 = 0; number < index.partCount; number++) {
    giveBytes(index, partAt(index, number).rows, ROWS_BYTES);
  }
  giveBytes(index, index.parts, index.partCount * PART_BYTES);
  giveBytes(index, index.heads, index.headCount << 2);
  index.parts = index.partCount = 0;
  index.heads = index.headCount = 0;
  index.filedCount = 0;
  index.filed0 = index.filedEnd = 0;
}

function partAt(index: IndexRecord, number: u32): Part {
  return at<Part>(<usize>index.parts + <usize>number * PART_BYTES);
}

function hashOf(index: IndexRecord, row: u32): usize {
  return <usize>partAt(index, row >> 10).rows + ((<usize>(row & (CHUNK_ROWS - 1))) << 2);
}

function followingOf(index: IndexRecord, row: u32): usize {
  return hashOf(index, row) + FOLLOWING;
}

function headOf(index: IndexRecord, hash: u32): usize {
  return <usize>index.heads + ((<usize>(hash & (index.headCount - 1))) << 2);
}

/** Reads these rows as far as they are unread; returns false if a cell of them is pending. */
function fileRows(index: IndexRecord, row0: u32, rowEnd: u32): bool {
  const chunks = at<Column>(index.column).chunksLength;
  const end = min(rowEnd, chunks << 10);
  if (chunks > index.partCount) growParts(index, max(chunks, index.partCount << 1));
  // Later queries find the rows read at no cost, so this cell does not pay either.
  const work = notedWork();
  stepCount = 0;
  let isFiled = fileChunks(index, row0, end);
  if (!isFiled && stepCount > stepLimit(index)) {
    dropKeyRows(index);
    growParts(index, chunks);
    stepCount = 0;
    isFiled = fileChunks(index, row0, end);
  }
  setNotedWork(work);
  if (!isFiled) return false;
  index.filed0 = row0;
  index.filedEnd = rowEnd;
  return true;
}

function stepLimit(index: IndexRecord): u32 {
  return index.filedCount + STEPS_FREE;
}

/**
 * Reads chunks from the last row to the first, because adding at the head of a chain takes no step.
 */
function fileChunks(index: IndexRecord, row0: u32, end: u32): bool {
  if (row0 >= end) return true;
  for (let number = (end - 1) >> 10; number + 1 > row0 >> 10; number--) {
    if (!chunkAt(index.column, number)) continue;
    const first = number << 10;
    const part = partAt(index, number);
    if (!part.rows) {
      part.rows = <u32>takeBytes(index, ROWS_BYTES);
      part.stale0 = 0;
      part.staleEnd = <u16>CHUNK_ROWS;
    }
    const from = max(<u32>part.stale0, max(row0, first) - first);
    const to = min(<u32>part.staleEnd, min(end, first + CHUNK_ROWS) - first);
    if (from >= to) continue;
    const reached = fileChunk(index, number, from, to);
    if (to == part.staleEnd) part.staleEnd = <u16>reached;
    else if (from == part.stale0 && reached == from) part.stale0 = <u16>to;
    if (reached > from) return false;
  }
  return true;
}

/** Reads rows of a chunk from the last to the first; returns the first that was read. */
function fileChunk(index: IndexRecord, number: u32, from: u32, to: u32): u32 {
  const chunk = at<Chunk>(chunkAt(index.column, number));
  const first = number << 10;
  for (let offset = to; offset > from;) {
    offset--;
    let hash: u32 = 0;
    if (offset < chunk.capacity) {
      const tag = <u32>load<u8>(<usize>chunk.tags + offset);
      if (tag & CELL_PENDING) return offset + 1;
      hash = keyHash(tag & KIND_MASK, load<u64>(<usize>chunk.values + ((<usize>offset) << 3)));
    }
    const old = load<u32>(hashOf(index, first + offset));
    if (hash == old) continue;
    if (old) unlink(index, first + offset, old);
    if (hash) link(index, first + offset, hash);
    if (stepCount > stepLimit(index)) return offset + 1;
  }
  return from;
}

/** Inserts a row into its chain. */
function link(index: IndexRecord, row: u32, hash: u32): void {
  if (index.filedCount >= index.headCount) growHeads(index);
  index.filedCount++;
  store<u32>(hashOf(index, row), hash);
  let place = headOf(index, hash);
  let next = load<u32>(place);
  while (next && next <= row) {
    noteProbe();
    stepCount++;
    place = followingOf(index, next - 1);
    next = load<u32>(place);
  }
  store<u32>(followingOf(index, row), next);
  store<u32>(place, row + 1);
}

function unlink(index: IndexRecord, row: u32, hash: u32): void {
  index.filedCount--;
  let place = headOf(index, hash);
  while (load<u32>(place) != row + 1) {
    noteProbe();
    stepCount++;
    place = followingOf(index, load<u32>(place) - 1);
  }
  store<u32>(place, load<u32>(followingOf(index, row)));
  store<u32>(hashOf(index, row), 0);
}

function growParts(index: IndexRecord, count: u32): void {
  const parts = takeBytes(index, count * PART_BYTES);
  memory.copy(parts, index.parts, index.partCount * PART_BYTES);
  giveBytes(index, index.parts, index.partCount * PART_BYTES);
  index.parts = <u32>parts;
  index.partCount = count;
}

/** Doubles the number of chains and inserts the rows again. */
function growHeads(index: IndexRecord): void {
  const headCount = max(64, index.headCount << 1);
  giveBytes(index, index.heads, index.headCount << 2);
  index.heads = <u32>takeBytes(index, headCount << 2);
  index.headCount = headCount;
  for (let number = index.partCount; number > 0;) {
    number--;
    if (!partAt(index, number).rows) continue;
    for (let row = (number + 1) << 10; row > number << 10;) {
      row--;
      const hash = load<u32>(hashOf(index, row));
      if (!hash) continue;
      const head = headOf(index, hash);
      store<u32>(followingOf(index, row), load<u32>(head));
      store<u32>(head, row + 1);
    }
  }
}
