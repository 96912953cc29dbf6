import { hash } from 'node:crypto';

import { Unpackr } from 'msgpackr';

import type { StoredSegment } from './journal-store.ts';
import { Packer } from './packer.ts';
import type { JournalRecord } from './record.ts';

/** Operations a segment holds at most, and the size at which it is closed. */
const segmentOperations = 1_000;
const segmentBytes = 1 << 20;
const initialBodyBytes = 1_024;

/** The hash before the first operation of a branch. */
export const genesisHash = Buffer.alloc(32);

const unpackr = new Unpackr({ useRecords: false });
const lengthBytes = 4;
const hashBytes = 32;

/** Positions of the members in a packed record. The hash chain covers them: append only. */
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

/** One record as the journal stores and hashes it: members in the order of their schema. */
function packRecord(packer: Packer, record: JournalRecord): void {
  packer.arrayStart(record.group === undefined ? memberCount : memberCount + 1);
  packer.number(record.seq);
  packer.value(record.id);
  packer.text(record.writer);
  packer.text(record.principalId);
  packer.text(record.kind);
  packer.value(record.payload);
  packer.value(record.resolved);
  packer.number(record.at);
  packer.value(record.submitted);
  if (record.group !== undefined) packer.text(record.group);
}

/** Writes over the hash at the start of these bytes: SHA-256 of it and of the record behind it. */
function hashOn(scratch: Buffer, end: number): void {
  // As a string of bytes it comes without an object of its own: half the time of the whole.
  scratch.write(hash('sha256', scratch.subarray(0, end), 'binary'), 0, 'binary');
}

/** A larger one goes with the record that it was made for. */
const roomBytesMost = 4 << 20;
/**
 * Room for a hash and the record behind it. One for all writers, as nothing is in it between two
 * records: to grow one for each large record would leave several times its bytes as garbage.
 */
let recordRoom = new Packer();

/** Consecutive operations on their way into the journal. */
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

  /** Returns the bytes it takes. */
  append(record: JournalRecord): number {
    recordRoom.seek(hashBytes);
    packRecord(recordRoom, record);
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
  /** Number of records, with those that were not unpacked. */
  readonly recordCount: number;
  /** The chain's hash after the last record, computed from the bytes. */
  readonly hash: Buffer;
}

/** The chain's hash after so many records of a segment; undefined if it has fewer. */
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

/** The bytes of each operation of a segment: those the hash chain covers. */
export function* packedRecords(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length;) {
    const start = at + lengthBytes;
    at = start + body.readUInt32LE(at);
    yield body.subarray(start, at);
  }
}

/** The operations of a segment that somebody needs. */
export interface SegmentPart {
  readonly firstSeq: number;
  readonly after: number;
  readonly through: number;
  /** Told the hash after each of these operations. */
  readonly stops: readonly number[];
  readonly note: (seq: number, hash: Buffer) => void;
}

/** Follows the hash chain of a segment and unpacks it, or a part of it. */
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

/** A record from the bytes that the journal has of it. */
export function readRecord(packed: Buffer): JournalRecord {
  const [seq, id, writer, principalId, kind, payload, resolved, at, submitted, group] =
    unpackr.unpack(packed) as PackedRecord;
  const grouped = group === undefined ? {} : { group };
  const record = { seq, id, writer, principalId, kind, payload, resolved, at, ...grouped };
  // The bytes were written by packRecord, and their hash chain vouches for them.
  return (submitted === null ? record : { ...record, submitted }) as JournalRecord;
}
