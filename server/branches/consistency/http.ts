import { z } from 'zod';
import { pause, type Environment } from '../../model/environment.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { parseReference, referenceName, type BranchReference } from '../../model/reference.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { Branches } from '../branches.ts';

const waitMilliseconds = 2_000;
const lookMilliseconds = 25;

const minSeq = z.coerce
  .number()
  .int()
  .min(0)
  .optional()
  .describe('Waits up to 2 s until the branch has this operation');

const consistency = z
  .enum(['strong', 'local'])
  .optional()
  .describe('local: an older position will do');

/** Queries of a read that names a branch, alone or for the end of what it compares. */
type Wishes = Readonly<
  Partial<Record<'ref' | 'to', string>> & {
    minSeq?: number;
    consistency?: 'strong' | 'local';
  }
>;

export interface ConsistencyParts {
  readonly branches: Branches;
  readonly registry: WorkbookRegistry;
  readonly environment: Environment;
}

/**
 * Gives a read of a branch the queries `minSeq` and `consistency`. With `minSeq` it is answered
 * from a state that has that operation, or with `not_yet`: any process has it at once where it was
 * acknowledged, so this is for those who hear of an operation before it is durable here. A read of
 * a `ref` with `consistency=local` is answered from the newest position that this process has in
 * memory, and does not wait until it has followed the others; a read that is strong all the same
 * is what `local` allows too.
 */
export function withConsistency(row: Route, parts: ConsistencyParts): Route {
  const { params, query } = row.request;
  const isRead = row.method === 'GET' && row.path.startsWith('/v1/workbooks/:id');
  const member = memberOf(Object.keys({ ...params?.shape, ...query?.shape }));
  if (!isRead || member === undefined) return row;
  const handler = async (call: Call): Promise<Reply> => {
    const asked = call.query as Wishes;
    const { id, branch } = call.params as { id: string; branch?: string };
    const text = (member === 'branch' ? branch : asked[member]) ?? 'main';
    const reference = headOf(text);
    if (reference === undefined) return row.handler(call);
    if (asked.minSeq !== undefined) {
      await parts.registry.visible(id, call.principal as Principal);
      await untilThere(parts, { id, reference, seq: asked.minSeq });
    } else if (member === 'ref' && asked.consistency === 'local') {
      return locally(parts, { row, call, id, reference });
    }
    return row.handler(call);
  };
  const extended = (query ?? z.strictObject({})).extend({ minSeq, consistency });
  return { ...row, request: { ...row.request, query: extended }, handler };
}

/** Member of a request whose branch has to be new enough: that of a diff is its end. */
function memberOf(names: readonly string[]): 'branch' | 'ref' | 'to' | undefined {
  return (['branch', 'ref', 'to'] as const).find((name) => names.includes(name));
}

/** A position that is named needs no waiting: it is there, or it is not. */
function headOf(text: string): BranchReference | undefined {
  const reference = parseReference(text);
  const isHead = reference && 'branch' in reference && reference.sequence === undefined;
  return isHead ? reference : undefined;
}

async function untilThere(
  { branches, environment }: ConsistencyParts,
  { id, reference, seq }: { id: string; reference: BranchReference; seq: number },
): Promise<void> {
  const end = environment.elapsed() + waitMilliseconds;
  for (;;) {
    const { seq: head } = await branches.locate(id, reference);
    if (head >= seq) return;
    if (environment.elapsed() >= end) throw notYet(reference.branch, seq, head);
    await pause(environment, lookMilliseconds);
  }
}

interface LocalRead {
  readonly row: Route;
  readonly call: Call;
  readonly id: string;
  readonly reference: BranchReference;
}

/** Reads the position that is known here; a branch that is not in memory is read as ever. */
async function locally(
  { branches }: ConsistencyParts,
  { row, call, id, reference: { branch } }: LocalRead,
): Promise<Reply> {
  const seq = branches.knownHead(id, branch);
  if (seq === undefined) return row.handler(call);
  const query = { ...(call.query as object), ref: referenceName(branch, seq) };
  // The same address is answered from another position later.
  return { ...(await row.handler(call.asking(query))), cacheControl: 'private, no-cache' };
}

function notYet(branch: string, seq: number, head: number): Failure {
  return new Failure('notYet', {
    detail: `${branch} has ${head} operations, and minSeq asks for ${seq}.`,
    hint: 'Try again in a moment; leave minSeq out to read what is there.',
    headers: { 'Retry-After': '1' },
    extra: { head },
  });
}
