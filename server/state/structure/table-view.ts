import { editedSheet, type LinePlan } from './line-steps.ts';
import { LineMap } from './line-map.ts';
import type { LineId } from '../ids/order.ts';
import type { Structure, SheetOutline } from './structure.ts';
import type { TablePlan } from '../plan/table-plan.ts';
import { columnWithId, type StoredTable, type TableList } from './tables.ts';

interface Done {
  /** The structure before the operation. */
  readonly before: Structure;
  readonly plan: TablePlan;
  readonly run: Omit<LineId, 'offset'>;
}

/**
 * Returns the structure that a client sees after its own operation on a table, when others changed
 * the structure in between: with the same edits of lines, and the tables of the head.
 */
export function seenAfterTable(seen: Structure, { before, plan, run }: Done): Structure {
  let structure = seen;
  if (plan.added) structure = structure.add(plan.added, structure.sheets.length);
  for (const lines of plan.lines) {
    const sheet = structure.withId(lines.sheet.id);
    if (sheet) structure = structure.replace(editedSheet(carried(lines, sheet), run));
  }
  if (plan.dropped) structure = structure.remove(plan.dropped.id);
  return structure.withTables(seenTables(seen.tables, before.tables, plan.after.tables));
}

/**
 * Returns the tables as the client sees them. Tables that the operation did not change keep the
 * seen form, because only their names are looked up.
 */
function seenTables(seen: TableList, before: TableList, after: TableList): TableList {
  const gone = before.all.filter(({ id }) => !after.withId(id)).map(({ id }) => id);
  let tables = seen.without(new Set(gone));
  for (const table of after.all) {
    const known = before.withId(table.id);
    if (known !== table) tables = tables.with(seenTable(table, known, seen.withId(table.id)));
  }
  return tables;
}

function seenTable(
  table: StoredTable,
  known: StoredTable | undefined,
  seen: StoredTable | undefined,
): StoredTable {
  if (!known || !seen) return table;
  const name = table.name === known.name ? seen.name : table.name;
  const columns = table.columns.map((column) => {
    const before = columnWithId(known, column.id);
    const isSame = before !== undefined && before.name === column.name;
    return isSame
      ? { ...column, name: columnWithId(seen, column.id)?.name ?? column.name }
      : column;
  });
  // Columns that others dropped still exist for the client.
  const dropped = seen.columns.filter(({ id }) => !columnWithId(known, id));
  return { ...table, name, columns: [...columns, ...dropped] };
}

/** Converts an edit to the positions that the client sees. */
function carried(plan: LinePlan, seen: SheetOutline): LinePlan {
  const map = new LineMap(plan.sheet, seen, plan.axis);
  if (plan.type === 'insert') {
    return { ...plan, sheet: seen, position: map.placeBefore(plan.position) };
  }
  const spans = plan.spans
    .flatMap(({ from, count }) => map.pieces(from, count))
    .map(({ position, length }) => ({ from: position, count: length }));
  if (plan.type === 'move') {
    return { ...plan, sheet: seen, spans, before: map.placeBefore(plan.before) };
  }
  return { ...plan, sheet: seen, spans: spans.toSorted((a, b) => a.from - b.from) };
}
