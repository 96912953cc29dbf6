import { WebSocket } from 'ws';

interface Message {
  readonly kind: string;
  readonly head?: number;
  readonly firstSeq?: number;
  readonly lastSeq?: number;
  readonly submission?: string;
}

interface Viewport {
  readonly sheet: string;
  readonly range: string;
}

/** A socket that records the times of messages. */
export class BenchSocket {
  readonly socket: WebSocket;
  /** Times of operations, by sequence number. */
  readonly appliedAt = new Map<number, number>();
  /** Times of acknowledgements with their sequence numbers, by submission. */
  readonly answers = new Map<string, { readonly at: number; readonly seq: number }>();
  deliveredCount = 0;
  head = 0;
  #welcome: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => this.#take(data));
  }

  static async open(url: string, credential: string): Promise<BenchSocket> {
    const headers = { authorization: `Bearer ${credential}` };
    const socket = new WebSocket(url, ['workbook.v1.json'], { headers, perMessageDeflate: false });
    const own = new BenchSocket(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return own;
  }

  /** Greets the service; resolves with the snapshot. */
  hello(writer: string, lastSeq: number | null = null, viewport?: Viewport): Promise<void> {
    const want = { cell_activity: viewport ? 'viewport' : 'none', presence: false };
    const presence = viewport ? { presence: { viewport } } : {};
    const hello = { kind: 'hello', protocol: 1, writer, lastSeq, want, ...presence };
    this.socket.send(JSON.stringify(hello));
    return new Promise((resolve) => (this.#welcome = resolve));
  }

  submit(name: string, cell?: { a1: string; input: unknown }): void {
    const cells = [cell ?? { a1: `A${1 + (this.answers.size % 1_000)}`, input: name }];
    const ops = [{ id: name, kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
    const message = { kind: 'submit_ops', submission: name, baseSeq: this.head, ops };
    this.socket.send(JSON.stringify(message));
  }

  #take(data: Buffer): void {
    const at = performance.now();
    const message = JSON.parse(data.toString()) as Message;
    const { kind, head = 0, firstSeq = 0, lastSeq = 0, submission = '' } = message;
    this.head = Math.max(this.head, head);
    if (kind === 'presence_snapshot') this.#welcome?.();
    else if (kind === 'ack') this.answers.set(submission, { at, seq: firstSeq });
    else if (kind === 'op_applied') {
      this.deliveredCount += lastSeq - firstSeq + 1;
      for (let seq = firstSeq; seq <= lastSeq; seq++) this.appliedAt.set(seq, at);
    }
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Calls at a steady rate, regardless of answers; resolves after the given time. */
export async function atRate(
  perSecond: number,
  seconds: number,
  call: (index: number) => void,
): Promise<void> {
  const start = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = start + (index * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    call(index);
  }
}
