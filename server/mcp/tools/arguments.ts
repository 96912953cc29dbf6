import { z } from 'zod';

import { mainBranch } from '../../workbooks/workbook.ts';
import { isBranchName, nameLengthMost } from '../../model/reference.ts';
import { operationLimits } from '../../model/operation-limits.ts';
import { headerMember } from '../protocol/names.ts';

/** Arguments and members of results that several tools have. */

export const workbook = z
  .string()
  .min(1)
  .max(250)
  .describe('Id (wb_…) or address ({namespace}/{name}) of the workbook')
  .meta({ [headerMember]: 'Workbook' });

export const ref = z
  .string()
  .max(300)
  .default(mainBranch)
  .describe('What is read: a branch (its head), branch@seq, commit:<tag> or merge:<id>');

export const branchName = z
  .string()
  .max(nameLengthMost)
  .refine(isBranchName, 'not the name of a branch');

export const branch = branchName.default(mainBranch).describe('The branch that is written to');

export const expectHead = z
  .union([z.int().min(0), z.string().max(300)])
  .optional()
  .describe(
    'Refuses the write (head_moved) when the branch has another head by now: 42, or a ref as it was answered (side@42), which also refuses another branch of that name',
  );

export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/u, 'not 1 to 255 visible ASCII characters')
  .optional()
  .describe('Made by you: the same call sent again with it is done once');

export const writer = z
  .string()
  .min(1)
  .max(operationLimits.writerLength)
  .optional()
  .describe('The name that the journal shows, of your own choice');

export const range = z
  .string()
  .min(1)
  .max(2_048)
  .describe("A1 range: A1:C10, Plan!A1:C10, 'My sheet'!A:C");

/** A position of a branch, as every result names it. */
export const position = z
  .string()
  .describe('The exact position: branch@seq; of a branch that was made anew branch@seq:number');

export const nextCall = z
  .looseObject({})
  .nullable()
  .describe('The arguments of the call that goes on, or null at the end');

export const anyValue = z.unknown().describe('Number, text, boolean, null or {"error"}');

export const changedCells = z.array(
  z.object({ cell: z.string(), before: anyValue, after: anyValue }),
);

/** Cells of one result, and its bytes: what a model can read at a time. */
export const budget = { cells: 4_000, bytes: 40_000 } as const;
