import { z } from 'zod';

import { matchesTag } from '../http/conditional.ts';
import { ndjsonType, preferred } from '../http/negotiate.ts';
import { route, type Call, type Reply, type Route } from '../http/route.ts';
import { Failure } from '../model/failure.ts';
import { pages } from '../model/limits.ts';
import { parseSheetRange, type SheetRange } from '../model/range.ts';
import type { Principal } from '../model/scope.ts';
import { valueSchema } from '../model/value-schema.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import type { Dropped } from '../../workers/files/imported-workbook.ts';
import { exportPlace, type ExportParts } from './export.ts';
import { readEvalStats } from './eval-stats.ts';
import {
  isLasting,
  positionTag,
  readPathReference,
  readReference,
  type Place,
} from '../branches/place.ts';
import { showSlicesAt } from './shown-slices.ts';
import { SliceReader, type Slice } from './slice.ts';
import type { Values, ValuesOptions } from './values.ts';

export interface ValueServices
  extends ExportParts, Pick<ValuesOptions, 'ceilings' | 'environment'> {
  readonly registry: Pick<WorkbookRegistry, 'visible' | 'writable'>;
  readonly values: Values;
  /** True to add the hooks for development. */
  readonly developmentHooks: boolean;
}

export const tag = 'Reading';
export const params = z.strictObject({ id: z.string() });
export const ref = z
  .string()
  .default('main')
  .describe('`branch`, `branch@seq` for an older position, `commit:<tag>` or `merge:<id>`');
export const refSchema = z
  .strictObject({ branch: z.string(), seq: z.int() })
  .meta({ id: 'Position' });

export function valueRoutes(services: ValueServices): Route[] {
  return [
    sliceRoute(services),
    evalStatsRoute(services),
    evalCeilingRoute(services),
    exportRoute(services),
  ];
}

const sliceQuery = z.strictObject({
  ref,
  range: z
    .array(z.string())
    .min(1)
    .max(pages.rangesMost)
    .describe('A1 range, `Sheet!A1:Z100` or of the first sheet; may be repeated'),
  lens: z
    .enum(['value', 'formula', 'input', 'formatted'])
    .default('value')
    .describe('`formatted` answers texts as a person sees them, by the number formats (en-US)'),
});

const sliceRows = {
  sheet: z.string(),
  range: z.string(),
  rows: z.array(z.array(valueSchema)),
  flags: z
    .array(
      z.strictObject({
        cell: z.string(),
        array: z.string().optional(),
        legacy: z.literal(true).optional(),
      }),
    )
    .optional()
    .describe('With lens=input: what cells.set needs beside the text of some formulas'),
};
const lensName = z.enum(['value', 'formula', 'input', 'formatted']);
const oneSlice = z.strictObject({ ref: refSchema, lens: lensName, ...sliceRows });
const manySlices = z.strictObject({
  ref: refSchema,
  lens: lensName,
  slices: z.array(z.strictObject(sliceRows)),
});

function sliceRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/slice',
    scope: 'read',
    tag,
    summary: 'Slice: read ranges',
    description:
      'Dense rows. Whole columns and rows end where the content of the sheet ends. A repeated `range` answers `slices` in the same order.',
    request: { params, query: sliceQuery },
    example: { query: 'range=A1:C10&lens=value' },
    responses: {
      200: { description: 'The cells', schema: z.union([oneSlice, manySlices]) },
    },
    handler: async (call) => {
      const { range: texts, lens } = call.query;
      const ranges = texts.map((text) => readRange(text));
      const place = await locate(services, call, call.query.ref);
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      const { seq, slices } = await readSlices(services, place, { ranges, lens });
      const cells = slices.reduce((sum, { rows }) => sum + rows.length * (rows[0]?.length ?? 0), 0);
      const head = { ref: { branch: place.branch, seq }, lens };
      const [only] = slices;
      const value = slices.length === 1 ? { ...head, ...only } : { ...head, slices };
      return { value, cells, ...caching(place, seq) };
    },
  });
}

