import type { BranchState } from '../branch-state.ts';
import { pushSpan, type IdSpan } from '../ids/id-span.ts';
import type { Order } from '../ids/order.ts';
import { flatten, type FlatSpans } from '../plan/resolved.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import type { Block, MovedBlock } from './moved-block.ts';
import { readSpans } from './restoration.ts';

/**
 * Reduces a series of moves to blocks of the base and their final places. Parts that were moved
 * again are carried on, parts that were pasted over are left out.
 */
export function finalMoves(moves: readonly MovedBlock[]): MovedBlock[] {
  let found: MovedBlock[] = [];
  const touched: Block[] = [];
  for (const move of moves) {
    const carried = found.flatMap((one) => movedOn(one, move));
    const left = found.flatMap((one) => outside(one, 'to', move.from));
    const shown = left.flatMap((one) => outside(one, 'to', move.to));
    // Cells that an earlier move emptied or filled no longer hold what the base has there.
    const fresh = touched.reduce<readonly MovedBlock[]>(
      (rest, block) => rest.flatMap((one) => outside(one, 'from', block)),
      [move],
    );
    found = [...carried, ...shown, ...fresh];
    touched.push(move.from, move.to);
  }
  return found.filter(({ from, to }) => blockKey(from) !== blockKey(to));
}

/** The parts of a move that the next move carried further. */
function movedOn(move: MovedBlock, next: MovedBlock): MovedBlock[] {
  return sharedParts(move.to, next.from).map(({ rows, columns }) => ({
    from: partOfBlock(move.from, rows.own, columns.own),
    to: partOfBlock(next.to, rows.other, columns.other),
  }));
}

/** The parts of a move whose source (`from`) or target (`to`) lies outside a block. */
export function outside(move: MovedBlock, end: 'from' | 'to', block: Block): MovedBlock[] {
  return partsOutside(move[end], block).map(({ rows, columns }) => partOfMove(move, rows, columns));
}

/** The rectangles of a block that lie outside another one. */
export function partsOutside(own: Block, block: Block): { rows: Stretch; columns: Stretch }[] {
  const shared = sharedParts(own, block);
  const columns = { at: 0, count: lineCount(own.columns) };
  const rows = { at: 0, count: lineCount(own.rows) };
  if (shared.length === 0) return [{ rows, columns }];
  const downs = sharedLines(own.rows, block.rows);
  const beside = restOf(sharedLines(own.columns, block.columns), columns.count);
  return [
    ...restOf(downs, rows.count).map((lines) => ({ rows: lines, columns })),
    ...downs.flatMap((down) => beside.map((lines) => ({ rows: down.own, columns: lines }))),
  ];
}

/** The parts of a move that went to lines which a state has. */
export function presentParts(move: MovedBlock, { structure }: BranchState): MovedBlock[] {
  const { sheetId, rows, columns } = move.to;
  const sheet = structure.withId(sheetId);
  if (!sheet) return [];
  const across = presentStretches(columns, sheet.columns);
  return presentStretches(rows, sheet.rows).flatMap((down) =>
    across.map((part) => partOfMove(move, down, part)),
  );
}

/**
 * The parts of a move whose cells stand together in each of the states, where they were and where
 * they went: lines between them may have been moved, put in or deleted.
 */
export function standingParts(move: MovedBlock, states: readonly BranchState[]): MovedBlock[] {
  const on = (axis: Axis, { sheetId, ...lines }: Block) => {
    const sheets = states.flatMap(({ structure }) => structure.withId(sheetId) ?? []);
    if (sheets.length < states.length) return [];
    const orders = sheets.map((sheet) => orderOf(sheet, axis));
    return togetherIn(axis === 'row' ? lines.rows : lines.columns, orders);
  };
  const [downs, across] = (['row', 'column'] as const).map((axis) =>
    sharedStretches(on(axis, move.from), on(axis, move.to)),
  );
  return (downs ?? []).flatMap((down) =>
    (across ?? []).map((part) => partOfMove(move, down, part)),
  );
}

