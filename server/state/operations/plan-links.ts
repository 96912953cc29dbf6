import type { Payload } from '../../model/operation.ts';
import { canonicalObject } from '../../model/plain-json.ts';
import type { Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { areaOf } from '../structure/area.ts';
import { allAbsolute, plainLocation, respell } from '../records/link-location.ts';
import { placeMember } from './plan-comments.ts';
import {
  checkRoom,
  findPlace,
  oneArea,
  planned,
  type RecordPlace,
} from '../plan/plan-record-target.ts';
import { carried } from './plan-rules.ts';
import type { PlanContext, Planned } from '../plan/plan.ts';
import { without } from '../ids/range-index.ts';
import { onAreas } from '../records/record-ends.ts';
import { formulasOf, relative } from '../records/record-formulas.ts';
import { recordKey, type RecordChange, type StoredRecord } from '../records/stored-record.ts';

/** Schemes whose links run code when opened. */
const dangerous = /^\s*(?:javascript|vbscript|data):/iu;

/** Sets a link and removes its cells from other links, because a cell has one. */
export function planHyperlinkSet(payload: Payload<'hyperlink.set'>, context: PlanContext): Planned {
  const place = oneArea(findPlace(payload, context));
  const link = linkOf(payload, place, context);
  if (link) checkRoom('hyperlink', 1, context);
  const cut = cutAreas('hyperlink', place, context);
  const key = link && recordKey(link);
  const change = {
    puts: [...cut.puts, ...(link ? [link] : [])],
    deletes: cut.deletes.filter((other) => other !== key),
  };
  const location = shownLocation(payload.location, place, context);
  const isRespelled = location !== payload.location;
  const { a1: _cell, range: _range, ...rest } = payload;
  const moved = { ...rest, sheet: place.argument, ...placeMember(payload, place) };
  return planned({
    kind: 'hyperlink.set',
    payload: place.isMoved || isRespelled ? { ...moved, location } : payload,
    change,
    place,
    rebased: isRespelled,
  });
}

/** Plans the change that removes a place from all records of a type. */
export function cutAreas(
  type: 'hyperlink' | 'validation' | 'cf',
  { sheet, ranges }: Pick<RecordPlace, 'sheet' | 'ranges'>,
  { records, head, coding }: PlanContext,
): RecordChange {
  const now = { structure: head, formulas: coding.formulas };
  const found = new Map<string, StoredRecord>();
  for (const range of ranges) {
    for (const record of records.meeting(type, sheet, range)) found.set(recordKey(record), record);
  }
  const puts: StoredRecord[] = [];
  const deletes: string[] = [];
  for (const [key, record] of found) {
    const left = ranges.reduce<readonly Range[]>(
      (rest, cut) => rest.flatMap((range) => without(range, cut)),
      records.rangesOf(record, sheet),
    );
    const parts = left.map((range) => areaOf(sheet, range));
    // A link is identified by its place, so each part becomes a link of its own.
    const split = type === 'hyperlink' ? parts.map((area) => [area]) : [parts];
    const cut = split
      .filter((areas) => areas.length > 0)
      .map((areas) => onAreas(record, areas, now));
    puts.push(...cut);
    if (!cut.some((part) => recordKey(part) === key)) deletes.push(key);
  }
  return { puts, deletes };
}

function linkOf(
  { url, location, tooltip }: Payload<'hyperlink.set'>,
  place: RecordPlace,
  context: PlanContext,
): StoredRecord | undefined {
  const isNamed = [url, location].filter((target) => target !== undefined).length;
  if (isNamed !== 1) throw new Rejection('bad_link', 'give either url or location');
  if (url === null || location === null) return undefined;
  if (url !== undefined && dangerous.test(url)) {
    throw new Rejection('bad_link', `${url.slice(0, 40)} is not an address to open`);
  }
  const target = location === undefined ? undefined : placedLocation(location, place, context);
  const value = canonicalObject({ url, location: target, tooltip });
  const structure = formulasOf(value).length > 0 ? context.head : undefined;
  const [range] = place.ranges;
  if (!range) throw new Error('a record lies somewhere');
  const cell = { row: range.row0, column: range.column0 };
  const { areas, sheet } = place;
  const stored = structure ? relative(value, cell, context.coding.formulas) : value;
  return { type: 'hyperlink', id: '', sheetId: sheet.id, areas, value: stored, structure };
}

/**
 * Turns a location in the workbook into a formula with absolute references, which follows its
 * cells.
 */
function placedLocation(location: string, place: RecordPlace, context: PlanContext): string {
  const { formulas } = context.coding;
  const text = formulaOf(location);
  if (!formulas.check(text).ok) {
    throw new Rejection('bad_link', `${location} is neither a range nor a name`);
  }
  const absolute = respell(text, allAbsolute, formulas);
  const moved = carried({ location: absolute }, place.sheet.id, context)['location'];
  return typeof moved === 'string' ? moved : absolute;
}

/** Removes the `#` in front of an address, but not from `#REF!`. */
function formulaOf(location: string): string {
  return `=${location.replace(/^(?:#(?!REF!)|=)/u, '')}`;
}

/** Spells the location at the head as clients send it: without `=` and dollar signs. */
function shownLocation(
  location: string | null | undefined,
  place: RecordPlace,
  context: PlanContext,
): string | null | undefined {
  if (typeof location !== 'string' || context.base === context.head) return location;
  const { formulas } = context.coding;
  const moved = plainLocation(placedLocation(location, place, context), formulas);
  const sent = plainLocation(formulaOf(location), formulas);
  return moved === sent ? location : moved;
}
