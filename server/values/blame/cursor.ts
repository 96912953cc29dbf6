import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

import { Failure } from '../../model/failure.ts';
import type { JournalPlace } from './backwards.ts';

/** The place where a walk through the journal stopped, and the cells still sought there. */
export interface BlameCursor {
  /** Sequence of the answer. */
  readonly seq: number;
  readonly place: JournalPlace;
  /** Places in the answer of cells whose writer, or the writer of whose format, is still sought. */
  readonly values: ReadonlySet<number>;
  readonly formats: ReadonlySet<number>;
}

/** The request that a cursor belongs to. */
export interface CursorScope {
  readonly branchNo: number;
  readonly range: string;
}

const headBytes = 40;
const bytesMost = 4_096;

export function writeCursor(cursor: BlameCursor, scope: CursorScope, cellTotal: number): string {
  const bitBytes = Math.ceil(cellTotal / 8);
  const bytes = Buffer.alloc(headBytes + 2 * bitBytes);
  bytes.set(digestOf(scope), 0);
  bytes.writeDoubleLE(cursor.seq, 16);
  bytes.writeDoubleLE(cursor.place.branchNo, 24);
  bytes.writeDoubleLE(cursor.place.seq, 32);
  for (const [part, found] of [cursor.values, cursor.formats].entries()) {
    for (const index of found) {
      const at = headBytes + part * bitBytes + (index >>> 3);
      bytes[at] = (bytes[at] ?? 0) | (1 << (index & 7));
    }
  }
  return deflateRawSync(bytes).toString('base64url');
}

/** Reads a cursor; fails for a malformed one, or one of another range or branch. */
export function readCursor(text: string, scope: CursorScope): BlameCursor {
  const bytes = inflated(text);
  const isOurs = bytes.subarray(0, 16).equals(digestOf(scope));
  if (bytes.length < headBytes || !isOurs) throw wrongCursor();
  const bits = bytes.subarray(headBytes);
  const half = bits.length / 2;
  const [seq, branchNo, placeSeq] = [16, 24, 32].map((at) => bytes.readDoubleLE(at));
  if (!isCount(seq) || !isCount(branchNo) || !isCount(placeSeq)) throw wrongCursor();
  return {
    seq,
    place: { branchNo, seq: placeSeq },
    values: indexesOf(bits.subarray(0, half)),
    formats: indexesOf(bits.subarray(half)),
  };
}

function digestOf({ branchNo, range }: CursorScope): Buffer {
  return createHash('sha256').update(`${branchNo} ${range}`).digest().subarray(0, 16);
}

function inflated(text: string): Buffer {
  try {
    return inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: bytesMost });
  } catch {
    throw wrongCursor();
  }
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && (value ?? -1) >= 0;
}

function indexesOf(bits: Buffer): Set<number> {
  const found = new Set<number>();
  for (const [at, byte] of bits.entries()) {
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) found.add(at * 8 + bit);
  }
  return found;
}

export function wrongCursor(): Failure {
  return new Failure('invalidRequest', {
    detail: 'The cursor is not one of this branch and range.',
    hint: 'Send `next` of an answer with the same ref and range, or leave cursor out.',
    errors: [{ pointer: '?cursor', code: 'invalid_cursor', message: 'of another request' }],
  });
}
