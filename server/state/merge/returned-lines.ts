import type { BranchState } from '../branch-state.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import { axisOf, isShift, type ShiftMove } from './cell-shifts.ts';
import type { Moves } from './followed-moves.ts';
import type { Side } from './judge.ts';
import { deleteLines } from './kept-deletions.ts';
import { finiteSpans, missingFrom, presentIn, restOf } from './line-merging.ts';
import { hasLines } from './moved-block.ts';
import type { DeletedPart } from './named-deletions.ts';
import { nameLost } from './named-losses.ts';
import { partsOn, type AlignedSides } from './parts.ts';
import type { Revert } from './withdrawn-shifts.ts';

/** The base after the sides were aligned, and without what is kept. */
export interface SettledBase {
  readonly common: BranchState;
  readonly base: BranchState;
}

interface Returning {
  readonly moves: Moves | undefined;
  /** Aligns the sides, and decides what is kept. */
  readonly settle: (sides: AlignedSides) => Generator<void, SettledBase>;
  readonly revert: Revert;
}

/** Lines of a sheet of the base that a side deleted. */
interface Gone {
  readonly sheetId: string;
  readonly lines: NonNullable<DeletedPart['lines']>;
}

/**
 * Puts lines that the merge keeps back on the side that deleted them, as the base has them, where
 * either side shifted cells over lines of their axis: among other lines, a shift moves other cells.
 * Which lines these are shows a trial.
 */
export function* returnKept(
  sides: AlignedSides,
  { moves, settle, revert }: Returning,
): Generator<void, void> {
  if (!moves) return;
  const base = sides.base.state;
  const isOver = shiftedIn(moves);
  const gone = {
    ours: goneFrom(base, sides.ours.state),
    theirs: goneFrom(base, sides.theirs.state),
  };
  if (![...gone.ours, ...gone.theirs].some(isOver)) return;
  const trial = {
    base: partsOn(base),
    ours: partsOn(sides.ours.state),
    theirs: partsOn(sides.theirs.state),
  };
  const settled = yield* settle(trial);
  const leave = (part: Gone) => (isOver(part) ? leftOf(part, settled) : part);
  for (const side of ['ours', 'theirs'] as const) {
    const left = gone[side].map(leave);
    if (left.every((part, at) => part === gone[side][at])) continue;
    // A shift that the side made before it deleted cells of it is the same on all sides.
    if (!moves[side].filter(isShift).every(isThere(sides[side].state))) continue;
    yield* nameLost(base, sides[side]);
    const without = yield* baseWithout(base, gone[side]);
    const whole = yield* baseWithout(base, left);
    const made = { moves: movesOf(moves, side), whole: base };
    yield* revert({ base: without, theirs: whole, ...made }, sides[side]);
  }
}

function isThere(state: BranchState): (move: ShiftMove) => boolean {
  return ({ shift }) => hasLines(state, shift.area);
}

function* baseWithout(base: BranchState, gone: readonly Gone[]): Generator<void, BranchState> {
  const parts = partsOn(base);
  for (const { sheetId, lines } of gone) yield* deleteLines(parts, { sheetId, ...lines });
  return parts.state;
}

function movesOf({ lines, ...moves }: Moves, side: Side): Moves {
  const made = { ours: moves[side], theirs: [] };
  return lines ? { ...made, lines: { ours: lines[side], theirs: [] } } : made;
}

/** Returns whether any cells were shifted along the axis of some lines, on their sheet. */
function shiftedIn({ ours, theirs }: Moves): (gone: Gone) => boolean {
  const shifted = new Set(
    [...ours, ...theirs]
      .filter(isShift)
      .map(({ from, shift }) => `${axisOf(shift)} ${from.sheetId}`),
  );
  return ({ sheetId, lines }) => shifted.has(`${lines.axis} ${sheetId}`);
}

function goneFrom(base: BranchState, side: BranchState): Gone[] {
  return base.structure.sheets.flatMap((sheet) => {
    const now = side.structure.withId(sheet.id);
    if (!now || now === sheet) return [];
    return (['row', 'column'] as const).flatMap((axis: Axis) => {
      const [was, is] = [orderOf(sheet, axis), orderOf(now, axis)];
      if (was === is) return [];
      const rest = Math.max(restOf(was), restOf(is));
      const spans = missingFrom(finiteSpans(was, rest), is);
      return spans.length > 0 ? [{ sheetId: sheet.id, lines: { axis, spans } }] : [];
    });
  });
}

/** The lines that are not kept; the same part where none is. */
function leftOf(part: Gone, { common, base }: SettledBase): Gone {
  const { sheetId, lines } = part;
  const [was, is] = [common, base].map(({ structure }) => structure.withId(sheetId));
  if (!was || !is) return part;
  const [all, left] = [orderOf(was, lines.axis), orderOf(is, lines.axis)];
  if (missingFrom(presentIn(lines.spans, all), left).length === 0) return part;
  const spans = [...missingFrom(lines.spans, all), ...presentIn(lines.spans, left)];
  return { ...part, lines: { ...lines, spans } };
}
