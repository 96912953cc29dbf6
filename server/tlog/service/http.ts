import { createHash } from 'node:crypto';
import { z } from 'zod';

import { preferred } from '../../http/negotiate.ts';
import { route, type Reply, type Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { formatProofFile } from '../note/proof-file.ts';
import type { PastLogs } from '../past/past-logs.ts';
import type { LeafProof, LogReader } from './reader.ts';
import { logPath } from './transparency-log.ts';

export interface LogServices {
  readonly reader: LogReader;
  readonly past: PastLogs;
  /** Public address of the service. */
  readonly baseUrl: string;
}

const tag = 'Transparency log';
const common = { host: 'api', scope: null, tag } as const;
const textType = 'text/plain; charset=utf-8';
const fileType = 'application/octet-stream';
export const proofFileType = 'application/vnd.c2sp.tlog-proof';
const immutable = 'public, max-age=31536000, immutable';
const proofsMost = 1_000;
const pendingSeconds = 1;

const base64 = z.string().describe('SHA-256 in base64');
const size = z.int().min(0);

export function logRoutes(services: LogServices): Route[] {
  return [
    checkpointRoute(services),
    fileRoute(services),
    pastRoute(services),
    proofRoute(services),
    proofsRoute(services),
    consistencyRoute(services),
    statusRoute(services),
    policyRoute(services),
  ];
}

function checkpointRoute({ reader }: LogServices): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/v1/tlog/checkpoint',
    isExact: true,
    summary: 'The newest signed checkpoint',
    description: 'A signed note (C2SP tlog-checkpoint), with the signatures of witnesses.',
    produces: ['text/plain'],
    responses: { 200: { description: 'The note', types: ['text/plain'] } },
    handler: async () => {
      const { note, size: treeSize } = await reader.newest();
      const etag = `${treeSize}-${createHash('sha256').update(note).digest('base64url')}`;
      return { bytes: note, type: textType, etag, cacheControl: 'no-cache' };
    },
  });
}

function fileRoute({ reader }: LogServices): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/v1/tlog/tile/*',
    limit: 'none',
    summary: 'A tile of hashes, or a bundle of entries',
    description:
      'C2SP tlog-tiles: `tile/0/x001/234`, `tile/entries/x001/234`, and `.p/5` behind it for the first five of one that is not full.',
    produces: [fileType],
    request: { params: z.strictObject({ rest: z.string() }) },
    responses: {
      200: { description: 'Its bytes, which never change', types: [fileType] },
    },
    // As sent: a decoded path would give each file many spellings.
    handler: async ({ path }) => {
      const file = await reader.file(path.slice(logPath.length + 1));
      return { bytes: file.bytes, type: fileType, etag: file.path, cacheControl: immutable };
    },
  });
}

function pastRoute({ past }: LogServices): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/v1/tlog/past/*',
    limit: 'none',
    summary: 'A file of a log that was ended',
    description:
      'Logs that an operator ended stay readable: `past/1/checkpoint`, `past/1/tile/0/000`.',
    produces: [fileType, 'text/plain'],
    request: { params: z.strictObject({ rest: z.string() }) },
    responses: { 200: { description: 'Its bytes, which never change', types: [fileType] } },
    handler: async ({ path }) => {
      const [, no = '', rest = ''] = /\/past\/([1-9][0-9]{0,5})\/(.*)$/.exec(path) ?? [];
      const bytes = await past.file(Number(no), rest);
      const type = rest === 'checkpoint' ? textType : fileType;
      return { bytes, type, etag: `${no}-${rest}`, cacheControl: immutable };
    },
  });
}

const leafHashText = z
  .string()
  .refine((text) => readHash(text) !== undefined, 'not a SHA-256 in hex or base64url');

const proofQuery = z.strictObject({
  leaf_hash: leafHashText.describe('In hex or base64url'),
  tree_size: z.coerce.number().pipe(size).optional().describe('Of a published checkpoint'),
  format: z.enum(['json', 'tlog-proof']).optional(),
});

const proofSchema = z
  .strictObject({
    leaf_hash: base64,
    leaf_index: z.int(),
    tree_size: z.int(),
    root_hash: base64,
    hashes: z.array(base64).describe('From the sibling of the leaf to the child of the root'),
    checkpoint: z.string().describe('The signed note of this size'),
  })
  .meta({ id: 'InclusionProof' });
export const pendingSchema = z.strictObject({ status: z.literal('pending'), retry_after: z.int() });

function proofRoute({ reader }: LogServices): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/v1/tlog/proof',
    summary: 'The proof that an entry is in the log',
    description:
      'Self-contained: the checkpoint is inside. With `format=tlog-proof`, or Accept, it comes as a C2SP tlog-proof file.',
    produces: [proofFileType],
    request: { query: proofQuery },
    example: {
      query: 'leaf_hash=773885a613489e24ce2cf76199d6a423f042e4bbf12d7eecee912ef276c65701',
    },
    responses: {
      200: { description: 'The proof', schema: proofSchema },
      202: { description: 'It is in no checkpoint yet', schema: pendingSchema },
    },
    handler: async ({ query, header }) => {
      const { leaf_hash: leafHash, tree_size: treeSize, format } = query;
      const outcome = await reader.prove(readHash(leafHash) ?? Buffer.alloc(0), treeSize);
      if (outcome === 'unknown') throw unknownLeaf(leafHash);
      if (outcome === 'pending') return pendingProof();
      if (outcome === 'later') throw laterLeaf(leafHash, treeSize);
      const cacheControl = treeSize === undefined ? 'no-store' : immutable;
      const accepted = preferred(header('accept'), ['application/json', proofFileType]);
      const isFile =
        format === 'tlog-proof' || (format === undefined && accepted === proofFileType);
      if (!isFile) return { value: proofValue(outcome), cacheControl };
      return { bytes: proofFile(outcome), type: proofFileType, cacheControl };
    },
  });
}

/** The answer about what no published checkpoint has yet. */
export function pendingProof(): Reply {
  return {
    status: 202,
    value: { status: 'pending', retry_after: pendingSeconds },
    headers: { 'Retry-After': String(pendingSeconds) },
    cacheControl: 'no-store',
  };
}

