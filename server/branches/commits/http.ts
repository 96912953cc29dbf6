import { z } from 'zod';

import { ndjsonType } from '../../http/negotiate.ts';
import { route, type Route } from '../../http/route.ts';
import { pages } from '../../model/limits.ts';
import { operationLimits } from '../../model/operation-limits.ts';
import { positionTag } from '../place.ts';
import { isBranchName, nameLengthMost, referenceName } from '../../model/reference.ts';
import type { Principal } from '../../model/scope.ts';
import type { LogReader } from '../../tlog/service/reader.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { Branches } from '../branches.ts';
import type { BranchAddress } from '../journal-store.ts';
import type { Policies } from '../policies.ts';
import type { Commits } from './commits.ts';
import type { CommitTable } from './sql.ts';

export interface CommitServices {
  readonly commits: Commits;
  readonly commitTable: Pick<CommitTable, 'count' | 'list'>;
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly policies: Policies;
  readonly log: Pick<LogReader, 'proofOnce'>;
}

const tagName = 'Branches';
const params = z.strictObject({
  id: z.string(),
  branch: z.string().refine(isBranchName, 'not the name of a branch'),
});
const time = z.string().meta({ format: 'date-time' });
const hash = z.string().describe('SHA-256 in hex');

const commitBody = z.strictObject({
  message: z.string().max(operationLimits.messageLength).default(''),
  tag: z
    .string()
    .optional()
    .describe(
      `Letters, digits and _ . - / +, at most ${nameLengthMost}; unique in the workbook; read it back as ref=commit:<tag>`,
    ),
  writer: z.string().min(1).max(operationLimits.writerLength).optional(),
});

const commitQuery = z.strictObject({
  wait: z
    .enum(['published'])
    .optional()
    .describe('Answers when the transparency log has it, or after ten seconds'),
});

const committed = z
  .strictObject({
    branch: z.string(),
    seq: z.int(),
    ref: z.string(),
    tag: z.string().nullable(),
    message: z.string(),
    stateHash: hash,
    chainHash: hash.describe('SHA-256 of the journal up to here, in hex'),
    flushedSeq: z.int(),
    leafHash: hash.describe('Of its entry in the transparency log: GET /v1/tlog/proof proves it'),
    tlog: z.enum(['pending', 'published']).describe('Whether a published checkpoint has it yet'),
    proof: z.string().optional().describe('A .tlog-proof that opens the entry, once published'),
  })
  .meta({ id: 'Commit' });

const flushed = z
  .strictObject({
    branch: z.string(),
    head: z.int(),
    flushedSeq: z.int().describe('Operations up to here are in object storage'),
    segments: z.array(z.strictObject({ firstSeq: z.int(), lastSeq: z.int(), byteCount: z.int() })),
  })
  .meta({ id: 'Flushed' });

const checkpointed = z
  .strictObject({
    branch: z.string(),
    seq: z.int(),
    stateHash: hash,
    flushedSeq: z.int(),
    written: z.strictObject({
      nodes: z.record(z.string(), z.int()).describe('Parts that no snapshot had yet, by kind'),
      byteCount: z.int(),
    }),
  })
  .meta({ id: 'Snapshot' });

export function commitRoutes(services: CommitServices): Route[] {
  return [
    flushRoute(services),
    commitRoute(services),
    checkpointRoute(services),
    listRoute(services),
  ];
}

function flushRoute(services: CommitServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/flush',
    scope: 'write',
    tag: tagName,
    summary: 'Flush: put the end of the journal into object storage',
    description: 'Everything acknowledged before is stored there when it answers.',
    bodyOptional: true,
    request: { params, body: z.strictObject({}) },
    example: { body: {} },
    responses: { 200: { description: 'What is stored', schema: flushed } },
    admit: async ({ params: { id, branch }, principal }) => {
      await writableBranch(services, { id, branch, principal });
    },
    handler: async ({ params: { id, branch }, principal }) => {
      const address = await writableBranch(services, { id, branch, principal });
      const { sealedSeq, segments } = await services.commits.flush(address);
      const value = { branch, head: sealedSeq, flushedSeq: sealedSeq, segments };
      return { value, etag: positionTag({ address, branch }, sealedSeq) };
    },
  });
}

