import { z } from 'zod';

import { abortBody, approvalBody, creation, resolutionBody } from '../../merges/schema.ts';
import { nextCall, position, workbook } from './arguments.ts';

const { source, target, title, description, strategy, granularity, revertOf, apply } =
  creation.shape;
const { resolutions, bulk, refresh } = resolutionBody.shape;
const { digest, comment } = approvalBody.shape;

export const mergeInput = z.strictObject({
  workbook,
  action: z
    .enum(['open', 'show', 'resolve', 'approve', 'complete', 'abort'])
    .describe(
      'open proposes; show looks (without merge_id: lists); resolve settles conflicts; approve says yes and writes nothing; complete writes it to the target; abort gives up',
    ),
  merge_id: z.string().max(100).optional().describe('Of all but open'),
  source,
  target,
  revert_of: revertOf,
  title,
  description,
  strategy,
  granularity,
  apply: apply.describe('Of open: auto writes it at once when nothing stands against it'),
  resolutions: resolutions.describe(
    'Of resolve: {id, choice} of single conflicts; custom has an input',
  ),
  bulk: bulk.describe('Of resolve: {where, choice} for all that fit'),
  refresh,
  revision: z.int().optional().describe('Of resolve: refused when the merge has another by now'),
  digest: digest.describe(
    'Of approve and complete: refused when it would write something else by now',
  ),
  comment,
  reason: abortBody.shape.reason,
  diff: z.boolean().default(false).describe('With a diff of what it does to the target'),
  offset: z.int().min(0).default(0).describe('Of conflicts, or of the list'),
  limit: z.int().min(1).max(200).default(50),
});

export type MergeGiven = z.output<typeof mergeInput>;

const listed = z.object({
  merge_id: z.string(),
  title: z.string(),
  state: z.string(),
  source: position,
  target: position,
});

export const mergeOutput = z.object({
  merges: z.array(listed).optional().describe('With show without merge_id'),
  merge: listed
    .extend({
      revision: z.int(),
      digest: z.string().nullable().describe('Of all that it would write'),
      blocked_by: z.array(z.string()).describe('What stands against it: conflicts, approvals, …'),
      approvals: z.object({ required: z.int(), given: z.int() }).nullable(),
      changes: z.looseObject({}).nullable().describe('How much the source changed'),
      units: z
        .array(
          z.object({ id: z.string(), title: z.string(), decision: z.string(), changes: z.int() }),
        )
        .describe('Groups of changes; PUT …/units over HTTP regroups them'),
      result: z
        .object({
          ref: position,
          state_hash: z.string(),
          leaf_hash: z.string().nullable(),
          proof: z.string().describe('Address of its proof, a file that is checked offline'),
        })
        .nullable()
        .describe('Once it is applied'),
    })
    .optional(),
  conflicts: z
    .object({
      open: z.int(),
      total: z.int(),
      items: z.array(
        z.looseObject({
          id: z.string(),
          kind: z.string(),
          status: z.enum(['open', 'resolved']),
          text: z.string(),
          base: z.looseObject({}),
          ours: z.looseObject({}).describe('What the target has'),
          theirs: z.looseObject({}).describe('What the source has'),
          choices: z.array(z.string()),
        }),
      ),
    })
    .optional(),
  findings: z
    .array(
      z.looseObject({ id: z.string(), kind: z.string(), severity: z.string(), text: z.string() }),
    )
    .optional()
    .describe('What only the merge brings about: values neither side shows, broken rules'),
  resolved: z.int().optional().describe('Choices that resolve made'),
  diff: z.object({ summary: z.looseObject({}), text: z.string(), total: z.int() }).optional(),
  next: nextCall,
});
