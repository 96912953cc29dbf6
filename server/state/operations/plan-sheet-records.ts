import { columnName, columnLimit, parseColumn } from '../../model/address.ts';
import type { Payload } from '../../model/operation.ts';
import type { FilterCriterion } from '../../model/payload-records.ts';
import { canonicalObject, type JsonObject, type JsonValue } from '../../model/plain-json.ts';
import { rangeName } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { lineText } from '../structure/area.ts';
import { findSheet } from '../plan/plan-target.ts';
import {
  findPlaces,
  namedRecord,
  oneArea,
  plainRecord,
  planned,
  putOne,
  recordId,
  type RecordPlace,
} from '../plan/plan-record-target.ts';
import type { PlanContext, Planned } from '../plan/plan.ts';

/** Sets the one filter of a sheet; its criteria refer to columns by id. */
export function planFilterSet(payload: Payload<'filter.set'>, context: PlanContext): Planned {
  const place = oneArea(findPlaces(payload.sheet, [payload.range], context));
  const { sheet, ranges } = place;
  const [range] = ranges;
  if (!range) throw new Error('a filter lies somewhere');
  const target = findSheet(sheet.id, context);
  const seen = new Set<number>();
  const criteria: (FilterCriterion & { readonly position: number })[] = [];
  for (const criterion of payload.criteria ?? []) {
    checkCriterion(criterion);
    const position = target.columns.position(columnPosition(criterion.column));
    if (position === undefined) continue;
    if (position < range.column0 || position > range.column1) {
      throw new Rejection('bad_range', `the filter does not reach column ${criterion.column}`);
    }
    if (seen.has(position)) {
      throw new Rejection('bad_rule', `column ${criterion.column} has two criteria`);
    }
    seen.add(position);
    criteria.push({ ...criterion, position });
  }
  criteria.sort((a, b) => a.position - b.position);
  const stored = criteria.map(({ position, ...criterion }) => {
    return { ...criterion, column: lineText(sheet.columns.idAt(position)) };
  });
  const filter = plainRecord('filter', place, canonicalObject({ criteria: stored }));
  const shown = criteria.map(({ position, ...criterion }) => {
    return { ...criterion, column: columnName(position) };
  });
  const isMoved = place.isMoved || !target.columns.unchanged;
  const moved = { sheet: place.argument, range: rangeName(range), criteria: shown };
  return planned({
    kind: 'filter.set',
    payload: isMoved ? moved : payload,
    change: putOne(filter, undefined),
    place,
    rebased: isMoved,
  });
}

function checkCriterion({ column, ...criterion }: FilterCriterion): void {
  const { values, dates, blanks, conditions, top, dynamic, color, icon } = criterion;
  const isList = values !== undefined || dates !== undefined || blanks !== undefined;
  const count = [isList, conditions, top, dynamic, color, icon].filter(Boolean).length;
  if (count === 1 || (count === 0 && criterion.hideButton === true)) return;
  throw new Rejection(
    'bad_rule',
    `column ${column} needs one of values (with dates and blanks), conditions, top, dynamic, color and icon`,
  );
}

function columnPosition(column: number | string): number {
  const position = typeof column === 'number' ? column - 1 : parseColumn(column);
  if (position !== undefined && position < columnLimit) return position;
  throw new Rejection('outside_grid', `there is no column ${column}`);
}

export function planFilterClear(payload: Payload<'filter.clear'>, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  const isRenamed = sheet.argument !== payload.sheet;
  return planned({
    kind: 'filter.clear',
    payload: isRenamed ? { sheet: sheet.head.id } : payload,
    change: { puts: [], deletes: [`filter/${sheet.head.id}/`] },
    sheet: sheet.head,
    rebased: isRenamed,
  });
}

/** Sets a protection. The maker stays the one who first made it. */
export function planProtectSet(payload: Payload<'protect.set'>, context: PlanContext): Planned {
  const place = payload.ranges ? findPlaces(payload.sheet, payload.ranges, context) : undefined;
  const target = findSheet(place?.sheet.id ?? payload.sheet, context);
  const sheet = target.head;
  const known = namedRecord('protection', payload, context);
  const value = protectionValue(payload, known?.value['by'] ?? payload.by);
  const id = known?.id ?? recordId('protection', payload.id, context);
  const record = plainRecord('protection', { sheet, areas: place?.areas ?? [] }, value, id);
  const isRenamed = !place && target.argument !== payload.sheet;
  return planned({
    kind: 'protect.set',
    payload: respelled(payload, { place, sheetId: isRenamed ? sheet.id : undefined }),
    change: putOne(record, known),
    place,
    sheet,
    resolved: { record: id },
    rebased: isRenamed,
  });
}

function protectionValue(
  { name, who, options = {} }: Payload<'protect.set'>,
  by: JsonValue | undefined,
): JsonObject {
  const said = Object.keys(options).length > 0 ? options : undefined;
  return canonicalObject({ who: [...new Set(who)].sort(), name, options: said, by });
}

function respelled(
  payload: Payload<'protect.set'>,
  { place, sheetId }: { place: RecordPlace | undefined; sheetId: string | undefined },
): Payload<'protect.set'> {
  if (sheetId !== undefined) return { ...payload, sheet: sheetId };
  if (place?.isMoved !== true) return payload;
  return { ...payload, sheet: place.argument, ranges: place.ranges.map(rangeName) };
}

/** Sets an image or a chart; its `spec` is kept unread, for the client that shows it. */
export function planObjectSet(
  type: 'image' | 'chart',
  payload: Payload<'image.set'>,
  context: PlanContext,
): Planned {
  const place = oneArea(findPlaces(payload.sheet, [payload.anchor], context));
  const known = namedRecord(type, payload, context);
  const id = known?.id ?? recordId(type, payload.id, context);
  const record = plainRecord(type, place, canonicalObject({ spec: payload.spec }), id);
  const [range] = place.ranges;
  const anchor = range ? rangeName(range) : payload.anchor;
  return planned({
    kind: `${type}.set`,
    payload: place.isMoved ? { ...payload, sheet: place.argument, anchor } : payload,
    change: putOne(record, known),
    place,
    resolved: { record: id },
  });
}
