import { z } from 'zod';

import { ndjsonType } from '../../http/negotiate.ts';
import { route, type Route } from '../../http/route.ts';
import { pages } from '../../model/limits.ts';
import { isRecordType, recordTypes } from '../../model/record.ts';
import { caching, locate, notModified, readRange, ref, refSchema } from '../http.ts';
import type { ValueServices } from '../http.ts';
import { readRecords } from './page.ts';

const names = recordTypes.join(',');

const query = z.strictObject({
  ref,
  types: z
    .string()
    .refine((text) => text.split(',').every(isRecordType), `not some of ${names}`)
    .optional()
    .describe(`Some of ${names}; all when left out`),
  sheet: z.string().optional().describe('Id or name of a sheet'),
  range: z.string().optional().describe('A1 range that the records have to touch'),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pages.rowsMost).default(pages.rowsDefault),
});

const page = z
  .strictObject({
    ref: refSchema,
    total: z.int(),
    offset: z.int(),
    limit: z.int(),
    records: z.array(
      z.strictObject({
        type: z.enum(recordTypes),
        id: z.string().nullable().describe('Null for those that are known by where they lie'),
        sheet: z.string().describe('Name of its sheet'),
        sheetId: z.string(),
        ranges: z.array(z.string()).nullable().describe('Null for the whole sheet'),
        value: z
          .record(z.string(), z.unknown())
          .describe('What the operation that makes it says, formulas as in the first cell'),
      }),
    ),
  })
  .meta({ id: 'RecordsPage' });

export function recordsRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/records',
    scope: 'read',
    tag: 'Reading',
    summary: 'Records: read notes, comments, rules, links and others',
    description:
      'Merged cells, notes, comment threads, validations, conditional formats, filters, protections, links, images and charts, by type, sheet and id.',
    produces: [ndjsonType],
    request: { params: z.strictObject({ id: z.string() }), query },
    example: { query: 'types=note,thread&range=A1:C10' },
    responses: { 200: { description: 'One page', schema: page } },
    handler: async (call) => {
      const { types, sheet, range, offset, limit } = call.query;
      const asked = range === undefined ? undefined : readRange(range);
      const place = await locate(services, call, call.query.ref);
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      const request = { types: types?.split(','), sheet, range: asked, offset, limit };
      const { seq, total, records } = await readRecords(place, request, services.source);
      const header = { ref: { branch: place.branch, seq }, total, offset, limit };
      return { rows: { header, member: 'records', items: records }, ...caching(place, seq) };
    },
  });
}
