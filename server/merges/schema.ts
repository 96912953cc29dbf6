import { z } from 'zod';

import { inputSchema } from '../model/input-schema.ts';
import { diffSummary } from '../diffs/shapes.ts';
import { groupings, unitDecisions } from '../state/outcome/units/unit.ts';
import { operationLimits } from '../model/operation-limits.ts';
import { mainBranch } from '../workbooks/workbook.ts';
import { mergeStates } from './merge-view.ts';

export const mergeTag = 'Merges';
export const params = z.strictObject({ id: z.string() });
export const mergeParams = params.extend({ mid: z.string() });

const titleLength = 200;
const descriptionLength = 10_000;
const resolutionsMost = 10_000;
const bulkMost = 100;

const time = z.string().meta({ format: 'date-time' });
const text = (most: number) => z.string().max(most);
const comment = text(operationLimits.messageLength).optional();
const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/u, 'not a digest such as the merge has')
  .describe('Of all that the merge would write, and of what it was made from');

const granularity = z.enum(['cell', 'row', 'block', 'sheet', 'table']);
const grouping = z.enum(groupings).describe('What is in one unit unasked');

export const creation = z
  .strictObject({
    source: text(300)
      .optional()
      .describe('A branch, whose head is followed, or a position: q3, q3@9, commit:v2'),
    revertOf: text(100)
      .min(1)
      .optional()
      .describe('Instead of a source: an applied merge to take back'),
    target: text(100).min(1).default(mainBranch).describe('The branch that is written to'),
    title: text(titleLength).optional(),
    description: text(descriptionLength).default(''),
    strategy: z
      .enum(['none', 'ours', 'theirs'])
      .optional()
      .describe(
        'What settles conflicts; `none` asks for each. Default: the policy of the workbook',
      ),
    squash: z
      .boolean()
      .default(false)
      .describe('Does not note what was merged: a later merge proposes it again'),
    dryRun: z.boolean().default(false).describe('Answers what it comes to, and keeps nothing'),
    apply: z
      .enum(['manual', 'auto'])
      .default('manual')
      .describe('`auto` applies it at once when it has no conflicts and needs no approval'),
    granularity: granularity
      .optional()
      .describe('What both sides may not write to without being asked. Default: the policy'),
    units: grouping.optional(),
    idempotencyKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/u, 'not 1 to 255 visible ASCII characters')
      .optional()
      .describe('Stands for the header Idempotency-Key'),
  })
  .refine(
    ({ source, revertOf }) => (source === undefined) !== (revertOf === undefined),
    'names a source, or a merge to take back',
  );

const side = z
  .looseObject({
    change: z.enum(['added', 'modified', 'removed', 'moved', 'formatted']).optional(),
    input: z.unknown().optional().describe('As it is entered'),
    value: z.unknown().optional().describe('What it shows, or has'),
    text: z.string().optional().describe('By its number format'),
    terms: z.array(z.unknown()).optional().describe('Of several bases: what each has'),
    cells: z
      .array(
        z.strictObject({
          a1: z.string(),
          input: z.unknown().optional().describe('What the cell holds'),
          note: z.unknown().optional(),
          comment: z.unknown().optional().describe('The thread'),
          link: z.unknown().optional(),
          image: z.unknown().optional(),
          chart: z.unknown().optional(),
        }),
      )
      .optional()
      .describe('At stake where the other side deleted'),
    by: z.string().optional().describe('Who wrote a cell, by name'),
    actor: z.string().optional().describe('Their id'),
    writer: z.string().optional().describe('Name that the client gave'),
    at: z.string().optional().describe('With which operation: main@118'),
    merge: z.looseObject({ id: z.string() }).optional().describe('By which it came to this side'),
  })
  .meta({ id: 'ConflictSide' });

const resolution = z
  .strictObject({
    choice: z.string(),
    input: z.unknown().optional(),
    prefer: z.string().optional().describe('Of `combine`'),
    side: z.string().optional().describe('Of `rekey`'),
    newKey: z.unknown().optional().describe('Of `rekey`'),
    by: z.string(),
    at: time,
  })
  .meta({ id: 'MadeChoice' });

const tableRow = z.record(z.string(), z.unknown()).nullable();

