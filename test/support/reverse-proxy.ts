import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Test } from 'tap';

/** Headers that a proxy keeps for itself. */
const ownHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * A reverse proxy like nginx: it speaks HTTP with both sides, buffers answers unless they forbid
 * it, and forwards websocket data in pieces of its own.
 */
export class ReverseProxy {
  readonly url: string;
  readonly #behind: URL;
  readonly #sockets = new Set<Duplex>();
  /** Bytes in which it passes on what comes over a websocket. */
  pieceBytes = Infinity;

  private constructor(server: Server, port: number, behind: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.#behind = new URL(behind);
    server.on('request', (incoming: IncomingMessage, answer) => {
      const outgoing = this.#request(incoming);
      outgoing.on('error', () => answer.destroy());
      outgoing.on('response', (found) => {
        const headers = Object.entries(found.headers).filter(([name]) => !ownHeaders.has(name));
        answer.writeHead(found.statusCode ?? 502, Object.fromEntries(headers));
        if (found.headers['x-accel-buffering'] === 'no') {
          answer.flushHeaders();
          found.pipe(answer);
          return;
        }
        const chunks: Buffer[] = [];
        found.on('data', (chunk: Buffer) => chunks.push(chunk));
        found.on('end', () => answer.end(Buffer.concat(chunks)));
      });
      answer.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
    server.on('upgrade', (incoming: IncomingMessage, client: Duplex, first: Buffer) => {
      this.#keep(client);
      this.#upgrade(incoming, client, first);
    });
  }

  static async open(t: Pick<Test, 'teardown'>, behind: string): Promise<ReverseProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was given');
    const proxy = new ReverseProxy(server, address.port, behind);
    t.teardown(() => {
      server.close();
      server.closeAllConnections();
      proxy.cut();
    });
    return proxy;
  }

  /** Ends all websockets, like a restarted proxy. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #request(incoming: IncomingMessage) {
    const { hostname, port, host } = this.#behind;
    const headers = { ...incoming.headers, host, 'x-forwarded-for': '203.0.113.7' };
    const { method, url: path } = incoming;
    return request({ hostname, port, method, path, headers, agent: false });
  }

  #upgrade(incoming: IncomingMessage, client: Duplex, first: Buffer): void {
    const outgoing = this.#request(incoming);
    outgoing.on('error', () => client.destroy());
    outgoing.on('response', (refusal) => {
      client.write(headOf(refusal));
      refusal.pipe(client);
    });
    outgoing.on('upgrade', (switched, service: Duplex, head: Buffer) => {
      this.#keep(service);
      client.write(headOf(switched));
      for (const [from, to, early] of [
        [client, service, first],
        [service, client, head],
      ] as const) {
        if (early.length > 0) this.#pass(early, to);
        from.on('data', (bytes: Buffer) => this.#pass(bytes, to));
        from.on('close', () => to.end());
        from.on('error', () => to.destroy());
      }
    });
    outgoing.end();
  }

  #pass(bytes: Buffer, to: Duplex): void {
    const size = Math.min(this.pieceBytes, bytes.length);
    for (let at = 0; at < bytes.length; at += size) to.write(bytes.subarray(at, at + size));
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
