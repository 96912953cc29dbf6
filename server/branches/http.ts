import { z } from 'zod';

import { readTags } from '../http/conditional.ts';
import { checkKey } from '../http/repeat.ts';
import { route, type Admission, type Call, type Reply, type Route } from '../http/route.ts';
import { Failure } from '../model/failure.ts';
import type { IdentityNames } from '../model/identity-names.ts';
import { bodyLimits } from '../model/limits.ts';
import { checkOperationCount } from '../model/operation-count.ts';
import { operationKinds, submissionSchema, type Submission } from '../model/operation.ts';
import { sheetPropertiesSchema } from '../model/payload-lines.ts';
import { isPlainSubmission } from '../model/plain-submission.ts';
import { isBranchName } from '../model/reference.ts';
import { rejectedRows } from '../model/rejected-rows.ts';
import type { Principal } from '../model/scope.ts';
import { tableMembers } from '../model/table-members.ts';
import { valueSchema } from '../model/value-schema.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import type { Branches } from './branches.ts';
import { tellChanges, type ChangeSource, type ToldChanges } from './changes.ts';
import type { BranchAddress } from './journal-store.ts';
import {
  incarnationOf,
  isForever,
  positionTag,
  readPathReference,
  readReference,
} from './place.ts';
import { nothingApplied } from './nothing-applied.ts';
import type { Policies } from './policies.ts';
import type { OperationResult, SubmissionAnswer, SubmissionRequest } from './submission.ts';

export interface BranchServices {
  readonly branches: Branches;
  /** Readable positions: branches and open merges. */
  readonly positions: Pick<Branches, 'locate' | 'summary'>;
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
  readonly models: ChangeSource;
  readonly names: IdentityNames;
}

export const tag = 'Branches';

export const params = z.strictObject({
  id: z.string(),
  branch: z.string().refine(isBranchName, 'not the name of a branch'),
});

export const kind = z.enum(operationKinds);
const rejection = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  retryable: z.boolean(),
  atSeq: z.int().optional(),
  pointer: z.string().optional().describe('JSON pointer to the part of the payload at fault'),
  limit: z.string().optional().describe('The limit that it would go beyond'),
  used: z.number().optional(),
  max: z.number().optional(),
  usedHere: z.number().optional().describe('How much of `used` this branch has gained'),
});

const changedCells = z.array(
  z.strictObject({ sheet: z.string(), a1: z.string(), before: valueSchema, after: valueSchema }),
);

const told = z
  .union([
    z.strictObject({
      cells: changedCells,
      total: z.int(),
      errors: changedCells.describe('Cells that hold an error now and held another value before'),
      errorTotal: z.int(),
      truncated: z.boolean().describe('Whether there are more than are listed'),
    }),
    z.strictObject({
      unavailable: z.strictObject({ code: z.string(), detail: z.string() }),
    }),
  ])
  .meta({ id: 'Changes' });

const rowCounts = z
  .strictObject({
    inserted: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    deleted: z.int(),
    rejected: rejectedRows,
    rejectedCount: z.int(),
  })
  .meta({ id: 'RowCounts', description: 'Of rows of a table' });

const submitted = z
  .strictObject({
    branch: z.string(),
    status: z.enum(['applied', 'partial', 'rejected', 'duplicate']),
    firstSeq: z.int().nullable().describe('Null when nothing was written'),
    lastSeq: z.int().nullable(),
    head: z.int(),
    requestId: z.string().optional().describe('Where some were rejected'),
    results: z.array(
      z.strictObject({
        id: z.string().optional(),
        status: z.enum(['applied', 'rebased', 'noop', 'duplicate', 'rejected']),
        seq: z.int().optional(),
        kind: kind.optional(),
        payload: z.unknown().optional().describe('Of a rebased operation: what was applied'),
        of: z.unknown().optional().describe('Of an undo, a redo or a revert: what was taken back'),
        clipped: z
          .array(z.string())
          .optional()
          .describe('Parts deleted since the base, or not undone'),
        record: z.string().optional().describe('Id of the record that it made or changed'),
        comment: z.string().optional().describe('Id of the comment that it made or changed'),
        sheet: z.string().optional().describe('Id of the sheet that it made'),
        table: z.string().optional().describe('Id of the table that it made'),
        rows: rowCounts.optional(),
        error: rejection.optional(),
      }),
    ),
    changes: told.optional().describe('With `return`, where something was written'),
  })
  .meta({ id: 'SubmissionResult' });

