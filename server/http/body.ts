import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HttpResponse } from 'uWebSockets.js';

import { Failure } from '../model/failure.ts';
import { bodyLimits } from '../model/limits.ts';

const inflate = promisify(gunzip);
const noBytes = Buffer.alloc(0);

/** What readBody needs of a response of uWebSockets.js. */
export type BodySource = Pick<HttpResponse, 'onData'>;

export interface BodyLimit {
  readonly bytes: number;
  readonly deadlineMilliseconds: number;
}

/**
 * Collects the body, counting what arrives: Content-Length is a claim, and a chunked body has none.
 * Must be called before the request handler of uWebSockets.js returns. It does not reject, because
 * nobody may be listening yet: what is wrong with the body is its result.
 */
export function readBody(
  source: BodySource,
  limit: BodyLimit,
  whenAborted: (action: () => void) => void,
): Promise<Buffer | Failure> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let byteCount = 0;
    let settled = false;
    const settle = (result: Buffer | Failure): void => {
      settled = true;
      clearTimeout(deadline);
      resolve(result);
    };
    const deadline = setTimeout(() => settle(tooSlow(limit)), limit.deadlineMilliseconds);
    whenAborted(() => {
      if (!settled) settle(new Failure('bodyTimeout', { detail: 'The client went away.' }));
    });
    source.onData((chunk, isLast) => {
      if (settled) return;
      byteCount += chunk.byteLength;
      if (byteCount > limit.bytes) {
        settle(tooLarge(limit.bytes));
        return;
      }
      // The chunk's memory is taken back when this function returns, so it is copied.
      if (chunk.byteLength > 0) chunks.push(Buffer.from(chunk.slice(0)));
      if (isLast) settle(joined(chunks));
    });
  });
}

function tooSlow(limit: BodyLimit): Failure {
  const seconds = limit.deadlineMilliseconds / 1000;
  return new Failure('bodyTimeout', {
    detail: `The body was not complete after ${seconds} seconds.`,
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  if (first === undefined) return noBytes;
  return chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** Fails before anything is read when the announced length is over the limit already. */
export function checkAnnouncedLength(length: string | undefined, limitBytes: number): void {
  if (length !== undefined && Number(length) > limitBytes) throw tooLarge(limitBytes);
}

function tooLarge(limitBytes: number): Failure {
  return new Failure('payloadTooLarge', {
    detail: `This route takes at most ${limitBytes} bytes.`,
    hint: 'Send it in several requests.',
    extra: { limitBytes },
  });
}

/** Undoes Content-Encoding. A body that unpacks to more than ten times itself is refused. */
export async function inflateBody(
  bytes: Buffer,
  encoding: string | undefined,
  limitBytes: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return bytes;
  if (name !== 'gzip' && name !== 'x-gzip') {
    throw new Failure('unsupportedMediaType', {
      detail: 'The Content-Encoding of a request may be gzip or identity.',
      headers: { 'Accept-Encoding': 'gzip' },
    });
  }
  const ratioBytes = Math.max(bodyLimits.inflateFloorBytes, bytes.length * bodyLimits.inflateRatio);
  const mostBytes = Math.min(limitBytes, ratioBytes);
  try {
    return await inflate(bytes, { maxOutputLength: mostBytes });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(mostBytes);
    throw new Failure('invalidRequest', { detail: 'The body is not valid gzip.', cause });
  }
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
