import { COLUMN_RUNS, SHEET_SPILLS, Sheet, columnAt } from '../grid/sheet';
import { release } from '../memory/arena';
import { at } from '../memory/pointer';
import { clearVector, item, lengthOfVector } from '../memory/vector';
import { markRows } from './dirty';
import { Run, runAt } from './run';
import { Spill, clearArea, fixArea } from './spill';

/**
 * Spilled cells do not take part in structural edits: they are blanked before, and their anchors
 * are computed again afterwards at their new place. Fixed areas are declared again.
 */
export function liftSpills(sheet: usize): void {
  const spills = sheet + SHEET_SPILLS;
  for (let index: u32 = 0; index < lengthOfVector(spills); index++) {
    const spill = at<Spill>(item(spills, index));
    const anchor = runAt(columnAt(sheet, spill.column), spill.row);
    if (anchor) markRows(anchor, spill.row, spill.row);
    clearArea(sheet, spill);
  }
  for (let index: u32 = 0; index < lengthOfVector(spills); index++) {
    release(item(spills, index), offsetof<Spill>());
  }
  clearVector(spills);
}

/** Declares the fixed areas of legacy array formulas again at their new places. */
export function lowerSpills(sheet: usize): void {
  for (let number: u32 = 0; number < at<Sheet>(sheet).columnsLength; number++) {
    const column = columnAt(sheet, number);
    if (!column) continue;
    const runs = column + COLUMN_RUNS;
    for (let index: u32 = 0; index < lengthOfVector(runs); index++) {
      const run = at<Run>(item(runs, index));
      if (run.areaRows) fixArea(sheet, run.row0, number, run.areaRows, run.areaColumns);
    }
  }
}
