import { firstAfter } from '../ids/first-after.ts';
import type { IdSpan, Order } from '../ids/order.ts';
import { orderOf, type Structure } from '../structure/structure.ts';
import { rangeOf } from '../structure/tables.ts';
import {
  currentOrder,
  finiteSpans,
  missingFrom,
  partOf,
  presentIn,
  type LineMerging,
} from './line-merging.ts';
import type { Piece } from './line-pieces.ts';
import { stateOf } from './merging.ts';
import type { MovedLines } from './moved-lines.ts';

// Lines that stand beside the pieces that all sides have: those of one side alone, and those that
// both sides added.

/** Lines by the piece that they stand at; at none are those before the first, or behind the last. */
export type AtPiece<Item> = ReadonlyMap<Piece | undefined, readonly Item[]>;

/** The lines of a side that stand beside the pieces. */
export interface Beside<Item> {
  readonly behind: AtPiece<Item>;
  /** Lines of a table that begins with them, by the piece of it that they stand before. */
  readonly before: AtPiece<Item>;
}

/** Lines that ours has beside the pieces. */
export interface OwnLines {
  readonly span: IdSpan;
  readonly now: number;
  /** True where they stand behind another piece than that which they are to stand behind. */
  readonly isElsewhere?: true;
}

/** The pieces as a side has them, and whose place each of them gets. */
interface Placed {
  /** In the order of the side. */
  readonly pieces: readonly Piece[];
  readonly owners: MovedLines['owners'];
}

/** The lines that ours has beside the pieces. */
export function ownLines(
  merging: LineMerging,
  { pieces, owners }: Placed,
  rest: number,
): Beside<OwnLines> {
  const behind = new Map<Piece | undefined, OwnLines[]>();
  const before = new Map<Piece | undefined, OwnLines[]>();
  const order = currentOrder(merging);
  const starts = tableStarts(merging, stateOf(merging).structure);
  const linesAt = (from: number, end: number) => {
    let now = from;
    return (end > from ? order.spansAt(from, end - from) : []).map((span): OwnLines => {
      now += span.length;
      return { span, now: now - span.length };
    });
  };
  let next = 0;
  let previous: Piece | undefined;
  const add = (piece: Piece | undefined, end: number) => {
    const start = leansOn(piece, previous, owners) ? starts(next, end) : end;
    behind.set(previous, linesAt(next, start));
    before.set(piece, linesAt(start, end));
  };
  for (const piece of pieces) {
    add(piece, piece.now);
    previous = piece;
    next = piece.now + piece.span.length;
  }
  add(undefined, lengthOf(order, rest));
  return { behind, before };
}

/** How many lines there are before the one of the endless rest with an offset. */
function lengthOf(order: Order, rest: number): number {
  return finiteSpans(order, rest).reduce((sum, { length }) => sum + length, 0);
}

/** Lines at the start of a table stay with the piece behind them, unless that alone was moved. */
function leansOn(
  piece: Piece | undefined,
  previous: Piece | undefined,
  owners: MovedLines['owners'],
): boolean {
  const isMoved = (one: Piece | undefined) => one !== undefined && owners.has(one);
  return !isMoved(piece) || isMoved(previous);
}

/**
 * Finds where a table begins among lines from one position to another, which is in the table; the
 * latter position where none does.
 */
function tableStarts(
  { was, axis, judge }: LineMerging,
  structure: Structure,
): (from: number, to: number) => number {
  const tables = judge.isBetweenBranches
    ? structure.tables.all.filter(({ sheetId }) => sheetId === was.id)
    : [];
  const ranges = tables.map((table) => {
    const { row0, row1, column0, column1 } = rangeOf(table, structure);
    return axis === 'row' ? { start: row0, end: row1 } : { start: column0, end: column1 };
  });
  return (from, to) =>
    Math.min(to, ...ranges.flatMap(({ start, end }) => (start >= from && end >= to ? start : [])));
}

/**
 * Puts lines that both sides added behind what they stand behind in theirs, where what they stand
 * behind in ours was moved by theirs: such a line went along with nothing.
 */
