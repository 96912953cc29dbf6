import { hash } from 'node:crypto';

import { Unpackr } from 'msgpackr';

import type { StoredSegment } from './journal-store.ts';
import { Packer } from './packer.ts';
import type { JournalRecord } from './record.ts';

/** Most operations of a segment, and the size at which it is closed. */
const segmentOperations = 1_000;
const segmentBytes = 1 << 20;
const initialBodyBytes = 1_024;
/** Room for a payload that is packed with pauses. */
const payloadBytes = 1 << 16;

/** Hash before the first operation of a branch. */
export const genesisHash = Buffer.alloc(32);

const unpackr = new Unpackr({ useRecords: false });
const lengthBytes = 4;
const hashBytes = 32;

/** Members of a packed record by position. The hash chain covers them, so only append. */
type PackedRecord = [
  seq: number,
  id: string | null,
  writer: string,
  principalId: string,
  kind: string,
  payload: unknown,
  resolved: unknown,
  at: number,
  submitted: unknown,
  group?: string,
];
const memberCount = 9;

/** Packs a payload for a record that is written later, with pauses. */
export function* packPayload(payload: unknown): Generator<void, Uint8Array> {
  const packer = new Packer(payloadBytes);
  yield* packer.slowly(payload);
  return packer.bytes.subarray(0, packer.length);
}

/** Packs a record as the journal stores and hashes it: members in the order of the schema. */
function packRecord(packer: Packer, record: JournalRecord, payload?: Uint8Array): void {
  packer.arrayStart(record.group === undefined ? memberCount : memberCount + 1);
  packer.number(record.seq);
  packer.value(record.id);
  packer.text(record.writer);
  packer.text(record.principalId);
  packer.text(record.kind);
  if (payload) packer.packed(payload);
  else packer.value(record.payload);
  packer.value(record.resolved);
  packer.number(record.at);
  packer.value(record.submitted);
  if (record.group !== undefined) packer.text(record.group);
}

/** Replaces the hash at the start of these bytes by the SHA-256 of it and the record behind it. */
function hashOn(scratch: Buffer, end: number): void {
  // A binary string avoids an object, which would take half of the time.
  scratch.write(hash('sha256', scratch.subarray(0, end), 'binary'), 0, 'binary');
}

/** Bytes beyond which the room is dropped after use. */
const roomBytesMost = 4 << 20;
/**
 * Room for a hash and a record, shared by all writers, as it is empty between two records: growing
 * one for each large record would leave several times its bytes as garbage.
 */
let recordRoom = new Packer();

/** Writes consecutive operations into a segment. */
export class SegmentWriter {
  readonly #firstSeq: number;
  readonly #previousHash: Buffer;
  /** Hash of the last record. */
  readonly #hash: Buffer;
  #body = Buffer.allocUnsafeSlow(initialBodyBytes);
  #byteCount = 0;
  #operationCount = 0;

  constructor(firstSeq: number, previousHash: Buffer) {
    this.#firstSeq = firstSeq;
    this.#previousHash = previousHash;
    this.#hash = Buffer.from(previousHash);
  }

