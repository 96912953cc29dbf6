import type { BranchState } from '../branch-state.ts';
import type { ShiftMove } from './cell-shifts.ts';
import { partOfBlock, sharedParts } from './final-moves.ts';
import type { Block } from './moved-block.ts';
import { readSpans } from './restoration.ts';

/**
 * Tells shifts that have nothing to do with one another: the cells that both would shift are blank
 * in all of the states.
 */
export function apartIn(states: readonly BranchState[]): (a: ShiftMove, b: ShiftMove) => boolean {
  return (a, b) =>
    [a.from, a.to].every((one) =>
      [b.from, b.to].every((other) =>
        sharedParts(one, other).every(({ rows, columns }) => {
          const shared = partOfBlock(one, rows.own, columns.own);
          return states.every((state) => isBlank(shared, state));
        }),
      ),
    );
}

function isBlank({ sheetId, rows, columns }: Block, state: BranchState): boolean {
  const sheet = state.structure.withId(sheetId);
  return !sheet || state.cellsOf(sheet).areBlank(readSpans(rows), readSpans(columns));
}
