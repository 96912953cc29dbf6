import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HealthAnswers, type HealthParts } from './answers.ts';

export interface DoorPlace {
  readonly host: string;
  readonly port: number;
}

/**
 * A port of its own for balancers and watchers. Some of them speak HTTP/1.0, which the other doors
 * do not understand; here they find /health, /ready and /metrics, and nothing else.
 */
export class HealthDoor {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(parts: HealthParts, { host, port }: DoorPlace): Promise<HealthDoor> {
    const answers = new HealthAnswers(parts);
    const server = createServer((request, response) => {
      const path = request.url?.split('?')[0];
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead) return send(response, 405, { status: 'not a GET' });
      answer(answers, path, { response, isLocal: isLocal(request) }).catch(() =>
        response.destroy(),
      );
    });
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return new HealthDoor(server);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function answer(
  answers: HealthAnswers,
  path: string | undefined,
  { response, isLocal: isOwn }: { response: ServerResponse; isLocal: boolean },
): Promise<void> {
  if (path === '/health') return send(response, 200, answers.health());
  if (path === '/ready') {
    const { ready, body } = await answers.ready();
    return send(response, ready ? 200 : 503, body);
  }
  if (path !== '/metrics' || !isOwn) return send(response, 404, { status: 'nothing here' });
  const printed = await answers.metrics();
  response.writeHead(200, { 'Content-Type': printed.type, 'Cache-Control': 'no-store' });
  response.end(printed.bytes);
}

function send(response: ServerResponse, status: number, value: object): void {
  const type = 'application/json; charset=utf-8';
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(value));
}

/** Sent from this machine, and not passed on by a proxy on it. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const isPassedOn = 'forwarded' in headers || 'x-forwarded-for' in headers || 'via' in headers;
  return (address === '::1' || address.startsWith('127.')) && !isPassedOn;
}
