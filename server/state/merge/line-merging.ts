import { columnName } from '../../model/address.ts';
import { lineText } from '../structure/area.ts';
import type { IdSpan, LineId, Order } from '../ids/order.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import type { ContestSides } from './judge.ts';
import { stateOf, type Merging } from './merging.ts';

export interface LineMerging extends Merging {
  readonly was: SheetOutline;
  readonly is: SheetOutline;
  readonly axis: Axis;
}

export function outlineOf(merging: LineMerging): SheetOutline {
  const sheet = stateOf(merging).structure.withId(merging.was.id);
  if (!sheet) throw new Error('a sheet is gone while its lines are undone');
  return sheet;
}

export function currentOrder(merging: LineMerging): Order {
  return orderOf(outlineOf(merging), merging.axis);
}

export function partOf(span: IdSpan, skipped: number, length: number): IdSpan {
  return { ...span, offset: span.offset + skipped, length };
}

interface ContestedLine extends LineId {
  readonly what: 'order' | 'edit_delete';
  /** The change that each side made to the line. */
  readonly sides: ContestSides;
}

/** Returns whether theirs wins a line that both sides changed. */
export function takesTheirLine(merging: LineMerging, line: ContestedLine): boolean {
  const { branch, sequence, offset, what, sides } = line;
  const { axis, was, judge } = merging;
  const position = currentOrder(merging).positionOf(branch, sequence, offset) ?? 0;
  const name = axis === 'row' ? String(position + 1) : columnName(position);
  const id = { branch, sequence, offset };
  const choice = judge.decide({
    kind: axis === 'row' ? `row.${what}` : `col.${what}`,
    register: `${axis} ${what} ${was.id} ${lineText(id)}`,
    text: `${outlineOf(merging).name}!${name}:${name}`,
    place: { sheetId: was.id, ...(axis === 'row' ? { row: id } : { column: id }) },
    sides: () => sides,
  });
  return choice === 'theirs';
}

/** Offset of the first line in the endless tail of an order. */
export function restOf(order: Order): number {
  let offset = 0;
  for (const span of order.spans()) offset = span.offset;
  return offset;
}

/** All lines in front of the line with offset `rest` in the endless tail. */
export function finiteSpans(order: Order, rest: number): IdSpan[] {
  return [...order.spans()].flatMap((span) => {
    if (span.length !== Infinity) return [span];
    return span.offset < rest ? [{ ...span, length: rest - span.offset }] : [];
  });
}

/** The parts of spans that are in an order. */
export function presentIn(spans: readonly IdSpan[], order: Order): IdSpan[] {
  return spans.flatMap((span) =>
    order.piecesOf(span).map(({ skipped, length }) => partOf(span, skipped, length)),
  );
}

/** The parts of spans that are not in an order, in the sequence given. */
export function missingFrom(spans: readonly IdSpan[], order: Order): IdSpan[] {
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