  /** Hash of the last record. */
  get hash(): Buffer {
    return Buffer.from(this.#hash);
  }

  get isFull(): boolean {
    return this.#operationCount >= segmentOperations || this.#byteCount >= segmentBytes;
  }

  /** Appends a record, whose payload may be packed already; returns its bytes. */
  append(record: JournalRecord, payload?: Uint8Array): number {
    recordRoom.seek(hashBytes);
    packRecord(recordRoom, record, payload);
    const { bytes, length: end } = recordRoom;
    bytes.set(this.#hash);
    const byteCount = end - hashBytes + lengthBytes;
    this.#reserve(byteCount);
    const at = this.#body.writeUInt32LE(byteCount - lengthBytes, this.#byteCount);
    bytes.copy(this.#body, at, hashBytes, end);
    hashOn(bytes, end);
    bytes.copy(this.#hash, 0, 0, hashBytes);
    if (bytes.length > roomBytesMost) recordRoom = new Packer();
    this.#byteCount += byteCount;
    this.#operationCount++;
    return byteCount;
  }

  close(): StoredSegment {
    const body = this.#body.subarray(0, this.#byteCount);
    const lastSeq = this.#firstSeq + this.#operationCount - 1;
    const [firstSeq, previousHash] = [this.#firstSeq, this.#previousHash];
    return { firstSeq, lastSeq, previousHash, hash: this.hash, body };
  }

  #reserve(byteCount: number): void {
    const needed = this.#byteCount + byteCount;
    if (needed <= this.#body.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#body.length * 4));
    this.#body.copy(grown, 0, 0, this.#byteCount);
    this.#body = grown;
  }
}

export interface ReadSegment {
  readonly records: readonly JournalRecord[];
  /** Number of records, including those not unpacked. */
  readonly recordCount: number;
  /** Hash after the last record, computed from the bytes. */
  readonly hash: Buffer;
}

/** Returns the hash after a number of records of a segment; undefined if it has fewer. */
export function hashAfter(
  body: Uint8Array,
  previousHash: Uint8Array,
  recordCount: number,
): Buffer | undefined {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let scratch = Buffer.alloc(initialBodyBytes);
  scratch.set(previousHash);
  let at = 0;
  for (let count = 0; count < recordCount; count++) {
    if (at >= buffer.length) return undefined;
    const length = buffer.readUInt32LE(at);
    const end = hashBytes + length;
    if (end > scratch.length) scratch = Buffer.concat([scratch.subarray(0, hashBytes)], end * 2);
    buffer.copy(scratch, hashBytes, at + lengthBytes, at + lengthBytes + length);
    hashOn(scratch, end);
    at += lengthBytes + length;
  }
  return Buffer.from(scratch.subarray(0, hashBytes));
}

/** Yields the bytes of each operation of a segment, which the hash chain covers. */
export function* packedRecords(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length;) {
    const start = at + lengthBytes;
    at = start + body.readUInt32LE(at);
    yield body.subarray(start, at);
  }
}

/** Returns the operations of a segment after one, up to another; others are not unpacked. */
export function recordsWithin(
  { firstSeq, body }: Pick<StoredSegment, 'firstSeq' | 'body'>,
  { after, through }: { readonly after: number; readonly through: number },
): JournalRecord[] {
  const records: JournalRecord[] = [];
  let seq = firstSeq;
  for (const packed of packedRecords(body)) {
    if (seq > through) break;
    if (seq > after) records.push(readRecord(packed));
    seq++;
  }
  return records;
}

/** A selection of operations of a segment. */
export interface SegmentPart {
  readonly firstSeq: number;
  readonly after: number;
  readonly through: number;
  /** Operations after which the hash is reported. */
  readonly stops: readonly number[];
  readonly note: (seq: number, hash: Buffer) => void;
}

/** Computes the hash chain of a segment and unpacks it, or a part of it. */
export function readSegment(
  body: Uint8Array,
  previousHash: Uint8Array,
  part?: SegmentPart,
): ReadSegment {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const records: JournalRecord[] = [];
  let scratch = Buffer.alloc(initialBodyBytes);
  scratch.set(previousHash);
  let recordCount = 0;
  for (let at = 0; at < buffer.length; recordCount++) {
    const length = buffer.readUInt32LE(at);
    const packed = buffer.subarray(at + lengthBytes, at + lengthBytes + length);
    if (packed.length < length) throw new Error('a segment ends within a record');
    const end = hashBytes + length;
    if (end > scratch.length) scratch = Buffer.concat([scratch.subarray(0, hashBytes)], end * 2);
    scratch.set(packed, hashBytes);
    hashOn(scratch, end);
    if (isWanted(part, recordCount)) records.push(readRecord(packed));
    const seq = (part?.firstSeq ?? NaN) + recordCount;
    if (part?.stops.includes(seq) === true) {
      part.note(seq, Buffer.from(scratch.subarray(0, hashBytes)));
    }
    at += lengthBytes + length;
  }
  return { records, recordCount, hash: Buffer.from(scratch.subarray(0, hashBytes)) };
}

function isWanted(part: SegmentPart | undefined, index: number): boolean {
  if (!part) return true;
  const seq = part.firstSeq + index;
  return seq > part.after && seq <= part.through;
}

/** Reads a record from its bytes in the journal. */
export function readRecord(packed: Buffer): JournalRecord {
  const [seq, id, writer, principalId, kind, payload, resolved, at, submitted, group] =
    unpackr.unpack(packed) as PackedRecord;
  const grouped = group === undefined ? {} : { group };
  const record = { seq, id, writer, principalId, kind, payload, resolved, at, ...grouped };
  // The bytes were written by packRecord, which the hash chain proves.
  return (submitted === null ? record : { ...record, submitted }) as JournalRecord;
}
