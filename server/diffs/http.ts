import { z } from 'zod';

import {
  incarnationOf,
  isLasting,
  positionTag,
  readReference,
  type Place,
} from '../branches/place.ts';
import { matchesTag } from '../http/conditional.ts';
import { msgpackTypes, ndjsonType, preferred } from '../http/negotiate.ts';
import { linkTo } from '../http/next-link.ts';
import { route, type Call, type Reply, type Route } from '../http/route.ts';
import { Failure } from '../model/failure.ts';
import { pages, waitSecondsMost } from '../model/limits.ts';
import type { HeldRight, Rights } from '../model/rights.ts';
import type { Principal } from '../model/scope.ts';
import { diffKinds, type DiffKind } from '../state/diff/diff.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import {
  pinned,
  type ComparedStates,
  type DiffEnds,
  type DiffRequest,
  type Diffs,
} from './diffs.ts';
import { changeEvents, endsShown } from './change-events.ts';
import type { ChangeFeed, FeedWish, FoundChanges } from './change-feed.ts';
import { diffHead } from './head.ts';
import type { Attribution, Origins } from './origins.ts';
import { byList, shownEntries } from './page.ts';
import { csvType, patchType, renderings, type Rendering } from './renderings.ts';
import { diffAnswer, tableChangesPage, tableChangesStat } from './shapes.ts';
import { shownRows } from './table-changes.ts';

export interface DiffServices {
  readonly registry: Pick<WorkbookRegistry, 'visible'>;
  readonly diffs: Diffs;
  readonly origins: Origins;
  readonly feed: ChangeFeed;
  readonly rights: Rights;
}

const tag = 'Merges';
const params = z.strictObject({ id: z.string() });
const reference = z.string().describe('`branch`, `branch@seq`, `commit:<tag>` or `merge:<id>`');
const offset = z.coerce.number().int().min(0).default(0);
const limit = z.coerce.number().int().min(1).max(pages.rowsMost);
const entriesDefault = 1_000;

/** Query parameters that any diff takes. */
export const diffWishes = {
  values: z.enum(['true', 'false']).default('false').describe('Evaluate both sides too'),
  sheet: z.string().optional().describe('Id or name of the only sheet to be looked at'),
  kinds: z
    .string()
    .refine((text) => text.split(',').every(isKind), `not some of ${diffKinds.join(',')}`)
    .optional()
    .describe(`Some of ${diffKinds.join(',')}; all when left out`),
  format: z.enum(['json', 'ndjson', 'csv', 'daff', 'patch']).default('json'),
  offset,
  limit: limit
    .optional()
    .describe(`Entries of a page; json has ${entriesDefault} when left out, all others have all`),
};

const query = z.strictObject({
  from: reference,
  to: reference.default('main'),
  ...diffWishes,
});

type DiffCall = Call<{ id: string }, z.output<typeof query>, unknown, Principal>;

export type DiffWishes = Omit<z.output<typeof query>, 'from' | 'to'>;
type WishCall = Pick<Call<unknown, DiffWishes>, 'path' | 'query' | 'header'>;

/** Media types besides JSON that a diff is answered in. */
export const diffTypes = [ndjsonType, csvType, patchType];

export function diffRoutes(services: DiffServices): Route[] {
  return [diffRoute(services), changesRoute(services)];
}

function diffRoute({ registry, diffs, origins }: DiffServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/diff',
    scope: 'read',
    tag,
    summary: 'Diff: compare two positions of a workbook',
    description:
      'What leads from one position to another. Cells and formulas are compared by identity, so rows that came above change nothing. With `values=true` it says which values differ, and why.',
    produces: diffTypes,
    request: { params, query },
    example: { query: 'from=main@1&to=main' },
    responses: {
      200: { description: 'The differences', schema: diffAnswer },
      202: {
        description: 'The values are being computed',
        schema: z.strictObject({ status: z.literal('computing'), retry_after: z.int() }),
      },
    },
    handler: async (call) => {
      await registry.visible(call.params.id, call.principal);
      const request = requestOf(call);
      const ends = await diffs.locate(request);
      const unchanged = notModified(call, ends);
      if (unchanged) return unchanged;
      const compared = await diffs.compare(request, ends);
      if (!compared) return computing();
      // Pinned to the positions of this page, so that the pages fit together.
      const fixed = { from: pinned(ends.from), to: pinned(ends.to) };
      return { ...(await diffReply(call, compared, { origins, fixed })), ...cachingOf(ends) };
    },
  });
}

