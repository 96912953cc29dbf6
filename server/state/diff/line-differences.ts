import { pushSpan, spanOfRun, type IdSpan } from '../ids/id-span.ts';
import type { Order, Piece } from '../ids/order.ts';
import type { SpanLeaf } from '../ids/span-tree.ts';
import { rowWidth } from '../ids/tree-parts.ts';
import { heaviestIncreasing } from './heaviest-increasing.ts';

/** Contiguous lines, by position. */
export interface LinesAt {
  readonly position: number;
  readonly count: number;
  readonly ids: readonly IdSpan[];
}

/** Contiguous lines that were moved relative to the others. */
export interface LinesMoved {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly ids: readonly IdSpan[];
}

/**
 * The difference between two orders. `deleted` has positions of the earlier, `inserted` of the
 * later.
 */
export interface LineDifferences {
  readonly inserted: readonly LinesAt[];
  readonly deleted: readonly LinesAt[];
  readonly moved: readonly LinesMoved[];
}

const noDifferences: LineDifferences = { inserted: [], deleted: [], moved: [] };

interface PlacedSpan {
  readonly span: IdSpan;
  readonly position: number;
}

interface SharedSpan {
  readonly span: IdSpan;
  readonly from: number;
  readonly to: number;
}

/**
 * Compares two orders. Leaves of the trees that both share at the beginning and end cost nothing.
 * Lines from `limit` on are outside the grid, and ignored.
 */
export function lineDifferences(from: Order, to: Order, limit: number): LineDifferences {
  if (from === to) return noDifferences;
  const [was, is] = differentLeaves(from.leaves(), to.leaves());
  const before = placedSpans(was);
  const shared: SharedSpan[] = [];
  const deleted: PlacedSpan[] = [];
  for (const placed of before) split(placed, to, { shared, others: deleted });
  const inserted: PlacedSpan[] = [];
  for (const placed of placedSpans(is)) split(placed, from, { others: inserted });
  return {
    inserted: together(inserted, limit),
    deleted: together(deleted, limit),
    moved: movedAmong(shared, limit),
  };
}

interface Leaves {
  readonly leaves: readonly SpanLeaf[];
  /** Position of the first span. */
  readonly start: number;
}

/** Returns the spans of both sides without shared leaves at beginning and end. */
function differentLeaves(
  from: readonly SpanLeaf[],
  to: readonly SpanLeaf[],
): readonly [Leaves, Leaves] {
  let first = 0;
  let start = 0;
  const shorter = Math.min(from.length, to.length);
  while (first < shorter && from[first] === to[first]) start += from[first++]?.length ?? 0;
  let last = 0;
  while (last < shorter - first && from.at(-1 - last) === to.at(-1 - last)) last++;
  return [
    { leaves: from.slice(first, from.length - last), start },
    { leaves: to.slice(first, to.length - last), start },
  ];
}

function* placedSpans({ leaves, start }: Leaves): Generator<PlacedSpan> {
  let position = start;
  for (const { rows } of leaves) {
    for (let row = 0; row < rows.length; row += rowWidth) {
      const span = spanOfRun(rows[row] ?? 0, rows[row + 1] ?? 0, rows[row + 2] ?? 0);
      yield { span, position };
      position += span.length;
    }
  }
}

/** Splits a span into parts that the other order has, and parts that it has not. */
function split(
  { span, position }: PlacedSpan,
  other: Order,
  found: { readonly shared?: SharedSpan[]; readonly others: PlacedSpan[] },
): void {
  let skipped = 0;
  const part = (from: number, length: number): IdSpan => {
    return { ...span, offset: span.offset + from, length };
  };
  const leaveOut = (until: number): void => {
    if (until <= skipped) return;
    found.others.push({ span: part(skipped, until - skipped), position: position + skipped });
  };
  for (const piece of other.piecesOf(span).toSorted(bySkipped)) {
    leaveOut(piece.skipped);
    const { length } = piece;
    const both = { span: part(piece.skipped, length), to: piece.position };
    found.shared?.push({ ...both, from: position + piece.skipped });
    skipped = piece.skipped + length;
  }
  leaveOut(span.length);
}

function bySkipped(a: Piece, b: Piece): number {
  return a.skipped - b.skipped;
}

/** Joins neighbours, and leaves out lines outside the grid. */
function together(spans: readonly PlacedSpan[], limit: number): LinesAt[] {
  const found: { position: number; count: number; ids: IdSpan[] }[] = [];
  for (const { span, position } of spans) {
    const count = Math.min(span.length, limit - position);
    if (count <= 0) continue;
    const last = found.at(-1);
    const inside = { ...span, length: count };
    if (last && last.position + last.count === position) {
      last.count += count;
      pushSpan(last.ids, inside);
    } else {
      found.push({ position, count, ids: [inside] });
    }
  }
  return found;
}

/** Finds the smallest set of moves that explains a changed order. */
function movedAmong(shared: readonly SharedSpan[], limit: number): LinesMoved[] {
  const joined = joinedPieces(shared);
  const weights = joined.map(({ count }) => Math.min(count, limit));
  const still = heaviestIncreasing(
    joined.map(({ to }) => to),
    weights,
  );
  return joined.filter(({ from, to }, index) => !still.has(index) && from < limit && to < limit);
}

function joinedPieces(shared: readonly SharedSpan[]): LinesMoved[] {
  const joined: { from: number; to: number; count: number; ids: IdSpan[] }[] = [];
  for (const { span, from, to } of shared) {
    const last = joined.at(-1);
    const isNext = last && last.to + last.count === to && last.from + last.count === from;
    if (isNext) {
      last.count += span.length;
      pushSpan(last.ids, span);
    } else {
      joined.push({ from, to, count: span.length, ids: [span] });
    }
  }
  return joined;
}
