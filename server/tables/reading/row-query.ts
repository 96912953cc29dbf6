import { Failure } from '../../model/failure.ts';
import { columnNamed, type StoredColumn, type StoredTable } from '../../state/structure/tables.ts';
import { columnNotFound } from './question-faults.ts';
import type { RowLens } from './row-cells.ts';

/** A query for rows of a table. */
export interface RowQuery {
  /** Names of columns; undefined for all. */
  readonly columns: readonly string[] | undefined;
  /** Names of columns; descending after a `-`. */
  readonly order: readonly string[];
  readonly where: string | undefined;
  readonly keys: readonly string[];
  readonly after: string | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly lens: RowLens;
}

export interface OrderedBy {
  readonly column: StoredColumn;
  readonly isDescending: boolean;
}

export function chosenColumns(table: StoredTable, names: RowQuery['columns']): StoredColumn[] {
  if (names === undefined) return [...table.columns];
  return split(table, names).map((name) => find(table, name, '?columns'));
}

export function orderedBy(table: StoredTable, names: readonly string[]): OrderedBy[] {
  return split(table, names).map((written) => {
    const own = columnNamed(table, written);
    if (own) return { column: own, isDescending: false };
    const isDescending = written.startsWith('-');
    const name = /^[+-]/u.test(written) ? written.slice(1) : written;
    return { column: find(table, name, '?order'), isDescending };
  });
}

/** Splits parameters into names, unless the whole is a name. */
export function split(table: StoredTable, names: readonly string[]): string[] {
  return names.flatMap((text) => (columnNamed(table, text) ? [text] : text.split(',')));
}

export function find(table: StoredTable, name: string, pointer: string): StoredColumn {
  const column = columnNamed(table, name.trim());
  if (column) return column;
  const names = table.columns.map((known) => known.name);
  throw columnNotFound(name, { names, pointer });
}

/** Fails for contradictory options of a query. */
export function checkQuery({ after, where, order, keys, offset }: RowQuery): void {
  const isScan = where !== undefined || order.length > 0;
  if (after !== undefined && (isScan || keys.length > 0 || offset > 0)) {
    throw clash('?after', 'after goes on in the order of the table: leave the others out');
  }
  if (keys.length > 0 && isScan) throw clash('?keys', 'keys name the rows: leave the others out');
}

function clash(pointer: string, message: string): Failure {
  return new Failure('invalidRequest', {
    detail: `${pointer}: ${message}.`,
    hint: 'Page through an order or a question with offset.',
    errors: [{ pointer, code: 'not_together', message: `${message}.` }],
  });
}
