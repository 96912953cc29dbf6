import { createHash } from 'node:crypto';

/** Something in storage that is not what was written there. */
export class StorageFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StorageFault';
  }
}

const hashBytes = 32;
const magicBytes = 4;

/** What an object holds: four letters, the SHA-256 of all that follows, and that. */
export function enclose(magic: string, body: Uint8Array): Buffer {
  const hash = createHash('sha256').update(body).digest();
  return Buffer.concat([Buffer.from(magic, 'latin1'), hash, body]);
}

/** Fails with a StorageFault if a single bit is another one. */
export function disclose(magic: string, key: string, object: Uint8Array): Buffer {
  const bytes = Buffer.from(object.buffer, object.byteOffset, object.byteLength);
  if (bytes.toString('latin1', 0, magicBytes) !== magic) {
    throw new StorageFault(`${key} is not a ${magic} object`);
  }
  const body = bytes.subarray(magicBytes + hashBytes);
  const hash = createHash('sha256').update(body).digest();
  if (!hash.equals(bytes.subarray(magicBytes, magicBytes + hashBytes))) {
    throw new StorageFault(`${key} is not what was written`);
  }
  return body;
}
