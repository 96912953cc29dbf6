import { orderOf } from '../structure/structure.ts';
import { axisOf, isShift, type CellMove } from './cell-shifts.ts';
import { missingFrom } from './line-merging.ts';
import { stateOf, type Merging } from './merging.ts';
import { readSpans } from './restoration.ts';

/**
 * Notes what theirs had moved on sheets, rows and columns that ours deleted and the merge keeps:
 * they come as theirs has them, so that a later merge is not to move anything there again.
 */
export function* noteKeptMoves(merging: Merging): Generator<void, void> {
  const moves = (merging.moves?.theirs ?? [])
    .filter((move) => isOnKept(merging, move))
    .map(({ from, to, shift }) => ({ from, to, ...(shift && { shift }) }));
  if (moves.length > 0) yield* merging.parts.add({ kind: 'restore.moves', payload: { moves } });
}

/** Returns whether all cells of a move are on a kept sheet, or those of a shift in kept lines. */
function isOnKept(merging: Merging, move: CellMove): boolean {
  const { sheetId } = move.from;
  const { common, base, ours } = merging;
  if (common.structure === base.structure || move.to.sheetId !== sheetId) return false;
  const [was, before, now] = [common, ours, stateOf(merging)].map(({ structure }) =>
    structure.withId(sheetId),
  );
  if (!was || !now || !before) return was !== undefined && now !== undefined;
  if (!isShift(move)) return false;
  const across = axisOf(move.shift) === 'row' ? 'column' : 'row';
  const { rows, columns } = move.shift.area;
  const spans = readSpans(across === 'row' ? rows : columns);
  const isThere = missingFrom(spans, orderOf(now, across)).length === 0;
  const gone = missingFrom(spans, orderOf(before, across));
  return isThere && countOf(gone) === countOf(spans);
}

function countOf(spans: ReturnType<typeof readSpans>): number {
  return spans.reduce((sum, { length }) => sum + length, 0);
}
