import { z } from 'zod';

import { operationLimits as limits } from './operation-limits.ts';

// Payloads of the kinds that take operations back. The journal adds what that came to: `ops`.

const sequence = z.int().min(1);

const undo = z.strictObject({
  of: z
    .union([sequence, z.string().min(1).max(limits.groupLength)])
    .describe('Sequence of an operation, or a group of yours: all its operations'),
});

const redo = z.strictObject({
  of: sequence.describe('Sequence of the undo, redo or revert that is taken back'),
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
