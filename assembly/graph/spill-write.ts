import {
  CELL_ANCHOR,
  CELL_FORMULA,
  CELL_PENDING,
  CELL_SPILLED,
  COLUMN_LIMIT,
  ERROR_CALCULATION,
  ERROR_CIRCULAR,
  ERROR_NOT_AVAILABLE,
  ERROR_SPILL,
  KIND_BLANK,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_STRING,
  ROW_LIMIT,
} from '../abi';
import { forgetAnswers } from '../vm/answer-cache';
import { model } from '../grid/model';
import { Column, columnAt, ensureColumn, tagAt, writeCell } from '../grid/sheet';
import { meetsMerge } from '../grid/merged-areas';
import { noteChanged } from '../indexes/column-index';
import { addressOf, at } from '../memory/pointer';
import { internText } from '../memory/text';
import { columnsOf, itemKindOf, itemPayloadOf, rowsOf } from '../vm/array';
import { touch } from './dirty';
import {
  SPILL_BLOCKED,
  SPILL_FIXED,
  Spill,
  dropSpill,
  ensureSpill,
  isBefore,
  isContested,
  nextNear,
  openNearSpill,
  overlaps,
  setSpillArea,
  spillCovering,
  spillOf,
  wakeBlocked,
} from './spill';

/** Writes the arrays that formulas give into the grid. */

/** Rounds after which an array is given up that depends on cells it fills. */
const ROUND_LIMIT: u32 = 100;
/**
 * Overwrites of cells that were already read, in one recalculation, after which arrays are given up
 * that keep changing each other.
 */
const OVERWRITE_LIMIT: u32 = 1_000_000;

/**
 * Writes the array of a formula: into its fixed area, or as far as it reaches if nothing is in the
 * way.
 */
export function storeArray(column: usize, row: u32, array: usize): void {
  const sheet = <usize>at<Column>(column).sheet;
  const number = at<Column>(column).number;
  const existing = spillOf(sheet, row, number);
  if (existing && at<Spill>(existing).flags & SPILL_FIXED) {
    return fillFixed(sheet, at<Spill>(existing), array);
  }
  const rows = rowsOf(array);
  const columns = columnsOf(array);
  const spill = at<Spill>(ensureSpill(sheet, row, number));
  const hadCells = existing != 0 && !(spill.flags & SPILL_BLOCKED);
  if (goesInCircles(spill)) {
    giveUp(spill);
    if (hadCells) shrink(sheet, spill, 1, 1);
    spill.flags |= SPILL_BLOCKED;
    return writeCell(column, row, KIND_ERROR | CELL_FORMULA, ERROR_CIRCULAR);
  }
  if (hadCells) shrink(sheet, spill, rows, columns);
  const keptRows = min(spill.rows, rows);
  const keptColumns = min(spill.columns, columns);
  setSpillArea(sheet, spill, rows, columns);
  if (!makeRoom(sheet, spill)) {
    spill.rows = keptRows;
    spill.columns = keptColumns;
    if (hadCells) shrink(sheet, spill, 1, 1);
    spill.rows = rows;
    spill.columns = columns;
    spill.flags |= SPILL_BLOCKED;
    return writeCell(column, row, KIND_ERROR | CELL_FORMULA, ERROR_SPILL);
  }
  spill.flags &= ~SPILL_BLOCKED;
  for (let offset: u32 = 0; offset < columns; offset++) {
    writeColumn(sheet, spill, offset, array);
  }
}

function goesInCircles(spill: Spill): bool {
  if (spill.recalculation != model().recalculation) {
    spill.recalculation = model().recalculation;
    spill.changes = 0;
  }
  return ++spill.changes > ROUND_LIMIT;
}

/**
 * Blanks the cells of the former area that the new one leaves out. Readers of pending cells have
 * waited for them; only readers of other cells must be marked.
 */
function shrink(sheet: usize, spill: Spill, rows: u32, columns: u32): void {
  if (rows >= spill.rows && columns >= spill.columns) return;
  wakeBlocked(sheet, spill);
  for (let offset: u32 = 0; offset < spill.columns; offset++) {
    const number = spill.column + offset;
    const column = columnAt(sheet, number);
    if (!column) continue;
    let changed0: u32 = u32.MAX_VALUE;
    let changed1: u32 = 0;
    for (let index = offset < columns ? rows : 0; index < spill.rows; index++) {
      const row = spill.row + index;
      const tag = tagAt(sheet, row, number);
      if (!(tag & CELL_SPILLED)) continue;
      writeCell(column, row, KIND_BLANK, 0);
      if (tag & CELL_PENDING) continue;
      changed0 = min(changed0, row);
      changed1 = row;
    }
    if (changed0 <= changed1) overwrite(sheet, number, changed0, changed1);
  }
}

