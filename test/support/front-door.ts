import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';
import type { Test } from 'tap';

/**
 * An address that exists before the service behind it, to which it forwards bytes like a load
 * balancer: a port that was free a moment ago may be taken.
 */
export class FrontDoor {
  readonly url: string;
  /** Port of the service; undefined until it has one. */
  #behind: number | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    server.on('connection', (socket) => this.#pass(socket));
  }

  static async open(t: Pick<Test, 'teardown'>): Promise<FrontDoor> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was given');
    const door = new FrontDoor(server, address.port);
    t.teardown(() => {
      server.close();
      for (const socket of door.#sockets) socket.destroy();
    });
    return door;
  }

  leadTo(port: number): void {
    this.#behind = port;
  }

  #pass(socket: Socket): void {
    if (this.#behind === undefined) {
      socket.destroy();
      return;
    }
    const other = connect(this.#behind, '127.0.0.1');
    for (const [one, peer] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => peer.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        peer.destroy();
      });
    }
    socket.pipe(other).pipe(socket);
  }
}
