import type { Input } from '../../model/cell-value.ts';
import { formulaOf, inputsEqual } from '../../model/input.ts';
import { overlaps } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { ReaderSearch } from '../references/reader-search.ts';
import { presentParts } from './final-moves.ts';
import {
  cross,
  isShift,
  meetsAny,
  originOf,
  partsTogether,
  type Meet,
  type CellMove,
  type CrossedMove,
} from './cell-shifts.ts';
import { settleCrossed, withdrawalsMost } from './crossed-shifts.ts';
import { meetIn } from './crossing-paths.ts';
import { isShiftFollowed, moveOperation } from './followed-shifts.ts';
import type { Judge, Side } from './judge.ts';
import type { LineId } from '../ids/order.ts';
import type { FlatSpans } from '../plan/resolved.ts';
import type { LineMove } from './line-moves.ts';
import { readSpans } from './restoration.ts';
import type { Asked, Scope } from './scope.ts';
import { Carrier } from '../carrier.ts';
import { partsOn, type AlignedSides, type OperationParts } from './parts.ts';
import { MovedBase } from './moved-base.ts';
import { hasLines, inputsLeft, inputsOf, rangeOf, type MovedBlock } from './moved-block.ts';
import { standing } from './standing-moves.ts';
import { settleMovedTwice, type SettledMove } from './moved-twice.ts';
import { sameCell, sideAt } from '../compare/same-lanes.ts';
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
    const following = followingOf(sides, { moves, decided }, judge);
    const most = withdrawalsMost(given);
    const written = yield* leaveStuck(sides, following, { asked, most, base: asking.base });
    if (!written) {
      yield* followAll(sides, following);
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

function followingOf(
  sides: AlignedSides,
  { moves, decided }: Pick<Following, 'moves' | 'decided'>,
  judge: Judge,
): Following {
  const states = statesOf(sides);
  const shifts = [...moves.ours, ...moves.theirs].filter(isShift);
  const isStill = (block: CellMove) => !isShift(block) && !meetsAny(block, shifts);
  const cuts = { ours: moves.ours.filter(isStill), theirs: moves.theirs.filter(isStill) };
  const settled = [...settleMovedTwice(cuts, states, judge)];
  const meet = meetIn(states.base, states.ours, states.theirs);
  return { moves, decided, cuts, settled, left: new Set<CellMove>(), meet };
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
    const { stuck, written } = yield* followAll(trial, following);
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
  /** Blocks that lie in no cells that are shifted. */
  readonly cuts: Readonly<Record<Side, readonly CellMove[]>>;
  readonly settled: readonly SettledMove[];
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
}

/** Follows what each side moved. */
function* followAll(sides: AlignedSides, following: Following): Generator<void, Followed> {
  const states = statesOf(sides);
  for (const { onBase, elsewhere } of following.settled) {
    yield* move(sides.base, onBase);
    if (elsewhere) yield* move(sides[elsewhere.side], elsewhere.move);
  }
  const own = (side: Side, other: Side) => {
    const taken = following.moves[side].filter((one) => !following.left.has(originOf(one)));
    return taken.flatMap((one): CellMove[] => {
      if (isShift(one)) return [one];
      const parts = presentParts(one, states[side]).map((part) => ({
        ...part,
        origin: originOf(one),
      }));
      const others = following.cuts[side].includes(one) ? following.cuts[other] : [];
      return parts.filter((part) => !others.some((their) => meets(part, their, states.base)));
    });
  };
  // One side comes first, the same from both directions.
  const isOursFirst = states.ours.branchNo < states.theirs.branchNo;
  const first: Side = isOursFirst ? 'ours' : 'theirs';
  const second: Side = isOursFirst ? 'theirs' : 'ours';
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
  let others: readonly CellMove[] = own(second, first);
  for (const one of own(first, second)) {
    const crossing = cross(one, others, following.meet);
    yield* make(one, crossing.made, { mover: first, other: second });
    stuck.push(...crossing.stuck.flat());
    ({ others } = crossing);
  }
  for (const one of others) {
    yield* make(one, [{ own: one, there: one }], { mover: second, other: first });
  }
  return { stuck: stuck.map(originOf), written };
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
      : isFollowed(crossed, by) && !(crossed.there && (yield* namesTarget(crossed.there, by)));
    if (!isFit && isShift(crossed.own)) return false;
    if (!isFit) continue;
    isMade = true;
    yield* move(sides.base, crossed.own);
    if (crossed.there) yield* move(sides[other], crossed.there);
  }
  return isMade;
}

