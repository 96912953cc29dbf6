import type { BranchState } from '../branch-state.ts';
import { pushSpan, united, type IdSpan } from '../ids/id-span.ts';
import { flatten, type FlatSpans } from '../plan/resolved.ts';
import { limitOf, orderOf, type Axis } from '../structure/structure.ts';
import {
  acrossOf,
  axisOf,
  blockLines,
  cross,
  isShift,
  originOf,
  partsTogether,
  type CellMove,
  type CrossedMove,
  type Meet,
  type ShiftMove,
} from './cell-shifts.ts';
import {
  areShared,
  cutLines,
  haveShared,
  joinedLines,
  lineCount,
  partOfLines,
  partOfMove,
  sharedLines,
} from './final-moves.ts';
import { isPossible, moveOperation } from './followed-shifts.ts';
import { deleteLines } from './kept-deletions.ts';
import type { Block } from './moved-block.ts';
import { partsOn, type OperationParts } from './parts.ts';
import { readSpans } from './restoration.ts';
import { goneFrom, isAmong, type Gone } from './returned-lines.ts';

/** The cells of deleted lines on a side that shifted some of them elsewhere. */
export interface GoneCells {
  /** The lines across in which the side shifted cells of them. */
  readonly across: FlatSpans;
  /** The deletion of their cells there, as on the base, and on the side by now. */
  readonly made: readonly CrossedMove[];
  /** The moves of the side as they are without the lines. */
  readonly moves: readonly CellMove[];
}

interface On {
  readonly base: BranchState;
  /** The moves of the side. */
  readonly moves: readonly CellMove[];
  readonly meet: Meet;
}

/** Finds the cells; undefined where the side pasted a block there, or shifted along the lines. */
export function goneCells(gone: Gone, side: BranchState, on: On): GoneCells | undefined {
  const { axis, spans } = gone.lines;
  const [along] = blockLines(axis);
  const own = on.moves.filter((move) => isAmong(move, gone));
  const isFit = own.every((move) =>
    isShift(move) ? axisOf(move.shift) === axis : !haveShared(move.to[along], flatten(spans)),
  );
  if (!isFit) return undefined;
  const across = acrossLines(gone, own, side);
  if (across.length === 0) return { across, made: [], moves: on.moves };
  const deletion = deletionOf(gone, across, linesBehind(gone, side, on));
  const crossing = deletion && cross(deletion, on.moves, on.meet);
  if (!crossing || crossing.stuck.length > 0) return undefined;
  const moves = crossing.others
    .flatMap((move) => (isShift(move) ? move : partsAcross(move, across, axis)))
    .map((move) => withoutLines(move, deletion, axis));
  if (moves.includes(undefined)) return undefined;
  return { across, made: crossing.made, moves: asMade(moves.flatMap((move) => move ?? [])) };
}

/** The lines across in which cells were shifted, in their order. */
function acrossLines(
  { sheetId, lines }: Gone,
  moves: readonly CellMove[],
  { structure }: BranchState,
): FlatSpans {
  const sheet = structure.withId(sheetId);
  if (!sheet) return [];
  const order = orderOf(sheet, acrossOf(lines.axis));
  const [, across] = blockLines(lines.axis);
  return flatten(
    united(moves.flatMap(({ shift }) => (shift ? readSpans(shift.area[across]) : [])))
      .flatMap((span) => order.piecesOf(span))
      .toSorted((a, b) => a.position - b.position)
      .flatMap(({ position, length }) => order.spansAt(position, length)),
  );
}

/** The deletion of cells in the way that their lines were deleted from the base. */
function deletionOf(
  { sheetId, lines: { axis, spans } }: Gone,
  across: FlatSpans,
  behind: FlatSpans,
): ShiftMove | undefined {
  const area = flatten(spans);
  const left = lineCount(behind);
  if (left === 0 || across.length === 0) return undefined;
  const all = joinedLines(area, behind);
  const block = (along: FlatSpans) => blockOf({ sheetId, axis, along, across });
  return {
    from: block(behind),
    to: block(partOfLines(all, { at: 0, count: left })),
    shift: {
      kind: 'range.delete',
      direction: axis === 'row' ? 'up' : 'left',
      area: block(area),
    },
  };
}

