import { columnLimit, rowLimit } from '../../model/address.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { OperationKind } from '../../model/operation.ts';
import type { JsonObject } from '../../model/plain-json.ts';
import { columnCount, rangeName, rowCount, type Range } from '../../model/range.ts';
import { recordIdPrefixes, type NamedRecordType } from '../../model/record.ts';
import { Rejection } from '../../model/rejection.ts';
import { areaOf, followArea, rangeOf, type Area } from '../structure/area.ts';
import type { LineMap } from '../structure/line-map.ts';
import { lineChanges } from '../structure/structure-history.ts';
import { findCell } from './plan-target.ts';
import { allDeleted, areasText, findRange, resolveAreas, type SheetTarget } from './plan-target.ts';
import type { PlanContext, Planned, RecordPlan } from './plan.ts';
import type { Resolved } from './resolved.ts';
import {
  recordKey,
  type RecordChange,
  type StoredRecord,
  type StoredType,
} from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** The place of a record at the head, including lines that were inserted between its ends. */
export interface RecordPlace {
  readonly sheet: SheetOutline;
  /** Ranges in the addresses of the head. */
  readonly ranges: readonly Range[];
  readonly areas: readonly Area[];
  /**
   * Ranges as submitted, in the addresses of the base. Formulas are relative to the first cell of
   * the first range.
   */
  readonly sent: readonly Range[];
  /** The sheet argument to journal. */
  readonly argument: string;
  /** True when the place reads differently at the head. */
  readonly isMoved: boolean;
  readonly clipped: readonly string[];
}

interface PlacePayload {
  readonly sheet?: string | undefined;
  readonly a1?: string | undefined;
  readonly range?: string | undefined;
}

/**
 * Carries ranges of one sheet to the head, as edits since the base would have carried a record
 * there.
 */
export function findPlaces(
  sheet: string | undefined,
  texts: readonly string[],
  context: PlanContext,
): RecordPlace {
  const targets = texts.map((text) => findRange({ sheet, range: text }, context));
  const [first] = targets;
  if (!first) throw new Rejection('bad_range', 'give at least one range');
  const ranges: Range[] = [];
  const clipped: string[] = [];
  for (const { sheet: found, areas } of targets) {
    if (found.head.id !== first.sheet.head.id) {
      throw new Rejection('bad_range', `${texts.join(', ')} are on several sheets`);
    }
    const move = moverOf(found, context);
    for (const area of areas) {
      const moved = move(area);
      if (moved) ranges.push(moved);
      else clipped.push(rangeName(area));
    }
  }
  if (ranges.length === 0) throw allDeleted(clipped);
  if (ranges.length > limits.areasPerRange) {
    throw new Rejection('range_too_large', `at most ${limits.areasPerRange} areas`);
  }
  const sent = targets.flatMap(({ areas }) => areas);
  const isRenamed = targets.some((target) => target.isRenamed);
  const isMoved = isRenamed || areasText(ranges) !== areasText(sent);
  return placeOf(first.sheet, ranges, { isMoved, clipped, sent });
}

/** Finds the place of a record with one cell (`a1`) or one range. */
export function findPlace(payload: PlacePayload, context: PlanContext): RecordPlace {
  const { a1, range, sheet } = payload;
  if ((a1 === undefined) === (range === undefined)) {
    throw new Rejection('position_missing', 'give either a1 or range');
  }
  if (a1 !== undefined) return findOneCell({ a1, sheet }, context);
  return oneArea(findPlaces(sheet, [range ?? ''], context));
}

export function oneArea(place: RecordPlace): RecordPlace {
  if (place.ranges.length + place.clipped.length === 1) return place;
  throw new Rejection('bad_range', 'give one rectangle of cells');
}

export function findOneCell(
  { a1, sheet: argument }: { readonly a1: string; readonly sheet?: string | undefined },
  context: PlanContext,
): RecordPlace {
  const { sheet, isRenamed, ...at } = findCell(a1, argument, context);
  const row = sheet.rows.position(at.row);
  const column = sheet.columns.position(at.column);
  if (row === undefined || column === undefined) throw allDeleted([a1]);
  const range = cellRange({ row, column });
  const isMoved = isRenamed || row !== at.row || column !== at.column;
  return placeOf(sheet, [range], { isMoved, clipped: [], sent: [cellRange(at)] });
}

function placeOf(
  { head, argument }: SheetTarget,
  ranges: readonly Range[],
  about: Pick<RecordPlace, 'isMoved' | 'clipped' | 'sent'>,
): RecordPlace {
  const areas = ranges.map((range) => areaOf(head, range));
  return { sheet: head, ranges, areas, argument: argument ?? head.id, ...about };
}

function cellRange({ row, column }: { row: number; column: number }): Range {
  return { row0: row, row1: row, column0: column, column1: column };
}

