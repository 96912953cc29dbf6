import { columnLimit, columnName } from '../../model/address.ts';
import type { FormulaService } from '../../model/formula-service.ts';
import { canonicalObject, type JsonObject, type JsonValue } from '../../model/plain-json.ts';
import { overlaps, rangeName, type Range } from '../../model/range.ts';
import { recordTypes, type RecordType } from '../../model/record.ts';
import { parseLine, rangeOf } from '../structure/area.ts';
import { orderOn } from './format-order.ts';
import { withPlainLocation } from './link-location.ts';
import { shown } from './record-formulas.ts';
import type { Records } from './records.ts';
import type { StoredRecord } from './stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/** A record as people read it, in the addresses of one moment. */
export interface RecordView {
  readonly type: RecordType;
  /** Null for those that are known by where they lie. */
  readonly id: string | null;
  /** Id of its sheet. */
  readonly sheet: string;
  /** Null for what belongs to the sheet as a whole; none while it is pushed off its end. */
  readonly ranges: readonly string[] | null;
  /** The record's members, as the operation that makes it has them beside its place. */
  readonly value: JsonObject;
}

export interface ViewContext {
  readonly records: Records;
  readonly structure: Structure;
  readonly formulas: FormulaService;
}

/** Selects records: a member that is left out selects all. */
export interface RecordFilter {
  readonly types?: ReadonlySet<string> | undefined;
  readonly sheetId?: string | undefined;
  /** Areas of the sheet, one of which a record has to touch. */
  readonly areas?: readonly Range[] | undefined;
}

/** A record that was asked for; what it says is read when it is looked at. */
export interface FoundRecord {
  readonly view: () => RecordView;
}

/** Records by type, sheet, and place or age. */
export function* findRecords(
  { records, structure, formulas }: ViewContext,
  filter: RecordFilter = {},
): Generator<FoundRecord> {
  const types = recordTypes.filter((type) => filter.types?.has(type) ?? true);
  for (const type of types) {
    for (const sheet of structure.sheets) {
      if (filter.sheetId !== undefined && filter.sheetId !== sheet.id) continue;
      const priorities = new Map(
        orderOn(sheet, { records }).map((id, index) => [id, index + 1] as const),
      );
      const own = records.on(type, sheet).filter((record) => isAskedFor(record, sheet, filter));
      for (const record of inOrder(own, sheet)) {
        yield { view: () => viewOf(record, type, { sheet, structure, formulas, priorities }) };
      }
    }
  }
}

export function* viewRecords(context: ViewContext): Generator<RecordView> {
  for (const { view } of findRecords(context)) yield view();
}

/** One record; undefined when its sheet or its type is not to be seen. */
export function viewRecord(record: StoredRecord, context: ViewContext): RecordView | undefined {
  const { structure, records } = context;
  const sheet = structure.withId(record.sheetId);
  const type = recordTypes.find((one) => one === record.type);
  if (!sheet || !type) return undefined;
  const order = orderOn(sheet, { records });
  const priorities = new Map(order.map((id, index) => [id, index + 1] as const));
  return viewOf(record, type, { ...context, sheet, priorities });
}

/** Sorts records by their ids, which count upwards; those without ids from top to bottom. */
function inOrder(records: readonly StoredRecord[], sheet: SheetOutline): StoredRecord[] {
  const sortable = records.map((record) => {
    const [area] = record.areas;
    const range = area && rangeOf(area, sheet);
    const numbers =
      record.id === ''
        ? [range?.row0 ?? 0, range?.column0 ?? 0]
        : (record.id.match(/\d+/gu) ?? []).map(Number);
    return { record, numbers };
  });
  sortable.sort((a, b) => comparedNumbers(a.numbers, b.numbers));
  return sortable.map(({ record }) => record);
}

function comparedNumbers(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? 0);
}

function isAskedFor({ areas }: StoredRecord, sheet: SheetOutline, filter: RecordFilter): boolean {
  if (!filter.areas) return true;
  const own = areas.flatMap((area) => rangeOf(area, sheet) ?? []);
  return filter.areas.some((range) => own.some((other) => overlaps(range, other)));
}

interface SheetContext {
  readonly sheet: SheetOutline;
  readonly structure: Structure;
  readonly formulas: FormulaService;
  /** Priority of each conditional format, from 1. */
  readonly priorities: ReadonlyMap<string, number>;
}

function viewOf(
  record: StoredRecord,
  type: RecordType,
  { sheet, structure, formulas, priorities }: SheetContext,
): RecordView {
  const { id, areas } = record;
  const ranges = areas.flatMap((area) => rangeOf(area, sheet) ?? []);
  const value = withPlainLocation(shown(record, structure, formulas), formulas);
  return {
    type,
    id: id === '' ? null : id,
    sheet: sheet.id,
    ranges: areas.length === 0 ? null : ranges.map(rangeName),
    value: withPriority(withColumns(value, sheet), type, priorities.get(id)),
  };
}

function withPriority(
  value: JsonObject,
  type: RecordType,
  priority: number | undefined,
): JsonObject {
  return type === 'cf' && priority !== undefined ? { ...value, priority } : value;
}

/** Criteria of a filter keep their columns by identity and show letters. */
function withColumns(value: JsonObject, { columns }: SheetOutline): JsonObject {
  const { criteria } = value;
  if (!Array.isArray(criteria)) return value;
  const shownCriteria = criteria.flatMap((criterion: JsonValue) => {
    const { column, ...rest } = criterion as JsonObject;
    if (typeof column !== 'string') return [];
    const { branch, sequence, offset } = parseLine(column);
    const position = columns.positionOf(branch, sequence, offset);
    if (position === undefined || position >= columnLimit) return [];
    return [canonicalObject({ column: columnName(position), ...rest })];
  });
  return { ...value, criteria: shownCriteria };
}
