import { Pace } from '../../branches/pace.ts';
import type { Environment } from '../../model/environment.ts';
import type { WireInput } from '../../model/input.ts';
import type { StoredColumn } from '../../state/structure/tables.ts';
import { valueAt, type ColumnValues } from './column-values.ts';
import { chosenColumns, type RowQuery } from './row-query.ts';
import type { RowReading, Whole } from './row-reader.ts';

/** All matching rows, in stretches. */
export interface AllRows {
  readonly columns: readonly StoredColumn[];
  readonly total: number;
  readonly errorCount: number | undefined;
  readonly stretches: AsyncIterable<readonly (readonly WireInput[])[]>;
  /** Returns a column of these rows, before the first row is sent. */
  readonly valuesAt: (column: number) => Iterable<WireInput>;
}

const stretchRows = 2_048;

/** Reads a whole table: columns first, at nine bytes a cell, and then row by row. */
export async function wholeRows(
  reading: RowReading,
  whole: Whole,
  { query, environment }: { query: RowQuery; environment: Environment },
): Promise<AllRows> {
  const columns = chosenColumns(whole.table, query.columns);
  const { rows, errorCount } = await reading.matching(whole, query);
  const found = { columns, total: rows.length, errorCount };
  if (query.lens !== 'value') {
    const stretches = entered(reading, whole, { columns, rows, query });
    return { ...found, stretches, valuesAt: () => [] };
  }
  const loaded: ColumnValues[] = [];
  for (const column of columns) loaded.push(await reading.loadColumn(whole, column));
  const rowAt = (row: number): WireInput[] =>
    loaded.map((values) => valueAt(values, row, whole.state));
  return {
    ...found,
    stretches: computed(rows, rowAt, environment),
    *valuesAt(at) {
      const values = loaded[at];
      if (!values) return;
      for (const row of rows) yield valueAt(values, row, whole.state);
    },
  };
}

async function* computed(
  rows: Uint32Array,
  rowAt: (row: number) => WireInput[],
  environment: Environment,
): AsyncGenerator<WireInput[][]> {
  const pace = new Pace(environment);
  for (let at = 0; at < rows.length; at += stretchRows) {
    yield Array.from(rows.subarray(at, at + stretchRows), rowAt);
    if (pace.isDue) await pace.rest();
  }
}

async function* entered(
  reading: RowReading,
  whole: Whole,
  { columns, rows, query }: { columns: StoredColumn[]; rows: Uint32Array; query: RowQuery },
): AsyncGenerator<readonly (readonly WireInput[])[]> {
  const size = Math.max(1, Math.floor((stretchRows * 8) / Math.max(8, columns.length)));
  for (let at = 0; at < rows.length; at += size) {
    const { row0 } = whole.extent.data;
    const positions = Array.from(rows.subarray(at, at + size), (row) => row0 + row);
    yield await reading.rowsOf(whole, { positions, columns, lens: query.lens });
  }
}
