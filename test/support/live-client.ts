import { Packr } from 'msgpackr';
import { WebSocket } from 'ws';

import type { Book } from './book.ts';
import type { ServiceDoor } from './service-door.ts';

/** Any message of the service, as it came. */
export interface LiveMessage {
  readonly kind: string;
  readonly [member: string]: unknown;
}

interface Op {
  readonly id?: string;
  readonly kind: string;
  readonly payload: object;
}

export interface LiveOptions {
  readonly branch?: string;
  readonly credential?: string;
  readonly framing?: 'json' | 'msgpack';
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of those of the framing. */
  readonly protocols?: readonly string[];
  /** Path and query instead of the usual ones. */
  readonly path?: string;
  /** Time that an answer may take; ten seconds when left out. */
  readonly waitMilliseconds?: number;
  /**
   * True to drop messages that nobody waits for, because thousands of clients would keep gigabytes.
   */
  readonly isForgetful?: boolean;
}

const packr = new Packr({ useRecords: false, variableMapSize: true });
const waitMilliseconds = 10_000;

interface Waiter {
  readonly wanted: (message: LiveMessage) => boolean;
  readonly found: (message: LiveMessage) => void;
}

/** A client of one branch, by npm's ws, which keeps all messages. */
export class LiveClient {
  readonly socket: WebSocket;
  readonly messages: LiveMessage[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #isMsgpack = false;
  readonly #waitMilliseconds: number;
  #waiters: Waiter[] = [];
  #taken = 0;
  /** How it ended; empty while it is open. */
  #ended = '';
  #submissionCount = 0;
  /** The newest position that it was told of. */
  #head = 0;

  constructor(url: string, { credential, framing = 'json', ...more }: LiveOptions) {
    const protocols = more.protocols ?? [`workbook.v1.${framing}`];
    this.#isMsgpack = framing === 'msgpack';
    const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    const headers = { ...authorization, ...more.headers };
    this.#waitMilliseconds = more.waitMilliseconds ?? waitMilliseconds;
    const handshakeTimeout = this.#waitMilliseconds;
    this.socket = new WebSocket(url, [...protocols], { headers, handshakeTimeout });
    // A lost connection has no reason in its close.
    this.socket.on('error', ({ message }) => (this.#ended += ` before its fault "${message}"`));
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        this.#ended += ` before it closed with ${code} (${reason.toString()})`;
        resolve({ code, reason: reason.toString() });
      });
    });
    this.socket.on('message', (data: Buffer, isBinary) => {
      const message = (isBinary ? packr.unpack(data) : JSON.parse(data.toString())) as LiveMessage;
      if (more.isForgetful !== true || this.#waiters.length > 0) this.messages.push(message);
      this.#head = Math.max(this.#head, Number(message['head'] ?? 0));
      this.#offer();
      if (more.isForgetful !== true || this.#waiters.length > 0) return;
      this.messages.length = 0;
      this.#taken = 0;
    });
  }

  /** Opens a socket to a workbook; rejects with the status of a refusal. */
  static async open(book: Book<ServiceDoor>, options: LiveOptions = {}): Promise<LiveClient> {
    const { branch = 'main', credential = book.credential } = options;
    const path = options.path ?? `/v1/workbooks/${book.id}/ws?branch=${encodeURIComponent(branch)}`;
    const url = book.service.url.replace('http', 'ws') + path;
    const shown =
      options.protocols?.some((one) => one.startsWith('auth.')) || path.includes('ticket=');
    const client = new LiveClient(url, shown ? { ...options } : { ...options, credential });
    await new Promise<void>((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
    });
    return client;
  }

  /** Opens a socket, greets the service and waits for its snapshot. */
  static async join(
    book: Book<ServiceDoor>,
    options: LiveOptions & { readonly hello?: object } = {},
  ): Promise<LiveClient & { readonly snapshot: LiveMessage }> {
    const client = await LiveClient.open(book, options);
    const snapshot = await client.hello(options.hello);
    return Object.assign(client, { snapshot });
  }

  async hello(more: object = {}): Promise<LiveMessage> {
    this.send({ kind: 'hello', protocol: 1, writer: 'w', lastSeq: null, ...more });
    return this.next('presence_snapshot');
  }

  send(message: object): void {
    this.socket.send(this.#isMsgpack ? packr.pack(message) : JSON.stringify(message));
  }

  /** Submits operations; resolves with the acknowledgement. */
  async submit(ops: readonly Op[], more: object = {}): Promise<LiveMessage> {
    const submission = `s-${this.#submissionCount++}`;
    const named = ops.map((op, index) => ({ id: `${submission}.${index}.${idBase}`, ...op }));
    this.send({ kind: 'submit_ops', submission, baseSeq: this.#head, ops: named, ...more });
    const isAck = (message: LiveMessage): boolean =>
      message.kind === 'ack' && message['submission'] === submission;
    return this.find(isAck, `an ack of ${submission}`);
  }

  /** Resolves with the next message of a kind that was not taken; drops others before it. */
  next(kind: string): Promise<LiveMessage> {
    return this.find((message) => message.kind === kind, kind);
  }

  /** Resolves with the next wanted message that was not taken; drops others before it. */
  find(wanted: (message: LiveMessage) => boolean, named = 'it'): Promise<LiveMessage> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () =>
          reject(
            new Error(
              `${named} did not come${this.#ended}; so far ${JSON.stringify(this.messages).slice(-2_000)}`,
            ),
          ),
        this.#waitMilliseconds,
      );
      this.#waiters.push({
        wanted,
        found: (message) => {
          clearTimeout(late);
          resolve(message);
        },
      });
      this.#offer();
    });
  }

  of(kind: string): LiveMessage[] {
    return this.messages.filter((message) => message.kind === kind);
  }

  /** Resolves when all earlier submissions are answered. */
  async settled(): Promise<number> {
    const { head } = await this.submit([]);
    return head as number;
  }

  close(): void {
    this.socket.close();
  }

  #offer(): void {
    for (;;) {
      const [waiter] = this.#waiters;
      const message = this.messages[this.#taken];
      if (!waiter || !message) return;
      this.#taken++;
      if (!waiter.wanted(message)) continue;
      this.#waiters = this.#waiters.slice(1);
      waiter.found(message);
    }
  }
}

const idBase = Math.floor(Math.random() * 1e9).toString(36);

/** An operation that sets one cell. */
export function setCell(a1: string, input: unknown, id?: string): Op {
  const op = { kind: 'cells.set', payload: { sheet: 'Sheet1', cells: [{ a1, input }] } };
  return id === undefined ? op : { id, ...op };
}

/** The status of a handshake that is refused. */
export function refusalOf(opening: Promise<unknown>): Promise<number> {
  return opening.then(
    () => 101,
    (error: Error) => Number(/Unexpected server response: (\d+)/.exec(error.message)?.[1]),
  );
}
