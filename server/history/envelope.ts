import { createHash } from 'node:crypto';

import { Failure } from '../model/failure.ts';
import { DamagedObject } from '../storage/damaged-object.ts';
import type { Objects } from '../storage/objects.ts';

/** Something in storage that is not what was written there. A client that meets it hears where. */
export class StorageFault extends Failure {
  /** Key of the object that is missing or damaged. */
  readonly objectKey: string;

  constructor(objectKey: string, what: string, cause?: unknown) {
    super('storageDamaged', {
      detail: `${objectKey} ${what}.`,
      hint: 'An operator has to put this object back from a copy of the object store.',
      cause,
    });
    this.name = 'StorageFault';
    this.objectKey = objectKey;
  }
}

/** Fails with a StorageFault if it is not there, or if the store knows that it is damaged. */
export async function readObject(objects: Pick<Objects, 'get'>, key: string): Promise<Uint8Array> {
  let object: Uint8Array | undefined;
  try {
    object = await objects.get(key);
  } catch (error) {
    if (error instanceof DamagedObject) throw new StorageFault(key, 'is not what was put', error);
    throw error;
  }
  if (!object) throw new StorageFault(key, 'is missing');
  return object;
}

const hashBytes = 32;
const magicBytes = 4;

/** Makes the bytes of an object: four letters, the SHA-256 of all that follows, and the body. */
export function enclose(magic: string, body: Uint8Array): Buffer {
  const hash = createHash('sha256').update(body).digest();
  return Buffer.concat([Buffer.from(magic, 'latin1'), hash, body]);
}

/** Fails with a StorageFault if a single bit is another one. */
export function disclose(magic: string, key: string, object: Uint8Array): Buffer {
  const bytes = Buffer.from(object.buffer, object.byteOffset, object.byteLength);
  if (bytes.toString('latin1', 0, magicBytes) !== magic) {
    throw new StorageFault(key, `is not a ${magic} object`);
  }
  const body = bytes.subarray(magicBytes + hashBytes);
  const hash = createHash('sha256').update(body).digest();
  if (!hash.equals(bytes.subarray(magicBytes, magicBytes + hashBytes))) {
    throw new StorageFault(key, 'is not what was written');
  }
  return body;
}
