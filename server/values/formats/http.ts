import { z } from 'zod';

import { route, type Route } from '../../http/route.ts';
import { pages } from '../../model/limits.ts';
import { stylePartialSchema } from '../../model/payload-formats.ts';
import { sheetPropertiesSchema } from '../../model/payload-lines.ts';
import { caching, locate, notModified, readRange, type ValueServices } from '../http.ts';
import { readFormatSlices } from './formats.ts';

const line = z.strictObject({
  from: z.union([z.int(), z.string()]).describe('Row number or column letters'),
  count: z.int(),
  px: z.number().optional(),
  hidden: z.literal(true).optional(),
  level: z.int().optional(),
  collapsed: z.literal(true).optional(),
  style: z.int().optional().describe('Place in `styles`, for cells without a style of their own'),
});

const formats = z
  .strictObject({
    ref: z.strictObject({ branch: z.string(), seq: z.int() }),
    styles: z.array(stylePartialSchema).describe('The first is that of cells nobody formatted'),
    namedStyles: z.record(z.string(), stylePartialSchema),
    themeColors: z.array(z.string()).describe('What { theme: n } means'),
    slices: z.array(
      z.strictObject({
        sheet: z.string(),
        range: z.string(),
        properties: sheetPropertiesSchema,
        cells: z.array(z.array(z.int())).describe('Row by row, places in `styles`'),
        rows: z.array(line).describe('Runs of rows that have something'),
        columns: z.array(line),
      }),
    ),
  })
  .meta({ id: 'Formats' });

export function formatRoutes(services: ValueServices): Route[] {
  return [formatsRoute(services)];
}

function formatsRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/formats',
    scope: 'read',
    tag: 'Reading',
    summary: 'Formats: read how ranges look',
    description:
      'Styles of cells as places in a palette, sizes and groups of rows and columns, named styles. What a style leaves out is as its named style says, or as Normal.',
    request: {
      params: z.strictObject({ id: z.string() }),
      query: z.strictObject({
        ref: z.string().default('main').describe('`branch`, or `branch@seq`'),
        range: z
          .array(z.string())
          .min(1)
          .max(pages.rangesMost)
          .describe('A1 range, `Sheet!A1:Z100` or of the first sheet; may be repeated'),
      }),
    },
    example: { query: 'range=A1:C10' },
    responses: { 200: { description: 'The styles', schema: formats } },
    handler: async (call) => {
      const ranges = call.query.range.map((text) => readRange(text));
      const place = await locate(services, call, call.query.ref);
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      const { source } = services;
      const look = (state: Parameters<typeof readFormatSlices>[0]) => {
        return readFormatSlices(state, ranges);
      };
      const { seq, slices, ...palette } = place.isPinned
        ? await source.readAt(place.address, place.seq, look)
        : await source.read(place.address, look);
      const cells = slices.reduce(
        (sum, slice) => sum + slice.cells.length * (slice.cells[0]?.length ?? 0),
        0,
      );
      const value = { ref: { branch: place.branch, seq }, ...palette, slices };
      return { value, cells, ...caching(place, seq) };
    },
  });
}
