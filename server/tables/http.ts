import { z } from 'zod';

import { expectedHead, type NamedBranch } from '../branches/http.ts';
import { positionTag, readReference } from '../branches/place.ts';
import { jsonType, msgpackTypes } from '../http/negotiate.ts';
import { checkKey } from '../http/repeat.ts';
import { route, type Call, type Route } from '../http/route.ts';
import { Failure } from '../model/failure.ts';
import { isBranchName, referenceName } from '../model/reference.ts';
import type { RowsFormat } from '../model/row-writes.ts';
import type { Principal } from '../model/scope.ts';
import { readTablesAt, type Tables, type TableServices } from './tables.ts';
import { alterBody, createBody } from './schema-body.ts';
import { refSchema, tableSchema } from './table-view.ts';

export const tag = 'Tables';
export const params = z.strictObject({ id: z.string() });
export const tableParams = params.extend({ tid: z.string() });
export const branchParams = params.extend({
  branch: z.string().refine(isBranchName, 'not the name of a branch'),
});
export const branchTableParams = branchParams.extend({ tid: z.string() });
export const ref = z
  .string()
  .default('main')
  .describe('`branch`, `branch@seq` for an older position, `commit:<tag>` or `merge:<id>`');

export const writerName = createBody.shape.writer.describe('What the client calls itself');

export const csvType = 'text/csv';

/** Returns the format of rows for a media type. */
export function formatOf(mediaType: string): RowsFormat {
  if (mediaType === csvType) return 'csv';
  if (mediaType === jsonType) return 'json';
  return msgpackTypes.includes(mediaType) ? 'msgpack' : 'ndjson';
}

const tableId = 'Id or name of the table';

export function tableRoutes(services: TableServices): Route[] {
  return [
    createRoute(services),
    listRoute(services),
    getRoute(services),
    alterRoute(services),
    dropRoute(services),
  ];
}

type WritingCall = Pick<
  Call<unknown, unknown, unknown, Principal>,
  'header' | 'principal' | 'keyed'
>;

/** Returns branch, writer and idempotency key of a call. */
export async function writing(
  tables: Pick<Tables, 'isFirstOfName'>,
  { header, principal, keyed }: WritingCall,
  { writer, ...named }: NamedBranch & { readonly writer?: string | undefined },
) {
  const key = header('idempotency-key');
  if (key !== undefined) checkKey(key);
  return {
    ...named,
    principalId: principal.userId,
    writer: writer ?? principal.userId,
    byteCount: Number(header('content-length') ?? 0),
    expectedHead: await expectedHead(header('if-match'), named, tables),
    idempotencyKey: keyed?.id,
  };
}

const written = {
  branch: z.string(),
  seq: z.int().describe('Of the last operation written'),
  ref: z.string(),
};

function createRoute(services: TableServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/tables',
    scope: 'write',
    tag,
    summary: 'Create a table, with a sheet of its own or over cells that are there',
    description:
      '`schema` lists the columns, `{"columns": [{"name": "price", "type": "number"}]}`, or names them: `{"price": "number"}`. `keyColumn` is the one whose values tell rows apart.',
    texts: 'cells',
    request: { params: branchParams, body: createBody },
    example: {
      body: { name: 'Sales', keyColumn: 'sku', schema: { sku: 'text', price: 'number' } },
    },
    responses: {
      201: { description: 'The table', schema: z.strictObject({ ...written, table: tableSchema }) },
    },
    admit: async (call) => void (await services.tables.writable(call.params, call.principal)),
    handler: async (call) => {
      const { id, branch } = call.params;
      const address = await services.tables.writable(call.params, call.principal);
      const { seq, table } = await services.tables.create(
        await writing(services.tables, call, { address, branch, writer: call.body.writer }),
        call.body,
      );
      return {
        status: 201,
        headers: { Location: `/v1/workbooks/${id}/tables/${table.id}` },
        value: { branch, seq, ref: referenceName(branch, seq), table },
        etag: positionTag({ address, branch }, seq),
      };
    },
  });
}

function listRoute(services: TableServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/tables',
    scope: 'read',
    tag,
    summary: 'Tables: list them, with schema and count of rows',
    description: 'All tables of a position, on whichever sheet; `ref` may be any position.',
    request: { params, query: z.strictObject({ ref }) },
    example: { query: 'ref=main' },
    responses: {
      200: {
        description: 'In the order in which they were made',
        schema: z.strictObject({ ref: refSchema, tables: z.array(tableSchema) }),
      },
    },
    handler: async ({ params: { id }, query, principal }) => {
      await services.registry.visible(id, principal);
      const place = await services.tables.locate(id, readReference(query.ref));
      const { seq, tables } = await readTablesAt(services.source, place);
      const value = { ref: { branch: place.branch, seq }, tables };
      return { value, etag: positionTag(place, seq) };
    },
  });
}

