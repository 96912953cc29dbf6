import { z } from 'zod';

import { Pace } from '../../branches/pace.ts';
import { readReference, referenceTo, type Place } from '../../branches/place.ts';
import { jsonType, msgpackTypes, ndjsonType, preferred } from '../../http/negotiate.ts';
import { linkTo } from '../../http/next-link.ts';
import { route, type Call, type Reply, type Route } from '../../http/route.ts';
import type { WireInput } from '../../model/input.ts';
import { pages } from '../../model/limits.ts';
import type { Principal } from '../../model/scope.ts';
import type { Environment } from '../../model/environment.ts';
import { valueSchema } from '../../model/value-schema.ts';
import { keyColumnOf } from '../../state/structure/tables.ts';
import { caching, notModified } from '../../values/http.ts';
import { ref, tableParams, tag } from '../http.ts';
import { refSchema } from '../table-view.ts';
import type { TableServices } from '../tables.ts';
import { arrowOf, kindOf, type ArrowColumn } from './row-arrow.ts';
import { rowLenses } from './row-cells.ts';
import { groupRows, groupsAtOnce, groupStretches, valuesOf, type Wanted } from './groups.ts';
import {
  askedGroups,
  checkGrouped,
  isGrouped,
  measuredColumn,
  type ShownColumn,
} from './group-query.ts';
import type { RowReading, RowsRead } from './row-reader.ts';
import { csvOf } from './row-text.ts';
import { wholeRows } from './whole-rows.ts';

export interface RowReadingServices extends TableServices {
  readonly rowReading: RowReading;
  readonly environment: Environment;
}

/** Characters of a page that are written in less than a millisecond, approximately. */
const fewCharacters = 64 * 1024;
const charactersOfOther = 8;

const csvType = 'text/csv';
const arrowType = 'application/vnd.apache.arrow.stream';
const types = [jsonType, ndjsonType, ...msgpackTypes, csvType, arrowType];

const names = z.array(z.string().min(1)).max(1_024).optional();
const measure = z.array(z.string().min(1)).max(100).optional();

const query = z.strictObject({
  ref,
  columns: names.describe('Names, with commas between or repeated; all when left out'),
  order: names.describe(
    'Columns to sort by, descending with a `-` before; of groups also `sum Price` and the like',
  ),
  where: z
    .string()
    .min(1)
    .max(8_192)
    .optional()
    .describe('A formula over the row, such as `AND([@Price]>10,ISNUMBER(SEARCH("tea",[@Name])))`'),
  keys: z.array(z.string()).max(10_000).optional().describe('Only the rows with these keys'),
  after: z.string().min(1).optional().describe('Begins behind the row with this key'),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pages.rowsMost).default(pages.rowsDefault),
  whole: z
    .enum(['true', 'false'])
    .default('false')
    .describe('All rows in one answer, whatever `offset` and `limit` say'),
  as: z
    .enum(['objects', 'lists', 'columns'])
    .default('objects')
    .describe('How JSON and msgpack have rows; `columns` has a list for each column'),
  lens: z.enum(rowLenses).default('value').describe('Texts as shown: `formatted`'),
  escape: z
    .enum(['excel', 'none'])
    .default('none')
    .describe('`excel`: a CSV guards texts that a spreadsheet program would run'),
  group: names.describe('Columns whose values make groups; the answer has `groups` then'),
  count: z
    .array(z.string())
    .max(100)
    .optional()
    .describe('Rows of a group, or, of a column, cells that are not blank'),
  sum: measure.describe('Columns to add up in each group'),
  average: measure.describe('Columns to average'),
  min: measure.describe('Columns whose least number is wanted'),
  max: measure.describe('Columns whose greatest number is wanted'),
  distinct: measure.describe('How many different values there are'),
});

type Query = z.output<typeof query>;
type RowsCall = Call<{ id: string; tid: string }, Query, unknown, Principal>;

const head = {
  ref: refSchema,
  table: z.strictObject({ id: z.string(), name: z.string() }),
  key: z.string().nullable(),
  columns: z.array(z.string()),
  total: z.int().describe('Rows that fit'),
  errors: z.int().optional().describe('Of a question: rows for which it is an error'),
};

const page = z
  .strictObject({
    ...head,
    offset: z.int(),
    limit: z.int(),
    next: z.string().nullable(),
    rows: z.union([
      z.array(z.record(z.string(), valueSchema)),
      z.array(z.array(valueSchema)),
      z.record(z.string(), z.array(valueSchema)).describe('With `as=columns`'),
    ]),
  })
  .meta({ id: 'RowsPage' });

const grouped = z
  .strictObject({
    ...head,
    offset: z.int(),
    limit: z.int(),
    groups: z.array(z.record(z.string(), valueSchema)),
  })
  .meta({ id: 'RowGroups' });

export function rowReadingRoutes(services: RowReadingServices): Route[] {
  return [rowsRoute(services)];
}

