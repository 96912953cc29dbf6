import { z } from 'zod';

import { expectedPosition } from '../branches/http.ts';
import type { Policies, PolicyVersion } from '../branches/policies.ts';
import { route, type Call, type Reply, type Route } from '../http/route.ts';
import { Failure } from '../model/failure.ts';
import { bodyLimits } from '../model/limits.ts';
import { policySchema, settingsBranch } from '../model/policy.ts';
import { isBranchName, referenceName } from '../model/reference.ts';
import { missingScopes, type Principal } from '../model/scope.ts';
import { describedFor, describedWorkbook } from '../workbooks/http.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import type { Archived } from '../workbooks/sql.ts';
import { mainBranch } from '../workbooks/workbook.ts';
import { receiptOf } from './purge-receipt.ts';
import { misplacedToken, requiredToken } from './purge-token.ts';
import type { Purges } from './purges.ts';
import type { Topology } from './topology.ts';
import type { Waking } from './wake.ts';

export interface MaintenanceServices {
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
  readonly purges: Purges;
  readonly waking: Waking;
  readonly topology: Topology;
}

const tag = 'Settings';
const params = z.strictObject({ id: z.string() });
const time = z.string().meta({ format: 'date-time' });

export function maintenanceRoutes(services: MaintenanceServices): Route[] {
  return [
    readSettingsRoute(services),
    writeSettingsRoute(services),
    deleteRoute(services),
    restoreRoute(services),
    wakeRoute(services),
    topologyRoute(services),
  ];
}

const settings = z
  .strictObject({
    version: z.int().describe('Its position on the branch `$settings`; 0 for the defaults'),
    policy: policySchema,
  })
  .meta({ id: 'Settings' });

function readSettingsRoute({ registry, policies }: MaintenanceServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/settings',
    scope: 'read',
    tag,
    summary: 'Settings: the policy of a workbook',
    description: 'Its history is the journal of the branch `$settings`.',
    request: { params },
    responses: { 200: { description: 'The policy, all members of it', schema: settings } },
    handler: async ({ params: { id }, principal }) => {
      await registry.visible(id, principal);
      return settingsReply(await policies.current(id));
    },
  });
}

function settingsReply({ version, policy }: PolicyVersion): Reply {
  return { value: { version, policy }, etag: referenceName(settingsBranch, version) };
}

const settingsChange = z.strictObject({
  policy: policySchema,
  expectVersion: z.int().min(0).optional().describe('Fails with 409 unless this is the version'),
  version: z
    .int()
    .min(0)
    .optional()
    .describe('The same: what GET answers can be changed and sent back as it is'),
});

function writeSettingsRoute({ registry, policies }: MaintenanceServices): Route {
  return route({
    host: 'api',
    method: 'PUT',
    path: '/v1/workbooks/:id/settings',
    scope: 'write',
    tag,
    summary: 'Settings: replace the policy of a workbook',
    description: 'Members that are left out get their defaults. It holds from the answer on.',
    request: { params, body: settingsChange },
    example: {
      body: { policy: { protectedBranches: [{ pattern: 'main' }] }, expectVersion: 0 },
    },
    responses: { 200: { description: 'The policy as it is now', schema: settings } },
    handler: async (call) => {
      const { id } = call.params;
      await registry.writable(id, call.principal);
      const { policy, version, expectVersion = version } = call.body;
      await checkIfMatch({ policies, id, runId: call.keyed?.id }, call.header('if-match'));
      const byteCount = Number(call.header('content-length') ?? bodyLimits.defaultBytes);
      const change = { policy, expectVersion, byteCount, runId: call.keyed?.id };
      return settingsReply(await policies.replace(id, change, call.principal));
    },
  });
}

async function checkIfMatch(
  { policies, id, runId }: { policies: Policies; id: string; runId: string | undefined },
  header: string | undefined,
): Promise<void> {
  const expected = expectedPosition(header, settingsBranch)?.seq;
  if (expected === undefined) return;
  const { version } = await policies.current(id);
  // An earlier try of this very request may have moved it.
  if (version === expected || (await policies.hasRun(id, runId))) return;
  throw new Failure('headMoved', {
    detail: `The settings have version ${version}, and If-Match says ${expected}.`,
    hint: 'GET the settings, decide anew, and send their ETag as If-Match.',
    extra: { version },
  });
}

const deletionQuery = z.strictObject({
  purge: z.enum(['true', 'false']).default('false').describe('Removes an archived workbook'),
  confirm: z.string().max(100).optional().describe('What archiving answered; goes with `purge`'),
});