interface ReplyParts {
  readonly origins: Attribution;
  /** Parameters of the next page in addition to the options. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** Replies with a page or a rendering of a comparison, as the call wishes. */
export async function diffReply(
  call: WishCall,
  compared: ComparedStates,
  parts: ReplyParts,
): Promise<Reply> {
  const format = formatOf(call);
  if (format === 'json') return jsonReply(call, compared, parts);
  const range = { offset: call.query.offset, limit: call.query.limit ?? Infinity };
  return renderings[format](compared, range, parts.origins);
}

function requestOf({ params: { id }, query: asked, waitSeconds, signal }: DiffCall): DiffRequest {
  const { from, to, sheet, values } = asked;
  return {
    workbookId: id,
    from: readReference(from, '?from'),
    to: readReference(to, '?to'),
    kinds: wantedKinds(asked),
    sheet,
    values: values === 'true',
    waitSeconds: waitSeconds ?? 0,
    signal,
  };
}

/** Undefined for all of them. */
export function wantedKinds({
  kinds,
}: Pick<DiffWishes, 'kinds'>): ReadonlySet<DiffKind> | undefined {
  return kinds === undefined ? undefined : new Set(kinds.split(',').filter(isKind));
}

function isKind(text: string): text is DiffKind {
  return (diffKinds as readonly string[]).includes(text);
}

/** `format` decides; Accept alone may ask for lines or text where it says nothing. */
function formatOf({ query: { format }, header }: WishCall): 'json' | Rendering {
  const accept = header('accept');
  if (format === 'daff') {
    return preferred(accept, ['application/json', csvType]) === csvType ? 'daffCsv' : 'daff';
  }
  if (format !== 'json') return format;
  const types = { 'application/json': 'json', [ndjsonType]: 'ndjson' } as const;
  const texts = { [csvType]: 'csv', [patchType]: 'patch' } as const;
  const offered: Readonly<Record<string, 'json' | Rendering>> = { ...types, ...texts };
  return offered[preferred(accept, Object.keys(offered)) ?? ''] ?? 'json';
}

async function jsonReply(
  call: WishCall,
  compared: ComparedStates,
  { origins, fixed }: ReplyParts,
): Promise<Reply> {
  const { offset: first, limit: most = entriesDefault } = call.query;
  const { entries, values } = compared;
  const end = first + most;
  const shown = await shownEntries(compared, entries.slice(first, end), origins);
  const next = end < entries.length ? nextPath(call, fixed, { first: end, most }) : null;
  const page = { total: entries.length, offset: first, limit: most };
  const value = { ...diffHead(compared), ...page, ...byList(shown, values !== undefined), next };
  return { value, cells: shown.length, headers: linkTo(next) };
}

function nextPath(
  { path, query: asked }: WishCall,
  fixed: ReplyParts['fixed'],
  { first, most }: { first: number; most: number },
): string {
  const { sheet, kinds, values } = asked;
  const fields = new URLSearchParams(fixed);
  if (sheet !== undefined) fields.set('sheet', sheet);
  if (kinds !== undefined) fields.set('kinds', kinds);
  if (values === 'true') fields.set('values', values);
  fields.set('offset', String(first));
  fields.set('limit', String(most));
  return `${path}?${fields.toString()}`;
}

function etagOf({ from, to }: DiffEnds): string {
  return `${positionTag(from, from.seq)}..${positionTag(to, to.seq)}`;
}

function notModified({ header }: DiffCall | ChangesCall, ends: DiffEnds): Reply | undefined {
  const etag = etagOf(ends);
  return matchesTag(header('if-none-match'), etag) ? { status: 200, etag } : undefined;
}

function cachingOf(ends: DiffEnds): Pick<Reply, 'etag' | 'cacheControl'> {
  const etag = etagOf(ends);
  if (!isLasting(ends.from) || !isLasting(ends.to)) return { etag };
  return { etag, cacheControl: 'private, max-age=31536000, immutable' };
}

const retrySeconds = 1;

function computing(): Reply {
  return {
    status: 202,
    value: { status: 'computing', retry_after: retrySeconds },
    headers: { 'Retry-After': String(retrySeconds) },
    cacheControl: 'no-store',
  };
}

const changesQuery = z.strictObject({
  from: reference.describe('Where the changes begin; `main@42` goes on behind what was seen'),
  to: reference.default('main'),
  stat: z.enum(['true', 'false']).default('false').describe('Only how many there are'),
  wait: z.coerce
    .number()
    .min(0)
    .max(waitSecondsMost)
    .default(0)
    .describe('Seconds to wait for a change where there is none yet'),
  offset,
  limit: limit.default(pages.rowsDefault),
});

type ChangesCall = Call<
  { id: string; tid: string },
  z.output<typeof changesQuery>,
  unknown,
  Principal
>;

const eventType = 'text/event-stream';

function changesRoute(services: DiffServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/tables/:tid/changes',
    scope: 'read',
    tag: 'Tables',
    summary: 'Table changes between two positions, row by row',
    description:
      'Rows by their key, wherever they stand: `before` and `after` have the columns that differ. `from=<what to was>` goes on; `wait` holds the answer until there is something. As `text/event-stream` changes come as they are made; `Last-Event-ID` goes on.',
    produces: [ndjsonType, eventType],
    request: { params: params.extend({ tid: z.string() }), query: changesQuery },
    example: { query: 'from=main@1&to=main' },
    responses: {
      200: {
        description: 'One page of rows, or counts',
        schema: z.union([tableChangesPage, tableChangesStat]),
      },
    },
    handler: async (call) => {
      const { id, tid } = call.params;
      await services.registry.visible(id, call.principal);
      const accept = call.header('accept');
      const offered = ['application/json', ndjsonType, ...msgpackTypes, eventType];
      if (preferred(accept, offered) === eventType) return eventsReply(services, call);
      const { diffs, feed } = services;
      const { wait } = call.query;
      const locate = (): Promise<DiffEnds> => changeEnds(diffs, call, call.query.from);
      const wish = { workbookId: id, table: tid, signal: call.signal, locate };
      if (wait > 0) return changesReply(call, await waitAllowed(services, call, wish));
      return notModified(call, await locate()) ?? changesReply(call, await feed.wait(wish, 0));
    },
  });
}

