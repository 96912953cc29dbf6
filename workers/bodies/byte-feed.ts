import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';

import { unpackFailure, type PortableFailure } from '../../server/model/portable-failure.ts';

/** Message to the reading thread: a block of bytes, the end, or a failure. */
export type FeedMessage =
  | { readonly kind: 'block'; readonly block: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'failure'; readonly failure: PortableFailure };

/** Message of the reading thread: it took a block, or starts again from the first one. */
export interface FeedRequest {
  readonly kind: 'taken' | 'again';
}

/** Reads blocks that another thread posts, and sleeps while there is none. */
export class ByteFeed {
  readonly #port: MessagePort;
  /** Number of messages that were posted and not yet taken. */
  readonly #posted: Int32Array;
  #isOver = false;

  constructor(port: MessagePort, posted: SharedArrayBuffer) {
    this.#port = port;
    this.#posted = new Int32Array(posted);
  }

  /** Returns the next block; undefined at the end. Throws the failure that the sender met. */
  next(): Buffer | undefined {
    if (this.#isOver) return undefined;
    Atomics.wait(this.#posted, 0, 0);
    Atomics.sub(this.#posted, 0, 1);
    // A sender that has closed the port waits for nothing any more.
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

  /** Yields all blocks up to the end. */
  *blocks(): Generator<Buffer, void> {
    for (let block = this.next(); block; block = this.next()) yield block;
  }

  /** Starts again from the first block; called only at the end. */
  again(): void {
    this.#isOver = false;
    this.#port.postMessage({ kind: 'again' } satisfies FeedRequest, []);
  }
}
