import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { Failure } from '../../model/failure.ts';
import { bodyLimits } from '../../model/limits.ts';
import type { Spool } from '../../storage/spool.ts';
import type { RowWriteRequest } from './row-write.ts';

const unpackedChunkBytes = 256 * 1024;

/** Reads an unpacked body from the spool, any number of times. */
export class BodyReader {
  readonly #spool: Pick<Spool, 'read'>;
  readonly #body: RowWriteRequest['body'];
  /** Number of sent bytes read so far, by the furthest reader. */
  byteCount = 0;
  /** Number of unpacked bytes read. */
  plainBytes = 0;

  constructor(spool: Pick<Spool, 'read'>, body: RowWriteRequest['body']) {
    this.#spool = spool;
    this.#body = body;
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    this.plainBytes = 0;
    for await (const block of this.#body.isPacked ? this.#unpacked() : this.#pieces()) {
      this.plainBytes += block.length;
      if (this.plainBytes > bodyLimits.unpackedRowsBytes) throw tooLarge();
      yield block;
    }
  }

  async *#pieces(): AsyncGenerator<Uint8Array, void> {
    this.byteCount = 0;
    for await (const piece of this.#spool.read(this.#body)) {
      // A piece that was transferred to a thread has no length.
      const { length } = piece;
      yield piece;
      this.byteCount += length;
    }
  }

  async *#unpacked(): AsyncGenerator<Uint8Array, void> {
    const unpacker = createGunzip({ chunkSize: unpackedChunkBytes });
    const packed = Readable.from(this.#pieces());
    packed.on('error', (error) => unpacker.destroy(error));
    packed.pipe(unpacker);
    try {
      for await (const block of unpacker as AsyncIterable<Buffer>) yield block;
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw new Failure('invalidRequest', {
        detail: 'The body is not valid gzip.',
        hint: 'Send it as it is, without Content-Encoding, or pack it again.',
        cause,
      });
    } finally {
      packed.destroy();
      unpacker.destroy();
    }
  }
}

function tooLarge(): Failure {
  const limitBytes = bodyLimits.unpackedRowsBytes;
  return new Failure('payloadTooLarge', {
    detail: `The body unpacks to more than ${limitBytes} bytes.`,
    hint: 'Send it in several requests.',
    extra: { limitBytes },
  });
}
