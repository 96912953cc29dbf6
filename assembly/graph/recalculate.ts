import { evaluateBatch } from '../batch/evaluate';
import { CHUNK_ROWS, STATUS_MORE, STATUS_OK } from '../abi';
import { MODEL_DIRTY, MODEL_VOLATILES, MODEL_WAITING, model } from '../grid/model';
import { COLUMN_RUNS, Sheet, columnAt, firstPending } from '../grid/sheet';
import { at } from '../memory/pointer';
import { clearVector, item, lengthOfVector, removeItems } from '../memory/vector';
import { hasCellLimit, setCellLimit, setTotalFuel, totalFuel } from '../vm/cell-fuel';
import { clearDirty, forgetAll, retryCircular, sheetFrom } from './anew';
import { forgetChanges, propagate } from './dirty';
import { evaluateCell } from './evaluate';
import { hasRounds, isMakingRounds, iterate, iterateAgain } from './iterate';
import { openEvaluation } from './open-evaluation';
import { closeProgress, openProgress } from './progress';
import { RUN_DEAD, RUN_READS_BELOW, Run, firstRunFrom, letGo, queueRows, unqueueRows } from './run';
import { markVolatile } from './volatile';
import { computeFirst, fuelLeft, isPending, openCycles, resumeWaiting } from './waiting';
import { listRuns } from './watch';

/**
 * Recalculates on demand. Runs with pending cells wait in a list, and each is computed in its own
 * direction. If a cell reads a pending one, that one is computed first (on an explicit stack, so
 * chains may be of any length), together with its neighbours in the column, because readers of one
 * mostly read them all. A cell that waits for itself is part of a cycle.
 */
/**
 * Rounds for arrays whose size depends on themselves through computed references, which may never
 * end.
 */
const SETTLINGS_LIMIT: u32 = 16;
/**
 * Evaluates pending cells until all are done (STATUS_OK) or the fuel is used up (STATUS_MORE), also
 * by a cell that needs more than `cellSteps`, which is left to a call that allows more.
 */
export function recalculate(clock: f64, seed: u64, fuelSteps: i64, cellSteps: i64): u32 {
  const root = model();
  openEvaluation(clock, seed);
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
    // Formulas with computed references must be computed after any edit.
    root.wasEdited = 0;
    root.clock = clock;
    root.seed = seed;
    markVolatile();
  }
  propagate();
  setTotalFuel(fuelSteps);
  setCellLimit(cellSteps);
  openCycles();
  openProgress();
  resumeWaiting();
  let isDone = computeAll();
  while (isDone && settleComputedReferences()) isDone = computeAll();
  closeProgress();
  root.isUnfinished = isDone ? 0 : 1;
  root.steps = fuelSteps - totalFuel;
  // Calculating everything anew takes long, so a call with a limit for each cell leaves it to
  // another call.
  if (root.wantsAnew && hasCellLimit()) return STATUS_MORE;
  if (root.wantsAnew) return recalculate(clock, seed, max(fuelLeft, totalFuel), cellSteps);
  if (isDone && !root.hasCircularArray && !root.iteratedLength) root.isAnew = 0;
  return isDone ? STATUS_OK : STATUS_MORE;
}

/**
 * Computes formulas with computed references again if cells that were already read have been
 * overwritten, because nothing else knows what they read. Returns false when nothing is left to do.
 */
function settleComputedReferences(): bool {
  const root = model();
  if (root.overwrites == root.settledOverwrites || root.settlings >= SETTLINGS_LIMIT) return false;
  if (!lengthOfVector(MODEL_VOLATILES)) return false;
  root.settledOverwrites = root.overwrites;
  root.settlings++;
  markVolatile();
  propagate();
  iterateAgain();
  return true;
}

/** Computes all pending cells; returns false if the fuel is used up. */
function computeAll(): bool {
  if (!model().isAnew) return computeRuns();
  while (isMakingRounds() || computeInOrder()) {
    if (!hasRounds()) return true;
    if (!iterate()) return false;
  }
  return false;
}

/** Computes the runs in the list; returns false if the fuel is used up. */
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

/**
 * Sweeps over all cells in one order until none is pending; returns false if the fuel is used up.
 */
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

/** Computes the pending cells of a column downwards from the current row of the sweep. */
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
