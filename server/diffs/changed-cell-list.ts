import type { ChangedCell } from '../state/diff/changed-cells.ts';
import type { SheetDiff } from '../state/diff/diff.ts';

/** All cells that changed, those of fills one by one too. */
export function* changedCellsOf({ cells, collapsed }: SheetDiff): Generator<ChangedCell> {
  yield* cells;
  for (const { members } of collapsed) {
    for (const run of members) {
      for (let skipped = 0; skipped < run.count; skipped++) yield { run, skipped };
    }
  }
}
