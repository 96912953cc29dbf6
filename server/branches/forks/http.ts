import { z } from 'zod';

import { ndjsonType } from '../../http/negotiate.ts';
import { route, type Reply, type Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { protectionOf, takesWritesOf } from '../../model/protection.ts';
import { isBranchName, nameLengthMost } from '../../model/reference.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookFacts, WorkbookRegistry } from '../../workbooks/registry.ts';
import { mainBranch, roleIn } from '../../workbooks/workbook.ts';
import { actorIn, type Policies } from '../policies.ts';
import type { BranchEntry, MadeBranch, Forks } from './forks.ts';

export interface ForkServices {
  readonly forks: Forks;
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
}

const tag = 'Branches';
const params = z.strictObject({ id: z.string() });
const name = z.string().max(nameLengthMost).refine(isBranchName, 'not the name of a branch');
const time = z.string().meta({ format: 'date-time' });
const descriptionLength = 1_024;

const ttlDaysMost = 3_650;

const creation = z.strictObject({
  name: z.string().describe(`Letters, digits and _ . - /, at most ${nameLengthMost}`),
  from: z
    .string()
    .max(300)
    .default(mainBranch)
    .describe('Any reference: main, main@118, commit:v1'),
  description: z.string().max(descriptionLength).optional(),
  protected: z
    .boolean()
    .optional()
    .describe('Adds an entry for it to protectedBranches of the policy; for the owner'),
  ttlDays: z
    .int()
    .min(1)
    .max(ttlDaysMost)
    .nullable()
    .optional()
    .describe('Days after which it is archived when nobody wrote to it; null: never'),
});

const shape = {
  name: z.string(),
  no: z.int().describe('Order of creation; part of the ids of what the branch adds'),
  head: z.int(),
  from: z
    .strictObject({ branch: z.string().nullable(), seq: z.int() })
    .nullable()
    .describe('Where it begins; the branch is null once it is deleted'),
  vector: z.record(z.string(), z.int()).describe('The last operation of each branch that it holds'),
  description: z.string().nullable(),
  createdBy: z.string().nullable(),
  createdAt: time,
  ttlDays: z.int().nullable().describe('Archived when nobody wrote to it for so long'),
};
const created = z
  .strictObject({
    ...shape,
    stateHash: z
      .string()
      .nullable()
      .describe('Null before the head of its parent, or where that sleeps: …/state has it'),
  })
  .meta({ id: 'CreatedBranch' });
const listed = z
  .strictObject({
    ...shape,
    state: z.enum(['active', 'archived']).describe('Archived ones are only read'),
    ahead: z
      .strictObject({
        ops: z.int(),
        cells: z.int().nullable().describe('That differ; null while they are counted, and of main'),
      })
      .describe('Of where it begins'),
    behind: z.strictObject({ ops: z.int() }).describe('What its parent has got since'),
    mergedInto: z.array(z.string()).describe('Branches that hold some of it by a merge'),
    stale: z.boolean().describe('Not written to for 30 days'),
    protected: z.boolean().describe('The policy keeps direct writes away'),
    writable: z.boolean().describe('It takes those of the caller'),
    updatedAt: time,
  })
  .meta({ id: 'ListedBranch' });

const staleMilliseconds = 30 * 24 * 3_600_000;

export function forkRoutes(services: ForkServices): Route[] {
  return [
    createRoute(services),
    listRoute(services),
    deleteRoute(services),
    restoreRoute(services),
  ];
}

function createRoute({ forks, registry }: ForkServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches',
    scope: 'write',
    tag,
    summary: 'Create a branch (fork) at any position',
    description:
      'Costs the same whatever the workbook holds. Its operations count from 1, and its position 0 is the one it begins at.',
    request: { params, body: creation },
    example: { body: { name: 'q3', from: 'main' } },
    responses: { 201: { description: 'The branch', schema: created } },
    handler: async ({ params: { id }, body, principal, keyed }) => {
      const facts = await registry.writable(id, principal);
      const { protected: isProtected = false, ...asked } = body;
      if (isProtected) checkOwner(facts, principal);
      const replyOf = (entry: MadeBranch): Reply => {
        const path = `/v1/workbooks/${id}/branches/${encodeURIComponent(entry.name)}/state`;
        const value = { ...shown(entry), stateHash: entry.stateHash ?? null };
        return { status: 201, headers: { Location: path }, value };
      };
      const settle = keyed?.settling(replyOf);
      const wanted = { ...asked, protected: isProtected, settle };
      return replyOf(await forks.create(facts, wanted, principal));
    },
  });
}

