import { Rejection } from '../../model/rejection.ts';
import { runKey, type IdSpan, type LineId, type Order } from '../order.ts';
import type { SheetArea } from '../reference-map.ts';
import { orderOf } from '../structure.ts';
import { heaviestIncreasing } from './increasing.ts';
import {
  areaOf,
  currentOrder,
  outlineOf,
  partOf,
  takesTheirLine,
  type LineMerging,
} from './line-merging.ts';

/** More moves than this are one new order of the rows instead. */
const movesMost = 16;
/** Lines in more pieces than this that both sides moved were sorted. */
const sortedLeast = 4;
/** As many as are done one by one at the most. */
const partsMost = 1_000;

/** Lines that stand together before, after and now. */
interface CommonPiece {
  readonly span: IdSpan;
  readonly base: number;
  readonly now: number;
}

/** Puts lines that the span moved behind what they stood behind. */
export function* moveBack(merging: LineMerging, theirs: readonly IdSpan[]): Generator<void, void> {
  const base = orderOf(merging.is, merging.axis);
  const pieces = commonPieces(theirs, base, currentOrder(merging));
  if (isAscending(pieces.map((piece) => piece.base))) return;
  const wasMoved = movedLines(merging);
  const weights = pieces.map(({ span }) => (wasMoved(span) ? span.length / 1e6 : span.length));
  const stays = heaviestIncreasing(
    pieces.map((piece) => piece.base),
    weights,
  );
  const movedByOthers = othersMoved(pieces);
  const placed: PlacedPiece[] = [];
  const contested: PlacedPiece[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isMoved = !stays.has(index);
    if (isMoved) pushArea(merging, areaOf(merging, piece.span));
    const isContested = isMoved && movedByOthers.has(piece);
    if (isContested) contested.push({ ...piece, isMoved, at: index });
    else placed.push({ ...piece, isMoved, at: index });
  }
  if (contested.length > 0) {
    const taken = takenOf(merging, contested);
    if (taken === true) {
      // Those that theirs left in their order may not be in it in ours.
      const all = pieces.map((piece, at) => ({ ...piece, isMoved: true, at }));
      yield* carryOut(merging, all);
      return;
    }
    if (taken !== false) placed.push(...contested.filter((piece) => taken.has(piece)));
    placed.sort((a, b) => a.at - b.at);
  }
  yield* carryOut(merging, placed);
}

/** Areas below or beside one another are one. */
function pushArea({ moved, axis }: LineMerging, area: SheetArea): void {
  const last = moved.at(-1);
  const { range } = area;
  const isNext =
    last?.sheetId === area.sheetId &&
    (axis === 'row'
      ? last.range.row1 + 1 === range.row0
      : last.range.column1 + 1 === range.column0);
  if (!isNext) moved.push(area);
  else {
    const { row1, column1 } = range;
    moved[moved.length - 1] = { ...last, range: { ...last.range, row1, column1 } };
  }
}

/** Whether an operation of the span moved a line, as far as its history tells. */
function movedLines({ theirs, base, was, axis }: LineMerging): (line: LineId) => boolean {
  // Heads of other branches say nothing here.
  const isOneLine = theirs.branchNo === base.branchNo;
  const known = isOneLine ? base.history.at(theirs.head, base.head) : undefined;
  const steps = (known && base.history.since(known)) ?? [];
  const moved = steps.flatMap(({ move }) => {
    if (move?.before.id !== was.id || move.axis !== axis) return [];
    const order = orderOf(move.before, axis);
    return move.moved.flatMap(({ from, count }) => order.spansAt(from, count));
  });
  const byRun = new Map<number, IdSpan[]>();
  for (const span of moved) {
    const key = runKey(span.branch, span.sequence);
    const spans = byRun.get(key);
    if (spans) spans.push(span);
    else byRun.set(key, [span]);
  }
  for (const spans of byRun.values()) spans.sort((a, b) => a.offset - b.offset);
  return (line) => isAmong(line, byRun.get(runKey(line.branch, line.sequence)) ?? []);
}

/** Whether one of these spans of its run, in their order, has a line. */
function isAmong({ offset }: LineId, spans: readonly IdSpan[]): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.offset ?? Infinity) <= offset) low = middle + 1;
    else high = middle;
  }
  const span = spans[low - 1];
  return span !== undefined && offset < span.offset + span.length;
}

function commonPieces(theirs: readonly IdSpan[], base: Order, order: Order): CommonPiece[] {
  return theirs.flatMap((span) =>
    base.piecesOf(span).flatMap((then) => {
      const part = partOf(span, then.skipped, then.length);
      return order.piecesOf(part).map((now) => ({
        span: partOf(part, now.skipped, now.length),
        base: then.position + now.skipped,
        now: now.position,
      }));
    }),
  );
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || (numbers[index - 1] ?? 0) < number);
}

/** Pieces that others moved since. */
function othersMoved(pieces: readonly CommonPiece[]): Set<CommonPiece> {
  const byAfter = pieces.toSorted((a, b) => a.base - b.base);
  const positions = byAfter.map(({ now }) => now);
  if (isAscending(positions)) return new Set();
  const weights = byAfter.map(({ span }) => span.length);
  const stays = heaviestIncreasing(positions, weights);
  return new Set(byAfter.filter((_, index) => !stays.has(index)));
}