/** Returns what carries areas of the base to the head: undefined for one that is gone. */
function moverOf(sheet: SheetTarget, context: PlanContext): (range: Range) => Range | undefined {
  if (sheet.unchanged) return (range) => range;
  const steps = context.stepsSince();
  if (!steps) return (range) => mappedRange(sheet, range);
  const { base, head } = sheet;
  if (steps.some(({ structure }) => !structure.withId(base.id))) return () => undefined;
  const { branch } = context.next();
  const changes = steps.flatMap((step) => lineChanges(step, base.id, branch));
  return (range) => {
    let area: Area | undefined = areaOf(base, range);
    for (const change of changes) area = area && followArea(area, change);
    return area && rangeOf(area, head);
  };
}

function mappedRange({ rows, columns }: SheetTarget, range: Range): Range | undefined {
  const across = moveLines(rows, [range.row0, range.row1], rowCount(range) === rowLimit);
  const down = moveLines(
    columns,
    [range.column0, range.column1],
    columnCount(range) === columnLimit,
  );
  if (!across || !down) return undefined;
  return { row0: across[0], row1: across[1], column0: down[0], column1: down[1] };
}

function moveLines(
  map: LineMap,
  [from, to]: readonly [number, number],
  isWhole: boolean,
): readonly [number, number] | undefined {
  return isWhole ? [from, to] : map.range(from, to);
}

/** Returns the id of a record: the given one, or one that no other operation can make. */
export function recordId(
  type: NamedRecordType,
  given: string | undefined,
  context: PlanContext,
): string {
  return madeId(recordIdPrefixes[type], given, context);
}

export function madeId(prefix: string, given: string | undefined, context: PlanContext): string {
  const { branch, sequence } = context.next();
  if (given === undefined) return `${prefix}${branch}.${sequence}.0`;
  const made = /^[a-z]+(\d+)\.(\d+)\.\d+$/u.exec(given);
  const isFuture = made && Number(made[1]) === branch && Number(made[2]) >= sequence;
  if (!isFuture) return given;
  throw new Rejection('bad_id', `${given} is an id that the service may give to another record`);
}

/** Returns the record that a payload names; undefined when it names none or a missing one. */
export function namedRecord(
  type: NamedRecordType,
  { id }: { readonly id?: string | undefined },
  context: PlanContext,
): StoredRecord | undefined {
  const known = id === undefined ? undefined : context.records.withId(type, id, context.head);
  if (!known) checkRoom(type, 1, context);
  return known;
}

/** Returns the record with an id; throws a rejection when there is none. */
export function knownRecord(type: StoredType, id: string, context: PlanContext): StoredRecord {
  const record = context.records.withId(type, id, context.head);
  if (record) return record;
  throw new Rejection('record_not_found', `there is no ${type} ${id}`);
}

export function checkRoom(type: StoredType, count: number, context: PlanContext): void {
  if (context.records.count(type) + count <= limits.recordCount) return;
  throw new Rejection('too_many_records', `a workbook has at most ${limits.recordCount} of those`);
}

interface Outcome {
  readonly kind: OperationKind;
  readonly payload: unknown;
  readonly change: RecordChange;
  /** Left out for an operation that names its record by id. */
  readonly place?: RecordPlace | undefined;
  /** The sheet of a record named by id, for checking its protection. */
  readonly sheet?: SheetOutline | undefined;
  readonly resolved?: Resolved;
  readonly rebased?: boolean;
  readonly part?: string;
}

export function planned(outcome: Outcome): Planned {
  const { kind, payload, place, resolved = {}, rebased = false } = outcome;
  const sheet = place?.sheet ?? outcome.sheet;
  const where = place && { areas: resolveAreas(place.sheet, place.ranges) };
  return {
    plan: recordPlan(outcome, sheet),
    kind,
    payload,
    resolved: { ...(sheet && { sheet: sheet.id }), ...resolved, ...where },
    rebased: rebased || place?.isMoved === true,
    clipped: place?.clipped ?? [],
  };
}

function recordPlan({ change, place, part }: Outcome, sheet: SheetOutline | undefined): RecordPlan {
  const areas = place && { areas: place.ranges };
  return { type: 'records', change, sheet, ...areas, ...(part !== undefined && { part }) };
}

/** Returns the change that puts one record and deletes the one that it replaces. */
export function putOne(record: StoredRecord, known: StoredRecord | undefined): RecordChange {
  const key = recordKey(record);
  const old = known && recordKey(known);
  return { puts: [record], deletes: old === undefined || old === key ? [] : [old] };
}

/** A record without formulas. */
export function plainRecord(
  type: StoredType,
  place: Pick<RecordPlace, 'sheet' | 'areas'>,
  value: JsonObject,
  id = '',
): StoredRecord {
  const { sheet, areas } = place;
  return { type, id, sheetId: sheet.id, areas, value, structure: undefined };
}