async function readSlices(
  { models, source, environment }: ValueServices,
  place: Place,
  { ranges, lens }: { ranges: readonly SheetRange[]; lens: z.output<typeof lensName> },
): Promise<{ seq: number; slices: readonly Slice[] }> {
  const read = lens === 'formatted' ? 'value' : lens;
  const found = await models.look(place, { ranges, lens: read }, async (view) => ({
    seq: view.position.seq,
    slices: await new SliceReader(view, read, environment).read(ranges),
  }));
  if (lens !== 'formatted') return found;
  const { seq, slices } = found;
  // The formats are of the position of the values, which may be older than the head.
  const at = { address: place.address, seq };
  return { seq, slices: await showSlicesAt({ source, environment }, at, slices) };
}

/** Reads a range; `pointer` is its place in the request. */
export function readRange(text: string, pointer = '?range'): SheetRange {
  const range = parseSheetRange(text);
  if (range !== undefined) return range;
  throw new Failure('invalidRange', {
    detail: `"${text.slice(0, 100)}" is not an A1 range.`,
    hint: "Write A1:Z100, Sheet1!B2 or 'My sheet'!A:C.",
    errors: [{ pointer, code: 'invalid_range', message: 'not an A1 range' }],
  });
}

const ceilingPart = z.int().min(0).nullable();
const ceilingSchema = z.strictObject({ cells: ceilingPart, grid: ceilingPart });

const evalStats = z
  .strictObject({
    ref: refSchema,
    cells: z.int(),
    formulas: z.int(),
    templates: z.int(),
    runs: z.int(),
    grid: z.int(),
    pending: z.int(),
    circular: z.strictObject({ count: z.int(), cells: z.array(z.string()) }),
    lastRecalculation: z
      .strictObject({
        dirtyCells: z.int(),
        phases: z.strictObject({ apply: z.number(), evaluate: z.number() }),
        cellsPerSecond: z.int().nullable(),
        in: z.enum(['pool', 'process']),
      })
      .nullable(),
    memory: z.strictObject({ bytes: z.int(), usedBytes: z.int() }),
    cache: z.strictObject({ hits: z.int(), builds: z.int(), bytes: z.int() }),
    ceiling: ceilingSchema,
    headroom: z.strictObject({ cells: z.int().nullable(), grid: z.int().nullable() }),
    computation: z
      .strictObject({
        state: z.enum(['none', 'queued', 'computing', 'computed', 'failed']),
        done: z.int(),
        total: z.int(),
      })
      .nullable()
      .describe('Of all values of a position above the ceiling, in cells; null below it'),
  })
  .meta({ id: 'EvalStats' });

function evalStatsRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/eval-stats',
    scope: 'read',
    tag,
    summary: 'Evaluation statistics: what evaluating a workbook takes',
    description:
      'Phases are in milliseconds. Above the ceiling `computation` says how far the background is.',
    request: { params, query: z.strictObject({ ref }) },
    responses: { 200: { description: 'The figures', schema: evalStats } },
    handler: async (call) => {
      const place = await locate(services, call, call.query.ref);
      const { seq, ...figures } = await readEvalStats(place, services);
      return {
        value: { ref: { branch: place.branch, seq }, ...figures },
        cacheControl: 'no-store',
      };
    },
  });
}

function evalCeilingRoute({ registry, values, developmentHooks }: ValueServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/eval-ceiling',
    scope: 'write',
    tag,
    summary: 'Evaluation ceiling: move that of a workbook (development)',
    description:
      'Only there with DEV_HOOKS=1. `null` takes a part of the ceiling away. What was computed before is computed again.',
    idempotency: 'none',
    request: { params, body: ceilingSchema.partial() },
    example: { body: { cells: 100, grid: null } },
    responses: { 200: { description: 'The ceiling as it is now', schema: ceilingSchema } },
    handler: async ({ params: { id }, body, principal }) => {
      if (!developmentHooks) throw new Failure('notFound', { detail: 'This hook is off.' });
      await registry.writable(id, principal);
      const ceiling = { cells: body.cells ?? null, grid: body.grid ?? null };
      await values.moveCeiling(id, ceiling);
      return { value: ceiling };
    },
  });
}

