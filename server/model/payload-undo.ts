import { z } from 'zod';

import { operationLimits as limits } from './operation-limits.ts';

// Payloads of the kinds that take operations back. The journal adds what that came to: `ops`.

const sequence = z.int().min(1);

const last = z.strictObject({
  last: z.literal(true).describe('What this writer did last, and has not taken back yet'),
  before: sequence.optional().describe('Passes over what was done from this sequence on'),
});

const undo = z.strictObject({
  of: z
    .union([sequence, z.string().min(1).max(limits.groupLength), last])
    .describe('Sequence of an operation, a group of yours, or {last: true}: what you did last'),
});

const redo = z.strictObject({
  of: z
    .union([sequence, last])
    .describe('Sequence of the undo, redo or revert that is taken back, or {last: true}'),
});

const revert = z.strictObject({
  of: z
    .union([
      z.strictObject({ from: sequence, through: sequence }),
      z.string().min(1).max(64).describe('Id of a merge'),
    ])
    .describe('Operations from one sequence through another, both included'),
});

export const undoPayloads = { undo, redo, revert };