/** The lines that a side deleted before it moved cells of them, if it moved any. */
export function absentFrom(side: BranchState, { base, moves }: Omit<On, 'meet'>): Gone[] {
  return goneFrom(base, side).flatMap((gone) =>
    outside(flatten(gone.lines.spans), linesMoved(gone, moves)).map((flat) =>
      partOf(gone, readSpans(flat)),
    ),
  );
}

export function partOf({ sheetId, lines }: Gone, spans: readonly IdSpan[]): Gone {
  return { sheetId, lines: { ...lines, spans } };
}

/** The lines behind deleted ones, but for those that the side had deleted before it shifted any. */
function linesBehind(gone: Gone, side: BranchState, { base, moves }: On): FlatSpans {
  const { sheetId, lines } = gone;
  const sheet = base.structure.withId(sheetId);
  const order = sheet && orderOf(sheet, lines.axis);
  const last = lines.spans.at(-1);
  const at = last && order?.positionOf(last.branch, last.sequence, last.offset + last.length - 1);
  if (!order || at === undefined) return [];
  const absent = absentFrom(side, { base, moves })
    .filter((one) => one.sheetId === sheetId && one.lines.axis === lines.axis)
    .map((one) => flatten(one.lines.spans));
  const behind = flatten(order.spansAt(at + 1, limitOf(lines.axis) - at - 1));
  return outside(behind, absent).reduce<FlatSpans>(joinedLines, []);
}

/** The parts of a list that share no lines with others. */
export function outside(flat: FlatSpans, others: readonly FlatSpans[]): FlatSpans[] {
  return cutLines(flat, others)
    .map((stretch) => partOfLines(flat, stretch))
    .filter((part) => !others.some((other) => haveShared(part, other)));
}

export function linesMoved({ sheetId, lines }: Gone, moves: readonly CellMove[]): FlatSpans[] {
  return moves
    .flatMap(({ from, to, shift }) => [from, to, ...(shift ? [shift.area] : [])])
    .filter((block) => block.sheetId === sheetId)
    .map(({ rows, columns }) => (lines.axis === 'row' ? rows : columns));
}

interface BlockParts {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly along: FlatSpans;
  readonly across: FlatSpans;
}

function blockOf({ sheetId, axis, along, across }: BlockParts): Block {
  const isOfRows = axis === 'row';
  return {
    sheetId,
    rows: isOfRows ? along : across,
    columns: isOfRows ? across : along,
  };
}

/** The parts of a block that was cut which lie in some lines of an axis, or in none of them. */
function partsAcross(cut: CellMove, lines: FlatSpans, axis: Axis): CellMove[] {
  const [along, across] = blockLines(axis);
  const origin = originOf(cut);
  const whole = { at: 0, count: lineCount(cut.from[along]) };
  const cutAt = (end: 'from' | 'to') => (one: CellMove) =>
    cutLines(one[end][across], [lines]).map((stretch): CellMove => {
      const [rows, columns] = axis === 'row' ? [whole, stretch] : [stretch, whole];
      return { ...partOfMove(one, rows, columns), origin };
    });
  return [cut].flatMap(cutAt('from')).flatMap(cutAt('to'));
}

/**
 * A move after the cells of deleted lines went, among the lines that are left: cells that come from
 * behind are on their own lines again. Undefined where it shifts other cells besides.
 */
