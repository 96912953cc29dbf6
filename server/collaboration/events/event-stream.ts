import type { Environment } from '../../model/environment.ts';
import type { SocketHandler, Wire } from '../../model/socket.ts';
import { closeCodes } from '../close-codes.ts';

/** Interval of signs of life on a silent stream, because proxies cut silent connections. */
const heartbeatMilliseconds = 8_000;
/** Time that a client should wait before it reconnects. */
const retryMilliseconds = 2_000;

/** Beginning of an event with an id. */
const idField = Buffer.from('id: ');

/** Reasons of an end after which the client may try again. */
const passing: ReadonlySet<number> = new Set([
  closeCodes.finished,
  closeCodes.draining,
  closeCodes.internal,
  closeCodes.overload,
  closeCodes.slowConsumer,
]);

export interface EventStreamParts {
  readonly environment: Environment;
  /** Gets notice of what the client takes, as for a socket. */
  readonly handler: SocketHandler;
  /** Passed to `handler` as the first frame. */
  readonly hello: object;
  /** The id that a client comes back with if it gets nothing newer. */
  readonly beginId: string;
  /** Suffix of each id, which tells this branch from others with the same name. */
  readonly incarnation: string;
  /** Milliseconds after which the stream ends; undefined for never. */
  readonly lastsMilliseconds: number | undefined;
}

/**
 * Server-sent events of one client: the output of a session that only listens, read by the answer
 * to a request. Waiting bytes count as those of a websocket do.
 */
export class EventStream implements Wire, AsyncIterableIterator<Uint8Array> {
  readonly #parts: EventStreamParts;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Events given to the connection, which asks for more when they are taken. */
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

  /** Ends the stream when the client is gone. */
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

  /** Adds the suffix to the ids of a frame, which all streams of a branch share. */
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
