import { evaluateBatch } from '../batch/evaluate';
import { CELL_PENDING, CELL_SPILLED, CHUNK_ROWS, KIND_BLANK, STATUS_MORE, STATUS_OK } from '../abi';
import { forgetAnswers } from '../functions/answer-cache';
import { MODEL_DIRTY, MODEL_VOLATILES, MODEL_WAITING, model } from '../grid/model';
import {
  COLUMN_RUNS,
  Column,
  Sheet,
  columnAt,
  firstPending,
  setFlags,
  tagAt,
  wantedColumn,
  wantedRow,
  wantedSheet,
  writeCell,
} from '../grid/sheet';
import { openIndexes } from '../indexes/column-index';
import { at } from '../memory/pointer';
import { clearVector, item, lengthOfVector, push, removeItems } from '../memory/vector';
import { setContext, setDateSystem } from '../vm/context';
import { openMachine, setTotalFuel, totalFuel } from '../vm/machine';
import { clearDirty, forgetAll, retryCircular, sheetFrom } from './anew';
import { forgetChanges, propagate } from './dirty';
import { evaluateCell, storeCircular } from './evaluate';
import {
  closeProgress,
  columnInProgress,
  depth,
  findInProgress,
  openProgress,
  popProgress,
  pushProgress,
  rowInProgress,
} from './progress';
import {
  RUN_DEAD,
  RUN_READS_BELOW,
  Run,
  firstRunFrom,
  letGo,
  queueRows,
  runAt,
  unqueueRows,
} from './run';
import { Spill, spillCovering } from './spill';
import { fillsCells, giveUpSpill, takeBackSpill } from './spill-write';
import { markVolatile } from './volatile';
import { listRuns } from './watch';

/**
 * Recalculation on demand. Runs with pending cells wait in a list; each is computed in its own
 * direction, and when a cell reads a pending one, that one is computed first (on an explicit stack,
 * so no chain is too long), together with its neighbours in the column, because whoever reads one
 * of them mostly reads them all. A cell that waits for itself is part of a cycle.
 */
const BACK_LIMIT: u32 = 65_536;
/** Arrays whose size depends on themselves by way of computed references never settle. */
const SETTLINGS_LIMIT: u32 = 16;
/** What is left when a call stops to calculate everything anew. */
let fuelLeft: i64 = 0;

/** Evaluates what is pending until it is done (STATUS_OK) or the fuel is used up (STATUS_MORE). */
export function recalculate(clock: f64, seed: u64, fuelSteps: i64): u32 {
  const root = model();
  setDateSystem(root.date1904 != 0);
  setContext(root.date1904 ? clock - 1462 : clock, seed);
  openMachine();
  openIndexes();
  forgetAnswers();
  const isOther = root.wasEdited || root.clock != clock || root.seed != seed;
  const isAnew = root.wantsAnew || (isOther && root.isAnew);
  if (isAnew) forgetAll();
  if (root.isFresh) {
    root.isFresh = 0;
    forgetChanges();
    listRuns();
  }
  if (isAnew || isOther || !root.isUnfinished) {
    root.recalculation++;
    clearVector(MODEL_WAITING);
    root.overwrites = 0;
    root.settledOverwrites = 0;
    root.settlings = 0;
    root.evaluatedCount = 0;
    root.batchedCount = 0;
  }
  if (isOther) {
    // Formulas that read what they do not name must be computed after any edit.
    root.wasEdited = 0;
    root.clock = clock;
    root.seed = seed;
    markVolatile();
  }
  propagate();
  setTotalFuel(fuelSteps);
  fuelLeft = 0;
  openProgress();
  resumeWaiting();
  let isDone = computeAll();
  while (isDone && settleComputedReferences()) isDone = computeAll();
  closeProgress();
  root.isUnfinished = isDone ? 0 : 1;
  if (root.wantsAnew) return recalculate(clock, seed, max(fuelLeft, totalFuel));
  if (isDone && !root.hasCircularArray) root.isAnew = 0;
  return isDone ? STATUS_OK : STATUS_MORE;
}

/**
 * Cells that were read already were written over: formulas that found their way there by themselves
 * must look again, since nobody else knows that they read them. False when all is settled.
 */
function settleComputedReferences(): bool {
  const root = model();
  if (root.overwrites == root.settledOverwrites || root.settlings >= SETTLINGS_LIMIT) return false;
  if (!lengthOfVector(MODEL_VOLATILES)) return false;
  root.settledOverwrites = root.overwrites;
  root.settlings++;
  markVolatile();
  propagate();
  return true;
}

/** Computes what is pending; false when the fuel is used up. */
function computeAll(): bool {
  return model().isAnew ? computeInOrder() : computeRuns();
}

/** Works through the list of runs; false when the fuel is used up. */
function computeRuns(): bool {
  let index: u32 = 0;
  while (index < lengthOfVector(MODEL_DIRTY)) {
    if (totalFuel <= 0) {
      removeItems(MODEL_DIRTY, 0, index);
      return false;
    }
    const address = item(MODEL_DIRTY, index++);
    const run = at<Run>(address);
    const row0 = run.dirty0;
    const row1 = run.dirty1;
    unqueueRows(run);
    if (!(run.flags & RUN_DEAD) && row0 <= row1) computeRows(address, run, row0, row1);
    letGo(address);
  }
  clearVector(MODEL_DIRTY);
  return true;
}

