import { MessageChannel, type MessagePort } from 'node:worker_threads';

import type { FeedMessage, FeedRequest } from '../../workers/bodies/byte-feed.ts';
import type { ByteSource } from '../model/byte-source.ts';
import { Failure } from '../model/failure.ts';
import { packFailure } from '../model/portable-failure.ts';
import { buffersOf } from './task-messages.ts';

/** Bytes of blocks that lie ready for the thread; another one comes as long as there are fewer. */
const bytesAhead = 1 << 20;

/** Sends bytes to a thread of the pool as fast as it takes them, and again if it asks. */
export class Feeding {
  /** The end of the thread. */
  readonly port: MessagePort;
  readonly posted = new SharedArrayBuffer(4);
  readonly #source: ByteSource;
  readonly #own: MessagePort;
  /** Lengths of the blocks that it has not taken. */
  readonly #ahead: number[] = [];
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(source: ByteSource) {
    const { port1, port2 } = new MessageChannel();
    this.port = port2;
    this.#own = port1;
    this.#source = source;
    port1.on('message', ({ kind }: FeedRequest) => {
      if (kind === 'again') void this.#run();
      else this.#ahead.shift();
      this.#wake?.();
    });
    void this.#run();
  }

  /** Ends the input; a thread that waits for more finds the end. */
  close(): void {
    if (this.#isClosed) return;
    this.#post({ kind: 'end' });
    this.#isClosed = true;
    this.#wake?.();
    this.#own.close();
  }

  get #aheadBytes(): number {
    return this.#ahead.reduce((sum, length) => sum + length, 0);
  }

  async #run(): Promise<void> {
    try {
      for await (const block of this.#source()) {
        while (this.#aheadBytes >= bytesAhead && !this.#isClosed) {
          await new Promise<void>((resume) => (this.#wake = resume));
        }
        if (this.#isClosed) return;
        this.#ahead.push(block.length);
        this.#post({ kind: 'block', block }, buffersOf([block]));
      }
      this.#post({ kind: 'end' });
    } catch (error) {
      const failure =
        error instanceof Failure ? error : new Failure('unavailable', { cause: error });
      this.#post({ kind: 'failure', failure: packFailure(failure) });
    }
  }

  #post(message: FeedMessage, transfer: ArrayBuffer[] = []): void {
    if (this.#isClosed) return;
    this.#own.postMessage(message, transfer);
    const posted = new Int32Array(this.posted);
    Atomics.add(posted, 0, 1);
    Atomics.notify(posted, 0);
  }
}
