import type { Mutation } from '../../model/mutation.ts';
import { foldName } from '../../model/names.ts';
import type { TableStyle } from '../../model/payload-tables.ts';
import { columnCount, rangeName, rowCount, type Range } from '../../model/range.ts';
import { plainColumn, type ColumnDefinition } from '../../model/table-column.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline, Structure } from './structure.ts';
import type { SectionEntry } from './section.ts';

/** A column of a table, which lies on a column of the sheet. */
export interface StoredColumn extends ColumnDefinition {
  /** `<branch>.<sequence>.<n>`; independent of the column of the sheet. */
  readonly id: string;
  /** The column of the sheet. */
  readonly line: LineId;
}

/** A table by the ids of its rows and columns, so that edits beside it do not change it. */
export interface StoredTable {
  /** `t<branch>.<sequence>.<n>`. */
  readonly id: string;
  readonly name: string;
  readonly sheetId: string;
  /** First and last row of the table, including header and totals. */
  readonly firstRow: LineId;
  readonly lastRow: LineId;
  /** Columns from left to right, without gaps. */
  readonly columns: readonly StoredColumn[];
  /** Id of the key column; undefined for none. */
  readonly key: string | undefined;
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  /** True when the sheet was made for the table, and is deleted with it. */
  readonly ownsSheet: boolean;
  readonly style?: TableStyle;
}

/** A table as `GET …/state` shows it. */
export interface TableSummary {
  readonly id: string;
  readonly name: string;
  /** Name of its sheet. */
  readonly sheet: string;
  readonly sheetId: string;
  readonly range: string;
  readonly keyColumn: string | null;
  readonly schema: { readonly columns: readonly ColumnDefinition[] };
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  readonly style?: TableStyle;
}

/** The tables of a structure, sorted by id. Immutable. */
export class TableList {
  readonly all: readonly StoredTable[];
  /** Tables by id and by folded name; each is made when one is first asked for. */
  #byId: ReadonlyMap<string, StoredTable> | undefined;
  #byName: ReadonlyMap<string, StoredTable> | undefined;

  constructor(all: readonly StoredTable[]) {
    this.all = all;
  }

  /** Reads tables that `entries` gave. */
  static from(entries: Iterable<SectionEntry>): TableList {
    // Only `entries` writes them, and stored content is verified by its hash.
    const tables = [...entries].map(([, entry]) => entry as object as StoredEntry);
    return new TableList(tables.map(readEntry).sort(byId));
  }

  get size(): number {
    return this.all.length;
  }

  withId(id: string): StoredTable | undefined {
    this.#byId ??= new Map(this.all.map((table) => [table.id, table]));
    return this.#byId.get(id);
  }

  named(name: string): StoredTable | undefined {
    this.#byName ??= new Map(this.all.toReversed().map((table) => [foldName(table.name), table]));
    return this.#byName.get(foldName(name));
  }

  /** Finds a table by id or name; ids take precedence. */
  find(idOrName: string): StoredTable | undefined {
    return this.withId(idOrName) ?? this.named(idOrName);
  }

  onSheet(sheetId: string): StoredTable[] {
    return this.all.filter((table) => table.sheetId === sheetId);
  }

  /** Returns a list with some tables added or replaced by id. */
  with(...tables: StoredTable[]): TableList {
    if (tables.length === 0) return this;
    const given = new Map(tables.map((table) => [table.id, table]));
    const all = this.all.map((table) => given.get(table.id) ?? table);
    const added = tables.filter(({ id }) => this.all[placeOf(this.all, id)]?.id !== id);
    for (const table of added) all.splice(placeOf(all, table.id), 0, table);
    return new TableList(all);
  }

  /** Yields the tables that are not the same objects in another list, by id. */
  *unlike(
    other: TableList,
  ): Generator<readonly [StoredTable | undefined, StoredTable | undefined]> {
    const [all, others] = [this.all, other.all];
    for (let at = 0, there = 0; at < all.length || there < others.length;) {
      const [one, two] = [all[at], others[there]];
      const order = one === two ? 0 : orderOf(one, two);
      if (order <= 0) at++;
      if (order >= 0) there++;
      if (one !== two) yield [order <= 0 ? one : undefined, order >= 0 ? two : undefined];
    }
  }

  without(ids: ReadonlySet<string>): TableList {
    return ids.size === 0 ? this : new TableList(this.all.filter(({ id }) => !ids.has(id)));
  }

  /** Yields plain data of each table, sorted by id; equal for equal tables. */
  *entries(): Generator<SectionEntry> {
    for (const table of this.all.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      yield [table.id, writeEntry(table)];
    }
  }

  summaries(structure: Structure): TableSummary[] {
    return this.all.map((table) => {
      const { id, name, sheetId, columns, headerRow, totalsRow, style } = table;
      return {
        id,
        name,
        sheet: structure.withId(sheetId)?.name ?? sheetId,
        sheetId,
        range: rangeName(rangeOf(table, structure)),
        keyColumn: keyColumnOf(table)?.name ?? null,
        schema: { columns: columns.map(plainColumn) },
        headerRow,
        totalsRow,
        ...(style && { style }),
      };
    });
  }

  /** Returns mutations that tell a kernel of all tables. */
  mutations(structure: Structure): Mutation[] {
    return this.all.map((table) => tableMutation(table, structure));
  }
}

export const noTables = new TableList([]);

export function sameLine(a: LineId, b: LineId): boolean {
  return a.offset === b.offset && a.sequence === b.sequence && a.branch === b.branch;
}