interface MoverStates {
  readonly base: BranchState;
  readonly mover: BranchState;
  readonly other: BranchState;
}

/**
 * Returns whether a move can be repeated: the mover has not put the contents back, the other side
 * has the block in its old place, and the target is as the base had it.
 */
function isFollowed({ own, there }: CrossedMove, { base, mover, other }: MoverStates): boolean {
  if (!there) return hasLines(base, own.to);
  const isSame = inputsEqual;
  const [was, target] = [inputsOf(base, own.from), inputsOf(base, own.to)];
  const targetThere = inputsOf(other, there.to);
  if (!was || !target || !targetThere || !inputsOf(other, there.from)) return false;
  if (losesReferences(was, own.from.sheetId, { base, other })) return false;
  const left = inputsLeft(mover, own.from);
  const filled = was.filter((input) => input !== null).length;
  const staying = was.filter((input, at) => input !== null && isSame(input, left[at] ?? null));
  if (filled === 0 || staying.length * 2 > filled) return false;
  return target.every((input, at) => isSame(input, targetThere[at] ?? null));
}

/** Returns whether formulas of the base would turn to `#REF!` when carried to the other side. */
function losesReferences(
  inputs: readonly Input[],
  sheetId: string,
  { base, other }: Pick<MoverStates, 'base' | 'other'>,
): boolean {
  const carrier = new Carrier(base, other);
  const lost = (formula: string) => formula.split('#REF!').length;
  return inputs.some((input) => {
    const text = formulaOf(input)?.formula;
    return text !== undefined && lost(carrier.carry(text, sheetId)) > lost(text);
  });
}

/**
 * Returns whether the other side wrote a formula that names the target, which the move would break.
 */
function* namesTarget({ to }: MovedBlock, { base, other }: MoverStates): Generator<void, boolean> {
  const range = rangeOf(to, other);
  if (!range) return false;
  const area = { sheetId: to.sheetId, range };
  const runs = new FormulaRuns(other.coding, other.structure);
  const search = new ReaderSearch([area], runs);
  for (const run of search.outside([area], other.contextAt(other.structure))) {
    if (run && isNew(run, { base, other })) return true;
    yield;
  }
  return false;
}

function isNew(
  { sheet, row, column, count }: FormulaRun,
  { base, other }: Pick<MoverStates, 'base' | 'other'>,
): boolean {
  return Array.from({ length: count }, (_, at) => row + at).some((position) => {
    const line = { row: sheet.rows.idAt(position), column: sheet.columns.idAt(column) };
    const place = { sheetId: sheet.id, ...line };
    return !sameCell(sideAt(base, place), sideAt(other, place), place);
  });
}

function meets(a: MovedBlock, b: MovedBlock, state: BranchState): boolean {
  const blocks = [b.from, b.to];
  return [a.from, a.to].some((one) =>
    blocks.some((other) => {
      const [range, otherRange] = [rangeOf(one, state), rangeOf(other, state)];
      return one.sheetId === other.sheetId && range && otherRange && overlaps(range, otherRange);
    }),
  );
}

function* move(parts: OperationParts, cells: CellMove): Generator<void, void> {
  const operation = moveOperation(cells, parts.state);
  if (operation) yield* parts.add(operation);
}
