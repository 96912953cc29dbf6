import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { DatabaseHost } from '../model/database-address.ts';

/** Error of a database that has not answered for too long. */
export class DatabaseSilent extends Error {
  override readonly name = 'DatabaseSilent';
  readonly code = 'DATABASE_SILENT';
}

/** Thrown when no host of several answers as the primary. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  readonly code = 'CONNECTION_REFUSED';
}

/** Finds the host to connect to; undefined while there is none. */
export type FindHost = () => Promise<DatabaseHost | undefined>;

/**
 * Opens the connections to a database for all pools of a process. When the database falls silent
 * all are cut off at once, so that nobody waits for an answer on one of them.
 */
export class Dialer {
  readonly #findHost: FindHost;
  readonly #sockets = new Set<Socket>();
  #isSilent = false;

  constructor(findHost: FindHost) {
    this.#findHost = findHost;
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  /**
   * A socket that connects, or one that fails as soon as it is used: the driver keeps its place in
   * the pool only for a socket that tells of its end.
   */
  async dial({ evenIfSilent = false } = {}): Promise<Duplex> {
    if (this.#isSilent && !evenIfSilent) return new FailingSocket(new DatabaseSilent('silent'));
    const host = await this.#findHost();
    if (host === undefined) return new FailingSocket(new NoPrimary('no host is the primary'));
    const socket = connect(host);
    // The driver asks for it, to name the server when it speaks TLS.
    Object.assign(socket, host);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** Cuts off all connections, on which nothing is answered any more. */
  cutOff(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.destroy(new DatabaseSilent('silent'));
    this.#sockets.clear();
  }

  resume(): void {
    this.#isSilent = false;
  }
}

/** Ends with an error at the first that is written to it. */
class FailingSocket extends Duplex {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override _read(): void {
    // There is never anything to read.
  }

  override _write(_chunk: unknown, _encoding: string, done: (error: Error) => void): void {
    done(this.#error);
  }
}
