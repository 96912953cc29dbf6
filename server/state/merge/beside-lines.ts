import { firstAfter } from '../ids/first-after.ts';
import type { IdSpan, Order } from '../ids/order.ts';
import { orderOf, type Structure } from '../structure/structure.ts';
import { rangeOf } from '../structure/tables.ts';
import type { Side } from './judge.ts';
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

// Lines that are not part of a piece (lines that all three states have): those that one side added,
// and those that both added.

/**
 * Lines by the piece next to them. The key undefined holds lines in front of the first piece, or
 * behind the last.
 */
export type AtPiece<Item> = ReadonlyMap<Piece | undefined, readonly Item[]>;

/** Lines of a side between its pieces. */
export interface Beside<Item> {
  readonly behind: AtPiece<Item>;
  /** First lines of a table that go with the piece behind them, which is in the table too. */
  readonly before: AtPiece<Item>;
}

/** Lines of ours between pieces. */
export interface OwnLines {
  readonly span: IdSpan;
  readonly now: number;
  /** True when they are to stand behind another piece, so they have to be moved. */
  readonly isElsewhere?: true;
}

/** The pieces in the order of one side, and the side whose order each piece follows. */
interface Placed {
  readonly pieces: readonly Piece[];
  readonly owners: MovedLines['owners'];
}

/** Collects the lines of ours between pieces. */
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

/** Number of lines in front of the line with offset `rest` in the endless tail. */
function lengthOf(order: Order, rest: number): number {
  return finiteSpans(order, rest).reduce((sum, { length }) => sum + length, 0);
}

/**
 * Returns whether lines at the start of a table go with the piece behind them: always, unless only
 * that piece was moved.
 */
function leansOn(
  piece: Piece | undefined,
  previous: Piece | undefined,
  owners: MovedLines['owners'],
): boolean {
  const isMoved = (one: Piece | undefined) => one !== undefined && owners.has(one);
  return !isMoved(piece) || isMoved(previous);
}

/**
 * Returns a function that finds the first position from `from` on that a table starts at which also
 * holds `to`; `to` when there is none.
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
 * Corrects the place of lines that both sides have and the base has not. When theirs moved the
 * piece that such a line follows in ours, the line stays where theirs has it instead of following
 * along.
 */
export function withShared(
  merging: LineMerging,
  { behind, before }: Beside<OwnLines>,
  { pieces, owners }: Placed,
): Beside<OwnLines> {
  const isOf = (side: Side, piece: Piece | undefined) =>
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

/** The place of a line between two pieces in the order of theirs. */
interface LinePlace {
  readonly position: number;
  readonly previous: Piece | undefined;
  readonly next: Piece | undefined;
  /** Position behind the previous piece, and position of the next one. */
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

/** Collects the lines that only theirs has. */
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

/**
 * Returns whether lines are younger than the base, so that no formula of the base can have named
 * them.
 */
function isNew({ heldOf }: LineMerging, { branch, sequence }: IdSpan): boolean {
  return heldOf !== undefined && sequence > heldOf(branch);
}