/** Waits for changes as long as the client may read them. */
async function waitAllowed(
  { feed, rights }: DiffServices,
  call: ChangesCall,
  { locate, ...wish }: FeedWish,
): Promise<FoundChanges> {
  const held = heldRight(call);
  const ending = new AbortController();
  const unwatch = rights.watch(held, () => ending.abort());
  const signal = AbortSignal.any([wish.signal, ending.signal]);
  const located = async (from: Place | undefined): Promise<DiffEnds> => {
    await rights.check(held);
    return locate(from);
  };
  try {
    return await feed.wait({ ...wish, signal, locate: located }, call.query.wait * 1_000);
  } finally {
    unwatch();
  }
}

function changeEnds(diffs: Diffs, { params: { id }, query: asked }: ChangesCall, from: string) {
  return diffs.locate({
    workbookId: id,
    from: readReference(from, '?from'),
    to: readReference(asked.to, '?to'),
  });
}

function changesReply(call: ChangesCall, { ends, changes }: FoundChanges): Reply {
  const { offset: first, limit: most, stat } = call.query;
  const { rows, ...head } = changes;
  const total = rows.length;
  const about = { ...endsShown(ends), ...head, total };
  if (stat === 'true') return { value: { ...about, ...rows.counts }, ...cachingOf(ends) };
  const end = first + most;
  const next = end < total ? nextChanges(call, ends, end) : null;
  const header = { ...about, offset: first, limit: most, next };
  const items = shownRows(rows.slice(first, end));
  return { rows: { header, member: 'changes', items }, headers: linkTo(next), ...cachingOf(ends) };
}

async function eventsReply(
  { diffs, feed, rights }: DiffServices,
  call: ChangesCall,
): Promise<Reply> {
  const { id, tid } = call.params;
  const { position: begin, incarnation } = readEventId(
    call.header('last-event-id') ?? call.query.from,
  );
  const ends = await changeEnds(diffs, call, begin);
  if (incarnation !== undefined && incarnation !== incarnationOf(ends.from.address)) {
    throw otherBranch(ends.from);
  }
  // A table that cannot be followed is refused before the stream begins.
  await diffs.tableChanges(ends, tid);
  const locate = (from: Place | undefined): Promise<DiffEnds> =>
    changeEnds(diffs, call, from ? pinned(from) : begin);
  const watch = (ended: (failure: Failure) => void) => rights.watch(heldRight(call), ended);
  const stream = changeEvents({ watch, signal: call.signal }, (signal) =>
    feed.follow({ workbookId: id, table: tid, signal, locate }),
  );
  // A proxy that reads answers whole would keep the events to itself.
  const headers = { 'X-Accel-Buffering': 'no' };
  return { stream, type: eventType, cacheControl: 'no-store', headers };
}

function heldRight({ params: { id }, header }: ChangesCall): HeldRight {
  return { authorization: header('authorization'), workbookId: id };
}

/**
 * Reads the id of an event: the tag of a position, and the part that distinguishes branches of one
 * name.
 */
function readEventId(text: string): { position: string; incarnation: string | undefined } {
  const [, position = text, incarnation] = /^(.+@\d{1,15})(:\d{1,9})$/u.exec(text) ?? [];
  return { position, incarnation };
}

function otherBranch({ branch }: Place): Failure {
  return new Failure('refNotFound', {
    detail: `The branch ${branch} is not the one that Last-Event-ID is about: it was made anew.`,
    hint: 'Read the table anew, and follow it from the position that you have read.',
  });
}

function nextChanges({ path, query: { limit: most } }: ChangesCall, ends: DiffEnds, end: number) {
  const fields = new URLSearchParams({ from: pinned(ends.from), to: pinned(ends.to) });
  fields.set('offset', String(end));
  fields.set('limit', String(most));
  return `${path}?${fields.toString()}`;
}
