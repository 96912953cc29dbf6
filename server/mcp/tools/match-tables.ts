import { z } from 'zod';

import { isFinished, matchLimits, statuses, type MatchRecord } from '../../matches/match.ts';
import { rowView, type MatchRow } from '../../matches/match-view.ts';
import { creation, pageSchema, summarySchema } from '../../matches/schema.ts';
import { Failure } from '../../model/failure.ts';
import { referenceName } from '../../model/reference.ts';
import { decisions } from '../../../workers/matching/options.ts';
import type { Tool } from '../catalogue.ts';
import type { McpContext } from '../context.ts';
import type { McpServices } from '../services.ts';
import { budget, nextCall, position, ref, workbook } from './arguments.ts';
import { Targets } from './targets.ts';
import { tool, type Outcome } from './tool.ts';

const waitMillisecondsMost = 25_000;
const lookMilliseconds = 1_000;
const columnsShown = 10;

const input = z.strictObject({
  workbook,
  ref,
  left: creation.shape.left.optional(),
  right: creation.shape.right.optional(),
  opts: creation.shape.opts,
  match_id: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Instead of left and right: one that was begun before'),
  wait_ms: z
    .int()
    .min(0)
    .max(waitMillisecondsMost)
    .default(waitMillisecondsMost)
    .describe('How long the call waits for the pairs, in milliseconds'),
  decision: z.enum(decisions).optional().describe('Only pairs of this decision'),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(matchLimits.pageMost).default(matchLimits.pageDefault),
});

const output = z.object({
  match_id: z.string(),
  status: z.enum(statuses),
  ref: position,
  progress: z.number().describe('From 0 to 1'),
  counts: summarySchema.shape.counts,
  error: summarySchema.shape.error,
  pairs: pageSchema.shape.rows.optional().describe('Once the status is done'),
  total: z.int().describe('Pairs on all pages; 0 before it is done'),
  next: nextCall,
});

type Given = z.output<typeof input>;

export function matchTables(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'match_tables',
    title: 'Match two tables by meaning',
    description:
      'For each row of one column the row of another that means the same, with a score, a decision and a reason. It writes nothing to the sheets. Without pairs in the answer it is still under way: call again with match_id.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    isWrite: ({ match_id: known }) => known === undefined,
    run: async (given, context) => {
      const { matches } = services.matching;
      const isNew = given.match_id === undefined;
      const action = isNew ? 'write' : 'read';
      const { id } = await targets.workbook(given.workbook, action, context.principal);
      const begun = isNew
        ? await matches.create(id, wishOf(given), context.principal)
        : await matches.get(id, given.match_id ?? '');
      const match = await waited(services, { workbookId: id, match: begun, given }, context);
      return shownMatch(services, match, given);
    },
  });
}

function wishOf({ left, right, opts, ref: branch }: Given) {
  if (left && right) return { branch, left, right, opts };
  const missing = left ? 'right' : 'left';
  const message = 'Name the columns of both sides, or the match_id of a match that was begun.';
  throw new Failure('invalidRequest', {
    detail: `/${missing}: This is missing. ${message}`,
    errors: [{ pointer: `/${missing}`, code: 'required', message }],
  });
}

interface Waiting {
  readonly workbookId: string;
  readonly match: MatchRecord;
  readonly given: Given;
}

/** Waits for the end as long as the call allows, and tells the client how far it is. */
async function waited(
  { matching: { matches }, environment }: McpServices,
  { workbookId, match: begun, given }: Waiting,
  { progress, signal, right }: McpContext,
): Promise<MatchRecord> {
  const end = environment.elapsed() + given.wait_ms;
  let match = begun;
  for (;;) {
    const left = end - environment.elapsed();
    if (isFinished(match.status) || left <= 0) return match;
    progress(match.progress, 1, match.phase ?? match.status);
    match = await matches.wait(workbookId, match.id, Math.min(left, lookMilliseconds) / 1000);
    signal.throwIfAborted();
    await right.check(async () => workbookId);
  }
}

type Shown = Outcome<z.input<typeof output>>;

async function shownMatch(
  { matching: { table } }: McpServices,
  match: MatchRecord,
  given: Given,
): Promise<Shown> {
  const { id, status, branch, seq, error, progress } = match;
  const counts = match.counts ?? { accept: 0, review: 0, reject: 0, unmatched: 0 };
  const facts = { match_id: id, status, ref: referenceName(branch, seq), progress, counts, error };
  const again = { workbook: given.workbook, match_id: id };
  if (status !== 'done') {
    const next = isFinished(status) ? null : again;
    return { shown: { ...facts, total: 0, next } };
  }
  const { decision, offset, limit } = given;
  const total = decision === undefined ? match.rowCount : await table.countRows(id, decision);
  const most = Math.min(limit, budget.cells / columnsShown);
  const found = await table.rows(id, { offset, limit: most, decision });
  const pairs = withinBytes(found.map(rowView));
  const end = offset + pairs.length;
  const rest = { ...again, offset: end, limit, ...(decision && { decision }) };
  const next = end < total && pairs.length > 0 ? rest : null;
  return { shown: { ...facts, pairs, total, next }, cells: pairs.length };
}

/** Returns as many pairs as fit an answer, at least one. */
function withinBytes(pairs: MatchRow[]): MatchRow[] {
  let used = 0;
  for (const [count, pair] of pairs.entries()) {
    used += JSON.stringify(pair).length + 1;
    if (used > budget.bytes && count > 0) return pairs.slice(0, count);
  }
  return pairs;
}
