import { quoteSheet, rangeName } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import {
  cross,
  isAcross,
  isShift,
  originOf,
  type CellMove,
  type ShiftMove,
} from './cell-shifts.ts';
import { meetIn } from './crossing-paths.ts';
import { blockKey } from './final-moves.ts';
import { inTurn } from './followed-cuts.ts';
import type { Judge, Side } from './judge.ts';
import type { LineMove } from './line-moves.ts';
import type { MovedBase } from './moved-base.ts';
import { rangeOf, type Block } from './moved-block.ts';
import type { AlignedSides } from './parts.ts';
import { readSpans } from './restoration.ts';
import { StrayCells } from './stray-cells.ts';
import { memberOf, withdrawAll, type Revert } from './withdrawn-shifts.ts';

type SideMoves = Readonly<Record<Side, readonly CellMove[]>>;

/** Two shifts of the same cells, one along rows and one along columns. */
type Crossed = Readonly<Record<Side, ShiftMove>>;

interface Asking {
  readonly base: MovedBase;
  readonly judge: Judge;
  readonly lines: Readonly<Record<Side, readonly LineMove[]>> | undefined;
  readonly revert: Revert;
}

/** Most moves that are made again, all of a side for each shift that is taken back. */
const movesMost = 6_000;

/** Returns how many shifts may be taken back; what is beyond is compared cell by cell. */
export function withdrawalsMost({ ours, theirs }: SideMoves): number {
  return Math.ceil(movesMost / (1 + ours.length + theirs.length));
}

/**
 * Decides about shifts that cross: one side shifted cells down or up, the other one the same cells
 * to the right or left. Which of the two is made is a conflict (`range.move`); the other one is
 * taken back on its side. Returns the moves that are left, and what was written to cells that are
 * not inserted after all.
 */
export function* settleCrossed(
  sides: AlignedSides,
  given: SideMoves,
  { base, judge, lines, revert }: Asking,
): Generator<void, { readonly moves: SideMoves; readonly strays: StrayCells }> {
  const strays = new StrayCells();
  const settled = new Set<string>();
  const most = withdrawalsMost(given);
  let moves = given;
  for (;;) {
    const crossed = settled.size < most && (yield* nextCrossed(moves, sides, settled));
    if (!crossed) return { moves, strays };
    settled.add(registerOf(crossed));
    const isFit =
      (yield* base.around(moves.ours, crossed.ours)) &&
      (yield* base.around(moves.theirs, crossed.theirs));
    if (!isFit) continue;
    const loser: Side = decide(crossed, sides, judge) === 'theirs' ? 'ours' : 'theirs';
    const parts = { parts: sides[loser], ours: sides.ours };
    const side = { base, ...parts, lines: lines?.[loser], revert, strays };
    moves = { ...moves, [loser]: yield* withdrawAll(moves[loser], crossed[loser], side) };
  }
}

/** The next shifts that cross, in one order from both directions. */
function* nextCrossed(
  moves: SideMoves,
  { base, ours, theirs }: AlignedSides,
  settled: ReadonlySet<string>,
): Generator<void, Crossed | undefined> {
  const [first, second] = inTurn({ ours: ours.state, theirs: theirs.state });
  const meet = meetIn(base.state, ours.state, theirs.state);
  let others = moves[second];
  for (const one of moves[first]) {
    const crossing = cross(one, others, meet);
    for (const pair of crossing.stuck) {
      const [own, other] = [memberOf(moves[first], pair[0]), memberOf(moves[second], pair[1])];
      if (!own || !other || !isAcross(own, other)) continue;
      const crossed =
        first === 'ours' ? { ours: own, theirs: other } : { ours: other, theirs: own };
      if (!settled.has(registerOf(crossed))) return crossed;
    }
    ({ others } = crossing);
    yield;
  }
  return undefined;
}

function decide(crossed: Crossed, { ours, theirs }: AlignedSides, judge: Judge) {
  const sides = {
    base: undefined,
    ours: shiftText(crossed.ours, ours.state),
    theirs: shiftText(crossed.theirs, theirs.state),
  };
  return judge.decide({
    kind: 'range.move',
    subtype: 'shift',
    register: registerOf(crossed),
    text: `which cells are shifted: ${[sides.ours, sides.theirs].sort().join(', or ')}`,
    place: cornerOf(crossed.theirs.shift.area),
    sides: () => sides,
  });
}

/** The same from both directions: the shifts as they were made. */
function registerOf({ ours, theirs }: Crossed): string {
  const names = [ours, theirs].map((move) => {
    const made = originOf(move);
    const { kind, direction, area } = (isShift(made) ? made : move).shift;
    return `${kind} ${direction} ${blockKey(area)}`;
  });
  return `shifts ${names.sort().join(' and ')}`;
}

/** Returns a text such as `range.insert Plan!F1:F2 down`. */
function shiftText({ shift }: ShiftMove, state: BranchState): string {
  const { kind, direction, area } = shift;
  const range = rangeOf(area, state);
  const sheet = state.structure.withId(area.sheetId);
  const place = sheet && range ? ` ${quoteSheet(sheet.name)}!${rangeName(range)}` : '';
  return `${kind}${place} ${direction}`;
}

/** The first cell of a block. */
function cornerOf({ sheetId, rows, columns }: Block) {
  const [row] = readSpans(rows);
  const [column] = readSpans(columns);
  return { sheetId, ...(row && { row: lineOf(row) }), ...(column && { column: lineOf(column) }) };
}

function lineOf({ branch, sequence, offset }: LineId): LineId {
  return { branch, sequence, offset };
}
