import { columnName } from '../../model/address.ts';
import { Rejection } from '../../model/rejection.ts';
import { LineMap } from '../line-map.ts';
import type { IdSpan, LineId, Order } from '../order.ts';
import { flatten } from '../resolved.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure.ts';
import { heaviestIncreasing } from './increasing.ts';
import { wholeSheet } from './sheets.ts';
import { stateOf, type SpanUndo } from './span-undo.ts';
import { touchedLines } from './touched-lines.ts';

/** More moves than this are one new order of the rows instead. */
const movesMost = 16;

interface LineUndo extends SpanUndo {
  readonly was: SheetOutline;
  readonly is: SheetOutline;
  readonly axis: Axis;
}

/** Takes out the rows and columns that came, brings back those that went, and moves the rest. */
export function* undoLines(undo: SpanUndo): Generator<void, void> {
  for (const was of undo.before.structure.sheets) {
    const is = undo.after.structure.withId(was.id);
    if (!is || !undo.ours.structure.withId(was.id)) continue;
    for (const axis of ['row', 'column'] as const) {
      yield* undoAxis({ ...undo, was, is, axis });
    }
  }
}

function* undoAxis(undo: LineUndo): Generator<void, void> {
  const { was, is, axis } = undo;
  const [before, after] = [orderOf(was, axis), orderOf(is, axis)];
  if (before === after) return;
  const rest = Math.max(restOf(before), restOf(after));
  yield* deleteAdded(undo, missingFrom(finiteSpans(after, rest), before));
  yield* restoreDeleted(undo, finiteSpans(before, rest));
  yield* moveBack(undo, finiteSpans(before, rest));
}

function outlineOf(undo: LineUndo): SheetOutline {
  const sheet = stateOf(undo).structure.withId(undo.was.id);
  if (!sheet) throw new Error('a sheet is gone while its lines are undone');
  return sheet;
}

function currentOrder(undo: LineUndo): Order {
  return orderOf(outlineOf(undo), undo.axis);
}

/** Offset of the first line of the endless rest. */
function restOf(order: Order): number {
  let offset = 0;
  for (const span of order.spans()) offset = span.offset;
  return offset;
}

/** All lines before the one of the endless rest with this offset. */
function finiteSpans(order: Order, rest: number): IdSpan[] {
  return [...order.spans()].flatMap((span) => {
    if (span.length !== Infinity) return [span];
    return span.offset < rest ? [{ ...span, length: rest - span.offset }] : [];
  });
}

/** The parts of spans that an order has not, in their order. */
function missingFrom(spans: readonly IdSpan[], order: Order): IdSpan[] {
  const missing: IdSpan[] = [];
  for (const span of spans) {
    let next = 0;
    for (const { skipped, length } of order.piecesOf(span)) {
      if (skipped > next) missing.push(partOf(span, next, skipped - next));
      next = skipped + length;
    }
    if (next < span.length) missing.push(partOf(span, next, span.length - next));
  }
  return missing;
}

function partOf(span: IdSpan, skipped: number, length: number): IdSpan {
  return { ...span, offset: span.offset + skipped, length };
}

/** Lines that others have written to since stay. */
function* deleteAdded(undo: LineUndo, added: readonly IdSpan[]): Generator<void, void> {
  const order = currentOrder(undo);
  const present = added.flatMap((span) =>
    order.piecesOf(span).map(({ skipped, length }) => partOf(span, skipped, length)),
  );
  if (present.length === 0) return;
  const kept = touchedLines(undo, { sheetId: undo.was.id, axis: undo.axis, spans: present });
  const gone: { from: number; count: number }[] = [];
  for (const span of present) {
    let next = span.offset;
    for (const offset of [...kept(span), span.offset + span.length]) {
      const position = order.positionOf(span.branch, span.sequence, next);
      const count = offset - next;
      if (count > 0 && position !== undefined) gone.push({ from: position, count });
      if (offset < span.offset + span.length) skipLine(undo, { ...span, offset });
      next = offset + 1;
    }
  }
  const spans = gone
    .sort((a, b) => a.from - b.from)
    .map(({ from, count }) => ({ from: from + 1, count }));
  if (spans.length === 0) return;
  const payload = { sheet: undo.was.id, spans };
  const kind = undo.axis === 'row' ? 'rows.delete' : 'cols.delete';
  yield* undo.parts.add({ kind, payload });
}

function skipLine(undo: LineUndo, { branch, sequence, offset }: LineId): void {
  const position = currentOrder(undo).positionOf(branch, sequence, offset) ?? 0;
  const name = undo.axis === 'row' ? String(position + 1) : columnName(position);
  undo.skipped.add(`${outlineOf(undo).name}!${name}:${name}`);
}

