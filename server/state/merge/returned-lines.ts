import type { BranchState } from '../branch-state.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import {
  axisOf,
  cellMove,
  isShift,
  originOf,
  type CellMove,
  type ShiftMove,
} from './cell-shifts.ts';
import { haveShared, lineCount } from './final-moves.ts';
import { isPossible, moveOperation } from './followed-shifts.ts';
import { flatten } from '../plan/resolved.ts';
import { MovedBase } from './moved-base.ts';
import type { LineMove } from './line-moves.ts';
import { StrayCells } from './stray-cells.ts';
import type { Moves } from './followed-moves.ts';
import { deleteLines } from './kept-deletions.ts';
import { finiteSpans, missingFrom, presentIn, restOf } from './line-merging.ts';
import type { DeletedPart } from './named-deletions.ts';
import { nameLost } from './named-losses.ts';
import { partsOn, type AlignedSides, type OperationParts } from './parts.ts';
import { withdrawShift, type Revert } from './withdrawn-shifts.ts';

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
export interface Gone {
  readonly sheetId: string;
  readonly lines: NonNullable<DeletedPart['lines']>;
}

/**
 * Puts lines that the merge keeps back on the side that deleted them, as the base has them, where
 * either side shifted cells over lines of their axis: among other lines, a shift moves other cells.
 * Which lines these are shows a trial. Returns the moves as they are among the lines that are back.
 */
export function* returnKept(
  sides: AlignedSides,
  { moves, settle, revert }: Returning,
): Generator<void, Moves | undefined> {
  if (!moves) return undefined;
  const base = sides.base.state;
  const isOver = shiftedIn(moves);
  const gone = {
    ours: goneFrom(base, sides.ours.state),
    theirs: goneFrom(base, sides.theirs.state),
  };
  if (![...gone.ours, ...gone.theirs].some(isOver)) return moves;
  const trial = {
    base: partsOn(base),
    ours: partsOn(sides.ours.state),
    theirs: partsOn(sides.theirs.state),
  };
  const settled = yield* settle(trial);
  const leave = (part: Gone) => (isOver(part) ? leftOf(part, settled) : part);
  let now = moves;
  for (const side of ['ours', 'theirs'] as const) {
    const left = gone[side].map(leave);
    if (left.every((part, at) => part === gone[side][at])) continue;
    yield* nameLost(base, sides[side]);
    const lines = moves.lines?.[side];
    const returned = { base, gone: gone[side], left, moves: moves[side], lines, revert };
    now = { ...now, [side]: yield* returnLines(sides[side], returned, side === 'theirs') };
  }
  return now;
}

interface Returned {
  readonly base: BranchState;
  readonly gone: readonly Gone[];
  /** Lines that stay deleted. */
  readonly left: readonly Gone[];
  /** All moves of the side. */
  readonly moves: readonly CellMove[];
  readonly lines: readonly LineMove[] | undefined;
  readonly revert: Revert;
}

/**
 * Puts lines back. What the side had moved with a line of them it moved before it deleted them, and
 * so does the base. Cells that it shifted later are shifted back meanwhile, then once more.
 */
function* returnLines(
  parts: OperationParts,
  { base, gone, left, moves, lines, revert }: Returned,
  isNamed: boolean,
): Generator<void, readonly CellMove[]> {
  const split = 1 + moves.findLastIndex((move) => gone.some((one) => isAmong(move, one)));
  const [before, later] = [moves.slice(0, split), moves.slice(split)];
  const made = yield* new MovedBase(base).after(before);
  const without = yield* baseWithout(made.state, gone);
  const isBack = later.every(isShift);
  const strays = new StrayCells(roomFor(gone, later));
  const moved = new MovedBase(without);
  const side = { base: moved, parts, ours: parts, lines, revert, strays };
  let rest: readonly CellMove[] = isBack ? later : [];
  for (const shift of later.toReversed()) {
    if (isBack && isShift(shift)) rest = yield* withdrawShift(rest, shift, side);
  }
  const whole = yield* baseWithout(made.state, left);
  const kept = { ours: isBack ? rest : later, theirs: [] };
  const back = {
    moves: lines ? { ...kept, lines: { ours: lines, theirs: [] } } : kept,
    whole: base,
  };
  yield* revert({ base: without, theirs: whole, ...back }, parts);
  const again = later.filter((move) => isBack && !rest.includes(move)).filter(isShift);
  const shifted = yield* shiftAgain(again, parts, isNamed);
  yield* strays.putBack({ base: partsOn(whole), ours: parts, theirs: partsOn(whole) });
  return isBack ? [...before, ...rest, ...shifted] : moves;
}

/** Returns how many lines come back at most, and how far cells are shifted. */
function roomFor(gone: readonly Gone[], moves: readonly CellMove[]): number {
  const ids = gone.flatMap(({ lines }) => lines.spans);
  const areas = moves.flatMap(({ shift }) => (shift ? [shift.area.rows, shift.area.columns] : []));
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  return sum(ids.map(({ length }) => length)) + sum(areas.map(lineCount));
}

/** Makes shifts among the lines that are back, and returns them as they are made there. */
function* shiftAgain(
  shifts: readonly ShiftMove[],
  parts: OperationParts,
  isNamed: boolean,
): Generator<void, CellMove[]> {
  const made: CellMove[] = [];
  for (const shift of shifts) {
    const operation = moveOperation(shift, parts.state);
    if (!operation || !(yield* isPossible(shift, parts.state))) continue;
    yield* parts.add(operation);
    const resolved = parts.resolved.parts?.at(-1) ?? {};
    const move = cellMove({ kind: operation.kind, payload: operation.payload, resolved });
    const { name } = originOf(shift);
    if (move) made.push({ ...move, ...(isNamed && name !== undefined && { name }) });
  }
  return made;
}

/** Returns whether a move had a line among those of its cells, along their axis. */
export function isAmong(
  { from, to, shift }: CellMove,
  { sheetId, lines: { axis, spans } }: Gone,
): boolean {
  return [from, to, ...(shift ? [shift.area] : [])].some(
    (block) =>
      block.sheetId === sheetId &&
      haveShared(axis === 'row' ? block.rows : block.columns, flatten(spans)),
  );
}

function* baseWithout(base: BranchState, gone: readonly Gone[]): Generator<void, BranchState> {
  const parts = partsOn(base);
  for (const { sheetId, lines } of gone) yield* deleteLines(parts, { sheetId, ...lines });
  return parts.state;
}

/** Returns whether any cells were shifted along the axis of some lines, on their sheet. */
export function shiftedIn({ ours, theirs }: Moves): (gone: Gone) => boolean {
  const shifted = new Set(
    [...ours, ...theirs]
      .filter(isShift)
      .map(({ from, shift }) => `${axisOf(shift)} ${from.sheetId}`),
  );
  return ({ sheetId, lines }) => shifted.has(`${lines.axis} ${sheetId}`);
}

export function goneFrom(base: BranchState, side: BranchState): Gone[] {
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
