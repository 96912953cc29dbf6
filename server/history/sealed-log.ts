import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

import { Packr } from 'msgpackr';

import { disclose, enclose, StorageFault } from './envelope.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
const packr = new Packr({ useRecords: false });
const magic = 'QLG1';

/** A segment of the journal as object storage keeps it: byte for byte what was hashed. */
export interface LogSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly previousHash: Buffer;
  readonly hash: Buffer;
  readonly body: Buffer;
}

/** Consecutive segments as one object. The same segments always make the same bytes. */
export async function sealSegments(segments: readonly LogSegment[]): Promise<Buffer> {
  const rows = segments.map(({ firstSeq, lastSeq, previousHash, hash, body }) => {
    return [firstSeq, lastSeq, previousHash, hash, body];
  });
  return enclose(magic, await deflate(packr.pack(rows), { level: 6 }));
}

type Row = [firstSeq: number, lastSeq: number, previousHash: Buffer, hash: Buffer, body: Buffer];

export async function openSegments(key: string, object: Uint8Array): Promise<LogSegment[]> {
  const body = disclose(magic, key, object);
  try {
    // The bytes are what sealSegments wrote, which their hash vouches for.
    const rows = packr.unpack(await inflate(body)) as Row[];
    return rows.map(([firstSeq, lastSeq, previousHash, hash, bytes]) => {
      return { firstSeq, lastSeq, previousHash, hash, body: bytes };
    });
  } catch (cause) {
    throw new StorageFault(key, 'cannot be unpacked', cause);
  }
}
