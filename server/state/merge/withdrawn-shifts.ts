import {
  cross,
  isShift,
  originOf,
  takenBack,
  type CellMove,
  type Crossing,
  type ShiftMove,
} from './cell-shifts.ts';
import { meetIn } from './crossing-paths.ts';
import type { LineMove } from './line-moves.ts';
import type { Change } from './merging.ts';
import type { Around, MovedBase } from './moved-base.ts';
import type { OperationParts } from './parts.ts';
import type { StrayCells } from './stray-cells.ts';

/** Takes a change back on a side, and leaves everything else that the side did. */
export type Revert = (change: RevertedChange, parts: OperationParts) => Generator<void, void>;

type RevertedChange = Pick<Change, 'base' | 'theirs' | 'moves' | 'whole'>;

/** The side that takes a shift back. */
export interface Withdrawing {
  readonly base: MovedBase;
  readonly parts: OperationParts;
  /** The parts that go into the journal. */
  readonly ours: OperationParts;
  /** Moves of lines on the side; undefined when its journal was not read. */
  readonly lines: readonly LineMove[] | undefined;
  readonly revert: Revert;
  readonly strays: StrayCells;
}

/**
 * Takes back all parts of a shift, and notes it among the parts of ours, for later merges. Returns
 * the moves that are left.
 */
export function* withdrawAll(
  moves: readonly CellMove[],
  move: CellMove,
  side: Withdrawing,
): Generator<void, readonly CellMove[]> {
  const { parts, ours } = side;
  const first = parts.parts.length;
  let left = moves;
  for (let part = memberOf(left, move); part; part = memberOf(left, move)) {
    const next = yield* withdrawShift(left, part, side);
    if (next === left) break;
    left = next;
  }
  const { name: of } = originOf(move);
  if (left !== moves && of !== undefined) {
    const count = parts === ours ? parts.parts.length - first : 0;
    yield* ours.add({ kind: 'restore.shift', payload: { of, parts: count } });
  }
  return left;
}

/** The last shift of a list that a move is a part of. */
export function memberOf(moves: readonly CellMove[], move: CellMove): ShiftMove | undefined {
  const origin = originOf(move);
  const found = moves.findLast((one) => originOf(one) === origin);
  return found && isShift(found) ? found : undefined;
}

/**
 * Takes a shift back on the side that made it: what that side wrote to shifted cells goes where
 * they were, and so do its later moves. Returns the moves that are left. A later shift that cannot
 * be without it is taken back before it.
 */
export function* withdrawShift(
  moves: readonly CellMove[],
  shift: ShiftMove,
  side: Withdrawing,
): Generator<void, readonly CellMove[]> {
  const around = yield* side.base.around(moves, shift);
  if (!around) return moves;
  const { before: theirs, after: base } = around;
  const at = moves.indexOf(shift);
  const later = moves.slice(at + 1);
  const back = takenBack(shift);
  const crossing = cross(back, later, meetIn(base, theirs, side.parts.state));
  const bound = new Set(crossing.stuck.map(([, other]) => originOf(other)));
  const last = later.findLast((one) => bound.has(originOf(one)));
  if (last && isShift(last)) {
    const left = yield* withdrawAll(moves, last, side);
    return left === moves ? moves : yield* withdrawShift(left, shift, side);
  }
  for (const { there } of crossing.made) {
    const area = there?.shift?.kind === 'range.delete' ? there.shift.area : undefined;
    if (area) yield* side.strays.takeFrom(area, side.parts);
  }
  const left = [...moves.slice(0, at), ...crossing.others];
  const change = yield* changeBack({ moves, left, shift, crossing }, around, side);
  yield* side.revert(change, side.parts);
  return left;
}

interface TakenBack {
  readonly moves: readonly CellMove[];
  readonly left: readonly CellMove[];
  readonly shift: ShiftMove;
  /** The shift back and the later moves, each after the other. */
  readonly crossing: Crossing;
}

/**
 * Returns the change that takes a shift back, after all later moves, which then need not be made
 * again. Blocks that were cut later may have gone to or from the shifted cells: then it is the
 * change before them.
 */
function* changeBack(
  { moves, left, shift, crossing }: TakenBack,
  around: Around,
  { base, lines }: Withdrawing,
): Generator<void, RevertedChange> {
  const later = moves.slice(moves.indexOf(shift) + 1);
  const moved = lines && { lines: { ours: lines, theirs: [] } };
  if (later.every(isShift)) {
    const theirs = crossing.made.flatMap(({ there }) => there ?? []);
    const was = yield* base.after(moves);
    const is =
      shift.shift.kind === 'range.insert'
        ? yield* base.afterBack(moves, left, theirs)
        : yield* base.after(left);
    if (was.missedCount === around.missedCount && is.missedCount === around.missedCount) {
      return { base: was.state, theirs: is.state, moves: { ours: [], theirs, ...moved } };
    }
  }
  const made = { ours: later, theirs: [takenBack(shift)], ...moved };
  return { base: around.after, theirs: around.before, moves: made };
}
