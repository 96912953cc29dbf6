import type { Environment } from '../../model/environment.ts';
import type { SocketHandler, Wire } from '../../model/socket.ts';
import { closeCodes } from '../close-codes.ts';

/** So often a client without news is told that the stream is alive; proxies cut silent ones. */
const heartbeatMilliseconds = 8_000;
/** The time that a client is asked to wait before it connects again. */
const retryMilliseconds = 2_000;

/** An event that has an id begins with it. */
const idField = Buffer.from('id: ');

/** Ends after which the same request may do better. */
const passing: ReadonlySet<number> = new Set([
  closeCodes.finished,
  closeCodes.draining,
  closeCodes.internal,
  closeCodes.overload,
  closeCodes.slowConsumer,
]);

export interface EventStreamParts {
  readonly environment: Environment;
  /** Hears of what the client takes, as it would of a socket. */
  readonly handler: SocketHandler;
  /** Handed to `handler` as the first frame. */
  readonly hello: object;
  /** The client has all up to here: it comes back with this where nothing newer reached it. */
  readonly beginId: string;
  /** Stands behind each id: what tells the branch from others of the same name. */
  readonly incarnation: string;
  /** Milliseconds after which the stream ends by itself; undefined for never. */
  readonly lastsMilliseconds: number | undefined;
}

/**
 * Server-sent events of one client: the way out of a socket that only listens, read piece by piece
 * by the answer to a request. What piles up here is what a websocket would have waiting.
 */
export class EventStream implements Wire, AsyncIterableIterator<Uint8Array> {
  readonly #parts: EventStreamParts;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Given to the connection, which asks for more once they are taken. */
  #handedBytes = 0;
  #isBegun = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  #cancelHeartbeat: (() => void) | undefined;
  #cancelEnd: (() => void) | undefined;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#begin();
    this.#handedBytes = 0;
    if (this.#waiting.length === 0 && !this.#isOver) this.#parts.handler.drained();
    while (this.#waiting.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#waiting.length === 0) return { done: true, value: undefined };
    const value = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#handedBytes = this.#waitingBytes;
    this.#waitingBytes = 0;
    return { done: false, value };
  }

  /** The client has gone, or nothing of it is sent. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  send(frame: Uint8Array): number {
    this.#push(this.#named(frame));
    return 1;
  }

  getBufferedAmount(): number {
    return this.#waitingBytes + this.#handedBytes;
  }

  end(code: number, reason: string): void {
    const told = JSON.stringify({ code, reason, reconnect: passing.has(code) });
    this.#push(Buffer.from(`event: end\ndata: ${told}\n\n`));
    this.#finish(code);
  }

  close(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#finish(1006);
  }

  cork(send: () => void): void {
    send();
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const { handler, hello, beginId, environment, lastsMilliseconds } = this.#parts;
    this.#push(Buffer.from(`retry: ${retryMilliseconds}\nid: ${beginId}\n\n`));
    handler.opened(this);
    handler.received(Buffer.from(JSON.stringify(hello)), false);
    this.#beat();
    if (lastsMilliseconds === undefined) return;
    this.#cancelEnd = environment.after(lastsMilliseconds, () =>
      this.end(closeCodes.finished, 'Accept: text/event-stream keeps the stream open.'),
    );
  }

  /** All streams of a branch share a frame, whose id is the sequence alone. */
  #named(frame: Uint8Array): Uint8Array {
    const { incarnation } = this.#parts;
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    if (incarnation === '' || !bytes.subarray(0, idField.length).equals(idField)) return frame;
    const end = bytes.indexOf('\n');
    return Buffer.concat([bytes.subarray(0, end), Buffer.from(incarnation), bytes.subarray(end)]);
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#parts.environment.after(heartbeatMilliseconds, () => {
      if (this.#isOver) return;
      if (this.getBufferedAmount() === 0) this.#push(Buffer.from(':\n\n'));
      this.#beat();
    });
  }

  #push(bytes: Uint8Array): void {
    if (this.#isOver) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#wake?.();
  }

  #finish(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelHeartbeat?.();
    this.#cancelEnd?.();
    this.#wake?.();
    this.#parts.handler.closed(code);
  }
}
