import { z } from 'zod';

import { referenceTo } from '../../branches/place.ts';
import { ndjsonType } from '../../http/negotiate.ts';
import { nextPage, nextSchema } from '../../http/next-link.ts';
import { route, type Route } from '../../http/route.ts';
import { cellName, parseAddress } from '../../model/address.ts';
import { Failure } from '../../model/failure.ts';
import { pages } from '../../model/limits.ts';
import { splitSheet } from '../../model/range.ts';
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
import type { ModelView } from '../model.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';
import { computing, computingReply } from '../whole/http.ts';
import { directions, findEdge } from './edge.ts';
import { findCells } from './find.ts';
import { matchKinds } from './search.ts';

/** Routes that find cells which a client has not loaded. */
export function searchRoutes(services: ValueServices): Route[] {
  return [findRoute(services), edgeRoute(services)];
}

const textMost = 1_000;
const foundMost = 1_000;

const findQuery = z.strictObject({
  q: z.string().min(1).max(textMost).describe('The text; numbers match as JSON writes them'),
  ref,
  sheet: z.string().optional().describe('Name of the only sheet to look at'),
  lens: z
    .enum(['value', 'formula', 'input'])
    .default('value')
    .describe('Computed values, texts of formulas alone, or what was entered'),
  match: z.enum(matchKinds).default('contains').describe('How the text has to fit'),
  case: z.enum(['true', 'false']).default('false').describe('`true`: a and A are different'),
  limit: z.coerce.number().int().min(1).max(foundMost).default(pages.rowsDefault),
  cursor: z.string().max(40).optional().describe('Part of `next` of the page before'),
});

const foundPage = z
  .strictObject({
    ref: refSchema,
    lens: z.enum(['value', 'formula', 'input']),
    next: nextSchema,
    cells: z.array(z.strictObject({ sheet: z.string(), cell: z.string(), value: valueSchema })),
  })
  .meta({ id: 'FoundPage' });

function findRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/find',
    scope: 'read',
    tag,
    summary: 'Find: search cells for a text',
    description:
      'Cells that hold the text, in the order of sheets, rows and columns. A page looks at 100,000 cells: it may have none while `next` leads on. With lens=value the answer may be 202.',
    produces: [ndjsonType],
    request: { params, query: findQuery },
    example: { query: 'q=tea&lens=input' },
    responses: {
      200: { description: 'One page', schema: foundPage },
      202: { description: 'The values are being computed', schema: computing },
    },
    handler: async (call) => {
      const { q: text, lens, match, sheet, limit, cursor, case: isCaseKept } = call.query;
      const place = await locate(services, call, call.query.ref);
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      const search = { text, lens, match, sheet, limit, isCaseKept: isCaseKept === 'true' };
      const { waitSeconds = 0 } = call;
      const page = await findCells(place, { search, cursor, waitSeconds }, services);
      if (!page) return computingReply({});
      const { seq, searched, cells: items } = page;
      const position = referenceTo(place, seq);
      const following = page.next === null ? null : { ref: position, cursor: page.next };
      const { next, headers } = nextPage(call, following);
      const header = { ref: { branch: place.branch, seq }, lens, next };
      const rows = { header, member: 'cells', items };
      return { rows, cells: searched, headers, ...caching(place, seq) };
    },
  });
}

const edgeQuery = z.strictObject({
  cell: z.string().describe('B2, or Plan!B2'),
  sheet: z.string().optional().describe('Name of its sheet; the first one when left out'),
  direction: z.enum(directions).describe('The arrow key'),
  ref,
});

const edgeAnswer = z
  .strictObject({
    ref: refSchema,
    sheet: z.string(),
    cell: z.string(),
    filled: z.boolean().describe('False where the way ended at the edge of the sheet, in a blank'),
  })
  .meta({ id: 'Edge' });

function edgeRoute(services: ValueServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/edge',
    scope: 'read',
    tag,
    summary: 'Edge: go to where the filled cells end or begin',
    description:
      'As Ctrl and an arrow key do: to the last filled cell before a blank, to the next filled one, or to the end of the sheet.',
    request: { params, query: edgeQuery },
    example: { query: 'cell=A1&direction=down' },
    responses: { 200: { description: 'The cell', schema: edgeAnswer } },
    handler: async (call) => {
      const { direction, ref: text } = call.query;
      const from = readCell(call.query);
      const place = await locate(services, call, text);
      const unchanged = notModified(call, place);
      if (unchanged) return unchanged;
      const { models, environment } = services;
      return models.use(place, true, async (view) => {
        const sheet = sheetOf(view, from.sheet);
        const start = { sheet: sheet.key, row: from.row, column: from.column, direction };
        const { at, isFilled } = await findEdge(view, start, environment);
        const { seq } = view.position;
        const found = { sheet: sheet.name, cell: cellName(at.row, at.column), filled: isFilled };
        return { value: { ref: { branch: place.branch, seq }, ...found }, ...caching(place, seq) };
      });
    },
  });
}

function sheetOf({ sheets }: ModelView, name: string | undefined) {
  const sheet = name === undefined ? sheets.all[0] : sheets.named(name);
  if (!sheet) throw sheetNotFound(name, sheets.all);
  return sheet;
}

function readCell({ cell, sheet: beside }: { cell: string; sheet?: string | undefined }) {
  const { sheet, rest } = splitSheet(cell) ?? { sheet: undefined, rest: '' };
  const address = parseAddress(rest);
  if (address) return { ...address, sheet: sheet ?? beside };
  throw new Failure('invalidRange', {
    detail: `"${cell.slice(0, 100)}" is not an A1 cell.`,
    hint: "Write B2, Sheet1!B2 or 'My sheet'!B2.",
    errors: [{ pointer: '?cell', code: 'invalid_range', message: 'not an A1 cell' }],
  });
}
