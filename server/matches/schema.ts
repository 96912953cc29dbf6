import { z } from 'zod';

import { isBranchName } from '../model/reference.ts';
import { assignments, decisions } from '../../workers/matching/options.ts';
import { matchLimits, phases, statuses } from './match.ts';
import { optionsBody } from './options.ts';
import { sideSchema } from './sides.ts';

export const params = z.strictObject({ id: z.string() });
export const matchParams = params.extend({ mid: z.string() });

export const creation = z.strictObject({
  branch: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('A branch or a position, such as main@42; default main. Settled at once'),
  left: sideSchema.describe('Rows that look for a partner'),
  right: sideSchema.describe('The reference; the same column again looks for duplicates'),
  opts: optionsBody.optional(),
});

export const created = z.strictObject({ matchId: z.string(), poll: z.string() });

const key = z.union([z.string(), z.number(), z.boolean()]);

export const decisionsBody = z.strictObject({
  decisions: z
    .array(
      z.strictObject({
        leftKey: key,
        rightKey: key,
        decision: z.enum(['accept', 'reject', 'review']),
      }),
    )
    .min(1)
    .max(matchLimits.decisionsPerCall),
});

export const applyBody = z.strictObject({
  branch: z
    .string()
    .refine(isBranchName, 'not the name of a branch')
    .describe('It has to be there: POST …/branches makes one'),
  as: z.enum(['table', 'column']).default('table'),
  name: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'Of the table or the column; default Match_… or the name of the right table and _key',
    ),
});

export const applied = z.strictObject({
  branch: z.string(),
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  head: z.int(),
  name: z.string(),
  rows: z.int().describe('Pairs that were written'),
  group: z.string().describe('What one undo takes back: {"kind":"undo","payload":{"of":"mat_…"}}'),
});

const side = sideSchema.extend({
  rows: z.int().optional(),
  distinct: z.int().optional(),
  empty: z.int().optional(),
});

const time = z.string().meta({ format: 'date-time' });
const share = z.number();

const summary = {
  matchId: z.string(),
  status: z.enum(statuses),
  phase: z.enum(phases).nullable(),
  ref: z.strictObject({ branch: z.string(), seq: z.int() }),
  left: side,
  right: side,
  opts: z.strictObject({
    hi: share,
    lo: share,
    provider: z.string(),
    verifyProvider: z.string(),
    dim: z.int().nullable(),
    assignment: z.enum(assignments),
    topK: z.int(),
    minConfidence: share,
    normalise: z.enum(['default', 'none']),
    aliases: z.strictObject({ tableId: z.string(), from: z.string(), to: z.string() }).nullable(),
    include: z.enum(['accepted', 'all']),
  }),
  algo: z.string(),
  reused: z.boolean().describe('The rows are those of an earlier match of the same inputs'),
  progress: share.describe('From 0 to 1; it never goes back, and is 1 only when done'),
  progressDetail: z.strictObject({ done: z.int(), total: z.int() }),
  counts: z.strictObject({
    accept: z.int(),
    review: z.int(),
    reject: z.int(),
    unmatched: z.int(),
  }),
  createdBy: z.string(),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  error: z
    .strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() })
    .nullable(),
  retry_after: z.int().optional().describe('Seconds; of one that has not ended'),
};

export const summarySchema = z.strictObject(summary).meta({ id: 'MatchSummary' });

export const pageSchema = z
  .strictObject({
    ...summary,
    offset: z.int(),
    limit: z.int(),
    total: z.int().describe('Rows there are; none before it is done'),
    rows: z.array(
      z.strictObject({
        leftKey: key,
        leftValue: z.string().nullable(),
        rightKey: key.nullable(),
        rightValue: z.string().nullable(),
        score: z.number().nullable(),
        decision: z.enum(decisions),
        verified: z.boolean(),
        confidence: z.number().nullable(),
        reason: z.string(),
        rank: z.int(),
        detail: z.string().optional().describe('Words of a model that was asked'),
      }),
    ),
  })
  .meta({ id: 'MatchPage' });

export const listQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(matchLimits.pageMost).default(matchLimits.pageDefault),
});

export const pageQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(matchLimits.pageMost)
    .optional()
    .describe('Default 100; without it CSV and NDJSON have all rows'),
  decision: z.enum(decisions).optional().describe('Only rows of this decision'),
});
