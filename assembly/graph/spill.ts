import { CELL_PENDING, CELL_SPILLED, KIND_BLANK } from '../abi';
import {
  Column,
  SHEET_SPILLS,
  Sheet,
  columnAt,
  ensureColumn,
  setFlags,
  suspendOn,
  tagAt,
  writeCell,
} from '../grid/sheet';
import { allocateZeroed, release } from '../memory/arena';
import { at } from '../memory/pointer';
import { insertItem, item, lengthOfVector, removeItems } from '../memory/vector';
import { markRows, touch } from './dirty';
import { runAt } from './run';

/** Cells that an array formula fills, or would fill if nothing were in the way. */
@unmanaged
export class Spill {
  row: u32 = 0;
  column: u32 = 0;
  rows: u32 = 0;
  columns: u32 = 0;
  /** SPILL_* bits. */
  flags: u32 = 0;
  /** Number of changes of its cells in one recalculation, and the number of that recalculation. */
  changes: u32 = 0;
  recalculation: u32 = 0;
  /** Recalculations in which its cells were removed because of a cycle, and removed for good. */
  takenBackIn: u32 = 0;
  circularIn: u32 = 0;
  /** Recalculation in which it was computed again after it had been circular. */
  retriedIn: u32 = 0;
}

/** A legacy array formula: its area never changes. */
export const SPILL_FIXED: u32 = 1;
/** Something is in the way; the anchor shows #SPILL!. */
export const SPILL_BLOCKED: u32 = 2;

/** Size of the area that spillAt has found. */
export let spilledRows: u32 = 0;
export let spilledColumns: u32 = 0;

/** Index of the spill at an anchor, or the index for a new one; `found` says which. */
let found: bool = false;

