import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/**
 * A reverse proxy for several processes in turn; requests with one `Mcp-Session-Id` go to the same.
 * Each request gets a new connection.
 */
export class TurningProxy {
  readonly url: string;
  /** The header of each request by which a proxy could choose, as it came. */
  readonly workbooks: string[] = [];
  /** Ports of the processes behind it. */
  ports: readonly number[] = [];
  #turn = 0;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<TurningProxy> {
    const server = createServer((asked, answer) => proxy.#pass(asked, answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const proxy = new TurningProxy(`http://127.0.0.1:${port}`);
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    return proxy;
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method, url: path, headers } = asked;
    const workbook = headers['mcp-param-workbook'];
    if (typeof workbook === 'string') this.workbooks.push(workbook);
    const session = headers['mcp-session-id'];
    const turn = typeof session === 'string' ? sumOf(session) : this.#turn++;
    const port = this.ports[turn % this.ports.length];
    const inner = request({ port, host: '127.0.0.1', method, path, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    inner.on('error', () => answer.destroy());
    answer.on('close', () => inner.destroy());
    asked.pipe(inner);
  }
}

function sumOf(text: string): number {
  return Buffer.from(text).reduce((sum, byte) => sum + byte, 0);
}