function withoutLines(move: CellMove, { from, to }: ShiftMove, axis: Axis): CellMove | undefined {
  const [along, across] = blockLines(axis);
  const blocks = [move.from, move.to].filter((block) => areShared(block, to));
  if (blocks.length === 0) return move;
  if (blocks.some((block) => !isWithin(block[across], to[across]))) return undefined;
  const put = (block: Block): Block =>
    areShared(block, to)
      ? { ...block, [along]: replaced(block[along], to[along], from[along]) }
      : block;
  const { shift } = move;
  return {
    ...move,
    from: put(move.from),
    to: put(move.to),
    ...(shift && { shift: { ...shift, area: put(shift.area) } }),
    origin: originOf(move),
  };
}

function isWithin(lines: FlatSpans, others: FlatSpans): boolean {
  const shared = sharedLines(lines, others).reduce((sum, { own }) => sum + own.count, 0);
  return shared === lineCount(lines);
}

/** Puts the lines of another list in the place of those of one. */
function replaced(lines: FlatSpans, former: FlatSpans, now: FlatSpans): FlatSpans {
  const spans: IdSpan[] = [];
  let next = 0;
  const keep = (end: number) => {
    for (const span of readSpans(partOfLines(lines, { at: next, count: end - next }))) {
      pushSpan(spans, span);
    }
  };
  const shared = sharedLines(lines, former).toSorted((a, b) => a.own.at - b.own.at);
  for (const { own, other } of shared) {
    keep(own.at);
    for (const span of readSpans(partOfLines(now, other))) pushSpan(spans, span);
    next = own.at + own.count;
  }
  keep(lineCount(lines));
  return flatten(spans);
}

/** Moves that are still in one part count as made in their new place. */
function asMade(moves: readonly CellMove[]): CellMove[] {
  const counts = new Map<CellMove, number>();
  for (const move of moves) counts.set(originOf(move), (counts.get(originOf(move)) ?? 0) + 1);
  return moves.map((move) => {
    const { origin, ...made } = move;
    if (!origin || counts.get(origin) !== 1) return move;
    const { name } = origin;
    return { ...made, ...(name !== undefined && { name }) };
  });
}

/** The side from which lines are deleted. */
interface Dropping extends On {
  readonly baseParts: OperationParts;
  readonly parts: OperationParts;
}

/**
 * Deletes lines on the base and on a side: of cells that it shifted, those which stood in the lines
 * before. Returns the moves of the side as they are then; undefined where that cannot be done.
 */
export function* dropLines(
  gone: Gone,
  { baseParts, parts, ...on }: Dropping,
): Generator<void, readonly CellMove[] | undefined> {
  const cells = goneCells(gone, parts.state, on);
  if (!cells) return undefined;
  if (cells.across.length > 0 && !(yield* dropCells(gone, cells, partsOn(parts.state)))) {
    return undefined;
  }
  yield* dropCells(gone, cells, parts);
  for (const one of [parts, baseParts]) {
    yield* deleteLines(one, { sheetId: gone.sheetId, ...gone.lines });
  }
  return cells.moves;
}

/**
 * Deletes the cells where they are by now, and puts blank ones into the lines, which then go with
 * nothing in them. Answers whether all of that was possible.
 */
function* dropCells(
  { sheetId, lines: { axis, spans } }: Gone,
  { across, made }: GoneCells,
  parts: OperationParts,
): Generator<void, boolean> {
  const deletions = made.flatMap(({ there }) => (there && isShift(there) ? there : []));
  const area = blockOf({ sheetId, axis, along: flatten(spans), across });
  const direction = axis === 'row' ? 'down' : 'right';
  const blank: ShiftMove = {
    from: area,
    to: area,
    shift: { kind: 'range.insert', direction, area },
  };
  for (const move of across.length > 0 ? [...deletions, blank] : []) {
    for (const part of partsTogether(move, [parts.state])) {
      if (!(yield* isPossible(part, parts.state))) return false;
      const operation = moveOperation(part, parts.state);
      if (operation) yield* parts.add(operation);
    }
  }
  return true;
}
