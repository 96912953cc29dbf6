import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';

import type { Encoding } from './negotiate.ts';

/**
 * Bytes from which an answer is packed: below, it fits a packet or so, and packing wins nothing.
 */
export const compressFromBytes = 1024;

const gzipLevel = 4;
const brotliQuality = 4;
/** 256 KiB instead of 4 MiB: a window of the default size is dear to set up for each answer. */
const brotliWindowBits = 18;

const brotliParameters = {
  [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
  [constants.BROTLI_PARAM_LGWIN]: brotliWindowBits,
};

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

/** Runs on libuv's threads, so the event loop stays free whatever the size. */
export function compress(bytes: Uint8Array, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return packGzip(bytes, { level: gzipLevel });
  const sizeHint = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return packBrotli(bytes, { params: { ...brotliParameters, ...sizeHint } });
}

export function compressPieces(
  pieces: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncIterable<Uint8Array> {
  const packer =
    encoding === 'gzip'
      ? createGzip({ level: gzipLevel })
      : createBrotliCompress({ params: brotliParameters });
  // A fault of the source destroys the packer, which ends whoever reads from it with that fault.
  pipeline(Readable.from(pieces, { objectMode: false }), packer, (fault) => {
    if (fault) packer.destroy(fault);
  });
  return packer;
}

/** Events go out one by one, and a packer would hold them back. */
const packedAlready = /^(?:image|video|audio|font)\/|^text\/event-stream|zip|openxmlformats/;

export function isCompressible(type: string): boolean {
  return !packedAlready.test(type);
}
