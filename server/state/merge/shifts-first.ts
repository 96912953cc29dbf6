import type { BranchState } from '../branch-state.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import {
  axisOf,
  cross,
  isShift,
  meetsAny,
  originOf,
  type CellMove,
  type ShiftMove,
} from './cell-shifts.ts';
import { areShared } from './final-moves.ts';

/** Moves of one side in an order in which blocks are cut when all cells are shifted. */
export interface ShiftsFirst {
  /** The shifts, and blocks that keep their place among them. */
  readonly early: readonly CellMove[];
  /** The other blocks, where they are after all shifts. */
  readonly cuts: readonly CellMove[];
}

/**
 * Puts shifts before the cuts that came before them, which comes to the same: a cut moves no cells,
 * only what they hold. Those from or to cells that were deleted later keep their place, and so do
 * those that `isEarly` tells.
 */
export function shiftsFirst(
  moves: readonly CellMove[],
  isEarly: (cut: CellMove) => boolean,
): ShiftsFirst {
  const early: CellMove[] = [];
  let cuts: CellMove[] = [];
  for (const move of moves) {
    if (!isShift(move) && !isEarly(move)) cuts.push(move);
    else if (!isShift(move) || cuts.some((cut) => isCutOff(cut, move))) {
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

/**
 * Returns whether a cut meets cells that were shifted among lines which do not stand alike in all
 * of the states: there, a cell that was shifted is another one on each.
 */
export function meetsUneven(
  shifts: readonly ShiftMove[],
  states: readonly BranchState[],
): (cut: CellMove) => boolean {
  const orders = new Map<string, boolean>();
  const uneven = shifts.filter(({ from: { sheetId }, shift }) => {
    const axis = axisOf(shift);
    const key = `${axis} ${sheetId}`;
    const isUneven = orders.get(key) ?? !standAlike(sheetId, axis, states);
    orders.set(key, isUneven);
    return isUneven;
  });
  return (cut) => meetsAny(cut, uneven);
}

function standAlike(sheetId: string, axis: Axis, states: readonly BranchState[]): boolean {
  const texts = states.map(({ structure }) => {
    const sheet = structure.withId(sheetId);
    return sheet && orderOf(sheet, axis).text;
  });
  return new Set(texts).size === 1;
}
