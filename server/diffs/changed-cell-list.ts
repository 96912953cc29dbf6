import type { ChangedCell } from '../state/diff/cell-list.ts';
import type { SheetDiff } from '../state/diff/diff.ts';

/** All cells that changed, those of fills one by one too. */
export function* changedCellsOf({ cells, collapsed }: SheetDiff): Generator<ChangedCell> {
  yield* cells;
  for (const area of collapsed) {
    for (const run of area.members()) {
      for (let skipped = 0; skipped < run.count; skipped++) yield { run, skipped };
    }
  }
}