function sharedStretches(a: readonly Stretch[], b: readonly Stretch[]): Stretch[] {
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const at = Math.max(one.at, other.at);
      const count = Math.min(one.at + one.count, other.at + other.count) - at;
      return count > 0 ? { at, count } : [];
    }),
  );
}

function presentStretches(flat: FlatSpans, order: Order): Stretch[] {
  const found: Stretch[] = [];
  for (const { at: start, ...span } of stretchesOf(flat)) {
    const pieces = order.piecesOf(span).toSorted((a, b) => a.skipped - b.skipped);
    for (const { skipped, length } of pieces) {
      const [last, at] = [found.at(-1), start + skipped];
      if (last && last.at + last.count === at) {
        found[found.length - 1] = { at: last.at, count: last.count + length };
      } else found.push({ at, count: length });
    }
  }
  return found;
}

/** The stretches of a list whose lines stand together, one behind the other, in each order. */
export function togetherIn(flat: FlatSpans, orders: readonly Order[]): Stretch[] {
  return orders.reduce<Stretch[]>(
    (stretches, order) =>
      stretches.flatMap(({ at, count }) =>
        placedTogether(partOfLines(flat, { at, count }), order).map((part) => ({
          at: at + part.at,
          count: part.count,
        })),
      ),
    [{ at: 0, count: lineCount(flat) }],
  );
}

function placedTogether(flat: FlatSpans, order: Order): Stretch[] {
  const found: (Stretch & { readonly position: number })[] = [];
  for (const { at: start, ...span } of stretchesOf(flat)) {
    const pieces = order.piecesOf(span).toSorted((a, b) => a.skipped - b.skipped);
    for (const { skipped, length, position } of pieces) {
      const [last, at] = [found.at(-1), start + skipped];
      const isNext = last !== undefined && isBehind(last, { at, position });
      if (last && isNext) found[found.length - 1] = { ...last, count: last.count + length };
      else found.push({ at, count: length, position });
    }
  }
  return found;
}

function isBehind(
  last: Stretch & { readonly position: number },
  { at, position }: { readonly at: number; readonly position: number },
): boolean {
  return last.at + last.count === at && last.position + last.count === position;
}

/** Lines of two lists that are the same, by their places in each. */
export interface SharedLines {
  readonly own: Stretch;
  readonly other: Stretch;
}

export interface Stretch {
  readonly at: number;
  readonly count: number;
}

/** The rectangles that two blocks share. */
export function sharedParts(a: Block, b: Block) {
  if (a.sheetId !== b.sheetId) return [];
  const rows = sharedLines(a.rows, b.rows);
  const columns = rows.length > 0 ? sharedLines(a.columns, b.columns) : [];
  return rows.flatMap((down) => columns.map((across) => ({ rows: down, columns: across })));
}

/** Returns whether two blocks share a cell. */
export function areShared(a: Block, b: Block): boolean {
  return a.sheetId === b.sheetId && haveShared(a.columns, b.columns) && haveShared(a.rows, b.rows);
}

/** Returns whether two lists have a line in common. */
export function haveShared(a: FlatSpans, b: FlatSpans): boolean {
  const others = stretchesOf(b);
  return stretchesOf(a).some((own) => others.some((other) => isOverlap(own, other)));
}

