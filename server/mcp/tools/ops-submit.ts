import { z } from 'zod';

import { nothingApplied } from '../../branches/nothing-applied.ts';
import { checkOperationCount } from '../../model/operation-count.ts';
import { operationKinds, submissionModes, submissionSchema } from '../../model/operation.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { branch, expectHead, idempotencyKey, position, workbook, writer } from './arguments.ts';
import { Targets } from './targets.ts';
import { inArguments, rejectionHint } from './hints.ts';
import { requestOf } from './range-write.ts';
import { tool } from './tool.ts';
import { positionName } from './submitting.ts';

const { ops, baseSeq, group } = submissionSchema.shape;

const input = z.strictObject({
  workbook,
  branch,
  ops: ops.min(1),
  mode: z
    .enum(submissionModes)
    .default('atomic')
    .describe(
      'atomic: all or none; strict: and nothing conflicting since base_seq; rebase: each on its own',
    ),
  base_seq: baseSeq,
  group,
  expect_head: expectHead,
  idempotency_key: idempotencyKey,
  writer,
});

const names = new Set(Object.keys(input.shape));

const output = z.object({
  ref: position,
  status: z.enum(['applied', 'partial', 'duplicate']),
  first_seq: z.int().nullable(),
  last_seq: z.int().nullable(),
  made: z
    .array(
      z.object({
        index: z.int(),
        sheet: z.string().optional(),
        table: z.string().optional(),
        record: z.string().optional(),
        comment: z.string().optional(),
      }),
    )
    .describe('Ids of what operations made, by their index'),
  rejected: z.array(
    z.object({ index: z.int(), code: z.string(), message: z.string(), hint: z.string() }),
  ),
});

/** The payload of each kind takes more room in a list of tools than all the rest of it. */
const shownOps = {
  type: 'array',
  minItems: 1,
  description:
    'Operations {kind, payload}. The resource doc://operations has the payload of each kind; a wrong one is answered with what it takes.',
  items: {
    type: 'object',
    required: ['kind', 'payload'],
    properties: {
      kind: { type: 'string', enum: operationKinds.filter((kind) => !isOwn(kind)) },
      payload: { type: 'object' },
      id: { type: 'string', description: 'Made by you: repeats of it are written once' },
      expect: { type: 'object', description: 'Preconditions: A1 address to what it holds' },
    },
  },
} as const;

/** Returns whether only other routes write a kind. */
function isOwn(kind: string): boolean {
  return kind === 'policy.set' || kind === 'commit' || kind === 'merge';
}

export function opsSubmit(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'ops_submit',
    title: 'Submit operations',
    description:
      'Every kind of operation: rows, columns, sheets, names, formats, tables, comments, validation, charts, undo. range_write and table_write are easier for cells and rows.',
    input,
    output,
    shownArguments: { ops: shownOps },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    run: async (given, { principal }) => {
      checkOperationCount(given.ops.length);
      const { id } = await targets.branch(given.workbook, given.branch, principal);
      const address = await services.branches.address(id, given.branch);
      const named = { address, branch: given.branch };
      const { mode, base_seq: base, group: together } = given;
      const request = {
        ...(await requestOf(services.branches, named, { given, principal, ops: given.ops })),
        mode,
        baseSeq: base,
        group: together,
      };
      const answer = await services.branches.submit(address, request);
      const { status, firstSeq = null, lastSeq = null, head, results } = answer;
      if (status === 'rejected') throw nothingApplied(answer);
      const made = results.flatMap(({ sheet, table, record, comment }, index) => {
        const ids = {
          ...(sheet && { sheet }),
          ...(table && { table }),
          ...(record && { record }),
          ...(comment && { comment }),
        };
        return Object.keys(ids).length === 0 ? [] : [{ index, ...ids }];
      });
      const rejected = results.flatMap(({ error }, index) => {
        if (!error) return [];
        const { code, message } = error;
        const hint = inArguments(rejectionHint(code, error.hint), names);
        return [{ index, code, message: inArguments(message, names), hint }];
      });
      const ref = await positionName(services.branches, named, lastSeq ?? head);
      return { shown: { ref, status, first_seq: firstSeq, last_seq: lastSeq, made, rejected } };
    },
  });
}
