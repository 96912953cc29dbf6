import { Rejection } from '../../model/rejection.ts';
import { runKey, type IdSpan, type LineId, type Order } from '../order.ts';
import type { SheetArea } from '../reference-map.ts';
import { orderOf } from '../structure.ts';
import { heaviestIncreasing } from './increasing.ts';
import { areaOf, currentOrder, partOf, skipLine, type LineUndo } from './line-undo.ts';

/** More moves than this are one new order of the rows instead. */
const movesMost = 16;
/** As many as are done one by one at the most. */
const partsMost = 1_000;

/** Lines that stand together before, after and now. */
interface CommonPiece {
  readonly span: IdSpan;
  readonly after: number;
  readonly now: number;
}

/** Puts lines that the span moved behind what they stood behind. */
export function* moveBack(undo: LineUndo, before: readonly IdSpan[]): Generator<void, void> {
  const after = orderOf(undo.is, undo.axis);
  const pieces = commonPieces(before, after, currentOrder(undo));
  if (isAscending(pieces.map((piece) => piece.after))) return;
  const wasMoved = movedLines(undo);
  const weights = pieces.map(({ span }) => (wasMoved(span) ? span.length / 1e6 : span.length));
  const stays = heaviestIncreasing(
    pieces.map((piece) => piece.after),
    weights,
  );
  const movedByOthers = othersMoved(pieces);
  const placed: PlacedPiece[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isMoved = !stays.has(index);
    if (isMoved) pushArea(undo, areaOf(undo, piece.span));
    if (isMoved && movedByOthers.has(piece)) skipLine(undo, piece.span);
    else placed.push({ ...piece, isMoved });
  }
  yield* carryOut(undo, placed);
}

/** Areas below or beside one another are one. */
function pushArea({ moved, axis }: LineUndo, area: SheetArea): void {
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
function movedLines({ before, after, was, axis }: LineUndo): (line: LineId) => boolean {
  const known = after.history.at(before.head, after.head);
  const steps = (known && after.history.since(known)) ?? [];
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

function commonPieces(before: readonly IdSpan[], after: Order, order: Order): CommonPiece[] {
  return before.flatMap((span) =>
    after.piecesOf(span).flatMap((then) => {
      const part = partOf(span, then.skipped, then.length);
      return order.piecesOf(part).map((now) => ({
        span: partOf(part, now.skipped, now.length),
        after: then.position + now.skipped,
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
  const byAfter = pieces.toSorted((a, b) => a.after - b.after);
  const positions = byAfter.map(({ now }) => now);
  if (isAscending(positions)) return new Set();
  const weights = byAfter.map(({ span }) => span.length);
  const stays = heaviestIncreasing(positions, weights);
  return new Set(byAfter.filter((_, index) => !stays.has(index)));
}

interface PlacedPiece extends CommonPiece {
  readonly isMoved: boolean;
}

function* carryOut(undo: LineUndo, pieces: readonly PlacedPiece[]): Generator<void, void> {
  const { axis } = undo;
  const count = pieces.filter(({ isMoved }) => isMoved).length;
  if (axis === 'row' && count > movesMost && (yield* sortTo(undo, rowsBack(pieces)))) return;
  if (count > partsMost) {
    throw new Rejection(
      'cannot_undo',
      'a table or merged cells stand among the rows it would sort',
    );
  }
  const kind = axis === 'row' ? 'rows.move' : 'cols.move';
  for (const { from, length, before } of movesTo(pieces, currentOrder(undo))) {
    const payload = { sheet: undo.was.id, from: from + 1, count: length, before: before + 1 };
    yield* undo.parts.add({ kind, payload });
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
function* sortTo(undo: LineUndo, rows: readonly number[]): Generator<void, boolean> {
  const first = rows.findIndex((row, place) => row !== place);
  const last = rows.findLastIndex((row, place) => row !== place);
  if (first < 0) return true;
  const payload = {
    sheet: undo.was.id,
    range: `${first + 1}:${last + 1}`,
    order: rows.slice(first, last + 1).map((row) => row + 1),
  };
  try {
    yield* undo.parts.add({ kind: 'range.sort', payload });
    return true;
  } catch (error) {
    // A table or a merge is in the way of a sort, and follows moves.
    if (error instanceof Rejection && error.code !== 'protected') return false;
    throw error;
  }
}