function unknownLeaf(leafHash: string): Failure {
  return new Failure('leafNotFound', {
    detail: `The log has no entry with the leaf hash ${leafHash}.`,
    hint: 'A commit answers its leafHash; an entry that waits is answered with 202.',
  });
}

function laterLeaf(leafHash: string, treeSize: number | undefined): Failure {
  return new Failure('leafNotFound', {
    detail: `The tree of size ${treeSize} has no entry with the leaf hash ${leafHash}: it came later.`,
    hint: 'Leave tree_size out, or ask for a checkpoint that was published after the entry was made.',
    errors: [{ pointer: '?tree_size', code: 'too_small', message: 'is before the entry' }],
  });
}

function proofValue({ leafHash, leafIndex, hashes, tree }: LeafProof) {
  return {
    leaf_hash: leafHash.toString('base64'),
    leaf_index: leafIndex,
    tree_size: tree.size,
    root_hash: Buffer.from(tree.root).toString('base64'),
    hashes: hashes.map((hash) => Buffer.from(hash).toString('base64')),
    checkpoint: tree.note,
  };
}

function proofFile({ leafIndex, hashes, tree }: LeafProof): string {
  return formatProofFile({ index: leafIndex, hashes, checkpoint: tree.note });
}

const proofsBody = z.strictObject({
  leaf_hashes: z.array(leafHashText).min(1).max(proofsMost),
  tree_size: size.optional(),
});

const provenLeaf = z.strictObject({
  leaf_hash: base64,
  status: z
    .enum(['proven', 'pending', 'later', 'unknown'])
    .describe('later: in the log, and not in the tree of `tree_size`'),
  leaf_index: z.int().nullable(),
  hashes: z.array(base64),
});

function proofsRoute({ reader }: LogServices): Route {
  return route({
    ...common,
    method: 'POST',
    path: '/v1/tlog/proofs',
    limit: 'read',
    idempotency: 'none',
    summary: 'Proofs for many entries, from one checkpoint',
    description: 'Up to 1,000 leaves, all against the same signed checkpoint.',
    request: { body: proofsBody },
    example: {
      body: {
        leaf_hashes: ['773885a613489e24ce2cf76199d6a423f042e4bbf12d7eecee912ef276c65701'],
      },
    },
    responses: {
      200: {
        description: 'What there is of each, in the order asked for',
        schema: z.strictObject({
          tree_size: z.int(),
          root_hash: base64,
          checkpoint: z.string(),
          proofs: z.array(provenLeaf),
        }),
      },
    },
    handler: async ({ body }) => {
      const tree = await reader.treeAt(body.tree_size);
      const asked = body.leaf_hashes.map((text) => readHash(text) ?? Buffer.alloc(0));
      const outcomes = await reader.proveAll(asked, tree.size);
      const proofs = outcomes.map((outcome, index) => {
        const leaf = { leaf_hash: asked[index]?.toString('base64') };
        if (typeof outcome === 'string') {
          return { ...leaf, status: outcome, leaf_index: null, hashes: [] };
        }
        const { leaf_index, hashes } = proofValue(outcome);
        return { ...leaf, status: 'proven', leaf_index, hashes };
      });
      const root_hash = Buffer.from(tree.root).toString('base64');
      const value = { tree_size: tree.size, root_hash, checkpoint: tree.note, proofs };
      return { value, cacheControl: 'no-store' };
    },
  });
}

