import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';

import { unpackFailure, type PortableFailure } from '../../server/model/portable-failure.ts';

/** Blocks of bytes on their way to a thread that reads them as it needs them. */
export type FeedMessage =
  | { readonly kind: 'block'; readonly block: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'failure'; readonly failure: PortableFailure };

/** Messages of the reading thread: it took a block, or reads all of it once more. */
export interface FeedRequest {
  readonly kind: 'taken' | 'again';
}

/** Reads blocks that another thread posts; sleeps until there is one. */
export class ByteFeed {
  readonly #port: MessagePort;
  /** Messages that were posted and not taken. */
  readonly #posted: Int32Array;
  #isOver = false;

  constructor(port: MessagePort, posted: SharedArrayBuffer) {
    this.#port = port;
    this.#posted = new Int32Array(posted);
  }

  /** Returns the next block; undefined at the end. Fails as whoever sends them failed. */
  next(): Buffer | undefined {
    if (this.#isOver) return undefined;
    Atomics.wait(this.#posted, 0, 0);
    Atomics.sub(this.#posted, 0, 1);
    // Whoever closed the other end waits for nothing any more.
    const received = receiveMessageOnPort(this.#port) ?? { message: { kind: 'end' } };
    const message = received.message as FeedMessage;
    if (message.kind === 'failure') throw unpackFailure(message.failure);
    if (message.kind === 'end') {
      this.#isOver = true;
      return undefined;
    }
    this.#port.postMessage({ kind: 'taken' } satisfies FeedRequest, []);
    const { buffer, byteOffset, byteLength } = message.block;
    return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  }

  /** The blocks to the end. */
  *blocks(): Generator<Buffer, void> {
    for (let block = this.next(); block; block = this.next()) yield block;
  }

  /** Begins at the first block again; to be called at the end. */
  again(): void {
    this.#isOver = false;
    this.#port.postMessage({ kind: 'again' } satisfies FeedRequest, []);
  }
}
