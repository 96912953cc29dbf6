import { foldName } from '../../model/names.ts';
import type { Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { suggest } from '../../model/schema/suggest.ts';
import { pushSpan, type IdSpan, type LineId } from '../ids/order.ts';
import { leaveCell, type PlanContext, type Planned } from '../plan/plan.ts';
import { flatten, type FlatSpans, type Resolved, type ResolvedArea } from '../plan/resolved.ts';
import { writeCounts, type RowCounts } from '../plan/row-counts.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { TablePlan, TableWrite } from '../plan/table-plan.ts';
import {
  columnNamed,
  dataRange,
  rangeOf,
  sheetOfTable,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';
import type { OperationKind } from '../../model/operation.ts';

/** A table that an operation names: as its client saw it, and as it is. */
export interface TableTarget {
  readonly seen: StoredTable;
  readonly table: StoredTable;
  readonly sheet: SheetOutline;
  /** Range with header and totals. */
  readonly range: Range;
  readonly data: Range;
  /**
   * Table argument to journal: the sent one, or the id where that name means nothing, or another
   * table, now.
   */
  readonly argument: string;
}

export function findTable(argument: string, { base, head }: PlanContext): TableTarget {
  const seen = base.tables.find(argument);
  if (!seen) {
    const why = head.tables.find(argument) ? ' at baseSeq' : '';
    throw new Rejection('table_not_found', `there is no table ${argument}${why}`);
  }
  const table = head.tables.withId(seen.id);
  if (!table) throw new Rejection('target_deleted', `the table ${seen.name} was dropped`);
  const range = rangeOf(table, head);
  return {
    seen,
    table,
    sheet: sheetOfTable(table, head),
    range,
    data: dataRange(table, range),
    argument: head.tables.find(argument)?.id === table.id ? argument : table.id,
  };
}

export interface ColumnTarget {
  readonly column: StoredColumn;
  /** Place in the table. */
  readonly index: number;
  /** True when it has another name than its client saw. */
  readonly isRenamed: boolean;
}

/** A column by the name that the client saw; undefined when it was dropped since. */
export function seekColumn({ seen, table }: TableTarget, name: string): ColumnTarget | undefined {
  const column = columnNamed(seen, name);
  if (!column) {
    const why = columnNamed(table, name) ? ' at baseSeq' : guess(seen, name);
    throw new Rejection('column_not_found', `${seen.name} has no column ${name}${why}`);
  }
  const index = table.columns.findIndex(({ id }) => id === column.id);
  const found = table.columns[index];
  return found && { column: found, index, isRenamed: foldName(found.name) !== foldName(name) };
}

function guess({ columns }: StoredTable, written: string): string {
  const names = columns.map(({ name }) => name);
  const meant = suggest(written, names);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

export function findColumn(target: TableTarget, name: string): ColumnTarget {
  const found = seekColumn(target, name);
  if (found) return found;
  throw new Rejection('target_deleted', `the column ${target.seen.name}[${name}] was dropped`);
}

export function isKeyColumn({ key }: StoredTable, { id }: StoredColumn): boolean {
  return key === id;
}

/** Beginning of the names that a table's schema has in the footprints of strict submissions. */
export function schemaName({ id }: StoredTable): string {
  return `table ${id} `;
}

/** Name of a column in those footprints: its id outlives its name. */
export function columnSchemaName(table: StoredTable, { id }: StoredColumn): string {
  return `${schemaName(table)}column ${id}`;
}

export function plannedTable(
  plan: TablePlan,
  operation: { readonly kind: OperationKind; readonly payload: unknown },
  about: {
    readonly resolved: Resolved;
    readonly rebased: boolean;
    readonly clipped?: readonly string[];
    readonly rows?: RowCounts;
  },
): Planned {
  const { resolved, rebased, clipped = [], rows } = about;
  const wrote = resolved.wrote || operation.kind.startsWith('rows.') ? [] : writtenAreas(plan);
  const written = wrote.length > 0 ? { ...resolved, wrote } : resolved;
  const planned = { plan, ...operation, rebased, clipped };
  if (!rows) return { ...planned, resolved: written };
  return { ...planned, rows, resolved: { ...written, counts: writeCounts(rows) } };
}

/** Returns the areas that a plan writes, by identity. */
export function writtenAreas({ writes, fills }: TablePlan): ResolvedArea[] {
  const filled = fills.map(({ sheet, column, row, rowCount }) => ({
    rows: flatten(sheet.rows.spansAt(row, rowCount)),
    columns: flatIds([column.id]),
  }));
  return [...writes.flatMap(writtenColumns), ...filled];
}

/** Columns of which the same rows are written make one area. */
function writtenColumns({ rows, columns, tags }: TableWrite): ResolvedArea[] {
  const groups = new Map<string, { rows: FlatSpans; columns: LineId[] }>();
  for (const [index, { id }] of columns.entries()) {
    const written = rows.filter((_, row) => tags[row * columns.length + index] !== leaveCell);
    const flat = flatIds(written.map((row) => row.id));
    const group = groups.get(flat.join()) ?? { rows: flat, columns: [] };
    group.columns.push(id);
    groups.set(flat.join(), group);
  }
  return [...groups.values()]
    .filter((group) => group.rows.length > 0)
    .map((group) => ({ rows: group.rows, columns: flatIds(group.columns) }));
}

function flatIds(ids: readonly LineId[]): FlatSpans {
  const spans: IdSpan[] = [];
  for (const { branch, sequence, offset } of ids) {
    pushSpan(spans, { branch, sequence, offset, length: 1 });
  }
  return flatten(spans);
}
