import { CELL_PENDING, CELL_SPILLED, KIND_BLANK } from '../abi';
import { evaluateBatch } from '../batch/evaluate';
import { MODEL_WAITING, model } from '../grid/model';
import {
  COLUMN_RUNS,
  Column,
  Sheet,
  columnAt,
  setFlags,
  tagAt,
  wantedColumn,
  wantedRow,
  wantedSheet,
  writeCell,
} from '../grid/sheet';
import { at } from '../memory/pointer';
import { clearVector, item, lengthOfVector, push } from '../memory/vector';
import { isPutOff, setTotalFuel, totalFuel } from '../vm/cell-fuel';
import { propagate } from './dirty';
import { evaluateCell, storeCircular } from './evaluate';
import {
  columnInProgress,
  depth,
  findInProgress,
  popProgress,
  pushProgress,
  rowInProgress,
} from './progress';
import { RUN_DEAD, RUN_READS_BELOW, Run, firstRunFrom, queueRows, runAt } from './run';
import { isIterating, joinIterated } from './iterate';
import { Spill, isFixed, spillCovering } from './spill';
import { fillsCells, giveUpSpill, takeBackSpill } from './spill-write';

/**
 * Waiting cells: their evaluation needs pending cells, which are computed first. A cell that waits
 * for itself is part of a cycle.
 */
const BACK_LIMIT: u32 = 65_536;
/** Steps of fuel left when a call stops to calculate everything anew. */
export let fuelLeft: i64 = 0;

/** To be called before anything is computed. */
export function openCycles(): void {
  fuelLeft = 0;
}

export function isPending(column: usize, row: u32): bool {
  const record = at<Column>(column);
  return (tagAt(record.sheet, row, record.number) & CELL_PENDING) != 0;
}

/** Computes a cell whose evaluation needs another one (sheet, row and column are set). */
export function computeFirst(column: usize, row: u32): void {
  pushProgress(column, row);
  demand();
  computeWaiting();
}

function computeWaiting(): void {
  while (depth) {
    if (totalFuel <= 0) return putOffWaiting();
    const top = depth - 1;
    const waiting = columnInProgress(top);
    const waitingRow = rowInProgress(top);
    const run = runAt(waiting, waitingRow);
    if (!run || !isPending(waiting, waitingRow) || evaluateCell(run, waitingRow)) {
      popProgress();
      propagate();
      if (run) runOn(run, waitingRow);
      continue;
    }
    demand();
  }
}

/**
 * Keeps the innermost cell for the next call, as the fuel is used up. If that call began anew,
 * formulas that use up its fuel before they reach what they wait for would never end.
 */
function putOffWaiting(): void {
  for (let index: u32 = 0; index < depth; index++) {
    push(MODEL_WAITING, <u32>columnInProgress(index));
    push(MODEL_WAITING, rowInProgress(index));
  }
  while (depth) {
    requeue(columnInProgress(depth - 1), rowInProgress(depth - 1));
    popProgress();
  }
}

/**
 * Continues with the cells that waited when the last call ran out of fuel; nothing was edited
 * since.
 */
export function resumeWaiting(): void {
  for (let index: u32 = 0; index < lengthOfVector(MODEL_WAITING); index += 2) {
    pushProgress(item(MODEL_WAITING, index), item(MODEL_WAITING, index + 1));
  }
  clearVector(MODEL_WAITING);
  computeWaiting();
}

/** Puts a waiting cell back into the list of dirty runs, for later in this call or the next one. */
function requeue(column: usize, row: u32): void {
  const run = runAt(column, row);
  if (run && isPending(column, row)) queueRows(run, row, row);
}

/**
 * Begins to compute the cell that the last evaluation needs, or breaks a cycle if that cell is
 * waiting.
 */
function demand(): void {
  // No cell is needed: the evaluation stopped for lack of fuel.
  if (isPutOff) return;
  let column = columnAt(wantedSheet, wantedColumn);
  let row = wantedRow;
  const tag = tagAt(wantedSheet, row, wantedColumn);
  if (tag & CELL_SPILLED) {
    const address = spillCovering(wantedSheet, row, wantedColumn);
    if (!address) {
      // The anchor is gone, so the cell is blank.
      return writeCell(column, row, KIND_BLANK, 0);
    }
    const spill = at<Spill>(address);
    const anchor = columnAt(wantedSheet, spill.column);
    if (!isPending(anchor, spill.row)) return setFlags(column, row, ~CELL_PENDING, 0);
    column = anchor;
    row = spill.row;
  }
  const index = findInProgress(column, row);
  if (index >= 0) return breakCycle(<u32>index);
  const run = runAt(column, row);
  // Only formulas can be computed; anything else that waits is blank.
  if (!run) return writeCell(column, row, KIND_BLANK, 0);
  runUpTo(run, column, row);
  if (isPending(column, row)) pushProgress(column, row);
}

