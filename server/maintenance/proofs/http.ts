import { z } from 'zod';

import { ndjsonType, preferred } from '../../http/negotiate.ts';
import { route, type Route } from '../../http/route.ts';
import type { Environment } from '../../model/environment.ts';
import { isBranchName } from '../../model/reference.ts';
import { statementKinds } from '../../tlog/leaf/statement.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { ProofBundles, ProvenStatement } from './bundle.ts';
import { tarOf, type TarFile } from './tar.ts';

export interface ProofServices {
  readonly registry: WorkbookRegistry;
  readonly bundles: ProofBundles;
  readonly environment: Pick<Environment, 'now'>;
}

const tarType = 'application/x-tar';

const query = z.strictObject({
  branch: z
    .string()
    .refine(isBranchName, 'not the name of a branch')
    .optional()
    .describe('Only this one; all, and what became of the workbook, when left out'),
  from: z.coerce.number().pipe(z.int().min(0)).default(0),
  to: z.coerce.number().pipe(z.int().min(0)).default(Number.MAX_SAFE_INTEGER),
  format: z.enum(['json', 'tar']).optional(),
});

const proven = z.strictObject({
  name: z.string(),
  kind: z.enum(statementKinds),
  branchNo: z.int(),
  firstSeq: z.int(),
  lastSeq: z.int(),
  leafHash: z.string(),
  proof: z.string().nullable().describe('A .tlog-proof; null until it is published'),
});

export function proofRoutes({ registry, bundles, environment }: ProofServices): Route[] {
  const proofs = route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/proofs',
    scope: 'read',
    tag: 'Transparency log',
    summary: 'Proofs of a whole history, to be checked offline',
    description:
      'One C2SP tlog-proof for each statement about the workbook: segments of journals, commits, and what became of it. Each opens its own entry. As JSON, NDJSON or a tar archive.',
    produces: [ndjsonType, tarType],
    request: { params: z.strictObject({ id: z.string() }), query },
    example: { query: 'branch=main&from=1&to=1000' },
    responses: {
      200: {
        description: 'The proofs, in the order in which things were said',
        schema: z.strictObject({
          log: z.strictObject({ origin: z.string(), size: z.int() }),
          proofs: z.array(proven),
        }),
      },
    },
    handler: async ({ params: { id }, query: asked, principal, header }) => {
      await registry.visible(id, principal);
      const { branch, from, to: through, format } = asked;
      const items = await bundles.open({ workbookId: id, branch, from, through });
      const accepted = preferred(header('accept'), ['application/json', ndjsonType, tarType]);
      const isTar = format === 'tar' || (format === undefined && accepted === tarType);
      if (!isTar) return { rows: { header: { log: bundles.log }, member: 'proofs', items } };
      const timeSeconds = Math.floor(environment.now() / 1000);
      return { stream: tarOf(filesOf(items), timeSeconds), type: tarType };
    },
  });
  return [proofs];
}

/** What is not published yet has no file. */
async function* filesOf(items: AsyncIterable<ProvenStatement>): AsyncGenerator<TarFile> {
  for await (const { name, proof } of items) {
    if (proof !== null) yield { name, bytes: Buffer.from(proof) };
  }
}