/** Handles cells that changed after others may have read them in this recalculation. */
function overwrite(sheet: usize, column: u32, row0: u32, row1: u32): void {
  forgetAnswers();
  if (++model().overwrites < OVERWRITE_LIMIT) touch(sheet, column, row0, row1);
  else noteChanged(columnAt(sheet, column), row0, row1);
}

/**
 * Makes room for an array and returns whether it fits. If two arrays need the same cells, the one
 * whose anchor comes first in reading order gets them, so that values do not depend on the order of
 * edits.
 */
function makeRoom(sheet: usize, spill: Spill): bool {
  if (spill.row + spill.rows > <u32>ROW_LIMIT) return false;
  if (spill.column + spill.columns > <u32>COLUMN_LIMIT) return false;
  const row1 = spill.row + spill.rows - 1;
  const column1 = spill.column + spill.columns - 1;
  if (meetsMerge(sheet, spill.row, spill.column, row1, column1)) return false;
  for (let offset: u32 = 0; offset < spill.columns; offset++) {
    if (!columnAt(sheet, spill.column + offset)) continue;
    for (let index: u32 = 0; index < spill.rows; index++) {
      if (offset + index == 0) continue;
      const tag = tagAt(sheet, spill.row + index, spill.column + offset);
      if (tag && !(tag & CELL_SPILLED)) return false;
    }
  }
  let isMet = false;
  openNearSpill(sheet, spill);
  for (let address = nextNear(); address; address = nextNear()) {
    const other = at<Spill>(address);
    if (!collides(spill, other)) continue;
    if (other.flags & SPILL_FIXED || isBefore(other, spill)) return false;
    isMet = true;
  }
  if (isMet) evictOthers(sheet, spill);
  return true;
}

/** Returns whether another array holds cells that this one needs. */
function collides(spill: Spill, other: Spill): bool {
  if (other.row == spill.row && other.column == spill.column) return false;
  return !(other.flags & SPILL_BLOCKED) && overlaps(spill, other);
}

/**
 * Evicts the other arrays; the walk starts again after each, because removing cells walks over the
 * spills too.
 */
function evictOthers(sheet: usize, spill: Spill): void {
  openNearSpill(sheet, spill);
  for (let address = nextNear(); address; address = nextNear()) {
    if (!collides(spill, at<Spill>(address))) continue;
    evict(sheet, at<Spill>(address));
    openNearSpill(sheet, spill);
  }
}

/** Removes an array's cells; its anchor shows that it is blocked. */
function evict(sheet: usize, spill: Spill): void {
  shrink(sheet, spill, 1, 1);
  spill.flags |= SPILL_BLOCKED;
  if (tagAt(sheet, spill.row, spill.column) & CELL_PENDING) return;
  const column = columnAt(sheet, spill.column);
  writeCell(column, spill.row, KIND_ERROR | CELL_FORMULA, ERROR_SPILL);
  overwrite(sheet, spill.column, spill.row, spill.row);
}

function writeColumn(sheet: usize, spill: Spill, offset: u32, array: usize): void {
  const number = spill.column + offset;
  const column = ensureColumn(sheet, number);
  const width = columnsOf(array);
  let changed0: u32 = u32.MAX_VALUE;
  let changed1: u32 = 0;
  for (let index: u32 = 0; index < spill.rows; index++) {
    const row = spill.row + index;
    const isAnchor = offset + index == 0;
    // Readers of a pending cell have waited for it; others must be marked.
    const waited = tagAt(sheet, row, number) & CELL_PENDING;
    if (!isAnchor && !waited) {
      changed0 = min(changed0, row);
      changed1 = row;
    }
    const flags = isAnchor ? CELL_FORMULA | CELL_ANCHOR : CELL_SPILLED;
    storeItem(column, row, flags, array, index * width + offset);
  }
  if (changed0 <= changed1) overwrite(sheet, number, changed0, changed1);
}

/** Content of an array's item as a cell shows it, set by `shownItem`. */
export let shownKind: u32 = 0;
export let shownPayload: u64 = 0;

/** Reads an item as a cell shows it: a blank one is 0. */
export function shownItem(array: usize, index: u32): void {
  shownKind = itemKindOf(array, index);
  shownPayload = itemPayloadOf(array, index);
  if (shownKind == KIND_LAMBDA) {
    shownKind = KIND_ERROR;
    shownPayload = ERROR_CALCULATION;
  } else if (shownKind == KIND_BLANK || shownKind > <u32>KIND_ERROR) {
    shownKind = KIND_NUMBER;
    shownPayload = 0;
  }
}

