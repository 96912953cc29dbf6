import type { BranchState } from '../branch-state.ts';
import { sameCells } from '../compare/same-lanes.ts';
import { compareIds } from '../ids/id-span.ts';
import { sheetOfTable } from '../structure/tables.ts';
import type { Side } from './judge.ts';
import { keyChanges } from './keyed-rows.ts';
import type { AlignedSides } from './parts.ts';
import { positionIn, tableIn, type Relocation } from './relocation.ts';
import { relocateRows } from './row-lines.ts';

/**
 * Follows keys whose rows one side deleted and added again: the base and the other side are made to
 * have them on the new rows, so that a change of a row stays with its key.
 */
export function* followReturned(
  sides: AlignedSides,
  tableId: string,
  followed: readonly Side[],
): Generator<void, void> {
  // A key that both added again is where the latter has it, the same from both directions.
  const targetOf = (side: Side) => returnedKeys(sides, side, tableId)[0]?.to;
  const ordered = followed.toSorted((a, b) => {
    const [one, other] = [targetOf(a), targetOf(b)];
    return one && other ? compareIds(one, other) : 0;
  });
  for (const side of ordered) {
    const moves = returnedKeys(sides, side, tableId);
    const rows = { tableId, known: sides[side].state };
    for (const parts of moves.length > 0 ? [sides.base, sides[otherThan(side)]] : []) {
      yield* relocateRows(parts, rows, moves);
    }
  }
}

function otherThan(side: Side): Side {
  return side === 'ours' ? 'theirs' : 'ours';
}

/** Where the other side has the sheet as it was there is nothing to follow. */
function returnedKeys(sides: AlignedSides, side: Side, tableId: string): Relocation[] {
  const [base, is, other] = [sides.base, sides[side], sides[otherThan(side)]].map(({ state }) =>
    sheetIn(state, tableId),
  );
  if (!base || !is || !other || sameCells(other, base)) return [];
  return keyChanges(is.state, base.state, tableId).moved.filter(
    ({ from, to }) =>
      positionIn(is.sheet, 'row', from) === undefined &&
      positionIn(base.sheet, 'row', to) === undefined,
  );
}

function sheetIn(state: BranchState, tableId: string) {
  return { state, sheet: sheetOfTable(tableIn(state, tableId), state.structure) };
}