interface PlacedPiece extends CommonPiece {
  readonly isMoved: boolean;
  /** Its place among all pieces as theirs has them. */
  readonly at: number;
}

/** Which are moved as theirs moved them although ours moved them too; or whether all are. */
function takenOf(
  merging: LineMerging,
  contested: readonly PlacedPiece[],
): ReadonlySet<PlacedPiece> | boolean {
  const { axis, was, judge } = merging;
  if (contested.length <= sortedLeast) {
    const sides = { base: 'there', ours: 'moved', theirs: 'moved' };
    const taken = contested.filter(({ span: { branch, sequence, offset } }) =>
      takesTheirLine(merging, { branch, sequence, offset, what: 'order', sides }),
    );
    return new Set(taken);
  }
  const lineCount = contested.reduce((sum, { span }) => sum + span.length, 0);
  const sides = { base: 'unsorted', ours: 'sorted', theirs: 'sorted' };
  const choice = judge.decide({
    kind: 'sort.order',
    register: `${axis} sort ${was.id}`,
    text: `the order of ${lineCount} ${axis}s of ${outlineOf(merging).name}`,
    place: { sheetId: was.id },
    sides: () => sides,
  });
  return choice === 'theirs';
}

function* carryOut(merging: LineMerging, pieces: readonly PlacedPiece[]): Generator<void, void> {
  const { axis } = merging;
  const count = pieces.filter(({ isMoved }) => isMoved).length;
  if (axis === 'row' && count > movesMost && (yield* sortTo(merging, rowsBack(pieces)))) return;
  if (count > partsMost) {
    throw new Rejection(
      'cannot_undo',
      'a table or merged cells stand among the rows it would sort',
    );
  }
  const kind = axis === 'row' ? 'rows.move' : 'cols.move';
  for (const { from, length, before } of movesTo(pieces, currentOrder(merging))) {
    const payload = { sheet: merging.was.id, from: from + 1, count: length, before: before + 1 };
    yield* merging.parts.add({ kind, payload });
  }
}

interface LineMove {
  readonly from: number;
  readonly length: number;
  readonly before: number;
}

/** Each piece that moved goes behind the one that it stood behind. */
function movesTo(pieces: readonly PlacedPiece[], start: Order): LineMove[] {
  let order = start;
  const moves: LineMove[] = [];
  const positionOf = ({ branch, sequence, offset }: LineId) =>
    order.positionOf(branch, sequence, offset) ?? 0;
  const firstStill = pieces.find(({ isMoved }) => !isMoved);
  let previous: LineId | undefined;
  for (const { span, isMoved } of pieces) {
    if (isMoved) {
      const from = positionOf(span);
      const first = firstStill ? positionOf(firstStill.span) : 0;
      const before = previous ? positionOf(previous) + 1 : first;
      const next = order.move(from, span.length, before);
      if (next !== order) moves.push({ from, length: span.length, before });
      order = next;
    }
    previous = { ...span, offset: span.offset + span.length - 1 };
  }
  return moves;
}

/** Some rows that stand together now, and those that are to follow them. */
interface Node {
  readonly from: number;
  readonly length: number;
  next: Node | undefined;
}

/** As `movesTo`: the rows of now, from the first, in the order in which they stand then. */
function rowsBack(pieces: readonly PlacedPiece[]): number[] {
  const nodes = new Map<PlacedPiece, Node>();
  const start: Node = { from: 0, length: 0, next: undefined };
  let last = start;
  let end = 0;
  let beforeStill = start;
  const firstStill = pieces.find(({ isMoved }) => !isMoved);
  const append = (node: Node) => {
    last.next = node;
    last = node;
  };
  for (const piece of pieces.toSorted((a, b) => a.now - b.now)) {
    if (piece.now > end) append({ from: end, length: piece.now - end, next: undefined });
    const node: Node = { from: piece.now, length: piece.span.length, next: undefined };
    nodes.set(piece, node);
    if (piece === firstStill) beforeStill = last;
    if (!piece.isMoved) append(node);
    end = piece.now + piece.span.length;
  }
  let previous = beforeStill;
  for (const piece of pieces) {
    const node = nodes.get(piece) ?? start;
    if (piece.isMoved) {
      node.next = previous.next;
      previous.next = node;
    }
    previous = node;
  }
  const rows: number[] = [];
  for (let node: Node | undefined = start; node; node = node.next) {
    for (let at = 0; at < node.length; at++) rows.push(node.from + at);
  }
  return rows;
}

/** Puts rows into an order at once; answers whether that could be done. */
function* sortTo(merging: LineMerging, rows: readonly number[]): Generator<void, boolean> {
  const first = rows.findIndex((row, place) => row !== place);
  const last = rows.findLastIndex((row, place) => row !== place);
  if (first < 0) return true;
  const payload = {
    sheet: merging.was.id,
    range: `${first + 1}:${last + 1}`,
    order: rows.slice(first, last + 1).map((row) => row + 1),
  };
  try {
    yield* merging.parts.add({ kind: 'range.sort', payload });
    return true;
  } catch (error) {
    // A table or a merge is in the way of a sort, and follows moves.
    if (error instanceof Rejection && error.code !== 'protected') return false;
    throw error;
  }
}