export const conflictSchema = z
  .strictObject({
    id: z.string().describe('The same whenever the same is contested'),
    kind: z.string().describe('cell.value, row.edit_delete, name.collision …'),
    subtype: z
      .string()
      .optional()
      .describe('Of table.schema: add_add, alter_alter, drop_alter, rename'),
    severity: z.enum(['conflict', 'warning']),
    status: z.enum(['open', 'resolved']),
    unit: z.string().nullable().describe('The unit that it is in'),
    text: z.string(),
    path: z.looseObject({}).describe('Where it is, by identity and in the addresses of each side'),
    row: z
      .strictObject({ base: tableRow, ours: tableRow, theirs: tableRow })
      .optional()
      .describe('Of tablerow.*: the row of the table on each side, by columns'),
    base: side,
    ours: side,
    theirs: side,
    choices: z.array(z.string()),
    resolution: resolution.nullable(),
    previousResolution: resolution.optional().describe('What was chosen for other sides'),
  })
  .meta({ id: 'Conflict' });

export const findingSchema = z
  .strictObject({
    id: z.string().describe('The same for the same cell and kind'),
    kind: z.string().describe('effect.value, effect.error, violation.validation …'),
    severity: z.enum(['warn', 'block']).describe('By the policy of the workbook'),
    status: z.enum(['open', 'accepted', 'noted']),
    text: z.string(),
    path: z.looseObject({}).describe('Where it is, by identity and in the addresses of each side'),
    value: z
      .strictObject({
        base: z.unknown(),
        ours: z.unknown(),
        theirs: z.unknown(),
        merged: z.unknown(),
      })
      .optional(),
    becauseOf: z.array(z.string()).optional().describe('Edited cells that it depends on'),
    choices: z.array(z.string()),
    resolution: resolution.nullable(),
    previousResolution: resolution.optional().describe('What was chosen for other values'),
  })
  .meta({ id: 'Finding' });

const position = z.strictObject({ branch: z.string(), seq: z.int() });

export const stateSchema = z.enum(mergeStates).describe('/docs/merges.md says what each means');

const listed = {
  id: z.string(),
  title: z.string(),
  description: z.string(),
  state: stateSchema,
  source: position,
  target: position,
  base: position.extend({ virtual: z.boolean() }).nullable(),
  strategy: z.enum(['none', 'ours', 'theirs']),
  squash: z.boolean(),
  granularity: granularity.optional().describe('Where it is not that of the policy'),
  grouping: grouping.optional(),
  revertOf: z.string().optional().describe('The merge that this one takes back'),
  createdBy: z.string(),
  createdAt: time,
  revision: z.int().describe('Grows with every change'),
  result: position
    .extend({
      stateHash: z.string(),
      vector: z.record(z.string(), z.int()),
      leafHash: z
        .string()
        .nullable()
        .describe('Of its entry in the transparency log: GET /v1/tlog/proof proves it'),
      tlogIndex: z.int().nullable().describe('Of that entry; null until it is published'),
    })
    .nullable(),
};
export const listedSchema = z.strictObject(listed).meta({ id: 'ListedMerge' });

export const unitSchema = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    auto: z.boolean().describe('Nobody made it: all that belongs together'),
    decision: z.enum(unitDecisions),
    reason: z.string().optional(),
    requires: z.array(z.string()),
    changes: z.int().describe('Cells, and other things one by one'),
    conflicts: z.array(z.string()),
    moreConflicts: z.int().optional(),
  })
  .meta({ id: 'Unit' });

const unitId = text(100).regex(/^[\w.-]+$/u, 'not the id of a unit');

const member = z.union([
  text(100).describe('`*` for the rest, or the id of a conflict'),
  z.strictObject({
    kind: text(50).optional().describe('May have `*` in it: format.*'),
    sheet: text(255).optional(),
    range: text(50).optional().describe('Of the sheet, in the addresses of the source'),
    table: text(255).optional(),
    keys: z
      .array(z.union([z.string(), z.number()]))
      .max(10_000)
      .optional(),
    column: text(255).optional().describe('Of the table'),
    writer: text(255).optional().describe('Who wrote it on the source last'),
    group: text(255).optional().describe('The group of operations that wrote it last, or q3@9'),
  }),
]);

export const unitsBody = z
  .strictObject({
    revision: z.int().optional().describe('Refused when the merge has another by now'),
    groups: z
      .array(
        z.strictObject({
          id: unitId,
          title: text(titleLength).optional(),
          members: z.array(member).max(1_000).optional().describe('Left out: those it has'),
          units: z.array(unitId).max(200).optional().describe('Joins them'),
          moves: z.array(member).max(1_000).optional().describe('Changes it gets from the others'),
          decision: z.enum(unitDecisions).optional().describe('pending when left out'),
          reason: text(descriptionLength).optional(),
          requires: z.array(unitId).max(100).optional().describe('Units it is not taken without'),
        }),
      )
      .max(200)
      .optional()
      .describe('A change is in the first that has it'),
    grouping: grouping.optional(),
  })
  .refine(({ groups, grouping: rule }) => groups !== undefined || rule !== undefined, {
    message: 'send groups, or the grouping that makes them',
    path: ['groups'],
  });

