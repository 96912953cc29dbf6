import type { IdSpan } from '../ids/order.ts';
import { lineChanges } from '../structure/structure-history.ts';
import { orderOf } from '../structure/structure.ts';
import type { Side } from './judge.ts';
import { currentOrder, partOf, type LineMerging } from './line-merging.ts';
import { LastMoves, type LineMove } from './line-moves.ts';

/**
 * Lines that all three states have, that are contiguous in each, and that were moved by the same
 * operations.
 */
export interface Piece {
  readonly span: IdSpan;
  /** Position in the base. */
  readonly base: number;
  /** Position in the state merged so far. */
  readonly now: number;
  /** The last operation of each side that moved them; undefined when none is known. */
  readonly ours: LineMove | undefined;
  readonly theirs: LineMove | undefined;
}

/** The same pieces in the order of each side. */
export type Orders = Readonly<Record<Side | 'base', readonly Piece[]>>;

/** Cuts the lines of theirs, given in its order, into the pieces that all three states have. */
export function commonPieces(merging: LineMerging, theirs: readonly IdSpan[]): Orders {
  const pieces = piecesOf(merging, theirs);
  return {
    theirs: pieces,
    ours: pieces.toSorted((a, b) => a.now - b.now),
    base: pieces.toSorted((a, b) => a.base - b.base),
  };
}

function piecesOf(merging: LineMerging, theirs: readonly IdSpan[]): Piece[] {
  const base = orderOf(merging.is, merging.axis);
  const order = currentOrder(merging);
  const moves = lastMoves(merging);
  return theirs.flatMap((span) =>
    base.piecesOf(span).flatMap((then) => {
      const part = partOf(span, then.skipped, then.length);
      return order.piecesOf(part).flatMap((now) =>
        cutPieces(partOf(part, now.skipped, now.length), moves).map((own) => {
          const skipped = own.offset - part.offset;
          return {
            span: own,
            base: then.position + skipped,
            now: now.position + skipped - now.skipped,
            ours: moves.ours.of(own),
            theirs: moves.theirs.of(own),
          };
        }),
      );
    }),
  );
}

/**
 * Returns the last moves of lines: from the journals or, in an undo, which reads none, from the
 * history of the structure.
 */
function lastMoves({ moves, was, axis, ...merging }: LineMerging): Record<Side, LastMoves> {
  const isOwn = (move: LineMove) => move.sheetId === was.id && move.axis === axis;
  if (!moves?.lines) {
    const undone = movesOfSpan({ ...merging, was, axis });
    return { ours: new LastMoves([]), theirs: new LastMoves(undone) };
  }
  const { ours, theirs } = moves.lines;
  return {
    ours: new LastMoves(ours.filter(isOwn)),
    theirs: new LastMoves(theirs.filter(isOwn)),
  };
}

/**
 * Moves made by the operations that are undone, as far as the history of the structure has them.
 */
function movesOfSpan({
  theirs,
  base,
  was,
  axis,
}: Pick<LineMerging, 'theirs' | 'base' | 'was' | 'axis'>): LineMove[] {
  // Sequence numbers are comparable only on the same branch.
  const isOneLine = theirs.branchNo === base.branchNo;
  const known = isOneLine ? base.history.at(theirs.head, base.head) : undefined;
  const steps = (known && base.history.since(known)) ?? [];
  return steps.flatMap((step) => {
    const spans = lineChanges(step, was.id, base.branchNo).flatMap(({ before, ...change }) =>
      change.axis === axis
        ? change.moved.flatMap(({ from, count }) => orderOf(before, axis).spansAt(from, count))
        : [],
    );
    return spans.length === 0 ? [] : [{ sheetId: was.id, axis, spans, isSort: false }];
  });
}

/** Cuts a span where another operation becomes the last mover on either side. */
function cutPieces(span: IdSpan, moves: Record<Side, LastMoves>): IdSpan[] {
  const end = span.offset + span.length;
  const cuts = [...moves.ours.cutsOf(span), ...moves.theirs.cutsOf(span), end];
  const pieces: IdSpan[] = [];
  let { offset } = span;
  for (const cut of cuts.sort((a, b) => a - b)) {
    if (cut > offset) pieces.push({ ...span, offset, length: cut - offset });
    offset = cut;
  }
  return pieces;
}
