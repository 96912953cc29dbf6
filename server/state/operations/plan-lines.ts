import { columnLimit, parseColumn, rowLimit } from '../../model/address.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { OperationKind, Payload } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import type { LineMap } from '../structure/line-map.ts';
import { formattedLanes } from '../plan/inherit-lines.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import { formatsOf, type PlanContext, type Planned } from '../plan/plan.ts';
import type { LineSpan } from '../structure/line-span.ts';
import { findSheet, type SheetTarget } from '../plan/plan-target.ts';
import { flatten } from '../plan/resolved.ts';
import { limitOf, orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';

type Line = number | string;
type InsertPayload = Payload<'rows.insert'> | Payload<'cols.insert'>;
/** A payload that names rows or columns; table rows by key are planned in `state/tables`. */
export type LinesDelete = Exclude<Payload<'rows.delete'>, { table: string }>;
type DeletePayload = LinesDelete | Payload<'cols.delete'>;
type MovePayload = Payload<'rows.move'> | Payload<'cols.move'>;
type SpansPayload = Pick<DeletePayload | MovePayload, 'from' | 'count' | 'spans'>;

/** Reads a row number, or the letters or number of a column, as an index from 0. */
function parseLine(line: Line, axis: Axis): number {
  const position = typeof line === 'number' ? line - 1 : parseColumn(line);
  const limit = limitOf(axis);
  if (position !== undefined && position >= 0 && position < limit) return position;
  throw new Rejection('outside_grid', `there is no ${axis} ${line}`);
}

function kindOf(axis: Axis, action: 'insert' | 'delete' | 'move'): OperationKind {
  return axis === 'row' ? `rows.${action}` : `cols.${action}`;
}

function mapOf(sheet: SheetTarget, axis: Axis): LineMap {
  return axis === 'row' ? sheet.rows : sheet.columns;
}

/** Plans an insertion before the line of the base, or at its former place if it is gone. */
export function planInsert(axis: Axis, payload: InsertPayload, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  const count = payload.count ?? 1;
  const map = mapOf(sheet, axis);
  const { submitted, position } = insertionPlace(payload, axis, map);
  checkRoom(axis, { position, count }, (from) => context.isFilledFrom(sheet.head, axis, from));
  const inherit = neighbourOf(payload, { axis, sheet: sheet.head, position });
  if (inherit) checkInherited({ axis, sheet: sheet.head, count, inherit }, context);
  const rebased = position !== submitted || sheet.argument !== payload.sheet;
  const kept = payload.inherit === undefined ? {} : { inherit: payload.inherit };
  const moved = { sheet: sheet.argument, before: position + 1, count, ...kept };
  const anchor = orderOf(sheet.head, axis).idAt(position);
  return {
    plan: { type: 'insert', axis, sheet: sheet.head, position, count, inherit },
    kind: kindOf(axis, 'insert'),
    payload: rebased ? moved : payload,
    resolved: {
      sheet: sheet.head.id,
      before: [anchor.branch, anchor.sequence, anchor.offset],
      ...(inherit && { inherit: [inherit.branch, inherit.sequence, inherit.offset] }),
    },
    rebased,
    clipped: [],
  };
}

/** Returns the neighbour from which new lines take formats and size. */
function neighbourOf(
  { inherit = 'before' }: InsertPayload,
  { axis, sheet, position }: { axis: Axis; sheet: SheetOutline; position: number },
): LineId | undefined {
  const order = orderOf(sheet, axis);
  if (inherit === 'after') return order.idAt(position);
  return inherit === 'before' && position > 0 ? order.idAt(position - 1) : undefined;
}

function checkInherited(
  edit: { axis: Axis; sheet: SheetOutline; count: number; inherit: LineId },
  context: PlanContext,
): void {
  const { axis, count } = edit;
  if (count * (axis === 'row' ? columnLimit : rowLimit) <= limits.cellsPerFill) return;
  const cells = edit.count * formattedLanes(formatsOf(context, edit.sheet), edit);
  if (cells <= limits.cellsPerFill) return;
  const why = `the new ${edit.axis}s would get formats in ${cells} cells`;
  throw new Rejection('range_too_large', `${why}; insert fewer, or with inherit none`);
}

function insertionPlace({ before, after }: InsertPayload, axis: Axis, map: LineMap) {
  if ((before === undefined) === (after === undefined)) {
    throw new Rejection('position_missing', 'give either before or after');
  }
  const line = parseLine(before ?? after ?? 0, axis);
  return before === undefined
    ? { submitted: line + 1, position: map.placeAfter(line) }
    : { submitted: line, position: map.placeBefore(line) };
}

/** Throws a rejection unless the lines that are pushed off the end of the sheet are blank. */
export function checkRoom(
  axis: Axis,
  { position, count }: { position: number; count: number },
  isFilledFrom: (position: number) => boolean,
): void {
  const limit = limitOf(axis);
  if (position >= limit) throw new Rejection('outside_grid', `that is after the last ${axis}`);
  if (count <= limit - position && !isFilledFrom(Math.max(position, limit - count))) return;
  throw new Rejection('grid_full', `there is no room for ${count} more ${axis}s`);
}

export function submittedSpans(payload: SpansPayload, axis: Axis): LineSpan[] {
  const { from, count, spans } = payload;
  if ((from === undefined) === (spans === undefined)) {
    throw new Rejection('position_missing', 'give either from or spans');
  }
  const given = spans ?? [{ from: from ?? 0, count }];
  const parsed = given.map((span) => ({
    from: parseLine(span.from, axis),
    count: span.count ?? 1,
  }));
  const sorted = parsed.toSorted((a, b) => a.from - b.from);
  let next = 0;
  for (const span of sorted) {
    if (span.from < next) throw new Rejection('bad_range', 'the spans overlap');
    next = span.from + span.count;
  }
  if (next > limitOf(axis)) throw new Rejection('outside_grid', `that is after the last ${axis}`);
  // The order matters for a move: lines end up in the order of the spans.
  return parsed;
}

interface MappedLines {
  readonly submitted: readonly LineSpan[];
  readonly spans: readonly LineSpan[];
  readonly ids: readonly IdSpan[];
}

export function mapLines(
  sheet: SheetTarget,
  axis: Axis,
  submitted: readonly LineSpan[],
): MappedLines {
  const map = mapOf(sheet, axis);
  const order = orderOf(sheet.head, axis);
  const spans: LineSpan[] = [];
  const ids: IdSpan[] = [];
  for (const { from, count } of submitted) {
    for (const { position, length } of map.pieces(from, count)) {
      spans.push({ from: position, count: length });
      for (const span of order.spansAt(position, length)) ids.push(span);
    }
  }
  return { submitted, spans, ids };
}

function sameSpans(a: readonly LineSpan[], b: readonly LineSpan[]): boolean {
  if (a.length !== b.length) return false;
  return a.every(({ from, count }, at) => {
    const other = b[at];
    return other?.from === from && other.count === count;
  });
}

/** Spells the spans for the journal, if they differ from those sent. */
export function respelledSpans(spans: readonly LineSpan[], submitted: readonly LineSpan[]) {
  return sameSpans(spans, submitted) ? undefined : spansMember(spans);
}

/** Spells spans as members of a payload. */
function spansMember(spans: readonly LineSpan[]) {
  const [first] = spans;
  if (first && spans.length === 1) return { from: first.from + 1, count: first.count };
  return { spans: spans.map(({ from, count }) => ({ from: from + 1, count })) };
}

/** Plans a deletion; lines that are gone are skipped, and lines inserted in between are kept. */
export function planDelete(axis: Axis, payload: DeletePayload, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  const submitted = submittedSpans(payload, axis);
  const { spans, ids } = mapLines(sheet, axis, submitted);
  const sorted = spans.toSorted((a, b) => a.from - b.from);
  const isGone = sorted.length === 0;
  const rebased = !isGone && (!sameSpans(sorted, submitted) || sheet.argument !== payload.sheet);
  return {
    plan: { type: 'delete', axis, sheet: sheet.head, spans: sorted },
    kind: kindOf(axis, 'delete'),
    payload: rebased ? { sheet: sheet.argument, ...spansMember(sorted) } : payload,
    resolved: { sheet: sheet.head.id, lines: flatten(ids) },
    rebased,
    clipped: [],
  };
}

export function planMove(axis: Axis, payload: MovePayload, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  const submitted = submittedSpans(payload, axis);
  const { spans, ids } = mapLines(sheet, axis, submitted);
  if (spans.length === 0) {
    throw new Rejection('target_deleted', `the ${axis}s to move were deleted`);
  }
  const line = parseLine(payload.before, axis);
  const before = targetOutside(mapOf(sheet, axis).placeBefore(line), spans);
  if (before >= limitOf(axis)) {
    throw new Rejection('outside_grid', `that is after the last ${axis}`);
  }
  const isRespelled = !sameSpans(spans, submitted) || before !== line;
  const rebased = isRespelled || sheet.argument !== payload.sheet;
  const anchor = orderOf(sheet.head, axis).idAt(before);
  return {
    plan: { type: 'move', axis, sheet: sheet.head, spans, before },
    kind: kindOf(axis, 'move'),
    payload: rebased
      ? { sheet: sheet.argument, ...spansMember(spans), before: before + 1 }
      : payload,
    resolved: {
      sheet: sheet.head.id,
      lines: flatten(ids),
      before: [anchor.branch, anchor.sequence, anchor.offset],
    },
    rebased,
    clipped: [],
  };
}

/**
 * Returns the target of a move, or the first line after the moved ones if the target is one of
 * them.
 */
function targetOutside(position: number, spans: readonly LineSpan[]): number {
  const inside = spans.find(({ from, count }) => position >= from && position < from + count);
  if (!inside || spans.length === 1) return position;
  return targetOutside(inside.from + inside.count, spans);
}
