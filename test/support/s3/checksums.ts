import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from '../../../workers/files/checksum.ts';
import { S3Error } from './s3-error.ts';

const castagnoli = 0x82f63b78;
const crc32cTable = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? castagnoli ^ (value >>> 1) : value >>> 1;
  crc32cTable[byte] = value;
}

export function crc32c(bytes: Uint8Array): number {
  let state = ~0;
  for (const byte of bytes) state = (crc32cTable[(state ^ byte) & 0xff] ?? 0) ^ (state >>> 8);
  return ~state >>> 0;
}

function fourBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const algorithms: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  sha1: (bytes) => createHash('sha1').update(bytes).digest(),
  crc32: (bytes) => fourBytes(crc32(bytes)),
  crc32c: (bytes) => fourBytes(crc32c(bytes)),
};

const headerPrefix = 'x-amz-checksum-';
const aboutChecksums = ['algorithm', 'mode', 'type'];

export interface Checksum {
  readonly header: string;
  readonly value: string;
}

/** Throws unless the body is what the client says it is; returns the checksum to be kept. */
export function checkBody(
  body: Buffer,
  headers: IncomingHttpHeaders,
  trailers: ReadonlyMap<string, string>,
): Checksum | undefined {
  checkMd5(body, headers['content-md5']);
  const given = new Map<string, string>();
  for (const [name, value] of [...Object.entries(headers), ...trailers]) {
    if (name.startsWith(headerPrefix) && typeof value === 'string') given.set(name, value);
  }
  for (const word of aboutChecksums) given.delete(headerPrefix + word);
  if (given.size > 1) {
    throw new S3Error(400, 'InvalidRequest', 'Expecting a single x-amz-checksum- header.');
  }
  for (const [header, value] of given) {
    checkSum(body, header, value);
    return { header, value };
  }
  return undefined;
}

function checkSum(body: Buffer, header: string, value: string): void {
  const name = header.slice(headerPrefix.length);
  const algorithm = algorithms[name];
  if (algorithm === undefined) {
    throw new S3Error(501, 'NotImplemented', `this server does not know ${header}`);
  }
  const due = algorithm(body);
  const given = Buffer.from(value, 'base64');
  if (given.toString('base64') !== value || given.length !== due.length) {
    throw new S3Error(400, 'InvalidRequest', `Value for ${header} header is invalid.`);
  }
  if (!given.equals(due)) {
    const which = `The ${name.toUpperCase()} you specified did not match the calculated checksum.`;
    throw new S3Error(400, 'BadDigest', which);
  }
}

function checkMd5(body: Buffer, value: string | string[] | undefined): void {
  if (typeof value !== 'string') return;
  const given = Buffer.from(value, 'base64');
  if (given.length !== 16 || given.toString('base64') !== value) {
    throw new S3Error(400, 'InvalidDigest', 'The Content-MD5 you specified was invalid.');
  }
  if (!given.equals(md5(body))) {
    const which = 'The Content-MD5 you specified did not match what we received.';
    throw new S3Error(400, 'BadDigest', which);
  }
}

export function md5(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}

export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
