import { ERROR_NOT_AVAILABLE, KIND_ARRAY, KIND_ERROR } from '../../abi';
import { suspended } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { Grid, rowsOf } from '../../vm/array';
import { clearFailure, failure, slotBoolean } from '../../vm/call';
import {
  ColumnReader,
  nextPlace,
  openReader,
  passTo,
  readRest,
  readRow,
} from '../../vm/column-reader';
import { derefer } from '../../vm/lift';
import { SLOT_BYTES, kindOf, setBoolean, setError, setSlot, wordOf } from '../../vm/slot';
import {
  NO_ROW,
  Sparse,
  addPlace,
  chargeColumn,
  loadPlace,
  loadRest,
  newSparse,
  sparseIn,
} from '../../vm/sparse';
import { LAZY_IF, LAZY_IFERROR, LAZY_IFNA } from './lazy-modes';

/** IF, IFERROR and IFNA over a sparse column, whose rest takes one value. */

/** Returns whether a function takes one of its arguments by what the first one is. */
export function isBranching(mode: u32): bool {
  return mode == LAZY_IF || mode == LAZY_IFERROR || mode == LAZY_IFNA;
}

/** Number of the argument that an item takes: 0 for the item itself, which may become an error. */
function branchOf(mode: u32, item: usize): u32 {
  if (mode != LAZY_IF) {
    const isCaught =
      kindOf(item) == KIND_ERROR && (mode == LAZY_IFERROR || wordOf(item) == ERROR_NOT_AVAILABLE);
    return isCaught ? 1 : 0;
  }
  clearFailure();
  const isTrue = slotBoolean(item);
  if (failure >= 0) setError(item, <u32>failure);
  return failure >= 0 ? 0 : isTrue ? 1 : 2;
}

/** Returns whether any row of a sparse column takes argument `index`. */
export function takesBranch(mode: u32, index: u32, slot: usize): bool {
  const sparse = at<Sparse>(sparseIn(slot));
  const item = scratch(<u32>SLOT_BYTES);
  loadRest(sparse, item);
  if (sparse.count < rowsOf(wordOf(slot)) && branchOf(mode, item) == index) return true;
  for (let place: u32 = 0; place < sparse.count; place++) {
    loadPlace(sparse, place, item);
    if (branchOf(mode, item) == index) return true;
  }
  return false;
}

/** Readers of the condition and the branches; one that is not given is 0. */
let readers: usize = 0;

function readerAt(index: u32): ColumnReader {
  return at<ColumnReader>(load<u32>(readers + ((<usize>index) << 2)));
}

/**
 * Answers such a call, whose arguments lie side by side; returns false where it has to be answered
 * item by item.
 */
export function branchSparsely(mode: u32, count: u32, values: usize, place: usize): bool {
  if (!isBranching(mode) || !sparseIn(values)) return false;
  const rows = rowsOf(wordOf(values));
  readers = scratch(3 << 2);
  store<u32>(readers, 0, 8);
  for (let index: u32 = 0; index < count; index++) {
    const slot = values + <usize>index * SLOT_BYTES;
    derefer(slot);
    const reader = openReader(slot, rows);
    if (!reader || suspended) return false;
    store<u32>(readers + ((<usize>index) << 2), <u32>reader);
  }
  const item = scratch(<u32>SLOT_BYTES);
  readRest(readerAt(0), item);
  const branch = branchOf(mode, item);
  if (branch && !readBranch(branch, item)) return false;
  const array = newSparse(rows, placeCount(values, count), item);
  const sparse = at<Sparse>(at<Grid>(array).sparse);
  for (let row = nextOf(branch); row != NO_ROW; row = nextOf(branch)) {
    readRow(readerAt(0), row, item);
    takeBranch(branchOf(mode, item), row, item);
    if (branch && hasReader(branch)) skipRow(readerAt(branch), row);
    addPlace(sparse, row, item);
  }
  chargeColumn(rows, 0);
  setSlot(place, KIND_ARRAY, array);
  return true;
}

function hasReader(index: u32): bool {
  return load<u32>(readers + ((<usize>index) << 2)) != 0;
}

/** Puts the rest of a branch into the slot; FALSE stands for one that is not given. */
function readBranch(index: u32, item: usize): bool {
  if (hasReader(index)) return readRest(readerAt(index), item);
  setBoolean(item, false);
  return true;
}

/** The next row where the condition, or the branch that its rest takes, is not like the rest. */
function nextOf(branch: u32): u32 {
  const own = nextPlace(readerAt(0));
  return branch && hasReader(branch) ? min(own, nextPlace(readerAt(branch))) : own;
}

function skipRow(reader: ColumnReader, row: u32): void {
  if (nextPlace(reader) == row) reader.next++;
}

function takeBranch(index: u32, row: u32, item: usize): void {
  if (!index) return;
  if (!hasReader(index)) return setBoolean(item, false);
  passTo(readerAt(index), row);
  readRow(readerAt(index), row, item);
}

/** Most rows that can differ from the rest: those of all sparse columns. */
function placeCount(values: usize, count: u32): u32 {
  let sum: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const sparse = sparseIn(values + <usize>index * SLOT_BYTES);
    if (sparse) sum += at<Sparse>(sparse).count;
  }
  return sum;
}
