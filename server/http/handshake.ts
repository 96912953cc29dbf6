import { setImmediate } from 'node:timers/promises';
import type { us_socket_context_t } from 'uWebSockets.js';

import { Failure } from '../model/failure.ts';
import type { SocketHandler } from '../model/socket.ts';
import type { HeldResponse } from './held-response.ts';
import type { Incoming } from './incoming.ts';
import type { Route } from './route.ts';
import type { Connection } from './send.ts';
import type { AgreedSocket, ShownCredential } from './socket-route.ts';

/** Data that uWebSockets.js keeps for each socket. */
export interface SocketData {
  readonly handler: SocketHandler;
}

/** Sixteen bytes in base64 (RFC 6455, 4.1). */
const keyShape = /^[A-Za-z0-9+/]{21}[AQgw]==$/;
const version = '13';

/** Returns whether a request asks to become a websocket (RFC 6455, 4.2.1). */
export function asksForSocket({ headers }: Incoming): boolean {
  const upgrades = tokensOf(headers.get('upgrade'));
  return upgrades.includes('websocket') && tokensOf(headers.get('connection')).includes('upgrade');
}

function tokensOf(header = ''): string[] {
  return header.split(',').map((token) => token.trim().toLowerCase());
}

/** A request that asks to become a websocket, and its context, which uWebSockets.js wants back. */
export class Handshake {
  readonly #context: us_socket_context_t;
  readonly #held: HeldResponse;

  constructor(context: us_socket_context_t, held: HeldResponse) {
    this.#context = context;
    this.#held = held;
  }

  /** Authenticates the client where the route has a socket; undefined for all other routes. */
  async show(route: Route, incoming: Incoming): Promise<ShownCredential | undefined> {
    if (route.socket === undefined) return undefined;
    checkHandshake(incoming);
    return route.socket.authenticate({
      header: (name) => incoming.headers.get(name),
      queryText: incoming.queryText,
      address: incoming.address,
    });
  }

  /** Upgrades the connection; nothing may be sent on the response after it. */
  async upgrade(
    connection: Connection,
    { headers }: Incoming,
    { handler, protocol = '' }: AgreedSocket,
  ): Promise<void> {
    const held = await this.#held.open();
    // Within the handler of another request, the library would take that one for the upgraded one.
    await setImmediate();
    if (connection.isAborted()) {
      handler.closed(goneCode);
      return;
    }
    const key = headers.get('sec-websocket-key') ?? '';
    const data: SocketData = { handler };
    const { res } = connection;
    (held ?? res).cork(() => res.upgrade(data, key, protocol, '', this.#context));
  }
}

/** The connection ended without a close frame (RFC 6455, 7.4.1). */
const goneCode = 1006;

function checkHandshake({ headers }: Incoming): void {
  if (headers.get('sec-websocket-version') !== version) {
    throw new Failure('upgradeRequired', {
      detail: 'The websocket protocol has the version 13 here.',
      hint: 'Send Sec-WebSocket-Version: 13.',
      headers: { 'Sec-WebSocket-Version': version, Upgrade: 'websocket' },
    });
  }
  if (keyShape.test(headers.get('sec-websocket-key') ?? '')) return;
  throw new Failure('invalidRequest', {
    detail: 'Sec-WebSocket-Key is not 16 bytes in base64.',
    hint: 'Leave the handshake to a library for websockets.',
  });
}

/** The process is stopping; another one may answer. */
export function draining(): Failure {
  return new Failure('unavailable', {
    detail: 'The service is about to stop.',
    hint: 'Connect again in a moment.',
    headers: { 'Retry-After': '1' },
  });
}
