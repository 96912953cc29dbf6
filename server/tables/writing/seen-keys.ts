import type { WireInput } from '../../model/input.ts';
import { Failure } from '../../model/failure.ts';
import { foldName } from '../../model/names.ts';
import { isRowList } from '../../model/payload-tables.ts';
import type { RowBatch, RowsOptions } from '../../model/row-writes.ts';
import { readColumnValue, type ColumnDefinition } from '../../model/table-column.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { RejectedRow } from '../../state/plan/row-counts.ts';
import type { StoredTable } from '../../state/structure/tables.ts';
import { keyColumnOf } from '../../state/structure/tables.ts';
import { cellOf, readColumn } from '../../state/tables/table-cells.ts';
import { extentOf } from '../../state/tables/table-extent.ts';

const rowsBetweenPauses = 256;

/** The settings by which the keys of rows are read. */
export interface KeyReading {
  /** Columns from left to right. */
  readonly columns: readonly ColumnDefinition[];
  readonly key: ColumnDefinition;
  readonly date1904: boolean;
}

/**
 * The keys of rows that come in many operations: none of them may stand twice in all of it. Of an
 * import, what the table has besides goes.
 */
export class SeenKeys {
  readonly #reading: KeyReading;
  readonly #options: RowsOptions;
  readonly #keys = new Set<string | number>();

  constructor(reading: KeyReading, options: RowsOptions) {
    this.#reading = reading;
    this.#options = options;
  }

  /** Takes the keys of some rows, and finds those that rows before them had. */
  *add({ index, columns, rows }: RowBatch): Generator<void, readonly RejectedRow[]> {
    const { key, columns: all } = this.#reading;
    const listed = columns ?? this.#options.columns ?? all.map(({ name }) => name);
    const place = listed.findIndex((name) => foldName(name) === foldName(key.name));
    const repeated: RejectedRow[] = [];
    // The operation finds those that stand twice among these.
    const fresh: (string | number)[] = [];
    for (const [at, row] of rows.entries()) {
      if (at % rowsBetweenPauses === 0) yield;
      const wire = isRowList(row) ? row[place] : memberOf(row, key.name);
      const value = wire === undefined ? undefined : this.#valueOf(wire);
      if (value === undefined) continue;
      if (!this.#keys.has(value)) fresh.push(value);
      else repeated.push(repeatedRow(index + at, key.name, wire ?? null));
    }
    for (const [at, value] of fresh.entries()) {
      if (at % rowsBetweenPauses === 0) yield;
      this.#keys.add(value);
    }
    return repeated;
  }

  /** Keys of the table that were not among them. */
  *others(state: BranchState, table: StoredTable): Generator<void, (string | number)[]> {
    const others: (string | number)[] = [];
    for (const stretch of keysOf(table, state)) {
      for (const { key } of stretch) {
        if (key !== undefined && !this.#keys.has(key)) others.push(key);
      }
      yield;
    }
    return others;
  }

  /** Returns the value as a cell of the key column would hold it; undefined for what is no key. */
  #valueOf(wire: WireInput): string | number | undefined {
    const { key, date1904 } = this.#reading;
    const read = readColumnValue(wire, key, { raw: this.#options.raw === true, date1904 });
    if (typeof read === 'string') return undefined;
    const { input } = read;
    return typeof input === 'string' || typeof input === 'number' ? input : undefined;
  }
}

const stretchRows = 1_024;

interface KeyAt {
  /** Row in the sheet, counted from 0. */
  readonly row: number;
  /** Key of the row; undefined where it has none. */
  readonly key: string | number | undefined;
}

/** The keys of all rows of a table, stretch by stretch; none of the blank row of an empty one. */
function* keysOf(table: StoredTable, state: BranchState): Generator<KeyAt[], void> {
  const column = keyColumnOf(table);
  const { sheet, data, rowCount } = extentOf(table, state);
  if (!column || rowCount === 0) return;
  for (let row0 = data.row0; row0 <= data.row1; row0 += stretchRows) {
    const row1 = Math.min(data.row1, row0 + stretchRows - 1);
    const range = { ...data, row0, row1 };
    const cells = readColumn(state.cellsOf(sheet), sheet, { column: column.line, range });
    yield Array.from({ length: row1 - row0 + 1 }, (_, at) => {
      const value = state.coding.constant(cellOf(cells, at));
      const isKey = typeof value === 'number' || typeof value === 'string';
      return { row: row0 + at, key: isKey ? value : undefined };
    });
  }
}

const untoldMost = 20;

/** Positions in the sheet of rows that their keys do not tell: the first few of each kind. */
export interface UntoldRows {
  readonly unkeyed: readonly number[];
  /** Rows whose key an earlier one has. */
  readonly repeated: readonly number[];
}

export function* untoldRows(state: BranchState, table: StoredTable): Generator<void, UntoldRows> {
  const keys = new Set<string | number>();
  const [unkeyed, again]: [number[], number[]] = [[], []];
  for (const stretch of keysOf(table, state)) {
    for (const { row, key } of stretch) {
      if (key === undefined) unkeyed.push(row);
      else if (keys.has(key)) again.push(row);
      else keys.add(key);
    }
    if (unkeyed.length >= untoldMost) break;
    yield;
  }
  return { unkeyed: unkeyed.slice(0, untoldMost), repeated: again.slice(0, untoldMost) };
}

function memberOf(row: Readonly<Record<string, WireInput>>, name: string): WireInput | undefined {
  if (row[name] !== undefined) return row[name];
  const written = Object.keys(row).find((member) => foldName(member) === foldName(name));
  return written === undefined ? undefined : row[written];
}

function repeatedRow(row: number, column: string, key: WireInput): RejectedRow {
  return { row, key, column, code: 'key_repeated', message: 'An earlier row has this key.' };
}

export function keyRepeated({ row, column, code, message }: RejectedRow): Failure {
  return new Failure('tableRefused', {
    detail: `Row ${row} repeats the key of an earlier one.`,
    hint: 'Send each key once, or onInvalid: skip to leave such rows out.',
    errors: [{ pointer: `/rows/${row}/${column}`, code, message }],
  });
}