/** Computes the pending cells of the run that lie before a wanted one, as far as they can be. */
function runUpTo(address: usize, column: usize, row: u32): void {
  if (model().isAnew) return;
  const run = at<Run>(address);
  const step = run.flags & RUN_READS_BELOW ? -1 : 1;
  const edge = step > 0 ? run.row0 : run.row1;
  let from = row;
  let count: u32 = 0;
  while (from != edge && count < BACK_LIMIT && isPending(column, from - step)) {
    from -= step;
    count++;
  }
  while (from != row && totalFuel > 0) {
    if (findInProgress(column, from) >= 0 || !evaluateCell(address, from)) return;
    from += step;
  }
  propagate();
}

/** Continues with the cells after a computed one in its column, as far as they can be computed. */
function runOn(address: usize, row: u32): void {
  const run = at<Run>(address);
  if (run.flags & (RUN_DEAD | RUN_READS_BELOW) || model().isAnew) return;
  const column = <usize>run.column;
  let index = firstRunFrom(column, row);
  let from = row + 1;
  while (index < lengthOfVector(column + COLUMN_RUNS)) {
    const following = item(column + COLUMN_RUNS, index++);
    const next = at<Run>(following);
    if (next.row0 > from + 16) return;
    for (from = max(from, next.row0); from <= next.row1; from++) {
      if (totalFuel <= 0 || !isPending(column, from)) return;
      from += evaluateBatch(following, from, next.row1);
      if (from > next.row1 || !isPending(column, from)) continue;
      if (findInProgress(column, from) >= 0 || !evaluateCell(following, from)) return;
      propagate();
    }
  }
}

/**
 * Removes the arrays of waiting cells, so that these can be computed as if they were new. If they
 * fill the cells again and wait for each other again, the first of them in reading order is
 * circular. The recalculation stops, to be done anew.
 */
function takeBackArrays(index: u32): bool {
  let first = depth;
  let isAgain = false;
  for (let place = index; place < depth; place++) {
    if (!fillsCells(columnInProgress(place), rowInProgress(place))) continue;
    if (!model().isAnew) return stopToForget();
    if (takeBackSpill(columnInProgress(place), rowInProgress(place))) isAgain = true;
    if (first == depth || isBefore(place, first)) first = place;
  }
  if (isAgain) giveUpSpill(columnInProgress(first), rowInProgress(first));
  return first != depth;
}

/** Stops as if the fuel were used up; everything is calculated anew with what is left of it. */
function stopToForget(): bool {
  model().wantsAnew = 1;
  fuelLeft = totalFuel;
  setTotalFuel(0);
  return true;
}

function isBefore(place: u32, other: u32): bool {
  const left = at<Column>(columnInProgress(place));
  const right = at<Column>(columnInProgress(other));
  if (left.sheet != right.sheet) return at<Sheet>(left.sheet).key < at<Sheet>(right.sheet).key;
  const row = rowInProgress(place);
  const otherRow = rowInProgress(other);
  return row < otherRow || (row == otherRow && left.number < right.number);
}

/**
 * Returns whether iteration begins: from scratch, so that values only depend on the content of the
 * workbook.
 */
function beginsToIterate(): bool {
  return isIterating() && !model().isAnew && stopToForget();
}

/** Computes the cell that an evaluation needs, and all that it waits for. */
export function computeWanted(): void {
  demand();
  computeWaiting();
}

/** Breaks a cycle of the waiting cells from `index` on. */
function breakCycle(index: u32): void {
  if (takeBackArrays(index) || beginsToIterate()) {
    while (depth > index) {
      requeue(columnInProgress(depth - 1), rowInProgress(depth - 1));
      popProgress();
    }
    return;
  }
  while (depth > index) {
    const column = columnInProgress(depth - 1);
    const row = rowInProgress(depth - 1);
    const isArray = isFixed(at<Column>(column).sheet, row, at<Column>(column).number);
    if (isIterating() && !isArray) joinIterated(column, row);
    else storeCircular(column, row);
    popProgress();
  }
}
