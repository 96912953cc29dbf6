import { columnLimit, rowLimit } from '../../model/address.ts';
import { rowCount, columnCount, type Range } from '../../model/range.ts';
import type { LineId, Order } from '../ids/order.ts';
import type { LineSpan } from './line-span.ts';
import { limitOf, orderOf, type Axis, type SheetOutline } from './structure.ts';

/** The first and the last of some consecutive lines; undefined for all lines of the sheet. */
export type Ends = { readonly first: LineId; readonly last: LineId } | undefined;

/**
 * A rectangle of cells by the ids of its ends. Lines inserted between them belong to it, others do
 * not; only deleting or moving an end changes it.
 */
export interface Area {
  readonly rows: Ends;
  readonly columns: Ends;
}

/** An edit of the lines of a sheet that may take ends of areas away. */
export interface LineChange {
  readonly before: SheetOutline;
  readonly after: SheetOutline;
  readonly axis: Axis;
  /** Moved lines, in positions before; empty for a deletion. */
  readonly moved: readonly LineSpan[];
}

export function areaOf(sheet: SheetOutline, range: Range): Area {
  const allRows = rowCount(range) === rowLimit;
  const allColumns = columnCount(range) === columnLimit;
  return {
    rows: allRows ? undefined : endsAt(sheet.rows, range.row0, range.row1),
    columns: allColumns ? undefined : endsAt(sheet.columns, range.column0, range.column1),
  };
}

/** Returns the range of an area; undefined while it is pushed off the end of the sheet. */
export function rangeOf(area: Area, sheet: SheetOutline): Range | undefined {
  const rows = positionsOf(area.rows, sheet.rows, rowLimit);
  const columns = positionsOf(area.columns, sheet.columns, columnLimit);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], row1: rows[1], column0: columns[0], column1: columns[1] };
}

function positionsOf(ends: Ends, order: Order, limit: number): [number, number] | undefined {
  if (!ends) return [0, limit - 1];
  const first = positionOf(ends.first, order);
  const last = positionOf(ends.last, order);
  if (first === undefined || last === undefined) throw new Error('an area has lost an end');
  // Ends that a state of former versions has changed round are read in their order.
  const [from, to] = first <= last ? [first, last] : [last, first];
  return from < limit ? [from, Math.min(to, limit - 1)] : undefined;
}

/** Returns a text of an area, equal for equal areas only. */
export function areaText({ rows, columns }: Area): string {
  return `${endsText(rows)}/${endsText(columns)}`;
}

export function parseArea(text: string): Area {
  const [rows = '', columns = ''] = text.split('/');
  return { rows: parseEnds(rows), columns: parseEnds(columns) };
}

/** Returns an area after an edit of lines; undefined when nothing of it is left. */
export function followArea(area: Area, change: LineChange): Area | undefined {
  const own = change.axis === 'row' ? area.rows : area.columns;
  if (!own) return area;
  const ends = change.moved.length === 0 ? afterDeletion(own, change) : afterMove(own, change);
  if (ends === own) return area;
  if (!ends) return undefined;
  return change.axis === 'row' ? { ...area, rows: ends } : { ...area, columns: ends };
}

/** Returns the lines between two ends, as spans. */
export function lineSpans(ends: Ends, order: Order, axis: Axis) {
  const limit = limitOf(axis);
  if (!ends) return order.spansAt(0, limit);
  const first = positionOf(ends.first, order);
  const last = positionOf(ends.last, order);
  if (first === undefined || last === undefined) return [];
  return order.spansAt(first, last - first + 1);
}

export function lineText({ branch, sequence, offset }: LineId): string {
  return `${branch}.${sequence}.${offset}`;
}

export function parseLine(text: string): LineId {
  const [branch = 0, sequence = 0, offset = 0] = text.split('.').map(Number);
  return { branch, sequence, offset };
}