/** The policy is the owner's. */
function checkOwner(facts: WorkbookFacts, { userId }: Principal): void {
  if (roleIn(facts, userId) === 'owner') return;
  throw new Failure('forbidden', {
    detail: 'Only the owner of the workbook changes its policy, and so protects branches.',
    hint: 'Leave "protected" out, or ask the owner.',
  });
}

function listRoute({ forks, registry, policies }: ForkServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/branches',
    scope: 'read',
    tag,
    summary: 'Branches: list them, oldest first',
    description: 'Archived ones with `include=archived` only.',
    produces: [ndjsonType],
    request: {
      params,
      query: z.strictObject({
        include: z.literal('archived').optional().describe('Archived ones too'),
      }),
    },
    responses: {
      200: { description: 'All of them', schema: z.strictObject({ branches: z.array(listed) }) },
    },
    handler: async ({ params: { id }, query: { include }, principal }) => {
      const facts = await registry.visible(id, principal);
      const actor = actorIn(facts, principal);
      const isEditor = actor.role === 'owner' || actor.role === 'editor';
      const entries = await forks.list(id, { includesArchived: include === 'archived' });
      const policy = await policies.policyOf(id);
      const newest = Math.max(0, ...entries.map(({ updatedAt }) => updatedAt.getTime()));
      const items = entries.map((entry) => {
        const protection = protectionOf(policy, entry.name);
        return {
          ...shown(entry),
          state: entry.isArchived ? 'archived' : 'active',
          ahead: { ops: entry.head, cells: entry.aheadCells ?? null },
          behind: { ops: entry.from ? (entry.parentHead ?? entry.from.seq) - entry.from.seq : 0 },
          mergedInto: [...entry.mergedInto],
          stale: newest - entry.updatedAt.getTime() > staleMilliseconds,
          protected: (protection?.directWrites ?? 'allow') !== 'allow',
          writable:
            isEditor && !entry.isArchived && (!protection || takesWritesOf(actor, protection)),
          updatedAt: entry.updatedAt.toISOString(),
        };
      });
      return { rows: { header: {}, member: 'branches', items } };
    },
  });
}

function deleteRoute({ forks, registry }: ForkServices): Route {
  return route({
    host: 'api',
    method: 'DELETE',
    path: '/v1/workbooks/:id/branches/:branch',
    scope: 'write',
    tag,
    summary: 'Delete a branch',
    description:
      'Its name is free again. Branches that begin in it go on, and so does its history; main stays.',
    request: { params: params.extend({ branch: name }) },
    responses: {
      200: {
        description: 'It is deleted',
        schema: z.strictObject({ branch: z.string(), state: z.literal('deleted') }),
      },
    },
    handler: async ({ params: { id, branch }, principal, keyed }) => {
      const facts = await registry.writable(id, principal);
      const reply = { value: { branch, state: 'deleted' } };
      const settle = keyed?.settling<undefined>(() => reply);
      await forks.delete(facts, branch, { principal, settle });
      return reply;
    },
  });
}

function restoreRoute({ forks, registry }: ForkServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/restore',
    scope: 'write',
    tag,
    summary: 'Restore an archived branch',
    description: 'Nothing of it was lost. One that is not archived stays as it is.',
    request: { params: params.extend({ branch: name }) },
    responses: {
      200: {
        description: 'It is active',
        schema: z.strictObject({ branch: z.string(), state: z.literal('active') }),
      },
    },
    handler: async ({ params: { id, branch }, principal, keyed }) => {
      const facts = await registry.writable(id, principal);
      const reply = { value: { branch, state: 'active' } };
      await forks.restore(
        facts,
        branch,
        keyed?.settling<undefined>(() => reply),
      );
      return reply;
    },
  });
}

function shown(entry: BranchEntry) {
  const { name: called, branchNo: no, head, from, vector, description, createdBy } = entry;
  const createdAt = entry.createdAt.toISOString();
  const begins = { from: from ?? null, vector };
  const { ttlDays } = entry;
  return { name: called, no, head, ...begins, description, createdBy, createdAt, ttlDays };
}
