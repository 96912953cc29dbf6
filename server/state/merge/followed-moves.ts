import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import type { FlatSpans } from '../plan/resolved.ts';
import {
  cross,
  isShift,
  meetsAny,
  originOf,
  partsTogether,
  type CellMove,
  type CrossedMove,
  type Meet,
} from './cell-shifts.ts';
import { settleCrossed, withdrawalsMost } from './crossed-shifts.ts';
import { meetIn } from './crossing-paths.ts';
import { presentParts } from './final-moves.ts';
import { followCuts, inTurn, isCutFollowed, move, type Cuts } from './followed-cuts.ts';
import { isShiftFollowed } from './followed-shifts.ts';
import type { Side } from './judge.ts';
import type { LineMove } from './line-moves.ts';
import { MovedBase } from './moved-base.ts';
import { partsOn, type AlignedSides, type OperationParts } from './parts.ts';
import { readSpans } from './restoration.ts';
import type { Asked, Scope } from './scope.ts';
import { afterShifts, meetsUneven, shiftsFirst } from './shifts-first.ts';
import { standing } from './standing-moves.ts';
import type { Revert } from './withdrawn-shifts.ts';
import { cellsWritten, isAsked, settleWritten, type WrittenDeletion } from './written-deletions.ts';

/** The cells that each side moved since the base, the earliest move first. */
export interface Moves {
  readonly ours: readonly CellMove[];
  readonly theirs: readonly CellMove[];
  /** Moves of rows and columns on each side; undefined when the journals were not read. */
  readonly lines?: {
    readonly ours: readonly LineMove[];
    readonly theirs: readonly LineMove[];
  };
}

/**
 * Does to the base and to the other side what one side moved: an edit of a cell is then an edit
 * of the cell that it was moved to, and what names it names that. Cells that were inserted or
 * deleted are so for both, and what was behind them moves. What went to rows or columns that
 * are gone since is left alone, and a move where the other side moved the same, deleted what
 * formulas in it name, has anything where it would go, or wrote a formula that names that.
 */
export function* followMoves(
  sides: AlignedSides,
  { ours, theirs, lines }: Moves = { ours: [], theirs: [] },
  { judge, scope, revert }: Asked & { readonly revert: Revert },
): Generator<void, void> {
  const taken = theirs.filter((one) => isInScope(one, scope));
  const given = {
    ours: standing(ours, taken).flatMap((one) => inLines(one, [sides.base, sides.theirs])),
    theirs: standing(taken, ours).flatMap((one) => inLines(one, [sides.base, sides.ours])),
  };
  if (given.ours.length + given.theirs.length === 0) return;
  const asking = { base: new MovedBase(sides.base.state), judge, lines, revert };
  const { strays, ...crossed } = yield* settleCrossed(sides, given, asking);
  let { moves } = crossed;
  const asked = new Set<CellMove>();
  const decided = new Set<CellMove>();
  for (;;) {
    const { base, ours: mine, theirs: its } = statesOf(sides);
    const meet = meetIn(base, mine, its);
    const following = { moves, decided, left: new Set<CellMove>(), meet };
    const most = withdrawalsMost(given);
    const written = yield* leaveStuck(sides, following, { asked, most, base: asking.base });
    if (!written) {
      const { cuts } = yield* followShifts(sides, following);
      yield* followCuts(sides, cuts, judge);
      yield* strays.putBack(sides);
      return;
    }
    const origin = originOf(written.shift);
    asked.add(origin);
    const left = yield* settleWritten(written, { sides, moves, strays, ...asking });
    if (left) moves = { ...moves, [written.mover]: left };
    else decided.add(origin);
  }
}

interface AskedDeletions {
  readonly asked: ReadonlySet<CellMove>;
  /** How many may be asked about. */
  readonly most: number;
  readonly base: MovedBase;
}

/**
 * A shift that cannot be made on all sides is made on none, and with it what meets its cells.
 * Returns a deletion of cells that the other side wrote to, unless it was asked about.
 */
function* leaveStuck(
  sides: AlignedSides,
  following: Following,
  { asked, most, base }: AskedDeletions,
): Generator<void, WrittenDeletion | undefined> {
  const { moves, left } = following;
  const all = [...moves.ours, ...moves.theirs];
  while (all.some(isShift)) {
    const trial = {
      base: partsOn(sides.base.state),
      ours: partsOn(sides.ours.state),
      theirs: partsOn(sides.theirs.state),
    };
    const { stuck, written } = yield* followShifts(trial, following);
    for (const one of asked.size < most ? written : []) {
      if (asked.has(originOf(one.shift))) continue;
      if (yield* isAsked(one, { base, moves })) return one;
    }
    if (stuck.length === 0) return undefined;
    for (let out = stuck; out.length > 0;) {
      for (const one of out) left.add(originOf(one));
      out = all.filter((one) => !left.has(originOf(one)) && meetsAny(one, out));
    }
  }
  return undefined;
}