const approval = z.strictObject({
  by: z.string(),
  at: time,
  event: z.enum(['approve', 'request_changes', 'comment']),
  digest,
  stale: z.boolean().describe('Given for something else than there is now'),
  units: z.array(z.string()).optional().describe('All of them when left out'),
  comment: z.string().optional(),
});

export const mergeSchema = z
  .strictObject({
    ...listed,
    fastForward: z.boolean().optional().describe('The target has nothing of its own'),
    summary: z
      .strictObject({
        changes: diffSummary.describe('What the source did since the base'),
        conflicts: z.strictObject({ open: z.int(), resolved: z.int() }),
        violations: z.int().nullable().describe('Null while they are looked for'),
        effects: z
          .strictObject({
            values: z.int().describe('Cells nobody edited that show what neither side shows'),
            errors: z.int().describe('New errors and cycles'),
            unchecked: z.string().optional().describe('Why they were not looked for'),
          })
          .nullable(),
      })
      .optional(),
    policy: z
      .strictObject({
        required: z.int(),
        approvals: z.int(),
        blockedBy: z.array(z.string()),
        owners: z
          .array(
            z.strictObject({
              match: z.looseObject({}).describe('Sheet, range or table'),
              approvers: z.array(z.string()),
              approved: z.boolean(),
            }),
          )
          .describe('Parts that it changes, and whose approval the policy wants for that'),
      })
      .optional(),
    approvals: z.array(approval).optional(),
    units: z.array(unitSchema).optional(),
    refusal: z
      .string()
      .optional()
      .describe('Why none of what was chosen counts: it cannot be done any more'),
    retry_after: z.int().optional().describe('Seconds, while values are being evaluated'),
    digest: digest.optional(),
    stateHash: z.string().optional().describe('Of the target once it is applied'),
    timeline: z.array(
      z.strictObject({
        at: time,
        actor: z.string(),
        by: z.string(),
        event: z.string(),
        detail: z.string().optional(),
      }),
    ),
    links: z.strictObject({ self: z.string(), conflicts: z.string(), diff: z.string() }),
  })
  .meta({ id: 'Merge' });

/** Schema of a dry run, which is not stored and so has no id. */
export const trialSchema = mergeSchema.omit({ id: true, links: true }).meta({ id: 'TrialMerge' });

const filter = {
  status: z.enum(['open', 'resolved']).optional(),
  kind: text(50).optional().describe('May have `*` in it: cell.*'),
  sheet: text(255).optional().describe('Name or id'),
  table: text(255).optional().describe('Name or id'),
  column: text(255).optional().describe('Of a table, or letters'),
  unit: text(100).optional().describe('Id of a unit'),
  writer: text(255).optional().describe('Who wrote what the source has, of a cell'),
};

export const conflictPageDefault = 200;

export const conflictQuery = z.strictObject({
  ...filter,
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(conflictPageDefault),
});

const choice = text(20)
  .nullable()
  .describe(
    'ours, theirs, base, custom, keep, delete, combine, rekey; of a finding accept, custom, keep; null: none',
  );
const prefer = z
  .enum(['ours', 'theirs'])
  .optional()
  .describe('Of `combine`: whose value counts where both have one; ours when left out');

export const resolutionBody = z.strictObject({
  revision: z.int().optional().describe('Refused when the merge has another by now'),
  resolutions: z
    .array(
      z.strictObject({
        id: text(50),
        choice,
        input: inputSchema.optional(),
        prefer,
        side: z.enum(['ours', 'theirs']).optional().describe('Of `rekey`: whose row gets it'),
        newKey: inputSchema.optional().describe('Of `rekey`'),
      }),
    )
    .max(resolutionsMost)
    .default([]),
  bulk: z
    .array(z.strictObject({ where: z.strictObject(filter), choice, prefer }))
    .max(bulkMost)
    .default([])
    .describe('Before the single ones'),
  refresh: z
    .boolean()
    .default(false)
    .describe('Makes an outdated merge anew from its branches first'),
  comment,
});

export const approvalBody = z.strictObject({
  digest: digest.optional(),
  comment,
  units: z
    .array(unitId)
    .max(200)
    .nullable()
    .default(null)
    .describe('Units that were looked at; null: all of them'),
  event: z.enum(['approve', 'request_changes', 'comment']).default('approve'),
  apply: z.boolean().default(true).describe('Apply the merge once the policy is met'),
});

export const abortBody = z.strictObject({
  reason: text(operationLimits.messageLength).default(''),
});
