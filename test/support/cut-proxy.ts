import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Test } from 'tap';

/** An HTTP proxy for one browser context, whose connections can be cut. */
export class CutProxy {
  readonly url: string;
  readonly #open = new Set<Duplex>();
  #isDown = false;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<CutProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new CutProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (socket) => proxy.#keep(socket));
    server.on('request', (asked, answer) => proxy.#forward(asked, answer));
    server.on('connect', (asked: IncomingMessage, near: Duplex) => proxy.#tunnel(asked, near));
    t.teardown(() => {
      proxy.cut();
      server.close();
    });
    return proxy;
  }

  /** Ends all connections, and refuses new ones until `mend`. */
  cut(): void {
    this.#isDown = true;
    this.break();
  }

  mend(): void {
    this.#isDown = false;
  }

  /** Ends all connections; new ones are accepted at once. */
  break(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #keep(socket: Duplex): void {
    if (this.#isDown) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    // Connections that end in the middle are expected here.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#open.delete(socket));
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): void {
    const { method, headers, url = '' } = asked;
    const onward = request(url, { ...(method !== undefined && { method }), headers }, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  #tunnel({ url = '' }: IncomingMessage, near: Duplex): void {
    const [host = '', port = ''] = url.split(':');
    const far: Socket = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    this.#keep(far);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }
}
