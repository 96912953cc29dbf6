import { z } from 'zod';

import { positionTag, readPathReference } from '../../branches/place.ts';
import { route, type Call, type FileBody, type Reply, type Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { bodyLimits, waitSecondsMost } from '../../model/limits.ts';
import { unpackFailure } from '../../model/portable-failure.ts';
import type { RowsOptions } from '../../model/row-writes.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { formatOf, params, tag, writing } from '../http.ts';
import type { Tables } from '../tables.ts';
import { chargedCells, lastOf, writtenSchema, writtenView } from '../writing/written-view.ts';
import { hasEnded, writeStatuses, type RowWriteRecord } from './row-write.ts';
import type { RowWrites } from './row-writes.ts';
import { tooLargeAtOnce } from './runner.ts';

export interface BackgroundServices {
  readonly tables: Tables;
  readonly rowWrites: RowWrites;
  readonly registry: Pick<WorkbookRegistry, 'visible' | 'writable'>;
}

const retrySeconds = 1;

export const rowWriteSchema = z
  .strictObject({
    id: z.string(),
    poll: z.string().describe('GET it to know how far it is, DELETE it to end it'),
    branch: z.string(),
    table: z.string().describe('Id of the table'),
    status: z.enum(writeStatuses),
    rows: z.int().describe('Rows that were dealt with; never fewer than before'),
    bytes: z.int().describe('Bytes of the body that were read, of `totalBytes`'),
    totalBytes: z.int(),
    result: writtenSchema.nullable().describe('What became of the rows, once it is done'),
    error: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        hint: z.string().optional(),
        errors: z.array(
          z.strictObject({ pointer: z.string(), code: z.string(), message: z.string() }),
        ),
      })
      .nullable()
      .describe('Why it failed; what was written before stays, unless `atomic` was asked for'),
    createdAt: z.string(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: 'RowWrite' });

const writeParams = params.extend({ wid: z.string() });

export function backgroundRoutes(services: BackgroundServices): Route[] {
  return [getRoute(services), cancelRoute(services)];
}

function getRoute({ rowWrites, registry }: BackgroundServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/row-writes/:wid',
    scope: 'read',
    tag,
    summary: 'Write of rows: see how far it is, and what came of it',
    description:
      'A large body of rows is written in the background, whichever process dies meanwhile. `Prefer: wait=10` answers when it ends, or after that time. One goes 7 days after it has ended.',
    request: { params: writeParams },
    responses: { 200: { description: 'The write', schema: rowWriteSchema } },
    handler: async ({ params: { id, wid }, principal, waitSeconds }) => {
      await registry.visible(id, principal);
      const write = await rowWrites.wait(id, wid, waitSeconds ?? 0);
      return { value: viewOf(write), headers: headersOf(write, waitSeconds) };
    },
  });
}

function cancelRoute({ rowWrites, registry }: BackgroundServices): Route {
  return route({
    host: 'api',
    method: 'DELETE',
    path: '/v1/workbooks/:id/row-writes/:wid',
    scope: 'write',
    tag,
    summary: 'Write of rows: cancel it',
    description: 'What was written by then stays; one that has ended stays as it is.',
    idempotency: 'none',
    request: { params: writeParams },
    responses: { 200: { description: 'The write', schema: rowWriteSchema } },
    handler: async ({ params: { id, wid }, principal }) => {
      await registry.writable(id, principal);
      return { value: viewOf(await rowWrites.cancel(id, wid)) };
    },
  });
}

type WritingCall = Call<
  { readonly id: string; readonly branch: string; readonly tid: string },
  { readonly writer?: string | undefined; readonly delimiter?: string | undefined },
  unknown,
  Principal
>;

/** Has the rows of a body in the spool written, and waits for that as long as the client does. */
export async function writeInBackground(
  { tables, rowWrites }: BackgroundServices,
  call: WritingCall,
  { file, options }: { readonly file: FileBody; readonly options: RowsOptions },
): Promise<Reply> {
  const { id, branch, tid } = call.params;
  const { spooled } = file;
  if (!spooled) throw new Error('the body is not in the spool');
  // Packed bodies, and those that name `atomic` themselves, are found out when they are read.
  const isTooLarge = !spooled.isPacked && spooled.byteCount > bodyLimits.rowsBytes;
  if (options.atomic === true && isTooLarge) throw tooLargeAtOnce();
  const address = await tables.writable(call.params, call.principal);
  const place = await tables.locate(id, readPathReference(branch));
  const { table } = await tables.describe(place, tid);
  const { writer, expectedHead, idempotencyKey } = await writing(tables, call, {
    address,
    branch,
    writer: options.writer,
  });
  const { keep, digest: _digest, ...body } = spooled;
  const write = await rowWrites.create({
    workbookId: id,
    branch,
    branchNo: address.branchNo,
    tableId: table.id,
    createdBy: call.principal.userId,
    request: {
      options,
      format: formatOf(file.mediaType),
      delimiter: call.query.delimiter,
      writer,
      expectedHead,
      idempotencyKey: idempotencyKey ?? body.id,
      body,
    },
  });
  keep();
  const { waitSeconds = waitSecondsMost } = call;
  const ended = await rowWrites.wait(id, write.id, waitSeconds);
  return replyOf(ended, call);
}

function replyOf(
  write: RowWriteRecord,
  { waitSeconds, requestId }: Pick<WritingCall, 'waitSeconds' | 'requestId'>,
): Reply {
  const { result, error, branch } = write;
  if (error) throw unpackFailure(error);
  if (write.status === 'cancelled') {
    throw new Failure('rowWriteLost', { detail: 'Somebody has cancelled it.' });
  }
  const headers = headersOf(write, waitSeconds);
  if (!result) {
    const value = viewOf(write);
    return { status: 202, value, headers: { ...headers, Location: value.poll } };
  }
  const value = writtenView(branch, result, requestId);
  return {
    value,
    cells: chargedCells(result),
    etag: positionTag({ address: write, branch }, lastOf(result)),
    headers,
  };
}

function headersOf(write: RowWriteRecord, waitSeconds: number | undefined) {
  const preference: Record<string, string> =
    waitSeconds === undefined ? {} : { 'Preference-Applied': `wait=${waitSeconds}` };
  const again = hasEnded(write) ? {} : { 'Retry-After': String(retrySeconds) };
  return { ...preference, ...again };
}

function viewOf(write: RowWriteRecord): z.output<typeof rowWriteSchema> {
  const { id, workbookId, branch, tableId, status, rowCount, request, result, error } = write;
  return {
    id,
    poll: `/v1/workbooks/${workbookId}/row-writes/${id}`,
    branch,
    table: tableId,
    status,
    rows: rowCount,
    bytes: status === 'done' ? request.body.byteCount : write.byteCount,
    totalBytes: request.body.byteCount,
    result: result && writtenView(branch, result),
    error: error && errorView(unpackFailure(error)),
    createdAt: write.createdAt.toISOString(),
    finishedAt: write.finishedAt?.toISOString() ?? null,
  };
}

function errorView({ code, detail, hint, errors }: Failure) {
  return { code, message: detail, ...(hint !== undefined && { hint }), errors: [...errors] };
}
