import { ndjsonType, preferred } from '../http/negotiate.ts';
import { route, type Reply, type Route } from '../http/route.ts';
import type { Policies } from '../branches/policies.ts';
import type { Decision } from '../../workers/matching/options.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { z } from 'zod';
import { applyMatch, type ApplyParts } from './apply.ts';
import { isFinished, matchLimits, type MatchRecord } from './match.ts';
import {
  arrowRowsOf,
  csvOf,
  matchView,
  retrySeconds,
  rowView,
  type MatchRow,
} from './match-view.ts';
import type { Matches } from './matches.ts';
import { providersSchema } from './providers/schema.ts';
import type { Providers } from './providers/providers.ts';
import {
  applied,
  applyBody,
  created,
  creation,
  decisionsBody,
  listQuery,
  matchParams,
  pageQuery,
  pageSchema,
  params,
  summarySchema,
} from './schema.ts';
import type { MatchTable } from './sql.ts';

export interface MatchServices {
  readonly matches: Matches;
  readonly providers: Pick<Providers, 'views'>;
  readonly table: MatchTable;
  readonly registry: Pick<WorkbookRegistry, 'visible' | 'writable'>;
  readonly policies: Policies;
  readonly applying: ApplyParts;
}

const tag = 'Matching';
const csvType = 'text/csv';
const arrowType = 'application/vnd.apache.arrow.stream';
const types = ['application/json', ndjsonType, csvType, arrowType];
const rowsAtOnce = 2000;

export function matchRoutes(services: MatchServices): Route[] {
  return [
    createRoute(services),
    listRoute(services),
    getRoute(services),
    cancelRoute(services),
    decideRoute(services),
    applyRoute(services),
    providersRoute(services),
  ];
}

function createRoute({ matches, registry }: MatchServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/matches',
    scope: 'write',
    tag,
    summary: 'Match: join two columns by what they mean',
    description:
      'For each row of the left column the row of the right one that means the same, with a score, a decision and a reason. Done in the background, at the head: ask at `poll` until `status` is done.',
    request: { params, body: creation },
    example: {
      body: {
        left: { tableId: 'Orders', column: 'Customer' },
        right: { tableId: 'Customers', column: 'Name' },
        opts: { assignment: 'many-to-one' },
      },
    },
    responses: { 202: { description: 'It is under way', schema: created } },
    handler: async ({ params: { id }, body, principal }) => {
      await registry.writable(id, principal);
      const match = await matches.create(id, body, principal);
      const poll = `/v1/workbooks/${id}/matches/${match.id}`;
      return {
        status: 202,
        value: { matchId: match.id, poll },
        headers: { Location: poll, 'Retry-After': String(retrySeconds) },
      };
    },
  });
}

function listRoute({ table, registry }: MatchServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/matches',
    scope: 'read',
    tag,
    summary: 'Matches: list them, newest first',
    description: 'Without their rows. A match goes 30 days after it has ended.',
    produces: [ndjsonType],
    request: { params, query: listQuery },
    responses: {
      200: {
        description: 'One page',
        schema: z.strictObject({
          total: z.int(),
          offset: z.int(),
          limit: z.int(),
          matches: z.array(summarySchema),
        }),
      },
    },
    handler: async ({ params: { id }, query, principal }) => {
      await registry.visible(id, principal);
      const { total, matches: found } = await table.list(id, query);
      const items = found.map(matchView);
      return { rows: { header: { total, ...query }, member: 'matches', items } };
    },
  });
}

function getRoute(services: MatchServices): Route {
  const { matches, registry } = services;
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/matches/:mid',
    scope: 'read',
    tag,
    summary: 'Match: how far it is, and its rows once it is done',
    description:
      'Rows in the order of the left table, then by rank; `decision` picks those of one. `Prefer: wait=10` answers when it ends, or after that time. As CSV, Arrow or NDJSON all rows come in one answer unless `limit` is given.',
    produces: [ndjsonType, csvType, arrowType],
    request: { params: matchParams, query: pageQuery },
    responses: { 200: { description: 'The match and a page of its rows', schema: pageSchema } },
    handler: async (call) => {
      const { id, mid } = call.params;
      await registry.visible(id, call.principal);
      const match = await matches.wait(id, mid, call.waitSeconds ?? 0);
      const type = preferred(call.header('accept'), types) ?? 'application/json';
      const preference: Record<string, string> =
        call.waitSeconds === undefined ? {} : { 'Preference-Applied': `wait=${call.waitSeconds}` };
      const again = isFinished(match.status) ? {} : { 'Retry-After': String(retrySeconds) };
      const headers = { ...preference, ...again };
      return { ...(await pageOf(services, match, { ...call.query, type })), headers };
    },
  });
}

interface PageWish {
  readonly offset: number;
  readonly limit?: number | undefined;
  readonly decision?: Decision | undefined;
  readonly type: string;
}

