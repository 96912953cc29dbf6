import { CELL_PENDING, CHUNK_ROWS, KIND_MASK, KIND_STRING } from '../abi';
import { Chunk, chunkAt } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { noteWork } from '../memory/work';
import { marksOf } from '../values/text-marks';
import { IndexRecord, giveBytes, takeBytes } from './index-record';

/**
 * Marks of the texts of a column: which letters and pairs of letters are in them, a word a row. A
 * pattern such as `*x*` is compared with texts that have its marks, which are few.
 */

let walked: usize = 0;
let walkedRow: u32 = 0;
let walkedEnd: u32 = 0;
let walkedMarks: u64 = 0;

/**
 * Begins a walk over the rows from `row0` up to `end` whose text may match what has these marks;
 * returns false when a cell there waits to be computed.
 */
export function openMarked(index: IndexRecord, marks: u64, row0: u32, end: u32): bool {
  if (!markRows(index, row0, end)) return false;
  walked = addressOf(index);
  walkedRow = row0;
  walkedEnd = end;
  walkedMarks = marks;
  return true;
}

/** The next row of the walk, or -1. */
export function nextMarked(): i32 {
  const index = at<IndexRecord>(walked);
  const words = <usize>index.marks - ((<usize>index.marks0) << 3);
  const marks = walkedMarks;
  let row = walkedRow;
  while (row < walkedEnd && (load<u64>(words + ((<usize>row) << 3)) & marks) != marks) row++;
  noteWork(row - walkedRow + 1);
  walkedRow = row + 1;
  return row < walkedEnd ? <i32>row : -1;
}

function markRows(index: IndexRecord, row0: u32, end: u32): bool {
  if (row0 < index.marks0 || row0 > index.marksEnd || !index.marks) {
    index.marks0 = index.marksEnd = row0;
  }
  if (end > index.marksEnd) growMarks(index, end - index.marks0);
  for (; index.marksEnd < end; index.marksEnd++) {
    const place = <usize>index.marks + ((<usize>(index.marksEnd - index.marks0)) << 3);
    const row = index.marksEnd;
    const address = chunkAt(index.column, row >> 10);
    const offset = row & (CHUNK_ROWS - 1);
    store<u64>(place, 0);
    if (!address || offset >= at<Chunk>(address).capacity) continue;
    const chunk = at<Chunk>(address);
    const tag = <u32>load<u8>(<usize>chunk.tags + offset);
    if (tag & CELL_PENDING) return false;
    if ((tag & KIND_MASK) != KIND_STRING) continue;
    store<u64>(place, marksOf(<usize>load<u64>(<usize>chunk.values + ((<usize>offset) << 3))));
  }
  return true;
}

function growMarks(index: IndexRecord, count: u32): void {
  if (count <= index.marksRoom) return;
  const room = max(count, index.marksRoom << 1);
  const marks = takeBytes(index, room << 3);
  memory.copy(marks, index.marks, (<usize>(index.marksEnd - index.marks0)) << 3);
  giveBytes(index, index.marks, index.marksRoom << 3);
  index.marks = <u32>marks;
  index.marksRoom = room;
}

/** Rows from `row0` on have changed or wait. */
export function cutMarks(index: IndexRecord, row0: u32): void {
  if (row0 < index.marksEnd) index.marksEnd = max(row0, index.marks0);
}

/** Gives all memory back. */
export function dropMarks(index: IndexRecord): void {
  giveBytes(index, index.marks, index.marksRoom << 3);
  index.marks = index.marksRoom = index.marks0 = index.marksEnd = 0;
}
