import { MODEL_DIRTY, MODEL_SHEETS, model } from '../grid/model';
import { COLUMN_RUNS, SHEET_SPILLS, Sheet, columnAt } from '../grid/sheet';
import { dropIndexes } from '../indexes/column-index';
import { at } from '../memory/pointer';
import { clearVector, item, lengthOfVector } from '../memory/vector';
import { markRows } from './dirty';
import { forgetIterated } from './iterate';
import { Run, letGo, runAt, unqueueRows } from './run';
import { Spill } from './spill';
import { liftSpills, lowerSpills } from './spill-move';

/**
 * Where a cycle goes through cells that an array fills, their values depend on which cell is
 * computed first: before the array is there its cells are blank, and nothing waits for them. To
 * make values independent of history, everything is then dropped, arrays first, and calculated in
 * one order: by key of the sheet, column and row. While an array is circular, any edit may end the
 * cycle, and the same happens after each.
 */
export function forgetAll(): void {
  const root = model();
  root.wantsAnew = 0;
  root.isAnew = 1;
  root.hasCircularArray = 0;
  root.isFresh = 1;
  forgetIterated();
  dropIndexes();
  root.sweepKey = root.sweepColumn = root.sweepRow = 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    const sheet = item(MODEL_SHEETS, index);
    liftSpills(sheet);
    lowerSpills(sheet);
    forgetSheet(sheet);
  }
}

function forgetSheet(sheet: usize): void {
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    if (!column) continue;
    const runs = column + COLUMN_RUNS;
    for (let index: u32 = 0; index < lengthOfVector(runs); index++) {
      const run = at<Run>(item(runs, index));
      markRows(item(runs, index), run.row0, run.row1);
    }
  }
}

/** Empties the list of dirty runs; returns false if it was empty. */
export function clearDirty(): bool {
  const count = lengthOfVector(MODEL_DIRTY);
  for (let index: u32 = 0; index < count; index++) {
    unqueueRows(at<Run>(item(MODEL_DIRTY, index)));
    letGo(item(MODEL_DIRTY, index));
  }
  clearVector(MODEL_DIRTY);
  return count > 0;
}

/**
 * Computes arrays that were circular once more when all others are done, as one of these may block
 * them now, which ends the cycle. Returns false if there are none.
 */
export function retryCircular(): bool {
  const root = model();
  if (!root.hasCircularArray) return false;
  let isAny = false;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    if (retryIn(item(MODEL_SHEETS, index))) isAny = true;
  }
  if (isAny) root.hasCircularArray = 0;
  return isAny;
}

function retryIn(sheet: usize): bool {
  const recalculation = model().recalculation;
  let isAny = false;
  for (let index: u32 = 0; index < lengthOfVector(sheet + SHEET_SPILLS); index++) {
    const spill = at<Spill>(item(sheet + SHEET_SPILLS, index));
    if (spill.circularIn != recalculation || spill.retriedIn == recalculation) continue;
    spill.circularIn = 0;
    spill.retriedIn = recalculation;
    const anchor = runAt(columnAt(sheet, spill.column), spill.row);
    if (anchor) markRows(anchor, spill.row, spill.row);
    isAny = true;
  }
  return isAny;
}

/** Returns the sheet with the least key from `key` on, or 0. */
export function sheetFrom(key: u32): usize {
  let next: usize = 0;
  for (let index: u32 = 0; index < lengthOfVector(MODEL_SHEETS); index++) {
    const sheet = item(MODEL_SHEETS, index);
    if (at<Sheet>(sheet).key < key) continue;
    if (!next || at<Sheet>(sheet).key < at<Sheet>(next).key) next = sheet;
  }
  return next;
}