function commitRoute(services: CommitServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/commit',
    scope: 'write',
    tag: tagName,
    summary: 'Commit: name (tag) the position that a branch is at',
    description: 'It is an operation of the journal. The branch is flushed through it.',
    bodyOptional: true,
    request: { params, query: commitQuery, body: commitBody },
    example: { body: { message: 'Plan as approved', tag: 'v1' } },
    responses: { 201: { description: 'The named position', schema: committed } },
    admit: async ({ params: { id, branch }, principal }) => {
      await writableBranch(services, { id, branch, principal });
    },
    handler: async ({ params: { id, branch }, query: { wait }, body, principal, keyed }) => {
      const address = await writableBranch(services, { id, branch, principal });
      const { message, tag, writer } = body;
      const request = { message, tag, writer, runId: keyed?.id };
      const commit = await services.commits.commit(address, request, principal);
      const { seq, stateHash, chainHash, sealedSeq: flushedSeq, receipt } = commit;
      const proof = wait === undefined ? undefined : await services.log.proofOnce(receipt);
      const leafHash = receipt.leafHash.toString('hex');
      const logging =
        proof === undefined
          ? { leafHash, tlog: 'pending' }
          : { leafHash, tlog: 'published', proof };
      const ref = referenceName(branch, seq);
      const named = { branch, seq, ref, tag: tag ?? null, message };
      return {
        status: 201,
        value: { ...named, stateHash, chainHash, flushedSeq, ...logging },
        etag: positionTag({ address, branch }, seq),
      };
    },
  });
}

function checkpointRoute(services: CommitServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/branches/:branch/checkpoint',
    scope: 'write',
    tag: tagName,
    summary: 'Checkpoint: store the state of a branch (a snapshot)',
    description:
      'A flush, and a snapshot from which the branch wakes. Only what changed is written.',
    bodyOptional: true,
    request: { params, body: z.strictObject({}) },
    example: { body: {} },
    responses: { 200: { description: 'The stored state', schema: checkpointed } },
    admit: async ({ params: { id, branch }, principal }) => {
      await writableBranch(services, { id, branch, principal });
    },
    handler: async ({ params: { id, branch }, principal }) => {
      const address = await writableBranch(services, { id, branch, principal });
      const { flushed: flush, snapshot } = await services.commits.checkpoint(address);
      const { seq, root: stateHash, byteCount } = snapshot;
      const written = { nodes: Object.fromEntries(snapshot.written), byteCount };
      const value = { branch, seq, stateHash, flushedSeq: flush.sealedSeq, written };
      return { value, etag: positionTag({ address, branch }, seq) };
    },
  });
}

const listQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pages.listMost).default(pages.listDefault),
});

const listedCommit = z.strictObject({
  branch: z.string().nullable(),
  seq: z.int(),
  tag: z.string().nullable(),
  message: z.string(),
  by: z.string(),
  at: time,
  stateHash: hash.nullable(),
  chainHash: hash.nullable(),
});

function listRoute({ commitTable, registry }: CommitServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/commits',
    scope: 'read',
    tag: tagName,
    summary: 'Commits: list them, newest first',
    description:
      'A page of the commits of all branches: message, tag, position, hash and author, and the leaf of the transparency log. `commit:<tag>` is a reference wherever one is taken.',
    produces: [ndjsonType],
    request: { params: z.strictObject({ id: z.string() }), query: listQuery },
    responses: {
      200: {
        description: 'One page',
        schema: z.strictObject({
          total: z.int(),
          offset: z.int(),
          limit: z.int(),
          commits: z.array(listedCommit),
        }),
      },
    },
    handler: async ({ params: { id }, query, principal }) => {
      await registry.visible(id, principal);
      const total = await commitTable.count(id);
      const items = (await commitTable.list(id, query)).map((commit) => {
        const { branch, seq, tag, message, committedBy: by, committedAt } = commit;
        const stateHash = commit.stateHash?.toString('hex') ?? null;
        const chainHash = commit.chainHash?.toString('hex') ?? null;
        return {
          branch,
          seq,
          tag,
          message,
          by,
          at: committedAt.toISOString(),
          stateHash,
          chainHash,
        };
      });
      return { rows: { header: { total, ...query }, member: 'commits', items } };
    },
  });
}

async function writableBranch(
  { branches, registry, policies }: CommitServices,
  { id, branch, principal }: { id: string; branch: string; principal: Principal },
): Promise<BranchAddress> {
  const facts = await registry.writable(id, principal);
  policies.checkReserved(facts, branch);
  return branches.address(id, branch);
}
