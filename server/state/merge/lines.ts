import type { IdSpan } from '../ids/order.ts';
import { orderOf } from '../structure/structure.ts';
import {
  currentOrder,
  finiteSpans,
  missingFrom,
  presentIn,
  restOf,
  takesTheirLine,
  type LineMerging,
} from './line-merging.ts';
import { mergeOrder } from './merged-order.ts';
import { isLeft, type Merging } from './merging.ts';
import { touchedLines } from './touched-lines.ts';

/**
 * Merges the rows and columns of each sheet: deletes those that theirs deleted, adds those that
 * theirs added, and orders the rest.
 */
export function* mergeLines(merging: Merging): Generator<void, void> {
  for (const was of merging.theirs.structure.sheets) {
    const is = merging.base.structure.withId(was.id);
    if (!is || !merging.ours.structure.withId(was.id)) continue;
    for (const axis of ['row', 'column'] as const) {
      yield* mergeAxis({ ...merging, was, is, axis });
    }
  }
}

function* mergeAxis(merging: LineMerging): Generator<void, void> {
  const { was, is, axis } = merging;
  const [theirs, base] = [orderOf(was, axis), orderOf(is, axis)];
  if (theirs === base) return;
  const kind = axis === 'row' ? 'structure.rows' : 'structure.cols';
  const isTaken = (span: IdSpan) => {
    const place = { sheetId: was.id, ...(axis === 'row' ? { row: span } : { column: span }) };
    return !isLeft(merging, { kind, place });
  };
  // Lines behind this offset were never touched on any side.
  const rest = Math.max(...[theirs, base, currentOrder(merging)].map(restOf));
  yield* deleteAdded(merging, missingFrom(finiteSpans(base, rest), theirs).filter(isTaken));
  yield* mergeOrder(merging, finiteSpans(theirs, rest).filter(isTaken), rest);
}

/**
 * Deletes lines of the base that theirs has not. An undo keeps an inserted line that others wrote
 * to.
 */
function* deleteAdded(merging: LineMerging, added: readonly IdSpan[]): Generator<void, void> {
  const order = currentOrder(merging);
  const present = presentIn(added, order);
  if (present.length === 0) return;
  const kept = keptOf(merging, present);
  const gone: { from: number; count: number }[] = [];
  for (const span of present) {
    let next = span.offset;
    for (const offset of [...kept(span), span.offset + span.length]) {
      const position = order.positionOf(span.branch, span.sequence, next);
      const count = offset - next;
      if (count > 0 && position !== undefined) gone.push({ from: position, count });
      next = offset + 1;
    }
  }
  const spans = gone
    .sort((a, b) => a.from - b.from)
    .map(({ from, count }) => ({ from: from + 1, count }));
  if (spans.length === 0) return;
  const payload = { sheet: merging.was.id, spans };
  const kind = merging.axis === 'row' ? 'rows.delete' : 'cols.delete';
  yield* merging.parts.add({ kind, payload });
}

/**
 * Returns the offsets to keep in a span. Between branches there are none: lines that the merge
 * keeps were taken out of the base before, so they are not deleted here.
 */
function keptOf(merging: LineMerging, spans: readonly IdSpan[]): (span: IdSpan) => number[] {
  if (merging.judge.isBetweenBranches) return () => [];
  const lines = { sheetId: merging.was.id, axis: merging.axis, spans };
  const touched = touchedLines(merging, lines, { looks: false });
  const sides = { base: 'there', ours: 'modified', theirs: 'removed' };
  return (span) =>
    touched(span).flatMap(({ offset }) => {
      const line = { ...span, offset, sides, what: 'edit_delete' } as const;
      return takesTheirLine(merging, line) ? [] : offset;
    });
}
