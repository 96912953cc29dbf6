import { LineMap } from '../structure/line-map.ts';
import type { IdSpan } from '../ids/order.ts';
import { flatten } from '../plan/resolved.ts';
import { orderOf } from '../structure/structure.ts';
import {
  areaOf,
  currentOrder,
  finiteSpans,
  missingFrom,
  outlineOf,
  presentIn,
  restOf,
  takesTheirLine,
  type LineMerging,
} from './line-merging.ts';
import { moveBack } from './moved-lines.ts';
import { wholeSheet } from './sheets.ts';
import { isLeft, type Merging } from './merging.ts';
import { touchedLines } from './touched-lines.ts';

/** Takes out the rows and columns that came, brings back those that went, and moves the rest. */
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
  // Whatever any side put elsewhere stands before it.
  const rest = Math.max(...[theirs, base, currentOrder(merging)].map(restOf));
  yield* deleteAdded(merging, missingFrom(finiteSpans(base, rest), theirs).filter(isTaken));
  const spans = finiteSpans(theirs, rest).filter(isTaken);
  yield* moveBack(merging, spans);
  yield* restoreDeleted(merging, spans);
}

/** Lines that others have written to since stay where somebody takes back that they came. */
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

/** Between branches, lines that are kept are new to both: they were asked about. */
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

/** Behind what they stood behind, as far as that is still there. */
function* restoreDeleted(merging: LineMerging, theirs: readonly IdSpan[]): Generator<void, void> {
  const { was, is, axis } = merging;
  for (const span of missingFrom(theirs, orderOf(is, axis))) {
    if (!isNew(merging, span)) merging.lost.push(areaOf(merging, span));
  }
  let group: { spans: IdSpan[]; from: number; count: number } | undefined;
  const groups: (typeof group)[] = [];
  for (const span of missingFrom(theirs, orderOf(is, axis))) {
    for (const absent of missingFrom([span], currentOrder(merging))) {
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
    const place = placeOf(merging, found.from) + 1;
    const ids = flatten(found.spans);
    const payload = { sheet: was.id, axis, before: place, ids };
    yield* merging.parts.add({ kind: 'restore.lines', payload });
  }
}

/** Returns whether lines came after all that the base holds: then no earlier formula names them. */
function isNew({ heldOf }: LineMerging, { branch, sequence }: IdSpan): boolean {
  return heldOf !== undefined && sequence > heldOf(branch);
}

/** The place behind the lines that ours inserted at a place. */
function behindOurs(merging: LineMerging, place: number): number {
  const order = currentOrder(merging);
  const base = orderOf(merging.is, merging.axis);
  for (let at = place; ; at++) {
    const { branch, sequence, offset } = order.idAt(at);
    if (base.positionOf(branch, sequence, offset) !== undefined) return at;
  }
}

function placeOf(merging: LineMerging, from: number): number {
  const map = new LineMap(merging.was, outlineOf(merging), merging.axis);
  const place = from > 0 ? map.placeAfter(from - 1) : 0;
  if (place > 0) return merging.judge.isBetweenBranches ? behindOurs(merging, place) : place;
  const next = map.placeBefore(from);
  return next < (merging.axis === 'row' ? wholeSheet.row1 : wholeSheet.column1) ? next : 0;
}
