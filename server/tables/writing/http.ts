import { z } from 'zod';

import { ndjsonType } from '../../http/negotiate.ts';
import { route, type Reply, type Route } from '../../http/route.ts';
import { bodyLimits } from '../../model/limits.ts';
import {
  rowModes,
  rowsBody,
  type RowReader,
  type RowsOptions,
  type RowsPart,
} from '../../model/row-writes.ts';
import type { NamedBranch } from '../../branches/http.ts';
import { positionTag, readPathReference } from '../../branches/place.ts';
import { rowWriteSchema, writeInBackground, type BackgroundServices } from '../background/http.ts';
import { branchTableParams, csvType, formatOf, tag, writerName, writing } from '../http.ts';
import type { RowWriter } from './row-writer.ts';
import type { RowsWritten } from './run.ts';
import { chargedCells, lastOf, writtenSchema, writtenView } from './written-view.ts';

export interface RowWritingServices extends BackgroundServices {
  readonly rowWriter: RowWriter;
  readonly rowReader: RowReader;
}

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

export function rowWritingRoutes(services: RowWritingServices): Route[] {
  return [writeRoute(services)];
}

function writeRoute(services: RowWritingServices): Route {
  const { tables, rowWriter, rowReader } = services;
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/tables/:tid/rows',
    scope: 'write',
    tag,
    summary: 'Write rows of a table: upsert, import or delete',
    description:
      'Rows are objects by the names of columns, or lists. NDJSON has a row or key a line, a CSV names in its first line; both take `mode` and the rest in the query. Many rows become several operations: with `atomic` all or nothing. After `Prefer: wait=n` seconds, or 10 with a body above 64 MiB, the answer is 202 and where to ask.',
    bodyLimitBytes: bodyLimits.rowsBytes,
    spoolLimitBytes: bodyLimits.spooledRowsBytes,
    files: [ndjsonType, csvType],
    largeBody: 'file',
    texts: 'cells',
    request: { params: branchTableParams, query, body: rowsBody },
    example: {
      body: { mode: 'upsert', rows: [{ sku: 'T-1', price: 2.5 }] },
    },
    responses: {
      200: { description: 'What became of the rows', schema: writtenSchema },
      202: { description: 'The rows are being written', schema: rowWriteSchema },
    },
    admit: async (call) => void (await tables.writable(call.params, call.principal)),
    handler: async (call) => {
      const { id, branch, tid } = call.params;
      const address = await tables.writable(call.params, call.principal);
      const asked = optionsOf(call.query);
      const { file, body = {}, signal } = call;
      if (file?.spooled) {
        return writeInBackground(services, call, { file, options: asked });
      }
      let options: RowsOptions;
      let parts: AsyncGenerator<RowsPart, void>;
      if (file) {
        const format = formatOf(file.mediaType);
        const isCsv = format === 'csv';
        const place = await tables.locate(id, readPathReference(branch));
        const described = await tables.describe(place, tid);
        const read = await rowReader.read({
          bytes: () => file.chunks,
          isLong: false,
          format,
          columns: described.table.schema.columns.map(({ name, type = 'any' }) => ({ name, type })),
          delimiter: call.query.delimiter,
          hasKeys: asked.mode === 'delete',
          keyColumn: described.table.keyColumn,
          signal,
        });
        options = { ...asked, ...read.options, ...(isCsv && { raw: true }) };
        ({ parts } = read);
      } else {
        const { rows, keys, ...said } = body;
        options = { ...asked, ...said };
        parts = onePart(rows, keys);
      }
      const write = await writing(tables, call, { address, branch, writer: options.writer });
      return replyOf(write, await rowWriter.write({ write, table: tid, options, parts }), call);
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

async function* onePart(
  rows: z.output<typeof rowsBody>['rows'],
  keys: z.output<typeof rowsBody>['keys'],
): AsyncGenerator<RowsPart, void> {
  if (rows) yield { index: 0, columns: undefined, rows };
  if (keys) yield { index: 0, keys };
}

function replyOf(
  { address, branch }: NamedBranch,
  written: RowsWritten,
  { requestId }: { readonly requestId: string },
): Reply {
  const value = writtenView(branch, written, requestId);
  const etag = positionTag({ address, branch }, lastOf(written));
  return { value, cells: chargedCells(written), etag };
}
