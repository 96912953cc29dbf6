import { hash as hashOf } from 'node:crypto';

import type { JournalRecord } from '../../branches/record.ts';
import { packedRecords, readSegment } from '../../branches/segment.ts';
import { VerifyFault, type FaultKind } from './fault.ts';
import type { HotSegment } from './sql.ts';

const lengthBytes = 4;

/** Position up to which the chain of a branch was followed. */
export interface Position {
  readonly seq: number;
  readonly hash: Buffer;
}

/** Operations whose hash chain continues the one before. */
export interface CheckedSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly JournalRecord[];
  /** The chain's hash after each of them. */
  readonly hashes: readonly Buffer[];
  /** The bytes of each of them. */
  readonly packed: readonly Buffer[];
  /** Place where it was read. */
  readonly where: string;
}

/** Place where a segment was read, and a hint for the case that it is wrong. */
export interface SegmentPlace {
  readonly branchNo: number;
  readonly where: string;
  readonly hint: string;
}

/** The chain's hash after each record, from the bytes alone; undefined if they end within one. */
export function followChain(body: Buffer, previousHash: Buffer): Buffer[] | undefined {
  const hashes: Buffer[] = [];
  let last = previousHash;
  for (let at = 0; at < body.length;) {
    if (at + lengthBytes > body.length) return undefined;
    const start = at + lengthBytes;
    const end = start + body.readUInt32LE(at);
    if (end > body.length) return undefined;
    last = hashOf('sha256', Buffer.concat([last, body.subarray(start, end)]), 'buffer');
    hashes.push(last);
    at = end;
  }
  return hashes;
}

/** Returns the records of a segment; fails unless its bytes have its own hash. */
export function checkBytes(segment: HotSegment, place: SegmentPlace): readonly Buffer[] {
  const { firstSeq, lastSeq, body, previousHash, hash } = segment;
  const hashes = followChain(body, previousHash);
  if (hashes?.at(-1)?.equals(hash) !== true) throw faultAt(place, firstSeq, 'damaged');
  if (hashes.length !== lastSeq - firstSeq + 1) throw faultAt(place, firstSeq, 'misplaced');
  return hashes;
}

/** Fails unless the segment is intact and continues the chain exactly. */
export function checkSegment(
  segment: HotSegment,
  position: Position,
  place: SegmentPlace,
): CheckedSegment {
  const hashes = checkBytes(segment, place);
  const { firstSeq, lastSeq, body, previousHash } = segment;
  const next = position.seq + 1;
  if (firstSeq !== next) throw faultAt(place, next, 'misplaced');
  if (!previousHash.equals(position.hash)) throw faultAt(place, next, 'broken_chain');
  const records = unpack(segment, place, body);
  const packed = [...packedRecords(body)];
  return { firstSeq, lastSeq, records, hashes, packed, where: place.where };
}

/** Fails unless the records are numbered as their segment says. */
export function unpack(
  { firstSeq, previousHash }: HotSegment,
  place: SegmentPlace,
  body: Buffer,
): readonly JournalRecord[] {
  let records: readonly JournalRecord[];
  try {
    records = readSegment(body, previousHash).records;
  } catch {
    throw faultAt(place, firstSeq, 'damaged');
  }
  const wrong = records.findIndex(({ seq }, index) => seq !== firstSeq + index);
  if (wrong >= 0) throw faultAt(place, firstSeq + wrong, 'misplaced');
  return records;
}

export function faultAt(place: SegmentPlace, seq: number, what: FaultKind): VerifyFault {
  return new VerifyFault({ ...place, seq, what });
}