function storeItem(column: usize, row: u32, flags: u32, array: usize, index: u32): void {
  shownItem(array, index);
  const isText = shownKind == KIND_STRING;
  const payload = isText ? internText(<usize>shownPayload) : shownPayload;
  writeCell(column, row, shownKind | flags, payload);
}

/**
 * Fills a fixed area: excess is cut, a single row or column is repeated, missing items are #N/A.
 */
function fillFixed(sheet: usize, spill: Spill, array: usize): void {
  const contested = isContested(sheet, spill);
  for (let offset: u32 = 0; offset < spill.columns; offset++) {
    fillColumn(sheet, spill, offset, array, contested);
  }
}

function fillColumn(sheet: usize, spill: Spill, offset: u32, array: usize, contested: bool): void {
  const rows = rowsOf(array);
  const columns = columnsOf(array);
  const number = spill.column + offset;
  const column = ensureColumn(sheet, number);
  const fromColumn: u32 = columns == 1 ? 0 : offset;
  let changed0: u32 = u32.MAX_VALUE;
  let changed1: u32 = 0;
  for (let index: u32 = 0; index < spill.rows; index++) {
    const row = spill.row + index;
    const isAnchor = offset + index == 0;
    const tag = tagAt(sheet, row, number);
    if (!isAnchor && tag && !(tag & CELL_SPILLED)) continue;
    if (!isAnchor && contested && spillCovering(sheet, row, number) != addressOf(spill)) continue;
    if (!isAnchor && !(tag & CELL_PENDING)) {
      changed0 = min(changed0, row);
      changed1 = row;
    }
    const flags = isAnchor ? CELL_FORMULA | CELL_ANCHOR : CELL_SPILLED;
    const fromRow: u32 = rows == 1 ? 0 : index;
    if (fromRow < rows && fromColumn < columns) {
      storeItem(column, row, flags, array, fromRow * columns + fromColumn);
    } else writeCell(column, row, KIND_ERROR | flags, ERROR_NOT_AVAILABLE);
  }
  if (changed0 <= changed1) overwrite(sheet, number, changed0, changed1);
}

/** Ends the spill of a formula that now gives one value. */
export function forgetSpill(column: usize, row: u32): void {
  const sheet = <usize>at<Column>(column).sheet;
  const number = at<Column>(column).number;
  const address = spillOf(sheet, row, number);
  if (!address) return;
  const spill = at<Spill>(address);
  if (!(spill.flags & SPILL_BLOCKED)) shrink(sheet, spill, 1, 1);
  dropSpill(sheet, row, number);
}

/** Returns whether the formula at a cell spills into others, in a size that it chooses. */
export function fillsCells(column: usize, row: u32): bool {
  const address = spillOf(at<Column>(column).sheet, row, at<Column>(column).number);
  return address != 0 && !(at<Spill>(address).flags & (SPILL_BLOCKED | SPILL_FIXED));
}

/**
 * Removes the cells that a formula fills, because it waits for itself, perhaps through them.
 * Returns whether this recalculation has removed them before.
 */
export function takeBackSpill(column: usize, row: u32): bool {
  const spill = at<Spill>(spillOf(at<Column>(column).sheet, row, at<Column>(column).number));
  const wasTaken = spill.takenBackIn == model().recalculation;
  spill.takenBackIn = model().recalculation;
  blockSpill(column, row);
  return wasTaken;
}

/** Marks the formula as circular for this recalculation. */
export function giveUpSpill(column: usize, row: u32): void {
  giveUp(at<Spill>(spillOf(at<Column>(column).sheet, row, at<Column>(column).number)));
}

function giveUp(spill: Spill): void {
  const root = model();
  spill.circularIn = root.recalculation;
  root.hadCircular = 1;
  root.hasCircularArray = 1;
  if (!root.isAnew) root.wantsAnew = 1;
}

/** Returns whether this recalculation found that an array formula reads a cell that it fills. */
export function isCircular(column: usize, row: u32): bool {
  const address = spillOf(at<Column>(column).sheet, row, at<Column>(column).number);
  return address != 0 && at<Spill>(address).circularIn == model().recalculation;
}

/**
 * Removes the cells of an array for good. Its record stays, because input in its area blocks it,
 * which may end a cycle.
 */
export function blockSpill(column: usize, row: u32): void {
  const sheet = <usize>at<Column>(column).sheet;
  const address = spillOf(sheet, row, at<Column>(column).number);
  if (!address) return;
  const spill = at<Spill>(address);
  if (!(spill.flags & SPILL_BLOCKED)) shrink(sheet, spill, 1, 1);
  spill.flags |= SPILL_BLOCKED;
}
