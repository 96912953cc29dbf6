import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
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

/**
 * Bytes up to which an answer is packed where it is: that takes a fifth of a millisecond, and the
 * way to another thread and back as much, and a turn of the loop besides.
 */
const packedHereBytes = 16 * 1024;

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

/** Packs on libuv's threads what is large, so the event loop stays free whatever the size. */
export async function compress(bytes: Uint8Array, encoding: Encoding): Promise<Buffer> {
  const isHere = bytes.length <= packedHereBytes;
  if (encoding === 'gzip') {
    const options = { level: gzipLevel };
    return isHere ? gzipSync(bytes, options) : packGzip(bytes, options);
  }
  const sizeHint = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const options = { params: { ...brotliParameters, ...sizeHint } };
  return isHere ? brotliCompressSync(bytes, options) : packBrotli(bytes, options);
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

/**
 * Events go out one by one, and a packer would hold them back. Files of the log are hashes, which
 * nothing makes shorter, and their ETags name their bytes.
 */
const packedAlready =
  /^(?:image|video|audio|font)\/|^text\/event-stream|octet-stream|zip|openxmlformats/;

export function isCompressible(type: string): boolean {
  return !packedAlready.test(type);
}
