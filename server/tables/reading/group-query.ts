import { Failure } from '../../model/failure.ts';
import { foldName } from '../../model/names.ts';
import type { StoredColumn, StoredTable } from '../../state/structure/tables.ts';
import { measures, type GroupOrder, type Measure } from './groups.ts';
import { columnNotFound } from './question-faults.ts';
import { find, split, type RowQuery } from './row-query.ts';

/** A query for groups of rows: names of columns by measure. */
export type GroupQuery = Readonly<
  Partial<Record<Measure | 'group', readonly string[] | undefined>>
>;

export interface AskedMeasure {
  readonly measure: Measure;
  /** Measured column; undefined for a count of rows. */
  readonly column: StoredColumn | undefined;
  /** Name of its member in the answer, such as `sum Price`. */
  readonly title: string;
}

/** The groups of a query. */
export interface AskedGroups {
  readonly keys: readonly StoredColumn[];
  readonly measures: readonly AskedMeasure[];
  readonly order: readonly GroupOrder[];
}

export function isGrouped(asked: GroupQuery): boolean {
  return asked.group !== undefined || measures.some((name) => asked[name] !== undefined);
}

export function askedGroups(
  table: StoredTable,
  query: GroupQuery & Pick<RowQuery, 'order'>,
): AskedGroups {
  const keys = split(table, query.group ?? []).map((name) => find(table, name, '?group'));
  const asked = measures.flatMap((measure) =>
    split(table, query[measure] ?? []).map((text): AskedMeasure => {
      if (text === '') return { measure, column: undefined, title: measure };
      const column = find(table, text, `?${measure}`);
      return { measure, column, title: `${measure} ${column.name}` };
    }),
  );
  const titles = [...keys.map(({ name }) => name), ...asked.map(({ title }) => title)];
  const order = query.order
    .flatMap((text) => (placeOf(titles, text) === undefined ? text.split(',') : [text]))
    .map((text): GroupOrder => {
      const { at, isDescending } = orderedPlace(titles, text.trim());
      return at < keys.length
        ? { of: 'key', at, isDescending }
        : { of: 'measure', at: at - keys.length, isDescending };
    });
  return { keys, measures: asked, order };
}

function orderedPlace(titles: readonly string[], text: string) {
  const own = placeOf(titles, text);
  if (own !== undefined) return { at: own, isDescending: false };
  const name = /^[+-]/u.test(text) ? text.slice(1) : text;
  const at = placeOf(titles, name);
  if (at === undefined) throw columnNotFound(name, { names: titles, pointer: '?order' });
  return { at, isDescending: text.startsWith('-') };
}

function placeOf(titles: readonly string[], text: string): number | undefined {
  const at = titles.findIndex((title) => foldName(title) === foldName(text));
  return at < 0 ? undefined : at;
}

/** Options of rows that groups always have, in any format. */
const plain: Readonly<Record<string, string>> = { as: 'objects', lens: 'value' };

/** Fails for options of rows in a query for groups. */
export function checkGrouped(query: GroupQuery & Readonly<Record<string, unknown>>): void {
  const misplaced =
    ['columns', 'keys', 'after'].find((name) => query[name] !== undefined) ??
    Object.keys(plain).find((name) => (query[name] ?? plain[name]) !== plain[name]);
  if (misplaced === undefined) return;
  const message = 'It says something of rows or their columns, and groups are asked for.';
  throw new Failure('invalidRequest', {
    detail: `?${misplaced}: ${message}`,
    hint: 'Choose rows of groups with where, and page through groups with offset and limit.',
    errors: [{ pointer: `?${misplaced}`, code: 'not_together', message }],
  });
}

/** A column of an answer. */
export type ShownColumn = Pick<StoredColumn, 'name' | 'type'>;

/** Returns the name and type of a measure: counts are integers, and extremes of dates are dates. */
export function measuredColumn({ measure: name, column, title }: AskedMeasure): ShownColumn {
  if (name === 'count' || name === 'distinct') return { name: title, type: 'integer' };
  const isOwn = name === 'min' || name === 'max';
  const own = isOwn && (column?.type === 'date' || column?.type === 'datetime');
  return { name: title, type: own ? column.type : 'number' };
}