function search(sheet: usize, row: u32, column: u32): u32 {
  const key = ((<u64>column) << 32) | row;
  let low: u32 = 0;
  let high = lengthOfVector(sheet + SHEET_SPILLS);
  found = false;
  while (low < high) {
    const middle = (low + high) >> 1;
    const spill = at<Spill>(item(sheet + SHEET_SPILLS, middle));
    const other = ((<u64>spill.column) << 32) | spill.row;
    if (other == key) {
      found = true;
      return middle;
    }
    if (other < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The spill anchored at a cell, or 0. */
export function spillOf(sheet: usize, row: u32, column: u32): usize {
  const index = search(sheet, row, column);
  return found ? <usize>item(sheet + SHEET_SPILLS, index) : 0;
}

/** Returns whether any array is anchored in these rows of a column. */
export function hasSpillIn(column: usize, row0: u32, row1: u32): bool {
  const record = at<Column>(column);
  const sheet = <usize>record.sheet;
  const index = search(sheet, row0, record.number);
  if (index == lengthOfVector(sheet + SHEET_SPILLS)) return false;
  const spill = at<Spill>(item(sheet + SHEET_SPILLS, index));
  return spill.column == record.number && spill.row <= row1;
}

export function ensureSpill(sheet: usize, row: u32, column: u32): usize {
  const index = search(sheet, row, column);
  if (found) return item(sheet + SHEET_SPILLS, index);
  const address = allocateZeroed(offsetof<Spill>());
  at<Spill>(address).row = row;
  at<Spill>(address).column = column;
  insertItem(sheet + SHEET_SPILLS, index, <u32>address);
  return address;
}

/** Sets the area of a spill. */
export function setSpillArea(sheet: usize, spill: Spill, rows: u32, columns: u32): void {
  const record = at<Sheet>(sheet);
  record.spillRowsMost = max(record.spillRowsMost, rows - 1);
  record.spillColumnsMost = max(record.spillColumnsMost, columns - 1);
  spill.rows = rows;
  spill.columns = columns;
}

// State of the walk over spills near an area, and the rows between which their anchors lie.
let nearSheet: usize = 0;
let nearIndex: u32 = 0;
let nearRow0: u32 = 0;
let nearRow1: u32 = 0;
let nearColumn1: u32 = 0;

/**
 * Begins a walk over all spills that may have cells in an area, and some others; one walk at a
 * time.
 */
function openNear(sheet: usize, row0: u32, column0: u32, row1: u32, column1: u32): void {
  const record = at<Sheet>(sheet);
  nearSheet = sheet;
  nearRow0 = row0 - min(row0, record.spillRowsMost);
  nearRow1 = row1;
  nearColumn1 = column1;
  nearIndex = search(sheet, nearRow0, column0 - min(column0, record.spillColumnsMost));
}

export function openNearSpill(sheet: usize, spill: Spill): void {
  const row1 = spill.row + spill.rows - 1;
  openNear(sheet, spill.row, spill.column, row1, spill.column + spill.columns - 1);
}

/** The next spill of the walk, or 0. */
export function nextNear(): usize {
  while (nearIndex < lengthOfVector(nearSheet + SHEET_SPILLS)) {
    const address = item(nearSheet + SHEET_SPILLS, nearIndex);
    const spill = at<Spill>(address);
    if (spill.column > nearColumn1) return 0;
    if (spill.row < nearRow0) nearIndex = search(nearSheet, nearRow0, spill.column);
    else if (spill.row > nearRow1) nearIndex = search(nearSheet, nearRow0, spill.column + 1);
    else {
      nearIndex++;
      return address;
    }
  }
  return 0;
}

/**
 * Returns whether an array is spilled from this cell; its size is in spilledRows and
 * spilledColumns. A legacy array formula fills its area but spills nothing.
 */
export function spillAt(sheet: usize, row: u32, column: u32): bool {
  const address = spillOf(sheet, row, column);
  if (tagAt(sheet, row, column) & CELL_PENDING) {
    suspendOn(sheet, row, column);
    return false;
  }
  if (!address || at<Spill>(address).flags & SPILL_BLOCKED) return false;
  spilledRows = at<Spill>(address).rows;
  spilledColumns = at<Spill>(address).columns;
  return true;
}

function covers(spill: Spill, row: u32, column: u32): bool {
  return row - spill.row < spill.rows && column - spill.column < spill.columns;
}

/**
 * Returns the spill whose area holds a cell, or 0. Fixed areas may overlap, though only in a file
 * or by a program; the one whose anchor comes first in reading order then has the cell.
 */
export function spillCovering(sheet: usize, row: u32, column: u32): usize {
  let first: usize = 0;
  openNear(sheet, row, column, row, column);
  for (let address = nextNear(); address; address = nextNear()) {
    const spill = at<Spill>(address);
    if (spill.flags & SPILL_BLOCKED || !covers(spill, row, column)) continue;
    if (!(spill.flags & SPILL_FIXED)) return address;
    if (!first || isBefore(spill, at<Spill>(first))) first = address;
  }
  return first;
}

export function isBefore(spill: Spill, other: Spill): bool {
  return spill.row < other.row || (spill.row == other.row && spill.column < other.column);
}

/** Returns whether a fixed area shares cells with another one that is anchored before it. */
export function isContested(sheet: usize, spill: Spill): bool {
  if (spill.rows == 1 && spill.columns == 1) return false;
  openNearSpill(sheet, spill);
  for (let address = nextNear(); address; address = nextNear()) {
    const other = at<Spill>(address);
    if (other.flags & SPILL_FIXED && isBefore(other, spill) && overlaps(other, spill)) return true;
  }
  return false;
}

/** Marks the cells that an array fills as pending, where its anchor has become so. */
export function markSpilled(column: usize, row0: u32, row1: u32): void {
  const sheet = <usize>at<Column>(column).sheet;
  const number = at<Column>(column).number;
  let index = search(sheet, row0, number);
  while (index < lengthOfVector(sheet + SHEET_SPILLS)) {
    const spill = at<Spill>(item(sheet + SHEET_SPILLS, index++));
    if (spill.column != number || spill.row > row1) return;
    if (spill.flags & SPILL_BLOCKED) continue;
    for (let offset: u32 = 0; offset < spill.columns; offset++) {
      const target = columnAt(sheet, spill.column + offset);
      if (target) markArea(target, spill);
    }
  }
}

function markArea(column: usize, spill: Spill): void {
  const sheet = at<Column>(column).sheet;
  const number = at<Column>(column).number;
  for (let row = spill.row; row < spill.row + spill.rows; row++) {
    const tag = tagAt(sheet, row, number);
    if (tag & CELL_SPILLED) setFlags(column, row, 0xff, CELL_PENDING);
  }
  touch(sheet, number, spill.row, spill.row + spill.rows - 1);
}

/**
 * Handles a cell that was changed by hand: arrays that it blocks or frees are computed again, and
 * so is the array it was part of.
 */
export function disturbSpills(sheet: usize, column: u32, row0: u32, row1: u32): void {
  openNear(sheet, row0, column, row1, column);
  for (let address = nextNear(); address; address = nextNear()) {
    const spill = at<Spill>(address);
    if (column - spill.column >= spill.columns) continue;
    if (row1 < spill.row || row0 >= spill.row + spill.rows) continue;
    const anchor = runAt(columnAt(sheet, spill.column), spill.row);
    if (anchor) markRows(anchor, spill.row, spill.row);
  }
}

/**
 * Handles an area whose cells were merged, or are merged no more: arrays that lie there, or want
 * to, are computed again.
 */
export function disturbArea(sheet: usize, row0: u32, column0: u32, row1: u32, column1: u32): void {
  openNear(sheet, row0, column0, row1, column1);
  for (let address = nextNear(); address; address = nextNear()) {
    const spill = at<Spill>(address);
    if (row0 >= spill.row + spill.rows || column0 >= spill.column + spill.columns) continue;
    const anchor = runAt(columnAt(sheet, spill.column), spill.row);
    if (anchor) markRows(anchor, spill.row, spill.row);
  }
}

/** Takes the record of a spill away; its cells are cleared before. */
export function dropSpill(sheet: usize, row: u32, column: u32): void {
  const index = search(sheet, row, column);
  if (!found) return;
  release(item(sheet + SHEET_SPILLS, index), offsetof<Spill>());
  removeItems(sheet + SHEET_SPILLS, index, 1);
}

/** Blanks the cells that an anchor filled which is gone. */
function removeSpill(sheet: usize, row: u32, column: u32): void {
  const address = spillOf(sheet, row, column);
  if (!address) return;
  const spill = at<Spill>(address);
  if (!(spill.flags & SPILL_BLOCKED)) wakeBlocked(sheet, spill);
  clearArea(sheet, spill);
  dropSpill(sheet, row, column);
}

/** Removes the spills anchored in rows of a column. */
export function removeSpills(sheet: usize, column: u32, row0: u32, row1: u32): void {
  const index = search(sheet, row0, column);
  while (index < lengthOfVector(sheet + SHEET_SPILLS)) {
    const spill = at<Spill>(item(sheet + SHEET_SPILLS, index));
    if (spill.column != column || spill.row > row1) return;
    removeSpill(sheet, spill.row, spill.column);
  }
}

/** Blanks the cells that an array fills, its anchor aside. */
export function clearArea(sheet: usize, spill: Spill): void {
  if (spill.flags & SPILL_BLOCKED) return;
  for (let offset: u32 = 0; offset < spill.columns; offset++) {
    const column = columnAt(sheet, spill.column + offset);
    if (!column) continue;
    for (let row = spill.row; row < spill.row + spill.rows; row++) {
      if (tagAt(sheet, row, spill.column + offset) & CELL_SPILLED) {
        writeCell(column, row, KIND_BLANK, 0);
      }
    }
    touch(sheet, spill.column + offset, spill.row, spill.row + spill.rows - 1);
  }
}

/**
 * Handles cells that an array has left: arrays that were blocked there, or lie there too, are
 * computed again.
 */
export function wakeBlocked(sheet: usize, freed: Spill): void {
  openNearSpill(sheet, freed);
  for (let address = nextNear(); address; address = nextNear()) {
    const other = at<Spill>(address);
    if (!(other.flags & (SPILL_BLOCKED | SPILL_FIXED)) || !overlaps(freed, other)) continue;
    const anchor = runAt(columnAt(sheet, other.column), other.row);
    if (anchor) markRows(anchor, other.row, other.row);
  }
}

export function overlaps(spill: Spill, other: Spill): bool {
  if (other.row >= spill.row + spill.rows || spill.row >= other.row + other.rows) return false;
  return other.column < spill.column + spill.columns && spill.column < other.column + other.columns;
}

/** Returns whether a legacy array formula with a fixed area is anchored at a cell. */
export function isFixed(sheet: usize, row: u32, column: u32): bool {
  const address = spillOf(sheet, row, column);
  return address != 0 && (at<Spill>(address).flags & SPILL_FIXED) != 0;
}

/** Declares the fixed area of a legacy array formula, its cells waiting for the first result. */
export function fixArea(sheet: usize, row: u32, column: u32, rows: u32, columns: u32): void {
  const spill = at<Spill>(ensureSpill(sheet, row, column));
  setSpillArea(sheet, spill, rows, columns);
  spill.flags = SPILL_FIXED;
  for (let offset: u32 = 0; offset < columns; offset++) {
    const target = ensureColumn(sheet, column + offset);
    for (let index: u32 = 0; index < rows; index++) {
      if (offset + index == 0 || tagAt(sheet, row + index, column + offset)) continue;
      writeCell(target, row + index, CELL_SPILLED | CELL_PENDING, 0);
    }
    touch(sheet, column + offset, row, row + rows - 1);
  }
}
