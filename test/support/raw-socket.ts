import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

import type { Book } from './book.ts';

/** A frame of RFC 6455 (5.2); by default as a correct client sends it. */
export interface RawFrame {
  readonly opcode: number;
  readonly payload?: Uint8Array | string;
  readonly fin?: boolean;
  /** The three reserved bits, as a number from 0 to 7. */
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** Bytes of the length field: as few as can be when left out. */
  readonly lengthBytes?: 0 | 2 | 8;
}

export interface ServerFrame {
  readonly opcode: number;
  readonly fin: boolean;
  readonly payload: Buffer;
}

const waitMilliseconds = 5_000;
const opcodes = { close: 8, ping: 9, pong: 10 } as const;

export function encodeFrame(frame: RawFrame): Buffer {
  const { payload = '', isMasked = true } = frame;
  const bytes = Buffer.from(payload as string);
  const head = headOf(frame, bytes.length, isMasked);
  if (!isMasked) return Buffer.concat([head, bytes]);
  const mask = randomBytes(4);
  const masked = Buffer.from(bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
  return Buffer.concat([head, mask, masked]);
}

function headOf(frame: RawFrame, length: number, isMasked: boolean): Buffer {
  const { opcode, fin = true, reserved = 0, lengthBytes = lengthBytesOf(length) } = frame;
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const short = { 0: length, 2: 126, 8: 127 }[lengthBytes];
  head[1] = (isMasked ? 0x80 : 0) | short;
  if (lengthBytes === 2) head.writeUInt16BE(length, 2);
  if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

function lengthBytesOf(length: number): 0 | 2 | 8 {
  if (length < 126) return 0;
  return length < 65_536 ? 2 : 8;
}

export interface HandshakeOptions {
  readonly method?: string;
  readonly path?: string;
  /** Undefined leaves a usual header out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Writes the head in so many pieces. */
  readonly pieces?: number;
}

/** A websocket of raw bytes, which can send invalid frames and sees answers as they are. */
export class RawSocket {
  readonly socket: Socket;
  readonly frames: ServerFrame[] = [];
  /** Head of the answer to the handshake. */
  head = '';
  isEnded = false;
  #waiting = Buffer.alloc(0);
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => this.#take(bytes));
    // The service cuts off a client that breaks the rules, which may reset the connection.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isEnded = true;
      this.#wake?.();
    });
  }

  static async open(book: Book, options: HandshakeOptions = {}): Promise<RawSocket> {
    const { hostname, port, host } = new URL(book.service.url);
    const raw = new RawSocket(connect(Number(port), hostname));
    const { method = 'GET', path = `/v1/workbooks/${book.id}/ws?branch=main` } = options;
    const usual: Record<string, string | undefined> = {
      Host: host,
      Authorization: `Bearer ${book.credential}`,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol': 'workbook.v1.json',
    };
    const given = Object.entries<string | undefined>({ ...usual, ...options.headers });
    const lines = given.flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`],
    );
    const head = `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
    await raw.write(Buffer.from(head), options.pieces);
    await raw.until(() => raw.head !== '' || raw.isEnded);
    return raw;
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.head)?.[1]);
  }

  /** Writes bytes in pieces, each in a packet of its own. */
  async write(bytes: Buffer, pieces = 1): Promise<void> {
    const size = Math.max(1, Math.ceil(bytes.length / pieces));
    this.socket.setNoDelay(true);
    for (let at = 0; at < bytes.length; at += size) {
      if (this.isEnded) return;
      this.socket.write(bytes.subarray(at, at + size));
      if (pieces > 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  send(...frames: readonly RawFrame[]): Promise<void> {
    return this.write(Buffer.concat(frames.map(encodeFrame)));
  }

  text(message: object): Promise<void> {
    return this.send({ opcode: 1, payload: JSON.stringify(message) });
  }

  /** Resolves when a condition is met; fails after a while. */
  async until(isSo: () => boolean): Promise<void> {
    const end = Date.now() + waitMilliseconds;
    while (!isSo()) {
      const left = end - Date.now();
      if (left <= 0) throw new Error(`it did not come; frames: ${this.frames.length}`);
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
  }

  /** Payloads of pongs so far. */
  get pongs(): string[] {
    const found = this.frames.filter(({ opcode }) => opcode === opcodes.pong);
    return found.map(({ payload }) => payload.toString('latin1'));
  }

  /** The close code of the goodbye; undefined where none came. */
  get closeCode(): number | undefined {
    const frame = this.frames.find(({ opcode }) => opcode === opcodes.close);
    return frame && frame.payload.length >= 2 ? frame.payload.readUInt16BE(0) : undefined;
  }

  get messages(): Record<string, unknown>[] {
    const found = this.frames.filter(({ opcode }) => opcode === 1);
    return found.map(({ payload }) => JSON.parse(payload.toString()) as Record<string, unknown>);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    if (this.head === '') {
      const end = this.#waiting.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.#waiting.subarray(0, end).toString('latin1');
      this.#waiting = this.#waiting.subarray(end + 4);
    }
    if (this.status === 101) while (this.#takeFrame());
    this.#wake?.();
  }

  #takeFrame(): boolean {
    const [first, second] = this.#waiting;
    if (first === undefined || second === undefined) return false;
    if (second & 0x80) throw new Error('a server masks nothing');
    const short = second & 0x7f;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (this.#waiting.length < start) return false;
    let length = short;
    if (short === 126) length = this.#waiting.readUInt16BE(2);
    if (short === 127) length = Number(this.#waiting.readBigUInt64BE(2));
    if (this.#waiting.length < start + length) return false;
    const payload = this.#waiting.subarray(start, start + length);
    this.frames.push({ opcode: first & 15, fin: (first & 0x80) !== 0, payload });
    this.#waiting = this.#waiting.subarray(start + length);
    return true;
  }
}

/** Returns the answer of a server to a key (RFC 6455, 4.2.2). */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}