const fileTypes = {
  json: 'application/json',
  ndjson: ndjsonType,
  csv: 'text/csv; charset=utf-8; header=absent',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

const exportQuery = z.strictObject({
  format: z
    .enum(['json', 'xlsx', 'csv', 'ndjson'])
    .optional()
    .describe('What Accept asks for when left out: json, if that takes everything'),
  sheet: z.string().optional().describe('The sheet of a csv; the first one when left out'),
  escape: z
    .enum(['excel', 'none'])
    .default('excel')
    .describe('Whether a csv guards text that a spreadsheet program would run as a formula'),
  as: z
    .enum(['value', 'shown'])
    .default('value')
    .describe(
      '`shown`: a csv has texts as a person sees them, json and ndjson have them beside the values',
    ),
});

function exportRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/branches/:branch/export',
    scope: 'read',
    tag,
    summary: 'Export a branch as a file',
    description:
      'Inputs with their values, number formats and names; csv has the values of one sheet. The header `Dropped` of an .xlsx lists, as JSON, charts and images that could not go back. `:branch` may be any reference.',
    produces: (['ndjson', 'csv', 'xlsx'] as const).map(mediaTypeOf),
    request: { params: params.extend({ branch: z.string() }), query: exportQuery },
    example: { query: 'format=xlsx' },
    responses: { 200: { description: 'The file', types: Object.values(fileTypes) } },
    handler: async (call) => {
      const { sheet, escape, as } = call.query;
      const format = call.query.format ?? acceptedFormat(call.header('accept'));
      const { id, branch } = call.params;
      await services.registry.visible(id, call.principal);
      const place = await services.models.locate(id, readPathReference(branch));
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      const { seq, pieces, dropped } = await exportPlace(
        place,
        { format, sheet, escape, as, userId: call.principal.userId, signal: call.signal },
        services,
      );
      const file = `${call.params.id}-${place.branch}-${seq}.${format}`.replaceAll(/[^\w.-]/g, '_');
      return {
        stream: pieces,
        type: fileTypes[format],
        headers: {
          'Content-Disposition': `attachment; filename="${file}"`,
          ...droppedHeader(dropped),
        },
        ...caching(place, seq),
      };
    },
  });
}

/** Most lines of the header; the last one counts the rest. */
const droppedLines = 10;

/** Makes a header of the parts that the file lacks, as JSON in ASCII. */
function droppedHeader(dropped: readonly Dropped[]): Record<string, string> {
  if (dropped.length === 0) return {};
  const rest = dropped.length - droppedLines;
  const more = { what: 'more', count: rest, why: 'the header names the first of them' };
  const lines = [...dropped.slice(0, droppedLines), ...(rest > 0 ? [more] : [])];
  const ascii = JSON.stringify(lines).replaceAll(/[^\x20-\x7e]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
  return { Dropped: ascii };
}

/** Returns the format that Accept prefers; fails if it allows none. */
function acceptedFormat(accept: string | undefined): keyof typeof fileTypes {
  const names = Object.keys(fileTypes) as (keyof typeof fileTypes)[];
  const offers = names.map(mediaTypeOf);
  const chosen = preferred(accept, offers);
  const format = names.find((name) => mediaTypeOf(name) === chosen);
  if (format !== undefined) return format;
  throw new Failure('notAcceptable', {
    detail: 'There is no export of that type.',
    hint: `Ask for one of ${offers.join(', ')}, or leave Accept out and say format.`,
  });
}

function mediaTypeOf(format: keyof typeof fileTypes): string {
  return fileTypes[format].split(';')[0] ?? fileTypes[format];
}

type PlacedCall = Call<{ id: string }, unknown, unknown, Principal>;

export async function locate(
  { registry, models }: ValueServices,
  { params: { id }, principal }: Pick<PlacedCall, 'params' | 'principal'>,
  text: string,
): Promise<Place> {
  await registry.visible(id, principal);
  return models.locate(id, readReference(text));
}

/** Returns the answer for a client whose copy is current, without reading values. */
export function notModified(call: Pick<Call, 'header'>, place: Place): Reply | undefined {
  const etag = positionTag(place, place.seq);
  return matchesTag(call.header('if-none-match'), etag) ? { status: 200, etag } : undefined;
}

export function caching(place: Place, seq: number): Pick<Reply, 'etag' | 'cacheControl'> {
  const etag = positionTag(place, seq);
  // The values of a position never change, including NOW() and RAND().
  return isLasting(place)
    ? { etag, cacheControl: 'private, max-age=31536000, immutable' }
    : { etag };
}
