import { areShared } from './final-moves.ts';
import { cross, isShift, originOf, type CellMove } from './cell-shifts.ts';

/** Moves of one side in an order in which blocks are cut when all cells are shifted. */
export interface ShiftsFirst {
  /** The shifts, and blocks that were cut from or to cells which were deleted later. */
  readonly early: readonly CellMove[];
  /** The other blocks, where they are after all shifts. */
  readonly cuts: readonly CellMove[];
}

/**
 * Puts shifts before the cuts that came before them, which comes to the same: a cut moves no cells,
 * only what they hold.
 */
export function shiftsFirst(moves: readonly CellMove[]): ShiftsFirst {
  const early: CellMove[] = [];
  let cuts: readonly CellMove[] = [];
  for (const move of moves) {
    if (!isShift(move)) cuts = [...cuts, move];
    else if (cuts.some((cut) => isCutOff(cut, move))) {
      early.push(...cuts, move);
      cuts = [];
    } else {
      early.push(move);
      cuts = cuts.flatMap((cut) => afterShifts(cut, [move]));
    }
  }
  return { early, cuts };
}

/** Returns whether a shift deletes cells that a block was cut from or pasted to. */
function isCutOff({ from, to }: CellMove, { shift }: CellMove): boolean {
  if (shift?.kind !== 'range.delete') return false;
  return areShared(from, shift.area) || areShared(to, shift.area);
}

/** The parts of a block that was cut, where they are after shifts. */
export function afterShifts(cut: CellMove, shifts: readonly CellMove[]): CellMove[] {
  const origin = originOf(cut);
  return cross(cut, shifts).made.flatMap(({ there }) => (there ? { ...there, origin } : []));
}
