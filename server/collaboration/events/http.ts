import { z } from 'zod';

import { route, type Call, type Reply, type Route } from '../../http/route.ts';
import type { Branches } from '../../branches/branches.ts';
import type { Environment } from '../../model/environment.ts';
import { incarnationOf } from '../../branches/place.ts';
import { Failure } from '../../model/failure.ts';
import { isBranchName } from '../../model/reference.ts';
import type { Principal } from '../../model/scope.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { Hub } from '../hub.ts';
import { EventStream } from './event-stream.ts';

export interface EventServices {
  readonly hub: Hub;
  readonly registry: WorkbookRegistry;
  readonly branches: Pick<Branches, 'address' | 'outline'>;
  readonly credentials: { keyOf(authorization: string | undefined): string };
  readonly environment: Environment;
}

interface LastEvent {
  readonly seq: number;
  readonly incarnation: string | undefined;
}

const type = 'text/event-stream';
const noHash = Buffer.alloc(32).toString('base64url');
/** A client that accepts anything may wait for the end of the answer, so it gets no stream. */
const unaskedMilliseconds = 20_000;
const params = z.strictObject({
  id: z.string(),
  branch: z.string().refine(isBranchName, 'not the name of a branch'),
});
const query = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The last operation that you have; Last-Event-ID goes first'),
  cells: z
    .enum(['all', 'none'])
    .default('all')
    .describe('Whether the ranges come, too, that operations write to'),
});

type EventCall = Call<z.output<typeof params>, z.output<typeof query>, undefined, Principal>;

export function eventRoutes(services: EventServices): Route[] {
  return [
    route({
      host: 'api',
      method: 'GET',
      path: '/v1/workbooks/:id/branches/:branch/events',
      scope: 'read',
      tag: 'Collaboration',
      summary: 'Events: follow the operations of a branch as server-sent events',
      description:
        'Goes on until you end it, or for 20 s where Accept does not name text/event-stream. Each operation once and in its order, from `after` or Last-Event-ID on; /docs/protocol.md has the events.',
      produces: [type],
      goesOn: true,
      request: { params, query },
      responses: { 200: { description: 'Events, as they happen', types: [type] } },
      handler: (call) => follow(services, call),
    }),
  ];
}

async function follow(services: EventServices, call: EventCall): Promise<Reply> {
  const { hub, registry, branches, credentials, environment } = services;
  const { params: asked, query: given, principal, header, signal } = call;
  await registry.visible(asked.id, principal);
  const address = await branches.address(asked.id, asked.branch);
  const last = lastEventId(header('last-event-id'));
  const after = last?.seq ?? given.after ?? (await branches.outline(address)).head;
  const incarnation = incarnationOf(address);
  const isOther = last?.incarnation !== undefined && last.incarnation !== incarnation;
  const seat = {
    workbookId: asked.id,
    branch: asked.branch,
    address,
    principal,
    ownerId: principal.userId,
    credentialKey: credentials.keyOf(header('authorization')),
    isListener: true as const,
  };
  const want = { ops: true, presence: false, cell_activity: given.cells, ownOps: 'full' };
  // A hash that no history has: the client then learns that its operations are of another branch.
  const lastHash = isOther ? noHash : null;
  const hello = { kind: 'hello', protocol: 1, lastSeq: after, lastHash, want };
  const stream = new EventStream({
    environment,
    handler: hub.admit(seat, 'events'),
    hello,
    beginId: `${after}${last?.incarnation ?? incarnation}`,
    incarnation,
    lastsMilliseconds: isNamed(header('accept')) ? undefined : unaskedMilliseconds,
  });
  if (signal.aborted) stream.close();
  else signal.addEventListener('abort', () => stream.close());
  // Keeps proxies from buffering events.
  return { stream, type, cacheControl: 'no-store', headers: { 'X-Accel-Buffering': 'no' } };
}

/** Returns whether `accept` names the type of the stream itself. */
function isNamed(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes(type) ?? false;
}

/** Parses the id of an event: the sequence number of an operation, and the suffix of its branch. */
function lastEventId(text: string | undefined): LastEvent | undefined {
  if (text === undefined || text === '') return undefined;
  const [, digits, incarnation] = /^(\d{1,15})(:\d{1,9})?$/u.exec(text) ?? [];
  const seq = Number(digits);
  if (Number.isSafeInteger(seq)) return { seq, incarnation };
  throw new Failure('invalidRequest', {
    detail: 'Last-Event-ID is the sequence of an operation.',
    hint: 'Send the id of the last event that you have, or leave the header out.',
    errors: [{ pointer: 'Last-Event-ID', code: 'invalid', message: 'not a sequence' }],
  });
}
