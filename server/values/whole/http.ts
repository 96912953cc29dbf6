import { z } from 'zod';

import { referenceTo, type Place } from '../../branches/place.ts';
import { jsonType, msgpackTypes, ndjsonType, preferred } from '../../http/negotiate.ts';
import { linkTo } from '../../http/next-link.ts';
import { route, type Reply, type Route } from '../../http/route.ts';
import { pages } from '../../model/limits.ts';
import { valueSchema } from '../../model/value-schema.ts';
import {
  caching,
  locate,
  notModified,
  params,
  ref,
  refSchema,
  tag,
  type ValueServices,
} from '../http.ts';
import type { AllValues } from '../values.ts';
import { cellsOf, columnStream } from './columns.ts';

const columnsType = 'application/vnd.quire.columns+msgpack';
const types = [jsonType, ndjsonType, ...msgpackTypes, columnsType];

/** Routes for all values of a state, and for their computation. */
export function wholeRoutes(services: ValueServices): Route[] {
  return [valuesRoute(services), cancelRoute(services)];
}

const valuesQuery = z.strictObject({
  ref,
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pages.valuesMost).default(pages.valuesDefault),
  whole: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'All of them in one answer, sent while it is read; `offset` and `limit` do not count then',
    ),
});

const valuesPage = z
  .strictObject({
    ref: refSchema,
    total: z.int(),
    offset: z.int(),
    limit: z.int(),
    values: z.array(z.strictObject({ sheet: z.string(), cell: z.string(), value: valueSchema })),
  })
  .meta({ id: 'ValuesPage' });

export const computing = z.strictObject({ status: z.literal('computing'), retry_after: z.int() });
const retrySeconds = 1;

function valuesRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/values',
    scope: 'read',
    tag,
    summary: 'Values: read all of a workbook',
    description:
      'Non-blank cells in the order of sheets, rows and columns. Above the evaluation ceiling the answer is 202 until they are computed; ask again, or send `Prefer: wait=10`. `Link: rel="next"` leads through one position.',
    produces: [ndjsonType, columnsType],
    request: { params, query: valuesQuery },
    responses: {
      200: { description: 'One page', schema: valuesPage, types: [ndjsonType, columnsType] },
      202: { description: 'The values are being computed', schema: computing },
    },
    handler: async (call) => {
      const { offset, limit } = call.query;
      const place = await locate(services, call, call.query.ref);
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      const waitSeconds = call.waitSeconds ?? 0;
      const preference: Record<string, string> =
        call.waitSeconds === undefined ? {} : { 'Preference-Applied': `wait=${waitSeconds}` };
      const asColumns = preferred(call.header('accept'), types) === columnsType;
      if (asColumns || call.query.whole === 'true') {
        const all = await services.values.readAll(place, waitSeconds);
        return all ? wholeReply(place, all, { asColumns, preference }) : computingReply(preference);
      }
      const page = await services.values.read(place, { offset, limit, waitSeconds });
      if (page === undefined) return computingReply(preference);
      const { seq, total, values } = page;
      const next = offset + values.length < total ? nextLink(call, place, { seq, limit }) : {};
      const header = { ref: { branch: place.branch, seq }, total, offset, limit };
      return {
        rows: { header, member: 'values', items: values },
        cells: values.length,
        headers: { ...next, ...preference },
        ...caching(place, seq),
      };
    },
  });
}

function cancelRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'DELETE',
    path: '/v1/workbooks/:id/values',
    scope: 'write',
    tag,
    summary: 'Cancel the computation of all values',
    description: 'Ends what was begun for a read above the evaluation ceiling.',
    idempotency: 'none',
    request: { params, query: z.strictObject({ ref }) },
    example: { query: 'ref=main' },
    responses: {
      200: {
        description: 'Whether one was under way',
        schema: z.strictObject({ ref: refSchema, cancelled: z.boolean() }),
      },
    },
    handler: async (call) => {
      await services.registry.writable(call.params.id, call.principal);
      const place = await locate(services, call, call.query.ref);
      const cancelled = await services.values.cancel(place);
      return { value: { ref: { branch: place.branch, seq: place.seq }, cancelled } };
    },
  });
}

function wholeReply(
  place: Place,
  all: AllValues,
  { asColumns, preference }: { asColumns: boolean; preference: Record<string, string> },
): Reply {
  const { seq, total } = all;
  const reply = { cells: total, headers: preference, ...caching(place, seq) };
  const header = { ref: { branch: place.branch, seq }, total };
  if (asColumns) return { ...reply, stream: columnStream(header, all), type: columnsType };
  const rows = { header: { ...header, offset: 0, limit: total }, member: 'values' };
  return { ...reply, rows: { ...rows, items: cellsOf(all) } };
}

export function computingReply(headers: Readonly<Record<string, string>>): Reply {
  return {
    status: 202,
    value: { status: 'computing', retry_after: retrySeconds },
    headers: { ...headers, 'Retry-After': String(retrySeconds) },
    cacheControl: 'no-store',
  };
}

/** Makes the link to the next page, pinned to this position so that pages fit together. */
function nextLink(
  call: { path: string; query: { offset: number } },
  place: Place,
  { seq, limit }: { seq: number; limit: number },
): Readonly<Record<string, string>> {
  const position = encodeURIComponent(referenceTo(place, seq));
  const query = `ref=${position}&offset=${call.query.offset + limit}&limit=${limit}`;
  return linkTo(`${call.path}?${query}`);
}
