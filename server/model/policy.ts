import { z } from 'zod';

/** The branch that keeps a workbook's policy as operations, so that it has a history too. */
export const settingsBranch = '$settings';
/** Lower than any branch that is forked; its operations make no ids. */
export const settingsBranchNo = 0;

const most = { protections: 100, actors: 100, owners: 100, branches: 10_000, days: 3_650 } as const;

const actors = z
  .array(
    z
      .string()
      .regex(
        /^(?:user:[\w.@-]{1,100}|role:(?:owner|editor|reviewer|viewer))$/u,
        'not user:<id>, role:owner, role:editor, role:reviewer or role:viewer',
      ),
  )
  .max(most.actors)
  .default([])
  .describe('`user:<id>` or `role:owner|editor|reviewer|viewer`');

const name = z.string().min(1).max(255);
const flag = (fallback: boolean) => z.boolean().default(fallback);
const days = z.int().min(1).max(most.days);

const owner = z.strictObject({
  match: z
    .strictObject({
      sheet: name.optional(),
      range: z.string().min(1).max(255).optional().describe('A1 range of the sheet'),
      table: name.optional(),
    })
    .refine((match) => Object.values(match).some((part) => part !== undefined), 'names nothing'),
  approvers: actors,
});

const protectedBranch = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(100)
    .describe('A branch; `*` is any text without a slash, `**` any text, `?` one character'),
  directWrites: z
    .enum(['deny', 'allow', 'owners'])
    .default('deny')
    .describe('Whether operations are taken without a merge; `owners`: from role:owner alone'),
  requiredApprovals: z.int().min(0).max(6).default(1),
  dismissStaleApprovals: flag(true).describe('A change of what is to be merged drops approvals'),
  requireLastPushApproval: flag(true).describe('Whoever wrote last to the source cannot approve'),
  allowSelfApproval: flag(false),
  approvers: actors,
  mergers: actors.describe('Who applies merges; anybody who approves when empty'),
  allowAgentApproval: flag(false),
  owners: z.array(owner).max(most.owners).default([]).describe('Whose approval some parts need'),
  requireUpToDate: flag(false),
  requireCheckpoint: flag(false),
  bypass: actors.describe('Who is not bound by the entry'),
  allowDelete: flag(false),
  allowForce: flag(false),
});

const severity = z.enum(['ignore', 'warn', 'block']);

const merge = z.strictObject({
  strategy: z
    .enum(['none', 'ours', 'theirs'])
    .default('none')
    .describe('How conflicts that nobody resolves are settled'),
  conflictGranularity: z.enum(['cell', 'row', 'block', 'sheet', 'table']).default('cell'),
  deleteVsEdit: z.enum(['conflict', 'delete', 'keep']).default('conflict'),
  deleteVsFormat: z.enum(['ignore', 'warn', 'conflict']).default('ignore'),
  insertInsertSameKey: z.enum(['merge', 'conflict']).default('merge'),
  semanticEffects: severity.default('warn'),
  newErrors: severity.default('block'),
  violations: severity.default('block'),
  numericTolerance: z.number().min(0).default(0),
  blankEqualsEmptyString: flag(true),
  autoRefresh: flag(true),
  maxOpenDays: days.default(30),
  squash: z.enum(['allowed', 'forbidden', 'required']).default('allowed'),
});

const branch = z.strictObject({
  maxBranches: z.int().min(1).max(most.branches).default(200),
  autoArchiveMergedAfterDays: days.nullable().default(14).describe('Null: never'),
});

/** The rules that a workbook sets for its writers. Members left out get their defaults. */
export const policySchema = z
  .strictObject({
    protectedBranches: z
      .array(protectedBranch)
      .max(most.protections)
      .default([])
      .describe('The first whose pattern fits a branch counts'),
    merge: merge.prefault({}),
    branch: branch.prefault({}),
  })
  .meta({ id: 'Policy' });

export type Policy = z.output<typeof policySchema>;
export type ProtectedBranch = Policy['protectedBranches'][number];

/** The policy of a workbook that set none: nothing is protected. */
export const defaultPolicy: Policy = policySchema.parse({});
