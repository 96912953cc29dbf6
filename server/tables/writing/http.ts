import { z } from 'zod';

import { jsonType, msgpackTypes, ndjsonType } from '../../http/negotiate.ts';
import { route, type FileBody, type Reply, type Route } from '../../http/route.ts';
import { bodyLimits } from '../../model/limits.ts';
import { referenceName } from '../../model/reference.ts';
import {
  rowModes,
  rowsBody,
  type RowReader,
  type RowsFormat,
  type RowsOptions,
  type RowsPart,
} from '../../model/row-writes.ts';
import { valueSchema } from '../../model/value-schema.ts';
import { readPathReference } from '../../branches/place.ts';
import { branchTableParams, tag, writerName, writing } from '../http.ts';
import type { Tables } from '../tables.ts';
import type { RowWriter } from './row-writer.ts';
import type { RowsWritten } from './run.ts';

export interface RowWritingServices {
  readonly tables: Tables;
  readonly rowWriter: RowWriter;
  readonly rowReader: RowReader;
}

const csvType = 'text/csv';
const flag = z.enum(['true', 'false']);

const query = z.strictObject({
  mode: z.enum(rowModes).optional().describe('For bodies that do not say it'),
  atomic: flag.optional().describe('Of a run of operations: all of them or none'),
  raw: flag.optional().describe('Texts stay texts, whatever they begin with; always so in a CSV'),
  onInvalid: z
    .enum(['reject', 'skip'])
    .optional()
    .describe('Rows that do not fit: refuse (default), or leave them out and list them'),
  onMissing: z
    .enum(['error', 'ignore'])
    .optional()
    .describe('Keys of no row: refuse (default), or delete the others'),
  delimiter: z.string().length(1).optional().describe('Of a CSV; found from its lines'),
  writer: writerName,
  id: rowsBody.shape.id,
});

const written = z
  .strictObject({
    branch: z.string(),
    ref: z.string().describe('Where all of it can be read'),
    status: z.enum(['applied', 'partial', 'duplicate', 'unchanged']),
    firstSeq: z.int().nullable(),
    lastSeq: z.int().nullable(),
    operations: z.int().describe('More than one where it was too much for one'),
    inserted: z.int(),
    updated: z.int(),
    unchanged: z.int().describe('Rows that held all that was sent: nothing is written of them'),
    deleted: z.int(),
    rejected: z
      .array(
        z.strictObject({
          row: z.int().describe('Place in what was sent, from 0'),
          key: valueSchema,
          column: z.string().nullable(),
          code: z.string(),
          message: z.string(),
        }),
      )
      .describe('Rows left out, the first thousand'),
    rejectedMore: z.int().describe('How many are not listed'),
    refused: z
      .array(
        z.strictObject({
          rows: z.tuple([z.int(), z.int()]),
          code: z.string(),
          message: z.string(),
          pointer: z.string(),
        }),
      )
      .describe('Chunks of which nothing was written, by their first and last row'),
  })
  .meta({ id: 'RowsWritten' });

export function rowWritingRoutes(services: RowWritingServices): Route[] {
  return [writeRoute(services)];
}

function writeRoute({ tables, rowWriter, rowReader }: RowWritingServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/tables/:tid/rows',
    scope: 'write',
    tag,
    summary: 'Write rows of a table: upsert, import or delete',
    description:
      'Rows are objects by the names of columns, or lists. NDJSON has a row a line (or a key, to delete), a CSV names its columns in the first line; both take `mode` and the rest in the query, as all bodies do. Any may be gzip. More rows than one operation takes become a run of operations: with `atomic` all or nothing, else chunk by chunk. A row that holds all of it already is not written.',
    bodyLimitBytes: bodyLimits.rowsBytes,
    files: [ndjsonType, csvType],
    largeBody: 'file',
    texts: 'cells',
    request: { params: branchTableParams, query, body: rowsBody },
    example: {
      body: { mode: 'upsert', rows: [{ sku: 'T-1', price: 2.5 }] },
    },
    responses: { 200: { description: 'What became of the rows', schema: written } },
    admit: async (call) => void (await tables.writable(call.params, call.principal)),
    handler: async (call) => {
      const { id, branch, tid } = call.params;
      const address = await tables.writable(call.params, call.principal);
      const asked = optionsOf(call.query);
      const { file, body = {}, signal } = call;
      let options: RowsOptions;
      let parts: AsyncGenerator<RowsPart, void>;
      if (file) {
        const format = formatOf(file);
        const isCsv = format === 'csv';
        const place = await tables.locate(id, readPathReference(branch));
        const described = await tables.describe(place, tid);
        const read = await rowReader.read({
          chunks: file.chunks,
          format,
          columns: described.table.schema.columns.map(({ name, type = 'any' }) => ({ name, type })),
          delimiter: call.query.delimiter,
          hasKeys: asked.mode === 'delete',
          signal,
        });
        options = { ...asked, ...read.options, ...(isCsv && { raw: true }) };
        ({ parts } = read);
      } else {
        const { rows, keys, ...said } = body;
        options = { ...asked, ...said };
        parts = onePart(rows, keys);
      }
      const write = { address, branch, ...writing(call, options) };
      return replyOf(branch, await rowWriter.write({ write, table: tid, options, parts }));
    },
  });
}

function optionsOf(asked: z.output<typeof query>): RowsOptions {
  const { atomic, raw, delimiter: _delimiter, ...rest } = asked;
  return {
    ...rest,
    ...(atomic !== undefined && { atomic: atomic === 'true' }),
    ...(raw !== undefined && { raw: raw === 'true' }),
  };
}

function formatOf({ mediaType }: FileBody): RowsFormat {
  if (mediaType === csvType) return 'csv';
  if (mediaType === ndjsonType) return 'ndjson';
  return msgpackTypes.includes(mediaType) ? 'msgpack' : mediaType === jsonType ? 'json' : 'ndjson';
}

async function* onePart(
  rows: z.output<typeof rowsBody>['rows'],
  keys: z.output<typeof rowsBody>['keys'],
): AsyncGenerator<RowsPart, void> {
  if (rows) yield { index: 0, columns: undefined, rows };
  if (keys) yield { index: 0, keys };
}

function replyOf(branch: string, { head, rejectedCount, ...result }: RowsWritten): Reply {
  const ref = referenceName(branch, result.lastSeq ?? head);
  const rejectedMore = rejectedCount - result.rejected.length;
  const cells = result.inserted + result.updated + result.deleted;
  return { value: { branch, ref, ...result, rejectedMore }, cells, etag: ref };
}