export function keyColumnOf({ columns, key }: StoredTable): StoredColumn | undefined {
  return columns.find(({ id }) => id === key);
}

export function columnWithId({ columns }: StoredTable, id: string): StoredColumn | undefined {
  return columns.find((column) => column.id === id);
}

/** Finds a column by its name in any case. */
export function columnNamed({ columns }: StoredTable, name: string): StoredColumn | undefined {
  const folded = foldName(name);
  return columns.find((column) => column.name === name || foldName(column.name) === folded);
}

export function sheetOfTable(table: StoredTable, structure: Structure): SheetOutline {
  const sheet = structure.withId(table.sheetId);
  if (!sheet) throw new Error(`the table ${table.id} has no sheet`);
  return sheet;
}

/** Returns the range of a table; throws if one of its lines is not in the structure. */
export function rangeOf(table: StoredTable, structure: Structure): Range {
  const { rows, columns } = sheetOfTable(table, structure);
  const [first, last] = [table.columns[0], table.columns.at(-1)];
  const at = ({ branch, sequence, offset }: LineId, order = rows) => {
    const position = order.positionOf(branch, sequence, offset);
    if (position === undefined) throw new Error(`the table ${table.id} lies nowhere`);
    return position;
  };
  if (!first || !last) throw new Error(`the table ${table.id} has no columns`);
  return {
    row0: at(table.firstRow),
    column0: at(first.line, columns),
    row1: at(table.lastRow),
    column1: at(last.line, columns),
  };
}

/** Returns the range of the rows between header and totals; it ends before it begins without any. */
export function dataRange(table: StoredTable, range: Range): Range {
  const row0 = range.row0 + Number(table.headerRow);
  return { ...range, row0, row1: range.row1 - Number(table.totalsRow) };
}

export function hasRows(table: StoredTable, structure: Structure): boolean {
  return rowCount(dataRange(table, rangeOf(table, structure))) > 0;
}

export function tableMutation(table: StoredTable, structure: Structure): Mutation {
  const { name, columns, headerRow, totalsRow } = table;
  const range = rangeOf(table, structure);
  return {
    kind: 'tableSet',
    name,
    sheet: sheetOfTable(table, structure).key,
    row: range.row0,
    column: range.column0,
    rowCount: rowCount(range),
    columnCount: columnCount(range),
    columns: columns.map((column) => column.name),
    headerRow,
    totalsRow,
  };
}

/**
 * Returns the mutation that empties a table: the kernel cannot forget one, and shows `#REF!` for
 * one without rows.
 */
export function emptiedMutation(name: string, sheet: SheetOutline): Mutation {
  const size = { row: 1, column: 1, rowCount: 0, columnCount: 0 };
  const rows = { headerRow: false, totalsRow: false };
  return { kind: 'tableSet', name, sheet: sheet.key, ...size, columns: [], ...rows };
}

type StoredLine = readonly [branch: number, sequence: number, offset: number];

interface StoredEntry {
  readonly id: string;
  readonly name: string;
  readonly sheet: string;
  readonly rows: readonly [first: StoredLine, last: StoredLine];
  readonly columns: readonly (readonly [id: string, line: StoredLine, ColumnDefinition])[];
  readonly key: string | null;
  readonly headerRow: boolean;
  readonly totalsRow: boolean;
  readonly ownsSheet: boolean;
  readonly style?: TableStyle;
}

function writeEntry(table: StoredTable): Readonly<Record<string, unknown>> {
  const { id, name, sheetId, firstRow, lastRow, columns, key } = table;
  const entry: StoredEntry = {
    id,
    name,
    sheet: sheetId,
    rows: [writeLine(firstRow), writeLine(lastRow)],
    columns: columns.map((column) => [column.id, writeLine(column.line), plainColumn(column)]),
    key: key ?? null,
    headerRow: table.headerRow,
    totalsRow: table.totalsRow,
    ownsSheet: table.ownsSheet,
    ...(table.style && { style: table.style }),
  };
  return { ...entry };
}

function readEntry(entry: StoredEntry): StoredTable {
  const { sheet: sheetId, rows, columns, key, ...rest } = entry;
  return {
    ...rest,
    sheetId,
    firstRow: readLine(rows[0]),
    lastRow: readLine(rows[1]),
    columns: columns.map(([id, line, column]) => ({ ...column, id, line: readLine(line) })),
    key: key ?? undefined,
  };
}

function writeLine({ branch, sequence, offset }: LineId): StoredLine {
  return [branch, sequence, offset];
}

function readLine([branch, sequence, offset]: StoredLine): LineId {
  return { branch, sequence, offset };
}

function orderOf(a: StoredTable | undefined, b: StoredTable | undefined): number {
  if (!a || !b) return a ? -1 : 1;
  return byId(a, b);
}

/** Returns the index of the first table that does not come before an id. */
function placeOf(tables: readonly StoredTable[], id: string): number {
  const numbers = numbersOf(id);
  let [from, to] = [0, tables.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const table = tables[middle];
    if (table && differenceOf(numbersOf(table.id), numbers) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Compares ids, which gives the order of creation within a branch. */
function byId(a: StoredTable, b: StoredTable): number {
  return differenceOf(numbersOf(a.id), numbersOf(b.id));
}

function differenceOf(numbers: readonly number[], others: readonly number[]): number {
  for (let index = 0; index < numbers.length; index++) {
    const difference = (numbers[index] ?? 0) - (others[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(id: string): number[] {
  return id.slice(1).split('.').map(Number);
}
