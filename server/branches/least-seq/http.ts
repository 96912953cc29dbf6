import { z } from 'zod';
import { pause, type Environment } from '../../model/environment.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { parseReference } from '../../model/reference.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { Branches } from '../branches.ts';

const waitMilliseconds = 2_000;
const lookMilliseconds = 25;

const leastSeq = z.coerce
  .number()
  .int()
  .min(0)
  .optional()
  .describe('Waits up to 2 s until the branch has this operation');

export interface LeastSeqParts {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly environment: Environment;
}

/**
 * Gives a read of a branch the query `minSeq`: it is answered from a state that has that operation,
 * or with `not_yet`. Any process has it at once where it was acknowledged, so this is for those who
 * hear of an operation before it is durable here, as behind a database that is only read.
 */
export function withLeastSeq(row: Route, parts: LeastSeqParts): Route {
  const { params, query } = row.request;
  const isRead = row.method === 'GET' && row.path.startsWith('/v1/workbooks/:id');
  const member = params?.shape['branch'] ? 'branch' : query?.shape['ref'] ? 'ref' : undefined;
  if (!isRead || member === undefined) return row;
  const handler = async (call: Call): Promise<Reply> => {
    const { minSeq } = call.query as { minSeq?: number };
    if (minSeq === undefined) return row.handler(call);
    const { id, branch } = call.params as { id: string; branch?: string };
    const reference = branch ?? (call.query as { ref?: string }).ref ?? 'main';
    await parts.registry.visible(id, call.principal as Principal);
    await untilThere(parts, { id, reference, seq: minSeq });
    return row.handler(call);
  };
  const extended = (query ?? z.strictObject({})).extend({ minSeq: leastSeq });
  return { ...row, request: { ...row.request, query: extended }, handler };
}

/** A position that is named needs no waiting: it is there, or it is not. */
async function untilThere(
  { branches, environment }: LeastSeqParts,
  { id, reference: text, seq }: { id: string; reference: string; seq: number },
): Promise<void> {
  const reference = parseReference(text);
  if (!reference || !('branch' in reference) || reference.sequence !== undefined) return;
  const end = environment.now() + waitMilliseconds;
  for (;;) {
    const { seq: head } = await branches.locate(id, reference);
    if (head >= seq) return;
    if (environment.now() >= end) throw notYet(reference.branch, seq, head);
    await pause(environment, lookMilliseconds);
  }
}

function notYet(branch: string, seq: number, head: number): Failure {
  return new Failure('notYet', {
    detail: `${branch} has ${head} operations, and minSeq asks for ${seq}.`,
    hint: 'Try again in a moment; leave minSeq out to read what is there.',
    headers: { 'Retry-After': '1' },
    extra: { head },
  });
}