async function pageOf(
  { table, matches }: MatchServices,
  match: MatchRecord,
  { offset, limit, decision, type }: PageWish,
): Promise<Reply> {
  const { id } = match;
  const total = decision === undefined ? match.rowCount : await table.countRows(id, decision);
  const isWhole = limit === undefined && type !== 'application/json';
  const count = isWhole ? total : (limit ?? matchLimits.pageDefault);
  if (type === csvType || type === arrowType) {
    matches.done(match);
    const batches = batchesOf(table, id, { offset, limit: count, decision });
    return { stream: type === csvType ? csvOf(batches) : arrowRowsOf(batches), type };
  }
  const header = { ...matchView(match), offset, limit: count, total };
  if (isWhole) {
    const items = flattened(batchesOf(table, id, { offset, limit: count, decision }));
    return { rows: { header, member: 'rows', items }, cells: total };
  }
  const items = (await table.rows(id, { offset, limit: count, decision })).map(rowView);
  return { rows: { header, member: 'rows', items }, cells: items.length };
}

interface RowWish {
  readonly offset: number;
  readonly limit: number;
  readonly decision?: Decision | undefined;
}

async function* batchesOf(
  table: MatchTable,
  id: string,
  { offset, limit, decision }: RowWish,
): AsyncGenerator<readonly MatchRow[]> {
  for (let at = offset; at < offset + limit; at += rowsAtOnce) {
    const wish = { offset: at, limit: Math.min(rowsAtOnce, offset + limit - at), decision };
    const rows = await table.rows(id, wish);
    if (rows.length === 0) return;
    yield rows.map(rowView);
  }
}

async function* flattened(batches: AsyncIterable<readonly MatchRow[]>) {
  for await (const rows of batches) yield* rows;
}

function cancelRoute({ matches, registry }: MatchServices): Route {
  return route({
    host: 'api',
    method: 'DELETE',
    path: '/v1/workbooks/:id/matches/:mid',
    scope: 'write',
    tag,
    summary: 'Match: cancel it',
    description: 'Ends one that has not ended, wherever it runs; one that has ended stays.',
    idempotency: 'none',
    request: { params: matchParams },
    responses: { 200: { description: 'The match', schema: summarySchema } },
    handler: async ({ params: { id, mid }, principal }) => {
      await registry.writable(id, principal);
      return { value: matchView(await matches.cancel(id, mid)) };
    },
  });
}

function decideRoute({ matches, registry }: MatchServices): Route {
  return route({
    host: 'api',
    method: 'PATCH',
    path: '/v1/workbooks/:id/matches/:mid/rows',
    scope: 'write',
    tag,
    summary: 'Match: decide about rows yourself',
    description:
      'Whatever was decided before; the rows say `manual` then. All of the decisions are written or none.',
    request: { params: matchParams, body: decisionsBody },
    example: {
      body: { decisions: [{ leftKey: 'A-17', rightKey: 'C-4', decision: 'accept' }] },
    },
    responses: { 200: { description: 'The match', schema: summarySchema } },
    handler: async ({ params: { id, mid }, body, principal }) => {
      await registry.writable(id, principal);
      return { value: matchView(await matches.decide(id, mid, body.decisions)) };
    },
  });
}

function applyRoute({ matches, table, registry, policies, applying }: MatchServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/matches/:mid/apply',
    scope: 'write',
    tag,
    summary: 'Match: write its accepted pairs to a branch',
    description:
      'As a table with a row for each pair, or as a column of the left table that has the key of the right row. They are ordinary operations of one group.',
    request: { params: matchParams, body: applyBody },
    example: { body: { branch: 'joined', as: 'table', name: 'Customer_match' } },
    responses: { 200: { description: 'What was written', schema: applied } },
    handler: async ({ params: { id, mid }, body, principal, keyed }) => {
      const facts = await registry.writable(id, principal);
      await policies.checkDirectWrite(facts, body.branch, principal);
      const match = matches.done(await matches.get(id, mid));
      const rows: MatchRow[] = [];
      const wish = { offset: 0, limit: match.rowCount, decision: 'accept' } as const;
      for await (const batch of batchesOf(table, mid, wish)) rows.push(...batch);
      const given = { wish: body, principal, parts: applying, run: keyed?.id };
      const answer = await applyMatch(match, rows, given);
      const { firstSeq = null, lastSeq = null, head, name } = answer;
      const { branch } = body;
      return { value: { branch, firstSeq, lastSeq, head, name, rows: answer.rows, group: mid } };
    },
  });
}

function providersRoute({ providers }: MatchServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/match-providers',
    scope: 'read',
    tag,
    summary: 'Match: list the providers that there are',
    description:
      'Those that make vectors of texts (`provider`) and those that verify pairs (`verifyProvider`).',
    request: {},
    responses: { 200: { description: 'All of them', schema: providersSchema } },
    handler: async () => ({ value: { providers: providers.views } }),
  });
}
