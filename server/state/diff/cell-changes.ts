import { gatherCells } from './changed-cells.ts';
import { changedNames } from './changed-names.ts';
import { changedLanes } from './changed-runs.ts';
import { RenamedNames } from './renamed-names.ts';
import { sendChanges, type SentChanges } from './sent-changes.ts';
import { sheetPairs, type Sides } from './sides.ts';

/** Compares the cells of all sheets or one, for another thread that has the same states. */
export function* sentCellChanges(
  sides: Sides,
  sheetId: string | undefined,
): Generator<void, SentChanges[]> {
  const renamed = new RenamedNames(sides.from, changedNames(sides));
  const sent: SentChanges[] = [];
  for (const pair of sheetPairs(sides)) {
    if (sheetId !== undefined && pair.id !== sheetId) continue;
    const { runs } = yield* changedLanes(sides, pair, { cells: true, formats: false, renamed });
    const { areas, cells } = yield* gatherCells(runs);
    sent.push(sendChanges(pair.id, { runs, areas, cells }));
  }
  return sent;
}
