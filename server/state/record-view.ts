import { columnLimit, columnName } from '../model/address.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { JsonObject, JsonValue } from '../model/plain-json.ts';
import { rangeName } from '../model/range.ts';
import { isRecordType, type RecordType } from '../model/record.ts';
import { parseLine, rangeOf } from './area.ts';
import { orderOn } from './format-order.ts';
import { withPlainLocation } from './plan-links.ts';
import { shown } from './record-formulas.ts';
import type { Records } from './records.ts';
import type { StoredRecord } from './stored-record.ts';
import type { SheetOutline, Structure } from './structure.ts';

/** A record as people read it, in the addresses of one moment. */
export interface RecordView {
  readonly type: RecordType;
  /** Null for those that are known by where they lie. */
  readonly id: string | null;
  /** Id of its sheet. */
  readonly sheet: string;
  /** Null for what belongs to the sheet as a whole, or is pushed off its end. */
  readonly ranges: readonly string[] | null;
  /** What an operation that makes it says beside its place. */
  readonly value: JsonObject;
}

export interface ViewContext {
  readonly records: Records;
  readonly structure: Structure;
  readonly formulas: FormulaService;
}

/** All records, by type, sheet and id; conditional formats of a sheet by their priority. */
export function* viewRecords(context: ViewContext): Generator<RecordView> {
  const priorities = prioritiesOf(context);
  for (const record of context.records.sorted()) {
    const sheet = context.structure.withId(record.sheetId);
    const view = sheet && viewOf(record, sheet, { ...context, priorities });
    if (view) yield view;
  }
}

interface PrioritizedContext extends ViewContext {
  readonly priorities: ReadonlyMap<string, number>;
}

function viewOf(
  record: StoredRecord,
  sheet: SheetOutline,
  { structure, formulas, priorities }: PrioritizedContext,
): RecordView | undefined {
  const { type, id, areas } = record;
  if (!isRecordType(type)) return undefined;
  const ranges = areas.flatMap((area) => rangeOf(area, sheet) ?? []);
  const value = withPlainLocation(shown(record, structure, formulas), formulas);
  return {
    type,
    id: id === '' ? null : id,
    sheet: sheet.id,
    ranges: ranges.length === 0 ? null : ranges.map(rangeName),
    value: withPriority(withColumns(value, sheet), type, priorities.get(id)),
  };
}

/** Of each conditional format, from 1 on each sheet. */
function prioritiesOf({ records, structure }: ViewContext): ReadonlyMap<string, number> {
  const priorities = new Map<string, number>();
  for (const sheet of structure.sheets) {
    for (const [index, id] of orderOn(sheet, { records }).entries()) priorities.set(id, index + 1);
  }
  return priorities;
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
    return [{ column: columnName(position), ...rest }];
  });
  return { ...value, criteria: shownCriteria };
}
