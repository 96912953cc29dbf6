import { recordIdPrefixes, recordTypes } from '../../model/record.ts';
import { rangeOf } from '../structure/area.ts';
import { orderOf, orderOn } from '../records/format-order.ts';
import { checkRoom } from '../plan/plan-record-target.ts';
import type { PlanContext } from '../plan/plan.ts';
import { asWritten, mapFormulas, relative } from '../records/record-formulas.ts';
import type { RecordChange, StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

/** Copies the records of a sheet to a copy of it. `renamed` rewrites formulas to name the copy. */
export function recordsOfCopy(
  source: SheetOutline,
  renamed: (formula: string) => string,
  context: PlanContext,
): StoredRecord[] {
  const { branch, sequence } = context.next();
  const sheetId = `s${branch}.${sequence}.0`;
  const ids = new Map<string, string>();
  const copies: StoredRecord[] = [];
  for (const type of recordTypes) {
    const prefix = recordIdPrefixes[type];
    const own = context.records.on(type, source);
    if (own.length > 0) checkRoom(type, own.length, context);
    for (const record of own) {
      const id = prefix === undefined ? '' : `${prefix}${branch}.${sequence}.${ids.size}`;
      if (prefix !== undefined) ids.set(record.id, id);
      const value = valueOfCopy(record, renamed, { source, context });
      if (value) copies.push({ ...record, id, sheetId, value, former: undefined });
    }
  }
  const order = orderOn(source, context).flatMap((id) => ids.get(id) ?? []);
  return order.length === 0 ? copies : [...copies, ...orderOf(sheetId, order).puts];
}

/**
 * Returns the value for the copy; undefined for a record outside the grid, which has no first cell.
 */
function valueOfCopy(
  record: StoredRecord,
  renamed: (formula: string) => string,
  { source, context }: { source: SheetOutline; context: PlanContext },
): StoredRecord['value'] | undefined {
  const { head, coding } = context;
  if (!record.structure) return record.value;
  const [area] = record.areas;
  const range = area && rangeOf(area, source);
  if (!range) return undefined;
  const text = mapFormulas(asWritten(record, head, coding.formulas), renamed);
  return relative(text, { row: range.row0, column: range.column0 }, coding.formulas);
}

/** Sets the structure under which the formulas of copied records are stored. */
export function writtenIn(copies: readonly StoredRecord[], structure: Structure): RecordChange {
  const puts = copies.map((copy) => (copy.structure ? { ...copy, structure } : copy));
  return { puts, deletes: [] };
}
