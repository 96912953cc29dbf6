import { z } from 'zod';

import { ndjsonType } from '../../http/negotiate.ts';
import { route, type Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { pages } from '../../model/limits.ts';
import { positionTag } from '../place.ts';
import type { Branches } from '../branches.ts';
import type { HistoryPage } from '../history.ts';
import { kind, params, tag, visibleBranch, type BranchServices } from '../http.ts';
import type { BranchAddress } from '../journal-store.ts';
import type { JournalRecord } from '../record.ts';
import { countOf } from './payload-count.ts';
import { touchedCell, writesTo } from './touched-cell.ts';
import { touchedSheet, touches } from './touched-sheet.ts';

const time = z.string().meta({ format: 'date-time' });

const historyPage = z
  .strictObject({
    head: z.int(),
    next: z
      .int()
      .nullable()
      .describe('The `after`, or `before`, of the next page; null at the end'),
    ops: z.array(
      z.strictObject({
        seq: z.int(),
        id: z.string().nullable(),
        by: z.string().describe('Name of the person or agent'),
        actor: z.string().describe('Id of the same'),
        writer: z.string().describe('Name that the client wrote under, of its own choice'),
        kind,
        payload: z.unknown().optional().describe('In the addresses of the position before it'),
        count: z
          .strictObject({ cells: z.int(), ranges: z.int() })
          .optional()
          .describe('With payload=false: how much it names'),
        at: time,
        group: z.string().optional().describe('What it was submitted with'),
        noop: z.literal(true).optional().describe('It changed nothing: pass over its payload'),
      }),
    ),
  })
  .meta({ id: 'HistoryPage' });

const historyQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe('Oldest first, after this; default 0'),
  before: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Newest first, before this; any number above the head begins there'),
  payload: z
    .enum(['true', 'false'])
    .default('true')
    .describe('`false`: `count` says how many cells and ranges it names'),
  sheet: z.string().optional().describe('With before: only what writes to it or names it'),
  cell: z.string().optional().describe('With sheet: only what wrote this cell of it'),
  limit: z.coerce.number().int().min(1).max(pages.rowsMost).default(pages.rowsDefault),
});

export function journalRoute({ branches, registry, names }: BranchServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/branches/:branch/ops',
    scope: 'read',
    tag,
    summary: 'Journal: read the operations of a branch',
    description:
      'Applied to an empty workbook one after the other, the operations rebuild it. With `before` they come newest first, and `next` is the `before` of the next page.',
    produces: [ndjsonType],
    request: { params, query: historyQuery },
    example: { query: 'before=1000&payload=false&limit=50' },
    responses: { 200: { description: 'Operations in their order', schema: historyPage } },
    handler: async ({ params: { id, branch }, query, principal }) => {
      const address = await visibleBranch({ branches, registry }, { id, branch, principal });
      const { records, head, next } = await readJournal(branches, address, query);
      const name = await names.of(records.map(({ principalId }) => principalId));
      const hasPayload = query.payload === 'true';
      const items = records.map((record) => {
        return journalItem(record, { by: name(record.principalId), hasPayload });
      });
      return {
        rows: { header: { head, next }, member: 'ops', items },
        etag: positionTag({ address, branch }, head),
      };
    },
  });
}

async function readJournal(
  branches: Branches,
  address: BranchAddress,
  { after, before, limit, sheet, cell }: z.output<typeof historyQuery>,
): Promise<HistoryPage> {
  if (sheet === undefined && cell !== undefined) throw cellWithoutSheet();
  if (before === undefined && sheet === undefined) {
    return branches.history(address, { after: after ?? 0, limit });
  }
  if (before === undefined) throw withoutBefore();
  if (after === undefined) {
    const place = sheet === undefined ? undefined : { sheet, cell };
    const isWanted = place && (await touching(branches, address, place));
    return branches.historyBefore(address, { before, limit, isWanted });
  }
  throw new Failure('invalidRequest', {
    detail: 'The query has both after and before.',
    hint: 'Send after for the oldest first, or before for the newest first.',
    errors: [{ pointer: '?before', code: 'invalid_value', message: 'not together with after' }],
  });
}

interface Touched {
  readonly sheet: string;
  readonly cell: string | undefined;
}

/** Returns what tells operations on a sheet, or on one of its cells, from others. */
function touching(branches: Branches, address: BranchAddress, { sheet: name, cell }: Touched) {
  return branches.glance(address, function* (state) {
    yield* [];
    const sheet = touchedSheet(state, name);
    if (cell === undefined) return (record: JournalRecord) => touches(record, sheet);
    const place = touchedCell(state, { sheet: sheet.id, cell });
    return (record: JournalRecord) => writesTo(record, place);
  });
}

function cellWithoutSheet(): Failure {
  return new Failure('invalidRequest', {
    detail: 'The query has cell without sheet.',
    hint: 'Send the name or the id of its sheet as sheet, and before=99999999.',
    errors: [{ pointer: '?cell', code: 'not_together', message: 'only together with sheet' }],
  });
}

function withoutBefore(): Failure {
  return new Failure('invalidRequest', {
    detail: 'The query has sheet without before.',
    hint: 'Send before=99999999 for the newest operations on the sheet.',
    errors: [{ pointer: '?sheet', code: 'not_together', message: 'only together with before' }],
  });
}

function journalItem(
  { at, group, resolved, ...record }: JournalRecord,
  { by, hasPayload }: { by: string; hasPayload: boolean },
) {
  const { seq, id, writer, principalId: actor, kind: recordKind, payload } = record;
  const content = hasPayload ? { payload } : { count: countOf(payload) };
  const written = { by, actor, writer, kind: recordKind, ...content };
  const item = { seq, id, ...written, at: new Date(at).toISOString() };
  const noop = resolved.noop === true && { noop: true };
  return { ...item, ...(group !== undefined && { group }), ...noop };
}
