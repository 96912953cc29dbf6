import { NONCE_KEY_BYTES, STATUS_OK } from '../assembly/abi.ts';
import { hashKeyWords } from './hash-key.ts';
import type { KernelExports } from './kernel-exports.ts';
import { openInstance, openMemory } from './kernel-instance.ts';

const hashBytes = 32;
/** Bytes of a segment, above which node:crypto is faster. */
const segmentBytesMost = 2 << 20;
const operationBytesMost = 4096;
const memoryBytesMost = 64 << 20;
const highFactor = 2 ** 32;

/** A packed segment: before each operation stands its length, 32 bits little endian. */
export interface PackedSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly body: Uint8Array;
}

/** Hashes operations by the kernel, four at a time, in a memory without a model. */
export class OperationHashes {
  readonly #memory = openMemory(memoryBytesMost);
  readonly #exports: KernelExports;

  constructor() {
    this.#exports = openInstance(this.#memory);
    this.#exports.open(...hashKeyWords());
  }

  /**
   * Returns the Merkle root of a segment's operations, each behind its nonce (32 bytes). Undefined
   * if the segment is empty, damaged, too long, or has other operations than it states.
   */
  root({ firstSeq, lastSeq, body }: PackedSegment, nonceKey: Uint8Array): Uint8Array | undefined {
    const expected = lastSeq - firstSeq + 1;
    const bytesMost = Math.min(segmentBytesMost, expected * operationBytesMost);
    if (body.length > bytesMost || nonceKey.length !== NONCE_KEY_BYTES) return undefined;
    const byteCount = NONCE_KEY_BYTES + body.length;
    const address = this.#exports.input(byteCount) >>> 0;
    const room = new Uint8Array(this.#memory.buffer, address, byteCount);
    room.set(nonceKey);
    room.set(body, NONCE_KEY_BYTES);
    const high = Math.floor(firstSeq / highFactor);
    const status = this.#exports.hashOperations(byteCount, high, firstSeq % highFactor);
    const count = this.#exports.resultLength() >>> 0;
    const start = this.#exports.resultAddress() >>> 0;
    const root = Uint8Array.from(new Uint8Array(this.#memory.buffer, start, hashBytes));
    this.#exports.endRead();
    return status === STATUS_OK && count === expected ? root : undefined;
  }
}
