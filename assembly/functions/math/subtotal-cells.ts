import { TEMPLATE_SUBTOTAL, Template } from '../../formula/template';
import { Run, firstRunFrom, runAt } from '../../graph/run';
import { COLUMN_RUNS, columnAt } from '../../grid/sheet';
import { at } from '../../memory/pointer';
import { item, lengthOfVector } from '../../memory/vector';

/**
 * Returns whether the formula of a cell calls SUBTOTAL or AGGREGATE, which leave such cells out.
 * Only cells with CELL_FORMULA may be asked for.
 */
export function holdsSubtotal(sheet: usize, row: u32, column: u32): bool {
  const record = columnAt(sheet, column);
  const run = record ? runAt(record, row) : 0;
  return run != 0 && (at<Template>(at<Run>(run).template).flags & TEMPLATE_SUBTOTAL) != 0;
}

/** Runs of a column that are looked at before it counts as one with subtotals. */
const RUNS_MOST: u32 = 16;

/** Returns whether rows of a column may hold formulas that call SUBTOTAL or AGGREGATE. */
export function mayHoldSubtotals(sheet: usize, column: u32, row0: u32, row1: u32): bool {
  const record = columnAt(sheet, column);
  if (!record) return false;
  const runs = record + COLUMN_RUNS;
  const first = firstRunFrom(record, row0);
  for (let index = first; index < lengthOfVector(runs); index++) {
    const run = at<Run>(item(runs, index));
    if (run.row0 > row1) return false;
    const isNested = (at<Template>(run.template).flags & TEMPLATE_SUBTOTAL) != 0;
    if (isNested || index - first == RUNS_MOST) return true;
  }
  return false;
}
