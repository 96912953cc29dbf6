import type { Mutation } from '../model/mutation.ts';
import { foldName } from '../model/names.ts';
import type { Payload } from '../model/operation.ts';
import { columnCount, rangeName, rowCount, type Range } from '../model/range.ts';
import { KeyedMap } from './keyed-map.ts';
import { LineMap } from './line-map.ts';
import type { SheetOutline, Structure } from './structure.ts';
import type { TableChange } from './table-carry.ts';
import type { SectionEntry, StoredSection } from './tree/section.ts';

export type TableColumn = NonNullable<Payload<'table.create'>['schema']>['columns'][number];

/** Where a table lies and what its columns are, in the addresses of one moment. */
export interface TableShape {
  /** With header and totals rows. */
  readonly range: Range;
  /** One a column of the range. */
  readonly columns: readonly TableColumn[];
  readonly keyColumn: string | undefined;
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
}

export interface StoredTable extends TableShape {
  /** `t<branch>.<sequence>.0`. */
  readonly id: string;
  readonly name: string;
  readonly sheetId: string;
}

/** A table as GET state shows it. */
export interface TableSummary {
  readonly id: string;
  readonly name: string;
  /** Id of its sheet. */
  readonly sheet: string;
  readonly range: string;
  readonly keyColumn: string | null;
  readonly schema: { readonly columns: readonly TableColumn[] };
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
}

/** The tables of a branch; immutable in its entries, always in the addresses of the head. */
export class TableList {
  #tables = new KeyedMap<StoredTable>();

  copy(): TableList {
    const copy = new TableList();
    copy.#tables = this.#tables.copy();
    return copy;
  }

  get size(): number {
    return this.#tables.size;
  }

