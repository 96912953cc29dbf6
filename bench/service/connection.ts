import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');

export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * A keep-alive connection with one request at a time. It is far cheaper than fetch, because the
 * client shares two cores with the service.
 */
export class BenchConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answered: ((answer: RawAnswer) => void) | undefined;
  #failed: ((reason: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('close', () => this.#failed?.(new Error('the service closed the connection')));
  }

  static async open(url: string): Promise<BenchConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new BenchConnection(socket);
  }

  send(request: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headLength = this.#received.indexOf(headEnd);
    if (headLength < 0) return;
    const head = this.#received.toString('latin1', 0, headLength);
    const bodyStart = headLength + headEnd.length;
    const body = bodyOf(this.#received.subarray(bodyStart), head);
    if (!body) return;
    this.#received = Buffer.alloc(0);
    this.#answered?.({ status: Number(head.slice(9, 12)), body });
  }
}

/** Returns the body once it is complete, by its length or its last chunk. */
function bodyOf(rest: Buffer, head: string): Buffer | undefined {
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
  }
  return rest.toString('latin1', rest.length - 5) === '0\r\n\r\n' ? rest : undefined;
}

export function rawRequest(
  path: string,
  { host, credential, body }: { host: string; credential: string; body: string },
): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${credential}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

export function rawRead(
  path: string,
  { host, credential }: { host: string; credential: string },
): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${credential}\r\n\r\n`,
  );
}
