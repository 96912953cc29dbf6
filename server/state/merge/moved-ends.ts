import type { CellPlace } from '../cells/cell-coding.ts';
import type { FormulaRun } from '../cells/formula-runs.ts';
import { LostEnds } from '../references/lost-ends.ts';
import { StepReferences } from '../references/step-references.ts';
import type { LineStep } from '../structure/line-steps.ts';
import { orderOf, type SheetOutline } from '../structure/structure.ts';
import type { MergedEnds } from './merged-ends.ts';
import { stateOf, type Merging } from './merging.ts';
import { placeAt } from './side-cells.ts';

/**
 * Finds formulas of a sheet with a range that begins or ends at a line which the other side moved.
 */
export function* endingAtMoved(
  merging: Merging,
  ends: MergedEnds,
  sheet: SheetOutline,
): Generator<CellPlace> {
  const state = stateOf(merging);
  const { structure, coding } = state;
  for (const step of movedSteps(merging, ends)) {
    const references = new StepReferences(structure, step);
    const search = new LostEnds(step, { references, coding });
    for (const place of search.places(state.cellsOf(sheet), sheet)) {
      for (const run of search.lost(place, sheet)) yield* placesOf(run);
    }
  }
}

/**
 * Presents the moved lines of each sheet and axis as a deletion, which `LostEnds` can search for.
 */
function* movedSteps(merging: Merging, ends: MergedEnds): Generator<LineStep> {
  const { structure } = stateOf(merging);
  for (const { sheetId, axis, moves } of ends.moved) {
    const on = structure.withId(sheetId);
    if (!on) continue;
    const order = orderOf(on, axis);
    const leaving = [...moves.spans()].flatMap((span) =>
      order.piecesOf(span).map(({ position, length }) => ({ from: position, count: length })),
    );
    yield { before: on, after: on, axis, leaving, target: undefined };
  }
}

function* placesOf({ sheet, row, column, count }: FormulaRun): Generator<CellPlace> {
  for (let at = row; at < row + count; at++) {
    yield placeAt(sheet, { row: at, column });
  }
}
