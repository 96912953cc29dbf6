import { z } from 'zod';

import { readQuery } from '../http/incoming.ts';
import { route, type Call, type Reply, type Route } from '../http/route.ts';
import type { AgreedSocket, HandshakeFacts, ShownCredential } from '../http/socket-route.ts';
import { Failure } from '../model/failure.ts';
import { isBranchName } from '../model/reference.ts';
import type { Principal } from '../model/scope.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { mainBranch } from '../workbooks/workbook.ts';
import { eventRoutes, type EventServices } from './events/http.ts';
import type { Hub } from './hub.ts';
import { chooseFraming, credentialOf, offeredProtocols } from './subprotocols.ts';
import type { StandingTable } from './sql.ts';
import type { Tickets } from './tickets.ts';

export interface CollaborationServices extends EventServices {
  readonly hub: Hub;
  readonly tickets: Tickets;
  readonly standing: Pick<StandingTable, 'isPurged'>;
  readonly registry: WorkbookRegistry;
  readonly branches: EventServices['branches'];
  readonly credentials: {
    check(authorization: string | undefined, address: string): Principal | Promise<Principal>;
    recheck(key: string): Promise<{ readonly principal: Principal }>;
    keyOf(authorization: string | undefined): string;
  };
  /** Origins whose pages may open sockets. */
  readonly origins: ReadonlySet<string>;
}

const tag = 'Collaboration';
const params = z.strictObject({ id: z.string() });
const branch = z.string().refine(isBranchName, 'not the name of a branch');
const socketQuery = z.strictObject({
  branch: branch.default(mainBranch),
  ticket: z.string().max(100).optional().describe('Instead of a credential; opens one socket'),
});
const ticketBody = z.strictObject({ branch: branch.default(mainBranch) });
const madeTicket = z
  .strictObject({
    ticket: z.string().describe('Opens one socket, with the rights of who asked for it'),
    expires_in: z.int().describe('Seconds'),
  })
  .meta({ id: 'WebsocketTicket' });

export function collaborationRoutes(services: CollaborationServices): Route[] {
  return [socketRoute(services), ticketRoute(services), ...eventRoutes(services)];
}

function socketRoute(services: CollaborationServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id/ws',
    scope: 'read',
    tag,
    summary: 'Websocket: edit a branch together, live',
    description:
      'Becomes a websocket (RFC 6455) with the subprotocol workbook.v1.json or workbook.v1.msgpack; /docs/protocol.md has its messages. The credential is an Authorization header or a subprotocol.',
    request: { params, query: socketQuery },
    responses: {
      101: { description: 'The connection is a websocket from here on' },
      426: { description: 'The request does not ask for a websocket that is spoken here' },
    },
    socket: {
      authenticate: (handshake) => authenticate(services, handshake),
      agree: (call, shown) => agree(services, call, shown),
    },
    handler: () => {
      throw new Failure('upgradeRequired', {
        detail: 'This address is for websockets.',
        hint: 'Connect with a websocket client, as docs/protocol.md describes.',
        headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
      });
    },
  });
}

function ticketRoute({ registry, branches, tickets, credentials }: CollaborationServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks/:id/ws-ticket',
    scope: 'read',
    tag,
    summary: 'Websocket ticket: for pages, which cannot send a header',
    description:
      'For who opens the socket: as the subprotocol auth.ticket.<base64url(ticket)>, or as ?ticket=. It works once, within a minute.',
    idempotency: 'none',
    bodyOptional: true,
    request: { params, body: ticketBody },
    example: { body: { branch: 'main' } },
    responses: { 201: { description: 'The ticket', schema: madeTicket } },
    handler: async ({ params: { id }, body, principal, header }): Promise<Reply> => {
      await registry.visible(id, principal);
      await branches.address(id, body.branch);
      const credentialKey = credentials.keyOf(header('authorization'));
      const value = await tickets.make({ credentialKey, workbookId: id, branch: body.branch });
      return { status: 201, value, cacheControl: 'no-store' };
    },
  });
}

/** Identifies the sender of a handshake, after a look at its origin and protocol. */
async function authenticate(
  services: CollaborationServices,
  { header, queryText, address }: HandshakeFacts,
): Promise<ShownCredential> {
  checkOrigin(services.origins, header('origin'));
  const protocols = offeredProtocols(header('sec-websocket-protocol'));
  chooseFraming(protocols);
  const { credentials } = services;
  const authorization = header('authorization');
  const ticket = readQuery(queryText).get('ticket')?.[0];
  const shown = credentialOf({ authorization, protocols, ticket });
  if ('ticket' in shown) return useTicket(services, shown.ticket);
  const principal = await credentials.check(shown.authorization, address);
  const credentialKey = credentials.keyOf(shown.authorization);
  return { principal, credentialKey, boundTo: undefined };
}

async function useTicket(
  { tickets, credentials }: CollaborationServices,
  text: string,
): Promise<ShownCredential> {
  const ticket = await tickets.take(text);
  if (!ticket)
    throw badTicket('It was never given out, was used already, or is older than a minute.');
  const { credentialKey, workbookId, branch: boundBranch } = ticket;
  const { principal } = await credentials.recheck(credentialKey);
  return { principal, credentialKey, boundTo: { workbookId, branch: boundBranch } };
}

async function agree(
  { hub, registry, branches, standing }: CollaborationServices,
  call: Call,
  { principal, credentialKey, boundTo }: ShownCredential,
): Promise<AgreedSocket> {
  // The edge has checked both against the schemas of the route.
  const { id } = call.params as z.output<typeof params>;
  const { branch: name } = call.query as z.output<typeof socketQuery>;
  if (boundTo && (boundTo.workbookId !== id || boundTo.branch !== name)) {
    throw badTicket(`It is for the branch ${boundTo.branch} of another workbook or of this one.`);
  }
  await checkVisible({ registry, standing }, id, principal);
  const address = await branches.address(id, name);
  const chosen = chooseFraming(offeredProtocols(call.header('sec-websocket-protocol')));
  const ownerId = principal.userId;
  const seat = { workbookId: id, branch: name, address, principal, ownerId, credentialKey };
  return { handler: hub.admit(seat, chosen.framing), protocol: chosen.protocol };
}

/** Checks access; somebody who purged the workbook hears that it is gone for good. */
async function checkVisible(
  { registry, standing }: Pick<CollaborationServices, 'registry' | 'standing'>,
  id: string,
  principal: Principal,
): Promise<void> {
  try {
    await registry.visible(id, principal);
  } catch (error) {
    const isUnknown = error instanceof Failure && error.key === 'notFound';
    if (isUnknown && (await standing.isPurged(id, principal.userId))) {
      throw new Failure('workbookPurged', { detail: `You have purged the workbook ${id}.` });
    }
    throw error;
  }
}

/** A page of another site would use what the browser knows of its user. */
function checkOrigin(origins: ReadonlySet<string>, origin: string | undefined): void {
  if (origin === undefined || origins.has(origin.toLowerCase())) return;
  throw new Failure('originNotAllowed', {
    detail: `Pages of ${origin.slice(0, 200)} may not open sockets here.`,
    hint: 'An operator allows more origins by ALLOWED_ORIGINS.',
  });
}

function badTicket(detail: string): Failure {
  return new Failure('invalidToken', {
    detail: `The ticket opens nothing here. ${detail}`,
    hint: 'POST /v1/workbooks/{id}/ws-ticket {"branch":"main"} with your credential makes another one.',
    extra: { reason: 'ticket' },
  });
}
