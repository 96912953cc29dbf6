import { columnName } from '../../model/address.ts';
import type { IdSpan, LineId, Order } from '../order.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure.ts';
import { wholeSheet } from './sheets.ts';
import { stateOf, type SpanUndo } from './span-undo.ts';

export interface LineUndo extends SpanUndo {
  readonly was: SheetOutline;
  readonly is: SheetOutline;
  readonly axis: Axis;
}

export function outlineOf(undo: LineUndo): SheetOutline {
  const sheet = stateOf(undo).structure.withId(undo.was.id);
  if (!sheet) throw new Error('a sheet is gone while its lines are undone');
  return sheet;
}

export function currentOrder(undo: LineUndo): Order {
  return orderOf(outlineOf(undo), undo.axis);
}

export function partOf(span: IdSpan, skipped: number, length: number): IdSpan {
  return { ...span, offset: span.offset + skipped, length };
}

export function skipLine(undo: LineUndo, { branch, sequence, offset }: LineId): void {
  const position = currentOrder(undo).positionOf(branch, sequence, offset) ?? 0;
  const name = undo.axis === 'row' ? String(position + 1) : columnName(position);
  undo.skipped.add(`${outlineOf(undo).name}!${name}:${name}`);
}

export function areaOf({ was, axis }: LineUndo, span: IdSpan) {
  const from = orderOf(was, axis).positionOf(span.branch, span.sequence, span.offset) ?? 0;
  const to = from + span.length - 1;
  const range =
    axis === 'row'
      ? { ...wholeSheet, row0: from, row1: to }
      : { ...wholeSheet, column0: from, column1: to };
  return { sheetId: was.id, range };
}
