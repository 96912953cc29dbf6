import { Rejection } from '../../model/rejection.ts';
import type { IdSpan, LineId, Order } from '../ids/order.ts';
import { currentOrder, type LineMerging } from './line-merging.ts';

/** Moves above which one new order of the rows is written instead. */
const movesMost = 16;
/** Parts that are done one by one at the most. */
const partsMost = 1_000;

/** Lines that stand together, in the order in which they are to stand. */
export interface PlacedPiece {
  readonly span: IdSpan;
  /** Position of the lines now. */
  readonly now: number;
  /** True for lines that move; all others stand in their order already. */
  readonly isMoved: boolean;
}

/** Puts pieces that are moved behind those that they are to stand behind. */
export function* placePieces(
  merging: LineMerging,
  pieces: readonly PlacedPiece[],
): Generator<void, void> {
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

/** Does as `movesTo`, and returns the rows of now, from the first, in their new order. */
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
