import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Received {
  readonly text: string;
  /** True when the answer came to its end, as its headers tell it. */
  readonly isWhole: boolean;
}

/** A request on a connection of its own, sent and read as slowly as a test wants. */
export class SlowClient {
  readonly #socket: Socket;
  #text = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    // A connection that is cut may end so.
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => (this.#text += bytes.toString('latin1')));
  }

  static begin(
    url: string,
    credential: string,
    { line, headers = [] }: { line: string; headers?: readonly string[] },
  ): SlowClient {
    const { hostname, port, host } = new URL(url);
    const client = new SlowClient(connect(Number(port), hostname));
    const all = [`Host: ${host}`, `Authorization: Bearer ${credential}`, ...headers];
    client.send(`${line} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`);
    return client;
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** Stops reading behind the beginning of the answer. */
  async pause(): Promise<void> {
    await new Promise((resolve) => this.#socket.once('data', resolve));
    this.#socket.pause();
  }

  /** Goes away, whatever is left. */
  leave(): void {
    this.#socket.destroy();
  }

  /** Reads until the answer is whole or the connection is closed. */
  async rest(): Promise<Received> {
    this.#socket.resume();
    while (!this.#socket.closed && !this.#isWhole) await sleep(10);
    this.#socket.destroy();
    return { text: this.#text, isWhole: this.#isWhole };
  }

  get #isWhole(): boolean {
    const [head = ''] = this.#text.split('\r\n\r\n', 1);
    const length = /^content-length: (\d+)/imu.exec(head)?.[1];
    if (length === undefined) return this.#text.endsWith('\r\n0\r\n\r\n');
    return this.#text.length === head.length + 4 + Number(length);
  }
}