export function withShared(
  merging: LineMerging,
  { behind, before }: Beside<OwnLines>,
  { pieces, owners }: Placed,
): Beside<OwnLines> {
  const isOf = (side: 'ours' | 'theirs', piece: Piece | undefined) =>
    piece !== undefined && owners.get(piece) === side;
  if (![...behind].some(([piece, list]) => isOf('theirs', piece) && list.length > 0)) {
    return { behind, before };
  }
  const order = orderOf(merging.was, merging.axis);
  const placeOf = placeFinder(merging, pieces);
  const placed = [...behind].flatMap(([piece, list]) =>
    list.flatMap(({ span, now }) => {
      const shared = isOf('theirs', piece) ? presentIn([span], order) : [];
      const parts = [...shared, ...missingFrom([span], order)];
      return parts
        .toSorted((a, b) => a.offset - b.offset)
        .map((part) => {
          const lines = { span: part, now: now + part.offset - span.offset };
          const target = shared.includes(part) ? placeOf(part).previous : piece;
          const isThere = target === piece || isOf('ours', target);
          return isThere ? { piece, lines } : { piece: target, lines: elsewhere(lines) };
        });
    }),
  );
  const found = new Map<Piece | undefined, OwnLines[]>();
  for (const { piece, lines } of placed) addTo(found, piece, lines);
  return { behind: found, before };
}

function addTo<Item>(
  lists: Map<Piece | undefined, Item[]>,
  piece: Piece | undefined,
  item: Item,
): void {
  const list = lists.get(piece);
  if (list) list.push(item);
  else lists.set(piece, [item]);
}

function elsewhere(lines: OwnLines): OwnLines {
  return { ...lines, isElsewhere: true };
}

/** The place of a line between two pieces as theirs has them. */
interface LinePlace {
  readonly position: number;
  readonly previous: Piece | undefined;
  readonly next: Piece | undefined;
  /** Where the one piece ends and the other begins. */
  readonly from: number;
  readonly to: number | undefined;
}

function placeFinder(
  { was, axis }: LineMerging,
  pieces: readonly Piece[],
): (span: IdSpan) => LinePlace {
  const order = orderOf(was, axis);
  const positionOf = ({ branch, sequence, offset }: IdSpan) =>
    order.positionOf(branch, sequence, offset) ?? 0;
  const starts = pieces.map(({ span }) => positionOf(span));
  return (span) => {
    const position = positionOf(span);
    const at = firstAfter(starts.length, (index) => (starts[index] ?? 0) > position);
    const [previous, next] = [pieces[at - 1], pieces[at]];
    const from = previous ? (starts[at - 1] ?? 0) + previous.span.length : 0;
    return { position, previous, next, from, to: starts[at] };
  };
}

/** The lines that theirs has alone. */
export function addedLines(
  merging: LineMerging,
  { pieces, owners }: Placed,
  { theirs, rest }: { readonly theirs: readonly IdSpan[]; readonly rest: number },
): Beside<IdSpan> {
  const behind = new Map<Piece | undefined, IdSpan[]>();
  const before = new Map<Piece | undefined, IdSpan[]>();
  const { axis, lost, was } = merging;
  const placeOf = placeFinder(merging, pieces);
  const starts = tableStarts(merging, merging.theirs.structure);
  const end = lengthOf(orderOf(was, axis), rest);
  for (const span of missingFrom(theirs, orderOf(merging.is, axis))) {
    for (const absent of missingFrom([span], currentOrder(merging))) {
      if (!isNew(merging, absent)) lost.push({ sheetId: was.id, lines: { axis, span: absent } });
      const { position, previous, next, from, to = end } = placeOf(absent);
      const start = leansOn(next, previous, owners) ? starts(from, to) : to;
      const count = Math.min(absent.length, Math.max(0, start - position));
      if (count > 0) addTo(behind, previous, partOf(absent, 0, count));
      if (count < absent.length) addTo(before, next, partOf(absent, count, absent.length - count));
    }
  }
  return { behind, before };
}

/** Returns whether lines came after all that the base holds: then no earlier formula names them. */
function isNew({ heldOf }: LineMerging, { branch, sequence }: IdSpan): boolean {
  return heldOf !== undefined && sequence > heldOf(branch);
}