const branchState = z
  .strictObject({
    branch: z.string(),
    head: z.int(),
    stateHash: z.string().describe('SHA-256 over all content'),
    sheets: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        index: z.int(),
        rows: z.int(),
        columns: z.int(),
        used: z.string().nullable(),
        properties: sheetPropertiesSchema,
      }),
    ),
    names: z.array(
      z.strictObject({
        name: z.string(),
        scope: z.string().nullable(),
        formula: z.string(),
        comment: z.string().optional(),
      }),
    ),
    tables: z.array(z.strictObject(tableMembers)),
    records: z.record(z.string(), z.int()).describe('How many there are, by type'),
    settings: z.record(
      z.string(),
      z.union([z.boolean(), z.string(), z.number(), z.array(z.string())]),
    ),
  })
  .meta({ id: 'BranchState' });

/** The branch of a write, with the name that the request has for it. */
export interface NamedBranch {
  readonly address: BranchAddress;
  readonly branch: string;
}

export function branchRoutes(services: BranchServices): Route[] {
  return [submitRoute(services), stateRoute(services)];
}

function submitRoute(services: BranchServices): Route {
  const { branches } = services;
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/ops',
    scope: 'write',
    tag,
    summary: 'Submit operations: edit cells, rows, sheets, tables',
    description:
      'Answers when they are durable. Each operation has a result of its own; `mode` strict or atomic makes them all or nothing; `return` asks which cells come to another value. An `id` or an Idempotency-Key makes a repeat harmless.',
    bodyLimitBytes: bodyLimits.operationsBytes,
    idempotency: 'handler',
    request: { params, body: submissionSchema },
    isPlainBody: isPlainSubmission,
    largeBody: 'submission',
    texts: 'cells',
    example: {
      body: {
        ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: '=1+1' }] } }],
        writer: 'me',
      },
    },
    responses: { 200: { description: 'What became of each operation', schema: submitted } },
    admit: async (call) => void (await writableBranch(services, call)),
    handler: async (call) => {
      const { branch } = call.params;
      const address = await writableBranch(services, call);
      const request = await requestOf(services, call, { address, branch });
      const cellsMost = call.body.return?.changes;
      if (cellsMost !== undefined) return submitWatched(services, call, { request, cellsMost });
      const answer = await branches.submit(address, request);
      const isReplayed = request.idempotencyKey !== undefined && answer.status === 'duplicate';
      const reply = answerOf({ address, branch }, answer, call);
      return isReplayed ? { ...reply, headers: { 'Idempotency-Replayed': 'true' } } : reply;
    },
  });
}

async function writableBranch(
  { branches, registry, policies }: BranchServices,
  { params: { id, branch }, principal }: Admission<z.output<typeof params>, unknown, Principal>,
): Promise<BranchAddress> {
  const facts = await registry.writable(id, principal);
  await policies.checkDirectWrite(facts, branch, principal);
  return branches.address(id, branch);
}

type SubmitCall = Pick<Call<z.output<typeof params>>, 'params' | 'requestId'>;

/** Submits operations; returns with the results and the cells whose value changed. */
async function submitWatched(
  { branches, models }: BranchServices,
  { params: { id, branch }, requestId }: SubmitCall,
  { request, cellsMost }: { request: SubmissionRequest; cellsMost: number },
): Promise<Reply> {
  const head = await branches.locate(id, readPathReference(branch));
  await models.prepare(head);
  const { address } = head;
  const answer = await branches.submit(address, { ...request, isWatched: true });
  const { lastSeq } = answer;
  if (lastSeq === undefined) return answerOf(head, answer, { requestId });
  const changes = await tellChanges(models, { address, lastSeq }, cellsMost);
  return answerOf(head, answer, { requestId, changes });
}

