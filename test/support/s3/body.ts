import type { IncomingMessage } from 'node:http';
import { sha256Hex } from './checksums.ts';
import { S3Error } from './s3-error.ts';

export interface S3Body {
  readonly bytes: Buffer;
  /** Trailers behind the last chunk. */
  readonly trailers: ReadonlyMap<string, string>;
}

const none: ReadonlyMap<string, string> = new Map();

export async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The body as the client meant it: out of its chunks, and with the hash that was signed. */
export function decodeBody(sent: Buffer, headers: Readonly<Record<string, string>>): S3Body {
  const payload = headers['x-amz-content-sha256'];
  if (payload === undefined) {
    const message = 'Missing required header for this request: x-amz-content-sha256';
    throw new S3Error(400, 'InvalidRequest', message);
  }
  if (payload === 'UNSIGNED-PAYLOAD') return { bytes: sent, trailers: none };
  if (payload === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') return decodeChunks(sent, headers);
  if (payload.startsWith('STREAMING-')) {
    throw new S3Error(501, 'NotImplemented', `this server does not know ${payload}`);
  }
  if (payload !== sha256Hex(sent)) {
    const message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
    throw new S3Error(400, 'XAmzContentSHA256Mismatch', message);
  }
  return { bytes: sent, trailers: none };
}

function decodeChunks(sent: Buffer, headers: Readonly<Record<string, string>>): S3Body {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = sent.indexOf('\r\n', at);
    const size = /^([0-9a-f]+)(;|$)/i.exec(sent.toString('latin1', at, Math.max(at, lineEnd)))?.[1];
    if (lineEnd < 0 || size === undefined) throw incomplete();
    const length = Number.parseInt(size, 16);
    at = lineEnd + 2;
    if (length === 0) break;
    if (sent.toString('latin1', at + length, at + length + 2) !== '\r\n') throw incomplete();
    chunks.push(sent.subarray(at, at + length));
    at += length + 2;
  }
  const bytes = Buffer.concat(chunks);
  if (String(bytes.length) !== headers['x-amz-decoded-content-length']) throw incomplete();
  return { bytes, trailers: readTrailers(sent.toString('latin1', at), headers['x-amz-trailer']) };
}

function readTrailers(text: string, announced: string | undefined): Map<string, string> {
  const trailers = new Map<string, string>();
  for (const line of text.split('\r\n').filter((one) => one !== '')) {
    const [name = '', value = ''] = line.split(/:(.*)/s);
    trailers.set(name.trim().toLowerCase(), value.trim());
  }
  for (const name of (announced ?? '').split(',').filter((one) => one !== '')) {
    if (!trailers.has(name.trim().toLowerCase())) {
      throw new S3Error(
        400,
        'MalformedTrailerError',
        'The request contained trailing data that was not well-formed.',
      );
    }
  }
  return trailers;
}

function incomplete(): S3Error {
  const message = 'You did not provide the number of bytes specified by the header.';
  return new S3Error(400, 'IncompleteBody', message);
}