function getRoute(services: TableServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/tables/:tid',
    scope: 'read',
    tag,
    summary: 'Table: schema, key, place and count of rows',
    description: `\`tid\`: ${tableId}.`,
    request: { params: tableParams, query: z.strictObject({ ref }) },
    example: { query: 'ref=main' },
    responses: {
      200: {
        description: 'The table',
        schema: z.strictObject({ ref: refSchema, table: tableSchema }),
      },
    },
    handler: async ({ params: { id, tid }, query, principal }) => {
      await services.registry.visible(id, principal);
      const place = await services.tables.locate(id, readReference(query.ref));
      const { seq, table } = await services.tables.describe(place, tid);
      const value = { ref: { branch: place.branch, seq }, table };
      return { value, etag: positionTag(place, seq) };
    },
  });
}

function alterRoute(services: TableServices): Route {
  return route({
    host: 'api',
    method: 'PATCH',
    path: '/v1/workbooks/:id/branches/:branch/tables/:tid',
    scope: 'write',
    tag,
    summary: 'Change a table: its name, its key, its columns',
    description:
      'Each change is an operation of the journal; all of them are done or none. Columns keep their identity under a new name.',
    texts: 'cells',
    request: { params: branchTableParams, body: alterBody },
    example: {
      body: { changes: [{ change: 'column.add', column: 'note', type: 'text' }], name: 'Orders' },
    },
    responses: {
      200: {
        description: 'The table as it is then',
        schema: z.strictObject({ ...written, firstSeq: z.int(), table: tableSchema }),
      },
    },
    admit: async (call) => void (await services.tables.writable(call.params, call.principal)),
    handler: async (call) => {
      const { branch, tid } = call.params;
      if (Object.keys(call.body).every((name) => name === 'writer' || name === 'id')) {
        throw new Failure('invalidRequest', {
          detail: 'Nothing is to be changed.',
          hint: 'Send name, keyColumn or changes.',
          errors: [{ pointer: '', code: 'required', message: 'Send at least one change.' }],
        });
      }
      const address = await services.tables.writable(call.params, call.principal);
      const { firstSeq, seq, table } = await services.tables.alter(
        await writing(services.tables, call, { address, branch, writer: call.body.writer }),
        { table: tid, ...call.body },
      );
      const value = { branch, firstSeq, seq, ref: referenceName(branch, seq), table };
      return { value, etag: positionTag({ address, branch }, seq) };
    },
  });
}

const user = z.strictObject({
  kind: z.enum(['formula', 'name', 'rule', 'column']),
  where: z.string().describe('`Plan!B2`, a name, the id of a rule, `Costs[Sum]`'),
  count: z.int().optional().describe('Cells below one another that have the formula'),
});

const flag = z.enum(['true', 'false']);

function dropRoute(services: TableServices): Route {
  return route({
    host: 'api',
    method: 'DELETE',
    path: '/v1/workbooks/:id/branches/:branch/tables/:tid',
    scope: 'write',
    tag,
    summary: 'Delete (drop) a table',
    description:
      'Its own sheet goes with it; cells of other sheets stay, unless `keepCells` says else. With `ifUnused=true` it is refused with 409 where formulas, names or rules name it.',
    request: {
      params: branchTableParams,
      query: z.strictObject({
        ifUnused: flag.default('false').describe('Refuses with 409 where somebody names it'),
        keepCells: flag
          .optional()
          .describe('Default: those of a table with a sheet of its own go, all others stay'),
        writer: writerName,
      }),
    },
    example: { query: 'ifUnused=true' },
    responses: {
      200: {
        description: 'What went',
        schema: z.strictObject({
          ...written,
          table: tableSchema.describe('As it was'),
          sheetDropped: z.boolean(),
          cellsKept: z.boolean(),
          users: z.array(user).describe('Who named it or read its cells, the first thousand'),
          errors: z
            .array(z.strictObject({ sheet: z.string(), a1: z.string(), error: z.string() }))
            .describe('Cells that hold an error now and held none before, the first ten thousand'),
          errorTotal: z.int().nullable().describe('Null where it could not be told'),
        }),
      },
    },
    admit: async (call) => void (await services.tables.writable(call.params, call.principal)),
    handler: async (call) => {
      const { branch, tid } = call.params;
      const { ifUnused, keepCells, writer } = call.query;
      const address = await services.tables.writable(call.params, call.principal);
      const dropped = await services.tables.drop(
        await writing(services.tables, call, { address, branch, writer }),
        {
          table: tid,
          ifUnused: ifUnused === 'true',
          keepCells: keepCells === undefined ? undefined : keepCells === 'true',
        },
      );
      const { seq } = dropped;
      const value = { branch, ref: referenceName(branch, seq), ...dropped };
      return { value, etag: positionTag({ address, branch }, seq) };
    },
  });
}
