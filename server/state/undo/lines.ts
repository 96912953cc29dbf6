import { LineMap } from '../line-map.ts';
import type { IdSpan, Order } from '../order.ts';
import { flatten } from '../resolved.ts';
import { orderOf } from '../structure.ts';
import { areaOf, currentOrder, outlineOf, partOf, skipLine, type LineUndo } from './line-undo.ts';
import { moveBack } from './moved-lines.ts';
import { wholeSheet } from './sheets.ts';
import type { SpanUndo } from './span-undo.ts';
import { touchedLines } from './touched-lines.ts';

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