function rowsRoute(services: RowReadingServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/tables/:tid/rows',
    scope: 'read',
    tag,
    summary: 'Read rows of a table: pages, by key, ordered, filtered, grouped',
    description:
      'Rows in the order of the table, with calculated columns computed. `group` with `count`, `sum` and their likes answers groups: their members are called `sum Price`.',
    produces: [ndjsonType, csvType, arrowType],
    request: { params: tableParams, query },
    example: { query: 'order=-price&limit=10' },
    responses: {
      200: { description: 'One page, or groups', schema: z.union([page, grouped]) },
    },
    handler: async (call) => {
      const { id } = call.params;
      await services.registry.visible(id, call.principal);
      const place = await services.tables.locate(id, readReference(call.query.ref));
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      if (isGrouped(call.query)) return groupsReply(services, call, place);
      if (call.query.whole === 'true') return wholeReply(services, call, place);
      return pageReply(services, call, place);
    },
  });
}

function wishesOf({ columns, order = [], where, keys = [], after, offset, limit, lens }: Query) {
  return { columns, order, where, keys, after, offset, limit, lens };
}

async function pageReply(
  { rowReading, environment }: RowReadingServices,
  call: RowsCall,
  place: Place,
): Promise<Reply> {
  const read = await rowReading.read(place, call.params.tid, wishesOf(call.query));
  const { seq, rows, columns, date1904 } = read;
  const next = nextPath(call, place, read);
  const { offset, limit } = call.query;
  const header = { ...headOf(place, read), offset, limit, next };
  const cells = rows.length * columns.length;
  const reply = { cells, headers: linkTo(next), ...caching(place, seq) };
  const valuesAt = (at: number) => columnOf(rows, at);
  const few = isShort(rows) ? rows : undefined;
  const shown = { columns, member: 'rows', header, few, date1904, valuesAt } as const;
  const rendering = { ...shown, rows: oneStretch(rows) };
  return { ...reply, ...(await rendered(call, rendering, environment)) };
}

async function wholeReply(
  { rowReading, environment }: RowReadingServices,
  call: RowsCall,
  place: Place,
): Promise<Reply> {
  const wanted = wishesOf(call.query);
  const whole = await rowReading.whole(place, call.params.tid);
  const all = await wholeRows(rowReading, whole, { query: wanted, environment });
  const { table, state } = whole;
  const { columns, total, errorCount } = all;
  const seq = whole.place.seq;
  const header = {
    ...headOf(place, { seq, table, columns, total, errorCount }),
    offset: 0,
    limit: total,
    next: null,
  };
  const reply = { cells: total * columns.length, ...caching(place, seq) };
  const date1904 = state.settings.get('dateSystem') === 1904;
  const { stretches, valuesAt } = all;
  const rendering = {
    columns,
    member: 'rows',
    header,
    rows: stretches,
    date1904,
    valuesAt,
  } as const;
  return { ...reply, ...(await rendered(call, rendering, environment)) };
}

interface Rendering {
  readonly columns: readonly ShownColumn[];
  /** Member of a JSON answer with the rows. */
  readonly member: 'rows' | 'groups';
  readonly header: Readonly<Record<string, unknown>>;
  readonly rows: AsyncIterable<readonly (readonly WireInput[])[]>;
  /** Rows if they are few, which are written at once. */
  readonly few?: readonly (readonly WireInput[])[] | undefined;
  readonly date1904: boolean;
  /** Returns values of a column, from which its type is found. */
  readonly valuesAt: (column: number) => Iterable<WireInput>;
}

/** Renders the rows in the format of the client. */
async function rendered(
  call: RowsCall,
  { columns, member, header, rows, few, date1904, valuesAt }: Rendering,
  environment: Environment,
): Promise<Reply> {
  const titles = columns.map(({ name }) => name);
  const { as, escape } = call.query;
  switch (preferred(call.header('accept'), types)) {
    case csvType: {
      const type = `${csvType}; charset=utf-8; header=present`;
      return { stream: csvOf(titles, rows, escape === 'excel'), type };
    }
    case arrowType: {
      const { lens } = call.query;
      const isText = lens === 'formula' || lens === 'formatted';
      const texts = columns.map(({ name }): ArrowColumn => ({ name, kind: 'text' }));
      const typed = isText
        ? texts
        : await new Pace(environment).run(arrowColumns(columns, valuesAt));
      return { stream: arrowOf(typed, rows, date1904), type: arrowType };
    }
    default: {
      if (as === 'columns') {
        return { lists: { header, member, lists: await byColumns(titles, rows) } };
      }
      const shape: Shape = as === 'lists' ? (row) => row : objectOf(titles);
      const items = few ? few.map(shape) : each(rows, shape);
      return { rows: { header, member, items } };
    }
  }
}

/** Finds the types of columns; untyped ones by their values. */
function* arrowColumns(
  columns: readonly ShownColumn[],
  valuesAt: Rendering['valuesAt'],
): Generator<void, ArrowColumn[]> {
  const typed: ArrowColumn[] = [];
  for (const [at, { name, type = 'any' }] of columns.entries()) {
    typed.push({ name, kind: type === 'any' ? yield* kindOf(valuesAt(at)) : type });
  }
  return typed;
}

