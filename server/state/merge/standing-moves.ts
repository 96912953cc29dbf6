import {
  carriedOver,
  isSameMove,
  isShift,
  meetsAny,
  takenBack,
  type CellMove,
} from './cell-shifts.ts';

/**
 * Moves without shifts that were taken back before anything else met them, as a merge does with
 * one that was not chosen. What takes one back may also be what the other side did.
 */
export function standing(
  moves: readonly CellMove[],
  others: readonly CellMove[],
): readonly CellMove[] {
  const left = [...moves];
  for (let at = 0; at < left.length;) {
    const move = left[at];
    const next = left.findIndex((one, index) => index > at && move && meetsAny(one, [move]));
    const back = left[next];
    const isBack = move && back && isShift(move) && isSameMove(back, takenBack(move));
    const theirs = isBack ? carriedOver(others, left.slice(0, at + 1)) : [];
    const isGone = isBack === true && !theirs.some((one) => isSameMove(one, back));
    if (isGone) for (const gone of [next, at]) left.splice(gone, 1);
    at = isGone ? Math.max(at - 1, 0) : at + 1;
  }
  return left;
}
