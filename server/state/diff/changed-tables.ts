import { plainColumn } from '../../model/table-column.ts';
import {
  columnWithId,
  keyColumnOf,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';
import { Carrier } from '../carrier.ts';
import type { RunList } from './run-list.ts';
import { isSame } from '../compare/merged-members.ts';
import { changeOf, type Change, type Sides } from './sides.ts';
import { changedRows, type ChangedRows } from './table-rows.ts';

/**
 * One changed member of a table or column. Without one of the sides, the column was added or
 * dropped.
 */
export interface SchemaChange {
  readonly op:
    | 'rename'
    | 'key'
    | 'rows'
    | 'column.add'
    | 'column.drop'
    | 'column.rename'
    | 'column.alter'
    | 'column.move';
  readonly column: string | undefined;
  readonly was: unknown;
  readonly is: unknown;
}

export interface ChangedTable {
  readonly change: Change;
  readonly id: string;
  readonly was: StoredTable | undefined;
  readonly is: StoredTable | undefined;
  readonly schema: readonly SchemaChange[];
  readonly rows: ChangedRows;
}

/** Compares the tables of a sheet by id; a table that moved is reported on its new sheet. */
export function* changedTables(
  sides: Sides,
  sheetId: string,
  runs: RunList,
): Generator<void, ChangedTable[]> {
  const { from, to } = sides;
  const found: ChangedTable[] = [];
  for (const id of tableIds(sides, sheetId)) {
    // Each looks at the changed cells of the sheet, and there may be thousands of tables.
    yield;
    const [was, is] = [from.tables.withId(id), to.tables.withId(id)];
    if (was?.sheetId !== sheetId && is?.sheetId !== sheetId) continue;
    const schema = was && is ? schemaChanges(was, is, new Carrier(from, to)) : [];
    const rows = yield* changedRows(sides, { was, is }, { sheetId, runs });
    if (was && is && schema.length + rows.length === 0) continue;
    found.push({ change: changeOf(was, is), id, was, is, schema, rows });
  }
  return found;
}

function tableIds({ from, to }: Sides, sheetId: string): string[] {
  const here = to.tables.onSheet(sheetId).map(({ id }) => id);
  const gone = from.tables.onSheet(sheetId).filter(({ id }) => !to.tables.withId(id));
  return [...here, ...gone.map(({ id }) => id)];
}

function schemaChanges(was: StoredTable, is: StoredTable, carrier: Carrier): SchemaChange[] {
  if (was === is) return [];
  return [
    ...tableChanges(was, is),
    ...is.columns.flatMap((column) => columnChanges(column, { was, carrier })),
    ...droppedColumns(was, is),
    ...movedColumns(was, is),
  ];
}

function tableChanges(was: StoredTable, is: StoredTable): SchemaChange[] {
  const faces = [was, is].map((table) => ({
    rename: table.name,
    key: keyColumnOf(table)?.name ?? null,
    rows: { headerRow: table.headerRow, totalsRow: table.totalsRow },
  }));
  const [before, after] = faces;
  const changes: SchemaChange[] = [];
  for (const op of ['rename', 'key', 'rows'] as const) {
    if (op === 'key' && was.key === is.key) continue;
    const [old, now] = [before?.[op], after?.[op]];
    if (isSame(old, now)) continue;
    changes.push({ op, column: undefined, was: old, is: now });
  }
  return changes;
}

function droppedColumns(was: StoredTable, is: StoredTable): SchemaChange[] {
  return was.columns
    .filter(({ id }) => !is.columns.some((column) => column.id === id))
    .map((column) => {
      const { name } = column;
      return { op: 'column.drop', column: name, was: plainColumn(column), is: undefined };
    });
}

function columnChanges(
  column: StoredColumn,
  { was, carrier }: { readonly was: StoredTable; readonly carrier: Carrier },
): SchemaChange[] {
  const { name } = column;
  const before = columnWithId(was, column.id);
  if (!before) {
    return [{ op: 'column.add', column: name, was: undefined, is: plainColumn(column) }];
  }
  const changes: SchemaChange[] = [];
  if (before.name !== name) {
    changes.push({ op: 'column.rename', column: name, was: before.name, is: name });
  }
  const formula = before.formula && carrier.carry(before.formula, was.sheetId);
  const carried = plainColumn({ ...before, name, ...(formula !== undefined && { formula }) });
  if (JSON.stringify(carried) !== JSON.stringify(plainColumn(column))) {
    const [old, now] = [plainColumn(before), plainColumn(column)];
    changes.push({ op: 'column.alter', column: name, was: old, is: now });
  }
  return changes;
}

/** Reports columns of both sides whose order changed. */
function movedColumns(was: StoredTable, is: StoredTable): SchemaChange[] {
  const shared = (table: StoredTable, other: StoredTable) => {
    return table.columns.filter(({ id }) => other.columns.some((column) => column.id === id));
  };
  const [before, after] = [shared(was, is), shared(is, was)];
  if (before.every(({ id }, index) => after[index]?.id === id)) return [];
  const names = (columns: readonly StoredColumn[]) => columns.map(({ name }) => name);
  return [{ op: 'column.move', column: undefined, was: names(before), is: names(after) }];
}