  named(name: string): StoredTable | undefined {
    const folded = foldName(name);
    for (const table of this.#tables.values()) if (foldName(table.name) === folded) return table;
    return undefined;
  }

  /** The table that shares cells with a range. */
  meeting(sheetId: string, range: Range): StoredTable | undefined {
    for (const table of this.#tables.values()) {
      if (table.sheetId === sheetId && overlap(table.range, range)) return table;
    }
    return undefined;
  }

  /** In the order of their creation, which is in their ids. */
  list(): StoredTable[] {
    return [...this.#tables.values()].sort((a, b) => byCreation(a.id, b.id));
  }

  summaries(): TableSummary[] {
    return this.list().map(({ id, name, sheetId, range, keyColumn, columns, ...rows }) => ({
      id,
      name,
      sheet: sheetId,
      range: rangeName(range),
      keyColumn: keyColumn ?? null,
      schema: { columns },
      headerRow: rows.headerRow,
      totalsRow: rows.totalsRow,
    }));
  }

  add(table: StoredTable, sheet: SheetOutline): Mutation {
    this.#tables.set(table.id, table);
    return tableMutation(table, sheet);
  }

  /** Follows an edit of the rows or columns of a sheet; a table that lost all of them is gone. */
  follow(before: SheetOutline, after: SheetOutline): Mutation[] {
    const mutations: Mutation[] = [];
    for (const table of this.list()) {
      if (table.sheetId !== after.id) continue;
      const carried = carryTable(table, before, after);
      if (carried === table) continue;
      if (carried) this.#tables.set(table.id, carried);
      else this.#tables.delete(table.id);
      mutations.push(carried ? tableMutation(carried, after) : emptied(table, after));
    }
    return mutations;
  }

  /** Puts tables where the cells they lie on have gone. */
  replace(changes: readonly TableChange[]): Mutation[] {
    return changes.map(({ before, after, sheet }) => {
      if (after) return this.add(after, sheet);
      this.#tables.delete(before.id);
      return emptied(before, sheet);
    });
  }

  /** To be applied before the sheet goes. */
  dropSheet(sheet: SheetOutline): Mutation[] {
    const gone = this.list().filter(({ sheetId }) => sheetId === sheet.id);
    for (const { id } of gone) this.#tables.delete(id);
    return gone.map((table) => emptied(table, sheet));
  }

  *entries(): Generator<SectionEntry> {
    for (const table of this.list().sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const { id, name, sheetId, range, columns, keyColumn, headerRow, totalsRow } = table;
      const { row0, column0, row1, column1 } = range;
      const place = { row0, column0, row1, column1 };
      yield [
        id,
        { id, name, sheetId, range: place, columns: [...columns], keyColumn, headerRow, totalsRow },
      ];
    }
  }

  static from({ entries }: StoredSection): TableList {
    const tables = new TableList();
    for (const [id, table] of entries) tables.#tables.set(id, table as StoredTable);
    return tables;
  }

  /** What tells a kernel of all of them. */
  mutations(structure: Structure): Mutation[] {
    return this.list().flatMap((table) => {
      const sheet = structure.withId(table.sheetId);
      return sheet ? [tableMutation(table, sheet)] : [];
    });
  }
}

function byCreation(a: string, b: string): number {
  const [left, right] = [a.slice(1).split('.').map(Number), b.slice(1).split('.').map(Number)];
  for (const [at, number] of left.entries()) {
    if (number !== right[at]) return number - (right[at] ?? 0);
  }
  return 0;
}

function tableMutation(table: StoredTable, sheet: SheetOutline): Mutation {
  const { name, range, columns, headerRow, totalsRow } = table;
  return {
    kind: 'tableSet',
    name,
    sheet: sheet.key,
    row: range.row0,
    column: range.column0,
    rowCount: rowCount(range),
    columnCount: columnCount(range),
    columns: columns.map((column) => column.name),
    headerRow,
    totalsRow,
  };
}

/** The kernel forgets no table; one without rows is `#REF!` wherever it is named. */
function emptied({ name }: StoredTable, sheet: SheetOutline): Mutation {
  const size = { row: 1, column: 1, rowCount: 0, columnCount: 0 };
  const rows = { headerRow: false, totalsRow: false };
  return { kind: 'tableSet', name, sheet: sheet.key, ...size, columns: [], ...rows };
}

/** A table after an edit of its sheet's rows and columns; undefined when nothing of it is left. */
export function carryTable<Table extends TableShape>(
  table: Table,
  before: SheetOutline,
  after: SheetOutline,
): Table | undefined {
  const { range } = table;
  const rowMap = new LineMap(before, after, 'row');
  const columnMap = new LineMap(before, after, 'column');
  const rows = rowMap.range(range.row0, range.row1);
  const columns = columnMap.range(range.column0, range.column1);
  if (!rows || !columns) return undefined;
  const moved = { row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] };
  const headerRow = table.headerRow && rowMap.position(range.row0) === moved.row0;
  const totalsRow = table.totalsRow && rowMap.position(range.row1) === moved.row1;
  const isSame =
    rangeName(moved) === rangeName(range) &&
    columnMap.unchanged &&
    headerRow === table.headerRow &&
    totalsRow === table.totalsRow;
  if (isSame) return table;
  const carried = columnMap.unchanged ? table.columns : carryColumns(table, columnMap, moved);
  const hasKey = carried.some(({ name }) => name === table.keyColumn);
  const keyColumn = hasKey ? table.keyColumn : undefined;
  return { ...table, range: moved, columns: carried, keyColumn, headerRow, totalsRow };
}

/** Columns that came in between get names of their own. */
function carryColumns({ range, columns }: TableShape, map: LineMap, moved: Range): TableColumn[] {
  const kept = new Map<number, TableColumn>();
  for (const [index, column] of columns.entries()) {
    const position = map.position(range.column0 + index);
    if (position !== undefined) kept.set(position, column);
  }
  const names = new ColumnNames([...kept.values()].map(({ name }) => name));
  return Array.from({ length: columnCount(moved) }, (_, index) => {
    return kept.get(moved.column0 + index) ?? { name: names.fresh(`Column${index + 1}`) };
  });
}

/** Makes names of columns that differ in more than case. */
export class ColumnNames {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken.map(foldName));
  }

  /** The name, with a number behind it if it is taken. */
  fresh(name: string): string {
    let free = name;
    for (let count = 2; this.#taken.has(foldName(free)); count++) free = `${name}${count}`;
    this.#taken.add(foldName(free));
    return free;
  }
}

function overlap(a: Range, b: Range): boolean {
  return a.row0 <= b.row1 && b.row0 <= a.row1 && a.column0 <= b.column1 && b.column0 <= a.column1;
}
