import type { Principal } from '../model/scope.ts';
import type { SocketHandler } from '../model/socket.ts';
import type { Call } from './route.ts';

/** Facts in a handshake about its sender and where it comes from. */
export interface HandshakeFacts {
  readonly header: (name: string) => string | undefined;
  /** Query string as sent, without the question mark. */
  readonly queryText: string;
  readonly address: string;
}

export interface ShownCredential {
  readonly principal: Principal;
  /** Key that the credential is looked up by again; SHA-256 in hexadecimal. */
  readonly credentialKey: string;
  /** Branch that a ticket was given for; undefined where the credential itself was shown. */
  readonly boundTo: { readonly workbookId: string; readonly branch: string } | undefined;
}

/** The answer to a handshake that is agreed to. */
export interface AgreedSocket {
  readonly handler: SocketHandler;
  /** The subprotocol that is chosen; undefined where none was offered. */
  readonly protocol: string | undefined;
}

/**
 * Turns a request for a route of the table into a websocket. A failure is answered as for any
 * request.
 */
export interface SocketRoute {
  authenticate(handshake: HandshakeFacts): ShownCredential | Promise<ShownCredential>;
  agree(call: Call, shown: ShownCredential): AgreedSocket | Promise<AgreedSocket>;
}

/** A frame may be so long; what is longer ends the connection without a close code. */
export const frameBytesMost = (1 << 20) + (64 << 10);
/** A socket that takes nothing is cut off once so much waits for it. */
export const waitingBytesMost = 1 << 20;
/** Seconds that a socket may show no sign of life, not even a pong. */
export const silentSecondsMost = 60;