/** Cuts a shift into parts that can be made on the base and on the other side. */
function inLines(one: CellMove, parts: readonly OperationParts[]): CellMove[] {
  const states = parts.map(({ state }) => state);
  return isShift(one) ? partsTogether(one, states) : [one];
}

/** Returns whether a merge takes a move of theirs: all corners of its cells are in the scope. */
function isInScope({ shift, from, to }: CellMove, scope: Scope | undefined): boolean {
  if (!scope) return true;
  return (shift ? [shift.area] : [from, to]).every(({ sheetId, rows, columns }) =>
    endsOf(rows).every((row) =>
      endsOf(columns).every((column) =>
        scope({ kind: 'cell.input', place: { sheetId, row, column } }),
      ),
    ),
  );
}

function endsOf(flat: FlatSpans): LineId[] {
  const spans = readSpans(flat);
  const [first, last] = [spans[0], spans.at(-1)];
  return first && last ? [first, { ...last, offset: last.offset + last.length - 1 }] : [];
}

function statesOf({ base, ours, theirs }: AlignedSides) {
  return { base: base.state, ours: ours.state, theirs: theirs.state };
}

interface Following {
  readonly moves: Readonly<Record<Side, readonly CellMove[]>>;
  /** Moves that are not followed. */
  readonly left: Set<CellMove>;
  /** Deletions that are made, whatever the other side wrote there. */
  readonly decided: ReadonlySet<CellMove>;
  readonly meet: Meet;
}

interface Followed {
  /** Moves that cannot be followed and have to do with a shift. */
  readonly stuck: CellMove[];
  /** Deletions among them of cells that the other side wrote to. */
  readonly written: WrittenDeletion[];
  /** Blocks that were cut, where they are after all shifts. */
  readonly cuts: Cuts;
}

/** Follows what each side shifted, and what it cut before cells of that were deleted. */
function* followShifts(sides: AlignedSides, following: Following): Generator<void, Followed> {
  const states = statesOf(sides);
  const taken = (side: Side) =>
    following.moves[side].filter((one) => !following.left.has(originOf(one)));
  const shifts = [...taken('ours'), ...taken('theirs')].filter(isShift);
  const isEarly = meetsUneven(shifts, [states.base, states.ours, states.theirs]);
  const own = (side: Side) => shiftsFirst(taken(side), isEarly);
  const [first, second] = inTurn(states);
  const [mine, its] = [own(first), own(second)];
  const stuck: CellMove[] = [];
  const written: WrittenDeletion[] = [];
  const make = function* (one: CellMove, made: readonly CrossedMove[], by: Movers) {
    const { decided } = following;
    if ((yield* follow(made, sides, { ...by, decided })) || !isShift(one)) return;
    stuck.push(one);
    const [crossed, ...more] = made;
    const on = { base: sides.base.state, other: sides[by.other].state };
    const cells = crossed && more.length === 0 ? cellsWritten(crossed, on) : undefined;
    if (cells) written.push({ mover: by.mover, shift: one, cells });
  };
  const late = new Set(its.cuts.map(originOf));
  let others: readonly CellMove[] = [...inParts(its.early, states[second]), ...its.cuts];
  for (const one of inParts(mine.early, states[first])) {
    const crossing = cross(one, others, following.meet);
    yield* make(one, crossing.made, { mover: first, other: second });
    stuck.push(...crossing.stuck.flat());
    ({ others } = crossing);
  }
  const early = others.filter((one) => !late.has(originOf(one)));
  const cuts = mine.cuts.flatMap((one) => afterShifts(one, early));
  for (const one of early) {
    yield* make(one, [{ own: one, there: one }], { mover: second, other: first });
  }
  const theirs = others.filter((one) => late.has(originOf(one)));
  const both = first === 'ours' ? { ours: cuts, theirs } : { ours: theirs, theirs: cuts };
  return { stuck: stuck.map(originOf), written, cuts: both };
}

/** The parts of blocks that were cut whose lines are still there, and all shifts. */
function inParts(moves: readonly CellMove[], state: BranchState): CellMove[] {
  return moves.flatMap((one): CellMove[] => {
    if (isShift(one)) return [one];
    return presentParts(one, state).map((part) => ({ ...part, origin: originOf(one) }));
  });
}

type Movers = Readonly<Record<'mover' | 'other', Side>>;

/**
 * Makes a move on the base and on the other side; answers whether any part of it was made, of a
 * shift all of them.
 */
function* follow(
  made: readonly CrossedMove[],
  sides: AlignedSides,
  { mover, other, decided }: Movers & Pick<Following, 'decided'>,
): Generator<void, boolean> {
  let isMade = false;
  for (const crossed of made) {
    const by = { base: sides.base.state, mover: sides[mover].state, other: sides[other].state };
    const isFit = isShift(crossed.own)
      ? yield* isShiftFollowed(crossed, by, decided)
      : yield* isCutFollowed(crossed, by);
    if (!isFit && isShift(crossed.own)) return false;
    if (!isFit) continue;
    isMade = true;
    yield* move(sides.base, crossed.own);
    if (crossed.there) yield* move(sides[other], crossed.there);
  }
  return isMade;
}