const consistencyQuery = z.strictObject({
  from: z.coerce.number().pipe(z.int().min(1)),
  to: z.coerce.number().pipe(z.int().min(1)).optional().describe('The newest when left out'),
});

function consistencyRoute({ reader }: LogServices): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/v1/tlog/consistency',
    summary: 'The proof that the log begins with all of an older one',
    description: 'Between any two sizes that are published (RFC 6962).',
    request: { query: consistencyQuery },
    example: { query: 'from=3&to=7' },
    responses: {
      200: {
        description: 'The proof',
        schema: z.strictObject({
          from: z.int(),
          to: z.int(),
          from_root: base64.describe('Root of the older tree'),
          to_root: base64.describe('Root of the later one'),
          hashes: z.array(base64),
          checkpoint: z
            .string()
            .describe(
              'The signed note of the later size; of the newest, where that was never published',
            ),
        }),
      },
    },
    handler: async ({ query: { from, to } }) => {
      const { size: newest } = await reader.newest();
      const end = to ?? newest;
      if (from > end || end > newest) {
        throw new Failure('invalidRequest', {
          detail: `from=${from} and to=${end} are not sizes in order up to ${newest}.`,
          errors: [{ pointer: '?from', code: 'out_of_range', message: 'from <= to <= published' }],
        });
      }
      const proof = await reader.proveConsistency(from, end);
      const text = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');
      return {
        value: {
          from,
          to: end,
          from_root: text(proof.fromRoot),
          to_root: text(proof.toRoot),
          hashes: proof.hashes.map(text),
          checkpoint: proof.checkpoint,
        },
        cacheControl: 'no-store',
      };
    },
  });
}

const time = z.string().meta({ format: 'date-time' });

const statusSchema = z
  .strictObject({
    origin: z.string(),
    vkeys: z.array(z.string()),
    tree_size: z.int(),
    root_hash: base64,
    published_at: time.nullable(),
    integrated_size: z.int(),
    pending: z.int().describe('Entries in no published checkpoint yet'),
    oldest_pending_ms: z.int(),
    min_index: z.int(),
    tile_height: z.int(),
    witnesses: z.array(
      z.strictObject({
        name: z.string(),
        vkey: z.string(),
        size: z.int().nullable(),
        cosigned_at: time.nullable(),
      }),
    ),
    quorum: z.string().nullable(),
    halted: z.string().nullable().describe('Why the log does not go on'),
    past: z
      .array(
        z.strictObject({
          why: z.enum(['adopted', 'begun']),
          origin: z.string(),
          tree_size: z.int(),
          url: z.string(),
          ended_at: time,
        }),
      )
      .describe('Logs, or ends of this one, that are no more gone on with, and stay readable'),
    damaged: z.array(z.string()).describe('Places that are damaged and could not be made anew'),
  })
  .meta({ id: 'LogStatus' });

function statusRoute({ reader, past }: LogServices): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/v1/tlog/status',
    summary: 'How far the log is, and whether it goes on',
    description:
      'The size that is published, how many entries wait, and which witnesses have signed; a log that was halted says why.',
    responses: { 200: { description: 'The log', schema: statusSchema } },
    handler: async () => {
      const ended = (await past.list()).map(({ pastNo, why, origin, endedAt, ...log }) => {
        const url = `${logPath}/past/${pastNo}`;
        return { why, origin, tree_size: log.size, url, ended_at: endedAt.toISOString() };
      });
      return { value: { ...(await reader.status()), past: ended }, cacheControl: 'no-store' };
    },
  });
}

function policyRoute({ reader, baseUrl }: LogServices): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/v1/tlog/policy',
    limit: 'none',
    summary: 'Whom to trust: the keys of the log and of its witnesses',
    description: 'C2SP tlog-policy. Trust it as far as you trust the way it came to you.',
    produces: ['text/plain'],
    responses: { 200: { description: 'The policy', types: ['text/plain'] } },
    handler: () => ({
      bytes: reader.policyText(baseUrl + logPath),
      type: textType,
      cacheControl: 'no-cache',
    }),
  });
}

/** A hash as a client writes it: 64 hex digits, or base64 in either alphabet. */
function readHash(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9_+/ -]{43}=?$/.test(text)) return undefined;
  // A plus sign in a query is read as a space.
  return Buffer.from(text.replaceAll(' ', '+'), 'base64');
}