const archivedSchema = z.strictObject({
  id: z.string(),
  state: z.literal('archived'),
  archivedAt: time,
  confirm: z.string().describe('What a purge has to carry'),
});
const removedSchema = z.strictObject({
  id: z.string(),
  state: z.literal('removed'),
  receipt: z
    .strictObject({
      leafHash: z.string().describe('Of the entry in the transparency log, in hex'),
      opening: z.string().describe('Salt and statement that open the entry, in base64'),
    })
    .optional()
    .describe('Proves, by the transparency log, that it was removed and when'),
});

function deleteRoute({ registry, purges }: MaintenanceServices): Route {
  return route({
    host: 'api',
    method: 'DELETE',
    path: '/v1/workbooks/:id',
    scope: 'write',
    tag,
    summary: 'Archive (delete) a workbook, or purge an archived one',
    description:
      'Archived workbooks are read and not written to, until they are restored. With `purge=true` and the `confirm` that archiving answered, everything of the workbook is removed for good.',
    request: { params, query: deletionQuery },
    example: { query: 'purge=true&confirm=cf_01JD2Q0A0000000000000000000' },
    responses: {
      200: {
        description: 'It is archived, or nothing is left of it',
        schema: z.discriminatedUnion('state', [archivedSchema, removedSchema]),
      },
    },
    handler: async ({ params: { id }, query, principal, keyed }) => {
      const { confirm } = query;
      if (query.purge === 'true') {
        const opening = await purges.purge(id, principal, requiredToken(id, confirm));
        return { value: { id, state: 'removed', ...receiptOf(opening) } };
      }
      if (confirm !== undefined) throw misplacedToken();
      const replyOf = (archived: Archived): Reply => {
        const archivedAt = archived.archivedAt.toISOString();
        return { value: { id, state: 'archived', archivedAt, confirm: archived.confirm } };
      };
      return replyOf(await registry.archive(id, principal, keyed?.settling(replyOf)));
    },
  });
}

function restoreRoute({ registry }: MaintenanceServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/restore',
    scope: 'write',
    tag,
    summary: 'Restore an archived workbook',
    description: 'Its confirm token is void from then on. An active workbook stays as it is.',
    request: { params },
    responses: { 200: { description: 'The workbook', schema: describedWorkbook } },
    handler: async ({ params: { id }, principal, keyed }) => {
      const described = describedFor(principal);
      return described(await registry.restore(id, principal, keyed?.settling(described)));
    },
  });
}

const wakeMost = { branches: 20, waitMilliseconds: 10_000 };
const wakeDefaultMilliseconds = 2_000;
/** Six wakes a minute: who comes back after this is let in. */
const wakeRetrySeconds = 10;

const wakeSchema = z.strictObject({
  branches: z
    .array(z.string().refine(isBranchName, 'not the name of a branch'))
    .min(1)
    .max(wakeMost.branches)
    .default([mainBranch]),
  warm: z.array(z.enum(['state', 'values'])).default(['state']),
  waitMs: z.int().min(0).max(wakeMost.waitMilliseconds).default(wakeDefaultMilliseconds),
});

const hot = z
  .strictObject({
    state: z.literal('hot'),
    readOnly: z.boolean().describe('The workbook is archived'),
    owner: z.strictObject({ node: z.string(), epoch: z.int(), since: time }),
    branches: z.array(
      z.strictObject({
        branch: z.string(),
        head: z.int(),
        loadedSeq: z.int(),
        ms: z.number().describe('How long it took, in milliseconds'),
      }),
    ),
  })
  .meta({ id: 'HotWorkbook' });
const waking = z.strictObject({ state: z.literal('waking'), retry_after: z.int() });

function wakeRoute({ registry, waking: wakes, topology }: MaintenanceServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/wake',
    scope: 'read',
    limit: 'read',
    idempotency: 'none',
    tag,
    summary: 'Wake: bring a workbook into memory before it is needed',
    description:
      'Answers 202 when it takes longer than `waitMs`; it goes on, and the same request later finds it done. Values above the evaluation ceiling are left to the first read. Six a minute.',
    bodyOptional: true,
    request: { params, body: wakeSchema },
    example: { body: { branches: ['main'], warm: ['state', 'values'], waitMs: 5000 } },
    responses: {
      200: { description: 'It is in memory', schema: hot },
      202: { description: 'It is being loaded', schema: waking },
    },
    handler: async ({ params: { id }, body, principal }) => {
      const { archived } = await registry.visible(id, principal);
      wakes.checkRate(id, principal.userId);
      const { branches: names, warm, waitMs: waitMilliseconds } = body;
      const branches = await wakes.wake({
        workbookId: id,
        branches: names,
        warm,
        waitMilliseconds,
      });
      if (branches === undefined) return wakingReply();
      const owner = await topology.owner(id);
      return {
        value: { state: 'hot', readOnly: archived, owner, branches },
        cacheControl: 'no-store',
      };
    },
  });
}