/** Moves a deleted end inwards to the next remaining line. */
function afterDeletion(ends: NonNullable<Ends>, { before, after, axis }: LineChange): Ends {
  const order = orderOf(after, axis);
  const isWhole =
    positionOf(ends.first, order) !== undefined && positionOf(ends.last, order) !== undefined;
  if (isWhole) return ends;
  const left = membersOf(ends, { before, after, axis });
  const [first, last] = [left[0], left.at(-1)];
  return first && last ? endsAt(order, first.from, last.from + last.count - 1) : undefined;
}

/**
 * Moves an end inwards when its line was moved away. Lines of the area that adjoin the others after
 * the move still belong to it, so that sorting within an area does not shrink it.
 */
function afterMove(ends: NonNullable<Ends>, change: LineChange): Ends {
  const { before, after, axis, moved } = change;
  const was = orderOf(before, axis);
  const from = positionOf(ends.first, was);
  const to = positionOf(ends.last, was);
  if (from === undefined || to === undefined) throw new Error('an area has lost an end');
  const isMoved = (line: number) =>
    moved.some((span) => line >= span.from && line < span.from + span.count);
  if (!isMoved(from) && !isMoved(to)) return ends;
  const members = membersOf(ends, change);
  const still = stillLines(from, to, moved).flatMap((span) => nowAt(span, change));
  const kept = still.length > 0 ? still : members;
  const order = orderOf(after, axis);
  return endsAt(order, ...joined(hullOf(kept), members));
}

function hullOf(spans: readonly LineSpan[]): [number, number] {
  let [first, last] = [Infinity, -Infinity];
  for (const { from, count } of spans) {
    first = Math.min(first, from);
    last = Math.max(last, from + count - 1);
  }
  return [first, last];
}

/** Extends a stretch by all adjoining members, which are sorted. */
function joined([first, last]: [number, number], members: readonly LineSpan[]): [number, number] {
  let [start, end] = [first, last];
  for (const { from, count } of members) {
    if (from <= end + 1 && from + count - 1 > end) end = from + count - 1;
  }
  for (const { from, count } of members.toReversed()) {
    if (from + count >= start && from < start) start = from;
  }
  return [start, end];
}

/** Returns the lines from `from` to `to` that were not moved. */
function stillLines(from: number, to: number, moved: readonly LineSpan[]): LineSpan[] {
  const still: LineSpan[] = [];
  let next = from;
  for (const span of moved.toSorted((a, b) => a.from - b.from)) {
    if (span.from + span.count <= next) continue;
    if (span.from > to) break;
    if (span.from > next) still.push({ from: next, count: span.from - next });
    next = span.from + span.count;
  }
  if (next <= to) still.push({ from: next, count: to - next + 1 });
  return still;
}

/** Returns the positions of the lines of an area after the edit, sorted. */
function membersOf(
  { first, last }: NonNullable<Ends>,
  change: Omit<LineChange, 'moved'>,
): LineSpan[] {
  const was = orderOf(change.before, change.axis);
  const from = positionOf(first, was);
  const to = positionOf(last, was);
  if (from === undefined || to === undefined) throw new Error('an area has lost an end');
  return nowAt({ from, count: to - from + 1 }, change).sort((a, b) => a.from - b.from);
}

function nowAt(span: LineSpan, { before, after, axis }: Omit<LineChange, 'moved'>): LineSpan[] {
  const order = orderOf(after, axis);
  return orderOf(before, axis)
    .spansAt(span.from, span.count)
    .flatMap((ids) => order.piecesOf(ids))
    .map(({ position, length }) => ({ from: position, count: length }));
}

function endsAt(order: Order, from: number, to: number): NonNullable<Ends> {
  const first = order.idAt(from);
  return { first, last: to === from ? first : order.idAt(to) };
}

function positionOf({ branch, sequence, offset }: LineId, order: Order): number | undefined {
  return order.positionOf(branch, sequence, offset);
}

function endsText(ends: Ends): string {
  if (!ends) return '*';
  const [first, last] = [lineText(ends.first), lineText(ends.last)];
  return first === last ? first : `${first}:${last}`;
}

function parseEnds(text: string): Ends {
  if (text === '*') return undefined;
  const [first = '', last = first] = text.split(':');
  return { first: parseLine(first), last: parseLine(last) };
}