/** Sweeps over all cells in one order, until none is pending; false when the fuel is used up. */
function computeInOrder(): bool {
  const root = model();
  do {
    for (let sheet = sheetFrom(root.sweepKey); sheet; sheet = sheetFrom(root.sweepKey)) {
      root.sweepKey = at<Sheet>(sheet).key;
      for (; root.sweepColumn < at<Sheet>(sheet).columnsLength; root.sweepColumn++) {
        const column = columnAt(sheet, root.sweepColumn);
        if (column && !computeColumn(column)) return false;
        root.sweepRow = 0;
      }
      root.sweepColumn = 0;
      root.sweepKey++;
    }
    root.sweepKey = 0;
  } while (clearDirty() || retryCircular());
  return true;
}

/** Computes the pending cells of a column from the row on where the sweep stands, downwards. */
function computeColumn(column: usize): bool {
  const root = model();
  const runs = column + COLUMN_RUNS;
  for (let index = firstRunFrom(column, root.sweepRow); index < lengthOfVector(runs); index++) {
    const address = item(runs, index);
    const run = at<Run>(address);
    for (let row = max(root.sweepRow, run.row0); row <= run.row1; row++) {
      if (!isPending(column, row)) continue;
      root.sweepRow = row;
      if (totalFuel <= 0) return false;
      if (!evaluateCell(address, row)) computeFirst(column, row);
      propagate();
    }
  }
  return true;
}

function computeRows(address: usize, run: Run, row0: u32, row1: u32): void {
  if (run.flags & RUN_READS_BELOW) return computeUpwards(address, run, row0, row1);
  let retryRow = row0;
  let pause: u32 = 1;
  let row = row0;
  while ((row = firstPending(run.column, row, row1)) <= row1) {
    if (totalFuel <= 0) return queueRows(address, row, row1);
    if (row >= retryRow) {
      const count = evaluateBatch(address, row, row1);
      retryRow = row + (count ? count : pause);
      pause = count ? 1 : min(pause << 1, CHUNK_ROWS);
      if (count) continue;
    }
    if (!evaluateCell(address, row)) computeFirst(run.column, row);
    propagate();
    row++;
  }
}

function computeUpwards(address: usize, run: Run, row0: u32, row1: u32): void {
  const count = row1 - row0 + 1;
  for (let step: u32 = 0; step < count; step++) {
    const row = row1 - step;
    if (!isPending(run.column, row)) continue;
    if (totalFuel <= 0) return queueRows(address, row0, row);
    if (!evaluateCell(address, row)) computeFirst(run.column, row);
    propagate();
  }
}

function isPending(column: usize, row: u32): bool {
  const record = at<Column>(column);
  return (tagAt(record.sheet, row, record.number) & CELL_PENDING) != 0;
}

/** Computes a cell whose evaluation wants another one (sheet, row and column are set). */
function computeFirst(column: usize, row: u32): void {
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
 * The fuel is used up. The next call goes on with the innermost cell: if it began anew, formulas
 * that use up all of its fuel before they come to what they wait for would never be done.
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

/** Takes up what waited when the call before ran out of fuel; nothing was edited since. */
function resumeWaiting(): void {
  for (let index: u32 = 0; index < lengthOfVector(MODEL_WAITING); index += 2) {
    pushProgress(item(MODEL_WAITING, index), item(MODEL_WAITING, index + 1));
  }
  clearVector(MODEL_WAITING);
  computeWaiting();
}

/** A waiting cell must be found again, by the next call or later in this one. */
function requeue(column: usize, row: u32): void {
  const run = runAt(column, row);
  if (run && isPending(column, row)) queueRows(run, row, row);
}

/** Takes up the cell that the evaluation before wants, or finds that it waits already. */
function demand(): void {
  let column = columnAt(wantedSheet, wantedColumn);
  let row = wantedRow;
  const tag = tagAt(wantedSheet, row, wantedColumn);
  if (tag & CELL_SPILLED) {
    const address = spillCovering(wantedSheet, row, wantedColumn);
    if (!address) {
      // The anchor is gone; the cell is what it is.
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
  // Nothing but a formula can be computed; whatever else waits is blank.
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

/** Goes on with what follows a computed cell in its column, as far as it can be computed. */
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
 * Takes the arrays of waiting cells away, so that these can be computed as if they were new. When
 * they fill the cells again and wait for one another again, the first of them in reading order is
 * circular. All is stopped first, to be calculated anew.
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

/** Stops as if the fuel were used up, and everything is calculated anew with what is left of it. */
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

/** The waiting cells from `index` on wait for one another. */
function breakCycle(index: u32): void {
  if (takeBackArrays(index)) {
    while (depth > index) {
      requeue(columnInProgress(depth - 1), rowInProgress(depth - 1));
      popProgress();
    }
    return;
  }
  while (depth > index) {
    storeCircular(columnInProgress(depth - 1), rowInProgress(depth - 1));
    popProgress();
  }
}
