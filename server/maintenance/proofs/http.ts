import { z } from 'zod';

import type { Branches } from '../../branches/branches.ts';
import { ndjsonType, preferred } from '../../http/negotiate.ts';
import { route, type Reply, type Route } from '../../http/route.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { isBranchName } from '../../model/reference.ts';
import { statementKinds } from '../../tlog/leaf/statement.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import { mainBranch } from '../../workbooks/workbook.ts';
import { pendingProof, pendingSchema, proofFileType } from '../../tlog/service/http.ts';
import type { ProofBundles, ProvenStatement } from './bundle.ts';
import type { OperationProofs } from './operation.ts';
import { tarOf, type TarFile } from './tar.ts';

export interface ProofServices {
  readonly registry: WorkbookRegistry;
  readonly bundles: ProofBundles;
  readonly operations: OperationProofs;
  readonly branches: Pick<Branches, 'address'>;
  readonly environment: Pick<Environment, 'now'>;
}

const tarType = 'application/x-tar';

const query = z.strictObject({
  branch: z
    .string()
    .refine(isBranchName, 'not the name of a branch')
    .optional()
    .describe('Only this one; all, and what became of the workbook, when left out'),
  branchNo: z.coerce
    .number()
    .pipe(z.int().min(0))
    .optional()
    .describe('Instead of branch, with seq: its number, which a deleted one keeps'),
  seq: z.coerce
    .number()
    .pipe(z.int().min(1))
    .optional()
    .describe('The proof of this one operation, of main unless branch says otherwise'),
  from: z.coerce.number().pipe(z.int().min(0)).optional(),
  to: z.coerce.number().pipe(z.int().min(0)).optional(),
  format: z.enum(['json', 'tar', 'tlog-proof']).optional(),
});

const proven = z.strictObject({
  name: z.string(),
  kind: z.enum(statementKinds),
  branchNo: z.int(),
  seq: z.int().optional().describe('Of one operation that was asked for'),
  firstSeq: z.int(),
  lastSeq: z.int(),
  leafHash: z.string(),
  opens: z
    .boolean()
    .describe(
      'Whether the proof says what was logged; statements of version 1 open for owners alone',
    ),
  proof: z.string().nullable().describe('A .tlog-proof; null until it is published'),
});

export function proofRoutes(services: ProofServices): Route[] {
  const { registry, bundles, environment } = services;
  const proofs = route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/proofs',
    scope: 'read',
    tag: 'Transparency log',
    summary: 'Proofs of a whole history, to be checked offline',
    description:
      'One C2SP tlog-proof for each statement about the workbook: segments of journals, commits, and what became of it. As JSON, NDJSON or a tar archive. With `seq` it is one file that proves a single operation.',
    produces: [ndjsonType, tarType, proofFileType],
    request: { params: z.strictObject({ id: z.string() }), query },
    example: { query: 'branch=main&from=1&to=1000' },
    responses: {
      200: {
        description:
          'The proofs, in the order in which things were said; with `seq` the file, or on `Accept: application/json` a list of it',
        schema: z.strictObject({
          log: z.strictObject({ origin: z.string(), size: z.int() }),
          proofs: z.array(proven),
        }),
        types: [proofFileType, ndjsonType, tarType],
      },
      202: { description: 'The operation is in no checkpoint yet', schema: pendingSchema },
    },
    handler: async ({ params: { id }, query: asked, principal, header }) => {
      await registry.visible(id, principal);
      const { branch, from = 0, to: through = Number.MAX_SAFE_INTEGER, format } = asked;
      const isOwner = await registry.isOwner(id, principal.userId);
      const one = readOne(asked);
      if (one) return proveOne(services, { workbookId: id, isOwner, ...one }, header('accept'));
      const items = await bundles.open({ workbookId: id, branch, from, through, isOwner });
      const accepted = preferred(header('accept'), ['application/json', ndjsonType, tarType]);
      const isTar = format === 'tar' || (format === undefined && accepted === tarType);
      const log = await bundles.log();
      if (!isTar) return { rows: { header: { log }, member: 'proofs', items } };
      const timeSeconds = Math.floor(environment.now() / 1000);
      return { stream: tarOf(filesOf(items), timeSeconds), type: tarType };
    },
  });
  return [proofs];
}

type Query = z.output<typeof query>;

/** A request for the proof of one operation. */
interface OneAsked extends Pick<Query, 'branch' | 'branchNo' | 'format'> {
  readonly seq: number;
}

/** Reads a query for one proof; undefined for a history, and fails for both. */
function readOne({ seq, from, to, ...asked }: Query): OneAsked | undefined {
  const { branch, branchNo, format } = asked;
  if (seq === undefined) {
    if (branchNo === undefined && format !== 'tlog-proof') return undefined;
    throw wrongQuery('?seq', 'branchNo and format=tlog-proof go with seq.');
  }
  if (from !== undefined || to !== undefined)
    throw wrongQuery('?seq', 'seq goes without from, to.');
  if (branch !== undefined && branchNo !== undefined) {
    throw wrongQuery('?branchNo', 'branchNo goes without branch.');
  }
  if (format === 'tar') throw wrongQuery('?format', 'One operation has one file, and no archive.');
  return { seq, ...asked };
}

function wrongQuery(pointer: string, detail: string): Failure {
  return new Failure('invalidRequest', {
    detail,
    hint: 'Ask for ?branch=main&seq=42, or for ?branch=main&from=1&to=42.',
    errors: [{ pointer, code: 'wrong_combination', message: detail }],
  });
}

async function proveOne(
  { operations, bundles, branches }: ProofServices,
  { workbookId, isOwner, ...asked }: OneAsked & { workbookId: string; isOwner: boolean },
  accept: string | undefined,
): Promise<Reply> {
  const { branch = mainBranch, branchNo: asNumber, seq, format } = asked;
  const branchNo = asNumber ?? (await branches.address(workbookId, branch)).branchNo;
  const found = await operations.prove({ workbookId, branchNo, seq, isOwner });
  if (!found) return pendingProof();
  const isFile = preferred(accept, [proofFileType, 'application/json']) === proofFileType;
  if (format === 'json' || (format === undefined && !isFile)) {
    const proofs = [{ kind: 'segment', opens: true, ...found }];
    return { value: { log: await bundles.log(), proofs }, cacheControl: 'no-store' };
  }
  const headers = { 'Content-Disposition': `attachment; filename="${found.name}"` };
  return { bytes: found.proof, type: proofFileType, headers, cacheControl: 'no-store' };
}

/** Statements that are not published yet have no file. */
async function* filesOf(items: AsyncIterable<ProvenStatement>): AsyncGenerator<TarFile> {
  for await (const { name, proof } of items) {
    if (proof !== null) yield { name, bytes: Buffer.from(proof) };
  }
}
