import { Rejection } from '../../model/rejection.ts';
import type { IdSpan, LineId, Order } from '../ids/order.ts';
import { currentOrder, type LineMerging } from './line-merging.ts';

/** More moves than this are replaced by one new order of the rows. */
const movesMost = 16;
/** Moves that are made one by one, at most. */
const partsMost = 1_000;

/** Contiguous lines; a list of them is in the merged order. */
export interface PlacedPiece {
  readonly span: IdSpan;
  /** Position in the state merged so far. */
  readonly now: number;
  /** True for lines to move; the others are in the right order already. */
  readonly isMoved: boolean;
}

/** Moves lines so that the pieces stand in their merged order. */
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

/** Returns moves that put each moved piece behind its predecessor in the list. */
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

/** A stretch of rows in the present order, linked to the one that is to follow it. */
interface Node {
  readonly from: number;
  readonly length: number;
  next: Node | undefined;
}

/** Has the same effect as the moves of `movesTo`; returns present positions in the new order. */
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

/** Reorders rows by one sort; returns false when something forbids sorting. */
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
    // Tables and merged cells forbid a sort, but follow moves.
    if (error instanceof Rejection && error.code !== 'protected') return false;
    throw error;
  }
}