/** Behind what they stood behind, as far as that is still there. */
function* restoreDeleted(undo: LineUndo, before: readonly IdSpan[]): Generator<void, void> {
  const { was, is, axis } = undo;
  for (const span of missingFrom(before, orderOf(is, axis))) undo.lost.push(areaOf(undo, span));
  let group: { spans: IdSpan[]; from: number; count: number } | undefined;
  const groups: (typeof group)[] = [];
  for (const span of missingFrom(before, orderOf(is, axis))) {
    for (const absent of missingFrom([span], currentOrder(undo))) {
      const from = orderOf(was, axis).positionOf(absent.branch, absent.sequence, absent.offset);
      if (from === undefined) throw new Error('a line that was there has no position');
      if (group && group.from + group.count === from) {
        group.spans.push(absent);
        group.count += absent.length;
      } else {
        group = { spans: [absent], from, count: absent.length };
        groups.push(group);
      }
    }
  }
  for (const found of groups) {
    if (!found) continue;
    const before1 = placeOf(undo, found.from) + 1;
    const ids = flatten(found.spans);
    const payload = { sheet: was.id, axis, before: before1, ids };
    yield* undo.parts.add({ kind: 'restore.lines', payload });
  }
}

function placeOf(undo: LineUndo, from: number): number {
  const map = new LineMap(undo.was, outlineOf(undo), undo.axis);
  const place = from > 0 ? map.placeAfter(from - 1) : 0;
  if (place > 0) return place;
  const next = map.placeBefore(from);
  return next < (undo.axis === 'row' ? wholeSheet.row1 : wholeSheet.column1) ? next : 0;
}

function areaOf({ was, axis }: LineUndo, span: IdSpan) {
  const from = orderOf(was, axis).positionOf(span.branch, span.sequence, span.offset) ?? 0;
  const to = from + span.length - 1;
  const range =
    axis === 'row'
      ? { ...wholeSheet, row0: from, row1: to }
      : { ...wholeSheet, column0: from, column1: to };
  return { sheetId: was.id, range };
}

/** Lines that stand together before, after and now. */
interface CommonPiece {
  readonly span: IdSpan;
  readonly after: number;
  readonly now: number;
}

function* moveBack(undo: LineUndo, before: readonly IdSpan[]): Generator<void, void> {
  const after = orderOf(undo.is, undo.axis);
  const order = currentOrder(undo);
  const pieces = commonPieces(before, after, order);
  if (isAscending(pieces.map((piece) => piece.after))) return;
  const wasMoved = movedLines(undo);
  const weights = pieces.map(({ span }) => (wasMoved(span) ? span.length / 1e6 : span.length));
  const stays = heaviestIncreasing(
    pieces.map((piece) => piece.after),
    weights,
  );
  const movedByOthers = othersMoved(pieces);
  const moved = pieces.map((piece, index) => !stays.has(index) && piece);
  for (const piece of moved) if (piece) undo.moved.push(areaOf(undo, piece.span));
  const isPlaced = (piece: CommonPiece, index: number) =>
    stays.has(index) || !movedByOthers.has(piece);
  for (const [index, piece] of pieces.entries()) {
    if (!isPlaced(piece, index)) skipLine(undo, piece.span);
  }
  const moves = movesTo(
    pieces.flatMap((piece, index) =>
      isPlaced(piece, index) ? [{ span: piece.span, isMoved: !stays.has(index) }] : [],
    ),
    order,
  );
  yield* carryOut(undo, moves);
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
  return ({ branch, sequence, offset }) =>
    moved.some(
      (span) =>
        span.branch === branch &&
        span.sequence === sequence &&
        offset >= span.offset &&
        offset < span.offset + span.length,
    );
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

interface LineMove {
  readonly from: number;
  readonly count: number;
  readonly before: number;
}

interface Moves {
  readonly moves: readonly LineMove[];
  /** Once all are done. */
  readonly order: Order;
}

/** Each piece that moved goes behind the one that it stood behind. */
function movesTo(
  pieces: readonly { readonly span: IdSpan; readonly isMoved: boolean }[],
  start: Order,
): Moves {
  let order = start;
  const moves: LineMove[] = [];
  const positionOf = ({ branch, sequence, offset }: LineId) =>
    order.positionOf(branch, sequence, offset) ?? 0;
  const firstStill = pieces.find(({ isMoved }) => !isMoved);
  let previous: LineId | undefined;
  for (const { span, isMoved } of pieces) {
    if (isMoved) {
      const from = positionOf(span);
      const before = previous
        ? positionOf(previous) + 1
        : firstStill
          ? positionOf(firstStill.span)
          : 0;
      const next = order.move(from, span.length, before);
      if (next !== order) moves.push({ from, count: span.length, before });
      order = next;
    }
    previous = { ...span, offset: span.offset + span.length - 1 };
  }
  return { moves, order };
}

function* carryOut(undo: LineUndo, { moves, order }: Moves): Generator<void, void> {
  if (moves.length === 0) return;
  if (undo.axis === 'row' && moves.length > movesMost && (yield* sortTo(undo, order))) return;
  const kind = undo.axis === 'row' ? 'rows.move' : 'cols.move';
  for (const { from, count, before } of moves) {
    const payload = { sheet: undo.was.id, from: from + 1, count, before: before + 1 };
    yield* undo.parts.add({ kind, payload });
  }
}

/** Puts rows into an order at once; answers whether that could be done. */
function* sortTo(undo: LineUndo, wanted: Order): Generator<void, boolean> {
  const order = currentOrder(undo);
  const size = wholeSheet.row1 + 1;
  const rows = wanted
    .spansAt(0, size)
    .flatMap((span) =>
      order
        .piecesOf(span)
        .flatMap(({ position, length }) => Array.from({ length }, (_, at) => position + at)),
    );
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