function wakingReply(): Reply {
  return {
    status: 202,
    value: { state: 'waking', retry_after: wakeRetrySeconds },
    headers: { 'Retry-After': String(wakeRetrySeconds) },
    cacheControl: 'no-store',
  };
}

const topologyRequest = z.strictObject({
  action: z.enum(['move', 'release']).optional().describe('Describes only when left out'),
  to: z.string().max(63).optional().describe('The node to move to'),
});

const sequence = z.int().nullable();
const topologySchema = z
  .strictObject({
    workbook: z.string(),
    owner: z
      .strictObject({ node: z.string(), epoch: z.int(), expiresInMs: z.int().nullable() })
      .nullable()
      .describe('The node that has it in memory; `expiresInMs` is null while nodes take no leases'),
    nodes: z.array(
      z.strictObject({
        node: z.string(),
        role: z.enum(['front', 'eval']),
        load: z.number().describe('Share of its room for branches that is taken'),
        hashRank: z.int(),
      }),
    ),
    sockets: z.int(),
    branches: z.array(
      z.strictObject({
        branch: z.string(),
        head: z.int(),
        hotFromSeq: sequence.describe('First operation in PostgreSQL'),
        segments: z.int().describe('Rows of its journal there'),
        snapshotSeq: sequence.describe('Newest snapshot'),
      }),
    ),
    journal: z.strictObject({ engine: z.literal('postgres'), shard: z.int() }),
    history: z.strictObject({
      engine: z.enum(['file', 's3']),
      prefix: z.string(),
      sealedSeq: sequence.describe('Last operation of main in object storage'),
    }),
    lag: z.strictObject({
      wakeMs: z.number().nullable().describe('How long the last wake took'),
      tiles: z.int().nullable(),
    }),
  })
  .meta({ id: 'Topology' });

type TopologyCall = Call<{ id: string }, unknown, z.output<typeof topologyRequest>, Principal>;

function topologyRoute(services: MaintenanceServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/topology',
    scope: 'read',
    limit: 'read',
    idempotency: 'none',
    tag,
    summary: 'Topology: where a workbook is kept and who serves it',
    description:
      '`{"action":"release"}` lets go of its memory and fences off whoever still writes; `move` does so for another node. Both need the scope write.',
    bodyOptional: true,
    request: { params, body: topologyRequest },
    example: { body: {} },
    responses: { 200: { description: 'As it is now', schema: topologySchema } },
    handler: async (call) => {
      const { id } = call.params;
      if (call.body.action === undefined) {
        if (call.body.to !== undefined) throw misplacedNode();
        await services.registry.visible(id, call.principal);
      } else {
        await changeTopology(services, call, call.body.action);
      }
      return { value: await services.topology.describe(id), cacheControl: 'no-store' };
    },
  });
}

async function changeTopology(
  { registry, topology }: MaintenanceServices,
  { params: { id }, body, principal }: Pick<TopologyCall, 'params' | 'body' | 'principal'>,
  action: 'move' | 'release',
): Promise<void> {
  const missing = missingScopes(principal, ['write']);
  if (missing.length > 0) {
    throw new Failure('insufficientScope', { extra: { required: missing } });
  }
  await registry.check(id, 'place', principal);
  await registry.writable(id, principal);
  if (action === 'release' && body.to !== undefined) throw misplacedNode();
  if (action === 'move' && body.to !== topology.nodeId) {
    throw new Failure('invalidRequest', {
      detail: `There is no node ${body.to ?? ''} to move to.`,
      hint: 'POST the topology with {} for the nodes there are.',
      errors: [{ pointer: '/to', code: 'unknown_node', message: `known is ${topology.nodeId}` }],
    });
  }
  await topology.release(id);
}

function misplacedNode(): Failure {
  return new Failure('invalidRequest', {
    detail: '"to" goes with the action move.',
    hint: 'Send {"action":"move","to":<node>}, or leave it out.',
    errors: [{ pointer: '/to', code: 'misplaced', message: 'goes with the action move' }],
  });
}
