import { z } from 'zod';

import { route, type Route } from '../../http/route.ts';
import { limitReached } from '../../model/limit-reached.ts';
import { isBranchName } from '../../model/reference.ts';
import type { LogReader } from '../../tlog/service/reader.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { FrequencyLimit } from '../frequency.ts';
import { faultKinds } from './fault.ts';
import type { Verification, Verifier } from './verifier.ts';

export interface VerifyServices {
  readonly registry: WorkbookRegistry;
  readonly verifier: Verifier;
  readonly verifications: FrequencyLimit;
  readonly log: Pick<LogReader, 'newest' | 'origin'>;
}

const request = z.strictObject({
  branch: z
    .string()
    .refine(isBranchName, 'not the name of a branch')
    .optional()
    .describe('Only this one and those it begins in; all when left out'),
});

const hash = z.string().describe('SHA-256 in hex');
const verification = z
  .strictObject({
    ok: z.boolean(),
    branches: z.array(
      z.strictObject({
        branch: z.string(),
        deleted: z.boolean().describe('Branches that begin in it still need it'),
        head: z.int(),
        hash: hash.describe('End of the hash chain of its journal'),
        stateHash: hash
          .nullable()
          .describe('Of the state its journal comes to; null if that cannot be said'),
        checked: z.strictObject({
          segments: z.int(),
          ops: z.int(),
          sealed: z.int().describe('Objects that hold parts of its journal'),
          snapshots: z.int(),
          commits: z.int(),
        }),
      }),
    ),
    segments: z.int(),
    ops: z.int(),
    snapshots: z.int(),
    packs: z.int(),
    nodes: z.int().describe('Parts of states in the packs'),
    commits: z.int(),
    unlisted: z
      .int()
      .nullable()
      .describe(
        'Objects that nothing names, as a crash leaves them: no fault; null if not counted',
      ),
    statements: z.int().describe('What the transparency log was told of it'),
    unpublished: z.int().describe('Statements that are in no published checkpoint yet'),
    log: z
      .strictObject({ origin: z.string(), size: z.int() })
      .describe('The published log that every other statement was found in'),
    checkpoint: z.string().describe('Its signed checkpoint'),
    firstBad: z
      .strictObject({
        branch: z
          .string()
          .nullable()
          .describe('Null for what is wrong with the transparency log itself'),
        seq: z.int().describe('First operation in doubt; 0 where there is none'),
        what: z.enum(faultKinds),
        where: z
          .string()
          .describe(
            'Object below the prefix of the workbook, `postgres:<table>/<key>`, or `tlog/<path>`',
          ),
        hint: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'Verification' });

export function verifyRoutes(services: VerifyServices): Route[] {
  return [verifyRoute(services)];
}

function verifyRoute({ registry, verifier, verifications, log }: VerifyServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/verify',
    scope: 'write',
    idempotency: 'none',
    tag: 'Settings',
    summary: 'Verify that everything stored of a workbook is what was written',
    description:
      'Derives all that is stored anew, and names the first place that is wrong. Takes as long as replaying all of its history. Six a minute.',
    bodyOptional: true,
    request: { params: z.strictObject({ id: z.string() }), body: request },
    example: { body: { branch: 'main' } },
    responses: { 200: { description: 'What was found', schema: verification } },
    handler: async ({ params: { id }, body, principal, signal }) => {
      await registry.visible(id, principal);
      checkFrequency(verifications, id, principal.userId);
      const { branch } = body;
      const found = await verifier.verify({ workbookId: id, branch, signal });
      // A workbook that was purged meanwhile is answered as absent.
      if (found.firstBad) await registry.visible(id, principal);
      const { size, note: checkpoint } = await log.newest();
      const value = { ...answerOf(found), log: { origin: log.origin, size }, checkpoint };
      return { value, cacheControl: 'no-store' };
    },
  });
}

function checkFrequency(verifications: FrequencyLimit, id: string, userId: string): void {
  const waitSeconds = verifications.take(id, userId);
  if (waitSeconds === 0) return;
  throw limitReached('rateLimited', {
    detail: `More than ${verifications.size} verifications of one workbook a minute.`,
    hint: `Wait ${waitSeconds} s.`,
    quota: verifications.quota('verify'),
    waitSeconds,
  });
}

function answerOf(found: Verification) {
  const { branches, firstBad, packs, nodes, unlisted, logged } = found;
  const sum = (member: keyof (typeof branches)[number]['checked']): number => {
    return branches.reduce((total, { checked }) => total + checked[member], 0);
  };
  const { branchNo: _branchNo, ...bad } = firstBad ?? {};
  return {
    ok: firstBad === null,
    branches,
    segments: sum('segments'),
    ops: sum('ops'),
    snapshots: sum('snapshots'),
    packs,
    nodes,
    commits: sum('commits'),
    unlisted,
    statements: logged.statements,
    unpublished: logged.unpublished,
    firstBad: firstBad && bad,
  };
}
