import { z } from 'zod';

import { positionTag, readPathReference } from '../../branches/place.ts';
import { problemSchema, type Problem } from '../../http/problem-schema.ts';
import { problemOf } from '../../http/problem.ts';
import { route, type Call, type FileBody, type Reply, type Route } from '../../http/route.ts';
import type { Addresses } from '../../model/addresses.ts';
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
      .intersection(problemSchema, z.looseObject({ message: z.string() }))
      .nullable()
      .describe('Why it failed; what was written before stays unless `atomic`'),
    createdAt: z.string(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: 'RowWrite' });

const writeParams = params.extend({ wid: z.string() });

type PollServices = Omit<BackgroundServices, 'tables'> & { readonly addresses: Addresses };

export function backgroundRoutes(services: PollServices): Route[] {
  return [getRoute(services), cancelRoute(services)];
}

function getRoute({ rowWrites, registry, addresses }: PollServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/row-writes/:wid',
    scope: 'read',
    tag,
    summary: 'Write of rows: see how far it is, and what came of it',
    description:
      'A large body is written in the background, whichever process dies. `Prefer: wait=10` answers when it ends, or then. One goes 7 days after its end.',
    request: { params: writeParams },
    responses: { 200: { description: 'The write', schema: rowWriteSchema } },
    handler: async ({ params: { id, wid }, principal, waitSeconds, requestId }) => {
      await registry.visible(id, principal);
      const write = await rowWrites.wait(id, wid, waitSeconds ?? 0);
      const error = problemIn(write, { addresses, requestId });
      return { value: viewOf(write, error), headers: headersOf(write, waitSeconds) };
    },
  });
}

function cancelRoute({ rowWrites, registry, addresses }: PollServices): Route {
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
    handler: async ({ params: { id, wid }, principal, requestId }) => {
      await registry.writable(id, principal);
      const write = await rowWrites.cancel(id, wid);
      return { value: viewOf(write, problemIn(write, { addresses, requestId })) };
    },
  });
}

type WritingCall = Call<
  { readonly id: string; readonly branch: string; readonly tid: string },
  { readonly writer?: string | undefined; readonly delimiter?: string | undefined },
  unknown,
  Principal
>;

/** Writes the rows of a spooled body, and waits for the end as long as the client wants. */
export async function writeInBackground(
  { tables, rowWrites }: BackgroundServices,
  call: WritingCall,
  { file, options }: { readonly file: FileBody; readonly options: RowsOptions },
): Promise<Reply> {
  const { id, branch, tid } = call.params;
  const { spooled } = file;
  if (!spooled) throw new Error('the body is not in the spool');
  // Packed bodies, and bodies that contain `atomic`, are checked when they are read.
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
    const value = viewOf(write, null);
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

type View = z.output<typeof rowWriteSchema>;

function viewOf(write: RowWriteRecord, error: View['error']): View {
  const { id, workbookId, branch, tableId, status, rowCount, request, result } = write;
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
    error,
    createdAt: write.createdAt.toISOString(),
    finishedAt: write.finishedAt?.toISOString() ?? null,
  };
}

/** Makes the failure that the request would have been answered with. */
function problemIn(
  { error, workbookId: id, branch, tableId: tid, id: wid }: RowWriteRecord,
  context: { readonly addresses: Addresses; readonly requestId: string },
): (Problem & { message: string }) | null {
  if (error === null) return null;
  const problem = problemOf(unpackFailure(error), { ...context, named: { id, branch, tid, wid } });
  return { ...problem, message: problem.detail, errors: problem.errors ?? [] };
}