function isShort(rows: readonly (readonly WireInput[])[]): boolean {
  let count = 0;
  for (const row of rows) {
    for (const value of row) count += typeof value === 'string' ? value.length : charactersOfOther;
    if (count > fewCharacters) return false;
  }
  return true;
}

function* columnOf(rows: Iterable<readonly WireInput[]>, at: number): Generator<WireInput> {
  for (const row of rows) yield row[at] ?? null;
}

function objectOf(titles: readonly string[]) {
  // A copy has own members of any name, and is faster than a list of entries.
  const blank = Object.fromEntries(titles.map((title) => [title, null]));
  return (row: readonly WireInput[]): Record<string, WireInput> => {
    const object: Record<string, WireInput> = { ...blank };
    for (let at = 0; at < titles.length; at++) object[titles[at] ?? ''] = row[at] ?? null;
    return object;
  };
}

async function* oneStretch<Rows>(rows: Rows): AsyncGenerator<Rows> {
  yield rows;
}

type Shape = (row: readonly WireInput[]) => object;

async function* each(stretches: Rendering['rows'], shape: Shape): AsyncGenerator<object> {
  for await (const stretch of stretches) for (const row of stretch) yield shape(row);
}

async function byColumns(titles: readonly string[], stretches: Rendering['rows']) {
  const lists = titles.map((): WireInput[] => []);
  for await (const stretch of stretches) {
    for (const row of stretch) for (const [at, list] of lists.entries()) list.push(row[at] ?? null);
  }
  return new Map(titles.map((title, at) => [title, lists[at] ?? []]));
}

type Headed = Pick<RowsRead, 'seq' | 'table' | 'columns' | 'total' | 'errorCount'>;

function headOf({ branch }: Place, { seq, table, columns, total, errorCount }: Headed) {
  return {
    ref: { branch, seq },
    table: { id: table.id, name: table.name },
    key: keyColumnOf(table)?.name ?? null,
    columns: columns.map(({ name }) => name),
    total,
    ...(errorCount !== undefined && { errors: errorCount }),
  };
}

/** Makes the path of the next page, pinned to this position so that pages fit together. */
function nextPath(
  { path, queryText, query: { offset, after, limit } }: RowsCall,
  place: Place,
  { seq, hasMore, lastKey, end, rows }: RowsRead,
): string | null {
  if (!hasMore || rows.length === 0) return null;
  const fields = new URLSearchParams(queryText);
  fields.set('ref', referenceTo(place, seq));
  fields.set('limit', String(limit));
  if (after !== undefined && lastKey !== undefined) fields.set('after', lastKey);
  else {
    // After a row without its own key the next page begins by place.
    fields.delete('after');
    fields.set('offset', String(after === undefined ? offset + rows.length : end));
  }
  return `${path}?${fields.toString()}`;
}

async function groupsReply(
  { rowReading, environment }: RowReadingServices,
  call: RowsCall,
  place: Place,
): Promise<Reply> {
  const wish = call.query;
  checkGrouped(wish);
  const whole = await rowReading.whole(place, call.params.tid);
  const { table, state } = whole;
  const asked = askedGroups(table, { ...wish, order: wish.order ?? [] });
  const { rows, errorCount } = await rowReading.matching(whole, { where: wish.where, order: [] });
  const keys = [];
  for (const column of asked.keys) {
    keys.push({ column, values: await rowReading.loadColumn(whole, column) });
  }
  const wanted: Wanted[] = [];
  for (const { measure: name, column } of asked.measures) {
    const values = column && (await rowReading.loadColumn(whole, column));
    wanted.push({ measure: name, column, values });
  }
  const { order } = asked;
  const groups = await new Pace(environment).run(groupRows(rows, { keys, wanted, order }, state));
  const { seq } = whole.place;
  const total = groups.length;
  const isWhole = wish.whole === 'true';
  const { offset, limit } = isWhole ? { offset: 0, limit: total } : wish;
  const about = headOf(place, { seq, table, columns: asked.keys, total, errorCount });
  const end = Math.min(total, offset + limit);
  const valuesAt = function* (column: number): Generator<WireInput> {
    for (let at = offset; at < end; at++) {
      const [group] = groups.slice(at, 1);
      yield group ? (valuesOf(group)[column] ?? null) : null;
    }
  };
  const rendering = {
    columns: [...asked.keys, ...asked.measures.map(measuredColumn)],
    member: 'groups',
    header: { ...about, offset, limit },
    rows: groupStretches(groups, offset, end),
    few: end - offset <= groupsAtOnce ? groups.slice(offset, limit).map(valuesOf) : undefined,
    date1904: state.settings.get('dateSystem') === 1904,
    valuesAt,
  } as const;
  const reply = { cells: rows.length, ...caching(place, seq) };
  return { ...reply, ...(await rendered(call, rendering, environment)) };
}