function isOverlap(a: PlacedSpan, b: PlacedSpan): boolean {
  if (a.branch !== b.branch || a.sequence !== b.sequence) return false;
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

/** The longest stretches of lines that stand together in both lists. */
export function sharedLines(a: FlatSpans, b: FlatSpans): SharedLines[] {
  const found: SharedLines[] = [];
  const others = stretchesOf(b);
  for (const own of stretchesOf(a)) {
    for (const other of others) {
      if (!isOverlap(own, other)) continue;
      const from = Math.max(own.offset, other.offset);
      const count = Math.min(own.offset + own.length, other.offset + other.length) - from;
      const [first, second] = [own.at + from - own.offset, other.at + from - other.offset];
      addShared(found, { own: { at: first, count }, other: { at: second, count } });
    }
  }
  return found;
}

function addShared(found: SharedLines[], next: SharedLines): void {
  const last = found.at(-1);
  const isNext =
    last !== undefined &&
    last.own.at + last.own.count === next.own.at &&
    last.other.at + last.other.count === next.other.at;
  if (!isNext) {
    found.push(next);
    return;
  }
  const count = last.own.count + next.own.count;
  found[found.length - 1] = { own: { ...last.own, count }, other: { ...last.other, count } };
}

/** The stretches of a list of `length` lines that are not shared. */
function restOf(shared: readonly SharedLines[], length: number): Stretch[] {
  const rest: Stretch[] = [];
  let next = 0;
  for (const { own } of shared.toSorted((a, b) => a.own.at - b.own.at)) {
    if (own.at > next) rest.push({ at: next, count: own.at - next });
    next = own.at + own.count;
  }
  if (next < length) rest.push({ at: next, count: length - next });
  return rest;
}

/** Cuts a list of lines into stretches that each of other lists has as a whole, or not at all. */
export function cutLines(flat: FlatSpans, lists: readonly FlatSpans[]): Stretch[] {
  return lists.reduce<Stretch[]>(
    (stretches, list) =>
      stretches.flatMap(({ at, count }) => {
        const shared = sharedLines(partOfLines(flat, { at, count }), list);
        return [...shared.map(({ own }) => own), ...restOf(shared, count)]
          .map((own) => ({ at: at + own.at, count: own.count }))
          .sort((a, b) => a.at - b.at);
      }),
    [{ at: 0, count: lineCount(flat) }],
  );
}

/** The lines of two lists, one behind the other. */
export function joinedLines(first: FlatSpans, second: FlatSpans): FlatSpans {
  const spans: IdSpan[] = [];
  for (const span of [...readSpans(first), ...readSpans(second)]) pushSpan(spans, span);
  return flatten(spans);
}

export function lineCount(flat: FlatSpans): number {
  return readSpans(flat).reduce((sum, { length }) => sum + length, 0);
}

/** A span, with the index of its first line in its list. */
interface PlacedSpan extends IdSpan {
  readonly at: number;
}

/** Lists that were read: moves are compared each with each, and lists never change. */
const placed = new WeakMap<FlatSpans, readonly PlacedSpan[]>();

function stretchesOf(flat: FlatSpans): readonly PlacedSpan[] {
  const known = placed.get(flat);
  if (known) return known;
  let next = 0;
  const found = readSpans(flat).map((span) => {
    const at = next;
    next += span.length;
    return { ...span, at };
  });
  placed.set(flat, found);
  return found;
}

export function partOfMove({ from, to }: MovedBlock, rows: Stretch, columns: Stretch): MovedBlock {
  return { from: partOfBlock(from, rows, columns), to: partOfBlock(to, rows, columns) };
}

export function partOfBlock({ sheetId, ...lines }: Block, rows: Stretch, columns: Stretch): Block {
  return {
    sheetId,
    rows: partOfLines(lines.rows, rows),
    columns: partOfLines(lines.columns, columns),
  };
}

export function partOfLines(flat: FlatSpans, { at, count }: Stretch): FlatSpans {
  return flatten(
    stretchesOf(flat).flatMap((span) => {
      const first = Math.max(span.at, at);
      const end = Math.min(span.at + span.length, at + count);
      if (first >= end) return [];
      const { branch, sequence } = span;
      return [{ branch, sequence, offset: span.offset + first - span.at, length: end - first }];
    }),
  );
}

export function blockKey({ sheetId, rows, columns }: Block): string {
  return JSON.stringify([sheetId, rows, columns]);
}