async function requestOf(
  { branches }: BranchServices,
  call: Call<unknown, unknown, Submission, Principal>,
  named: NamedBranch,
) {
  const { ops, writer, baseSeq, mode, group } = call.body;
  const { userId } = call.principal;
  checkOperationCount(ops.length);
  const idempotencyKey = call.header('idempotency-key');
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  return {
    principalId: userId,
    writer: writer ?? userId,
    ops,
    byteCount: Number(call.header('content-length') ?? bodyLimits.operationsBytes),
    baseSeq,
    mode,
    group,
    expectedHead: await expectedHead(call.header('if-match'), named, branches),
    idempotencyKey,
    comparesRepeats: true,
  };
}

/** Reads If-Match: the ETag of a read, such as `"main@42"`, or `*`, which requires nothing. */
export async function expectedHead(
  header: string | undefined,
  { address, branch }: NamedBranch,
  branches: Pick<Branches, 'isFirstOfName'>,
): Promise<number | undefined> {
  const expected = expectedPosition(header, branch);
  if (expected === undefined || isForever(address.branchNo)) return expected?.seq;
  const { seq, incarnation } = expected;
  const isSame =
    incarnation === ''
      ? await branches.isFirstOfName(address)
      : incarnation === incarnationOf(address);
  if (isSame) return seq;
  throw new Failure('headMoved', {
    detail: `The branch ${branch} is not the one that If-Match is about: it was made anew.`,
    hint: 'GET the state of the branch, look at what changed, and send its ETag as If-Match.',
  });
}

/** Reads the position of an ETag, and the rest behind it. */
export function expectedPosition(
  header: string | undefined,
  branch: string,
): { readonly seq: number; readonly incarnation: string } | undefined {
  const [expected, ...more] = readTags(header);
  if (expected === undefined || expected === '*') return undefined;
  const [, name, digits, incarnation = ''] = /^(.+)@(\d{1,15})(:[\w-]*)?$/u.exec(expected) ?? [];
  if (name === branch && more.length === 0) return { seq: Number(digits), incarnation };
  throw new Failure('headMoved', {
    detail: `If-Match is not a position of the branch ${branch}.`,
    hint: `Send the ETag of a read of this branch, such as "${branch}@42".`,
  });
}

function answerOf(
  { address, branch }: NamedBranch,
  answer: SubmissionAnswer,
  { requestId, changes }: { readonly requestId: string; readonly changes?: ToldChanges },
): Reply {
  const { status, firstSeq = null, lastSeq = null, head, results } = answer;
  if (status === 'rejected') throw nothingApplied(answer);
  const shown = results.map(withoutParts);
  const refused = status === 'partial' && { requestId };
  const result = { branch, status, firstSeq, lastSeq, head, ...refused, results: shown };
  const value = changes === undefined ? result : { ...result, changes };
  return { value, etag: positionTag({ address, branch }, head) };
}

const stateQuery = z.strictObject({
  ref: z.string().optional().describe('Another position than the head: main@42'),
});

function stateRoute({ positions, registry }: BranchServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/branches/:branch/state',
    scope: 'read',
    tag,
    summary: 'State: sheets, names, tables and settings of a branch, without cells',
    description: '`:branch` may be `branch@seq`, `commit:<tag>` or `merge:<id>`.',
    request: { params: params.extend({ branch: z.string() }), query: stateQuery },
    responses: { 200: { description: 'The state', schema: branchState } },
    handler: async ({ params: { id, branch }, query: { ref }, principal }) => {
      await registry.visible(id, principal);
      const reference = ref === undefined ? readPathReference(branch) : readReference(ref);
      const place = await positions.locate(id, reference);
      const seq = place.isPinned ? place.seq : undefined;
      const summary = await positions.summary(place.address, seq);
      const value = { branch: place.branch, ...summary };
      return { value, etag: positionTag(place, summary.head) };
    },
  });
}

export async function visibleBranch(
  { branches, registry }: Pick<BranchServices, 'branches' | 'registry'>,
  { id, branch, principal }: { id: string; branch: string; principal: Principal },
): Promise<BranchAddress> {
  await registry.visible(id, principal);
  return branches.address(id, branch);
}

/** Leaves out the parts of an undo, which may be long and are in the journal. */
function withoutParts(result: OperationResult): object {
  const { payload, kind: appliedKind, ...rest } = result;
  if (result.status === 'rebased' || appliedKind === undefined) return result;
  const { of } = payload as { readonly of?: unknown };
  return { ...rest, of };
}
