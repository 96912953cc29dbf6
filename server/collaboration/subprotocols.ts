import { Failure } from '../model/failure.ts';
import type { Framing } from './frame.ts';

const framings: Readonly<Record<string, Framing>> = {
  'workbook.v1.json': 'json',
  'workbook.v1.msgpack': 'msgpack',
};
const ticketPrefix = 'auth.ticket.';
const bearerPrefix = 'auth.bearer.';

/** Returns the subprotocols of a handshake, in the order of preference. */
export function offeredProtocols(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  return header
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
}

/** Chooses the first known protocol that is offered; JSON without any offer. */
export function chooseFraming(offered: readonly string[]): {
  readonly framing: Framing;
  readonly protocol: string | undefined;
} {
  if (offered.length === 0) return { framing: 'json', protocol: undefined };
  for (const protocol of offered) {
    const framing = Object.hasOwn(framings, protocol) ? framings[protocol] : undefined;
    if (framing) return { framing, protocol };
  }
  throw new Failure('upgradeRequired', {
    detail: 'None of the subprotocols that were offered is spoken here.',
    hint: `Offer ${Object.keys(framings).join(' or ')} besides a credential.`,
    headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': Object.keys(framings).join(', ') },
  });
}

/**
 * Returns the credential of a handshake: from its header, a subprotocol, or the ticket of its
 * query.
 */
export function credentialOf(shown: {
  readonly authorization: string | undefined;
  readonly protocols: readonly string[];
  readonly ticket: string | undefined;
}): { readonly ticket: string } | { readonly authorization: string | undefined } {
  const { authorization, protocols, ticket } = shown;
  if (authorization !== undefined) return { authorization };
  const offeredTicket = decoded(protocols, ticketPrefix);
  if (offeredTicket !== undefined) return { ticket: offeredTicket };
  const bearer = decoded(protocols, bearerPrefix);
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
  return ticket === undefined ? { authorization: undefined } : { ticket };
}

/** base64url, because a subprotocol can hold no other characters (RFC 6455, 4.1). */
function decoded(protocols: readonly string[], prefix: string): string | undefined {
  const found = protocols.find((protocol) => protocol.startsWith(prefix));
  if (found === undefined) return undefined;
  return Buffer.from(found.slice(prefix.length), 'base64url').toString();
}
