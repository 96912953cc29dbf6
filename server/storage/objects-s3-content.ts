import { createHash } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { GetObjectCommandOutput, HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { DamagedObject } from './damaged-object.ts';
import type { PutOptions } from './objects.ts';

/** Beyond it, bytes that are not what was put were not damaged on their way. */
const damagedMost = 3;

/** Metadata of every object: the SHA-256 of its bytes, and who put it. */
const sumName = 'sha256';
const nonceName = 'put';

export function nonceOf({ Metadata: metadata }: HeadObjectCommandOutput): string | undefined {
  return metadata?.[nonceName];
}

export interface Address {
  readonly Bucket: string;
  readonly Key: string;
}

interface Content {
  readonly bytes: Uint8Array;
  readonly nonce: string;
  readonly options: PutOptions | undefined;
}

export function putCommand(address: Address, { bytes, nonce, options }: Content): PutObjectCommand {
  const sum = sha256(bytes);
  const command = new PutObjectCommand({
    ...address,
    Body: bytes,
    ContentLength: bytes.byteLength,
    ChecksumSHA256: sum.toString('base64'),
    Metadata: { [sumName]: sum.toString('hex'), [nonceName]: nonce },
    ...(options?.ifNoneMatch !== undefined && { IfNoneMatch: options.ifNoneMatch }),
  });
  // The signature needs the same sum, and the SDK would take it once more.
  command.middlewareStack.add(
    (next) => (args) => {
      addHeader(args.request, 'x-amz-content-sha256', sum.toString('hex'));
      return next(args);
    },
    { step: 'build', name: 'knownSum' },
  );
  return command;
}

function addHeader(request: unknown, name: string, value: string): void {
  if (typeof request !== 'object' || request === null || !('headers' in request)) return;
  Object.assign(request.headers ?? {}, { [name]: value });
}

/** Tells damage on the way from damage in the store, for the attempts of one call. */
export class Judge {
  readonly #key: string;
  #damagedCount = 0;

  constructor(key: string) {
    this.#key = key;
  }

  /** Objects that others put there have no sum of ours, and are taken as they are. */
  accept({ Metadata: metadata }: GetObjectCommandOutput, bytes: Uint8Array): Uint8Array {
    const due = metadata?.[sumName];
    if (due === undefined || due === sha256(bytes).toString('hex')) return bytes;
    this.#damagedCount++;
    if (this.#damagedCount === damagedMost) throw new DamagedObject(this.#key);
    throw new Error('the bytes that came are not those that were put');
  }
}

interface Asked {
  readonly start: number;
  readonly length: number;
}

/** The bytes, if they are those from `start` on and no fewer than there are. */
export function checkRange(
  { ContentRange: range = '' }: GetObjectCommandOutput,
  bytes: Uint8Array,
  { start, length }: Asked,
): Uint8Array {
  const [, first, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
  const due = Math.min(length, Number(size) - start);
  if (first === String(start) && bytes.byteLength === due) return bytes;
  throw new Error(`${bytes.byteLength} bytes came as ${range}, and not ${length} from ${start}`);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
