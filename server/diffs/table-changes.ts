import { Failure } from '../model/failure.ts';
import type { WireInput } from '../model/input.ts';
import type { StateDiff } from '../state/diff/diff.ts';
import type { Change, Sides } from '../state/diff/sides.ts';
import { noChangedRows, type ChangedRow, type ChangedRows } from '../state/diff/table-rows.ts';
import { keyColumnOf, type StoredTable } from '../state/structure/tables.ts';
import { shownSchemaChanges } from './object-entries.ts';

/** The change of one row. */
export interface ShownRow {
  readonly key: WireInput;
  readonly change: Change;
  readonly before: Readonly<Record<string, WireInput>> | null;
  readonly after: Readonly<Record<string, WireInput>> | null;
  readonly columns: readonly string[];
}

export interface TableChanges {
  readonly table: string;
  readonly name: string;
  readonly key: string | null;
  readonly change: Change | null;
  readonly schema: ReturnType<typeof shownSchemaChanges>;
  readonly rows: ChangedRows;
}

/** The table of an id or a name on either side. */
export function findTable({ from, to }: Sides, idOrName: string): StoredTable {
  const found = to.tables.find(idOrName) ?? from.tables.find(idOrName);
  if (found) return found;
  throw new Failure('notFound', {
    detail: `Neither position has a table called ${idOrName.slice(0, 100)}.`,
    hint: 'GET the state of the branch for its tables.',
  });
}

export function tableChanges({ sheets }: StateDiff, table: StoredTable): TableChanges {
  const changed = sheets.flatMap(({ tables }) => tables).find(({ id }) => id === table.id);
  return {
    table: table.id,
    name: table.name,
    key: keyColumnOf(table)?.name ?? null,
    change: changed?.change ?? null,
    schema: shownSchemaChanges(changed?.schema ?? []),
    rows: changed?.rows ?? noChangedRows,
  };
}

/** Each is read when it is sent: a page of thousands has turns for others in between. */
export function* shownRows(rows: readonly ChangedRow[]): Generator<ShownRow> {
  for (const row of rows) yield shownRow(row);
}

export function shownRow({ change, read }: ChangedRow): ShownRow {
  const { key, before = null, after = null, columns } = read();
  return { key, change, before, after, columns };
}
