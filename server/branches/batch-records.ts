import type { Mutation } from '../model/mutation.ts';
import type { UsageDelta, StoredSegment } from './journal-store.ts';
import type { JournalRecord } from './record.ts';
import { SegmentWriter } from './segment.ts';
import type { Entry } from './trial.ts';

/** Most operations of one commit: all its senders wait for the whole. */
const batchOperations = 8_000;
const batchBytes = 4 << 20;

/** The records of a batch in the order of the journal, and the segments that hold them. */
export class BatchRecords {
  readonly expectedHead: number;
  readonly all: JournalRecord[] = [];
  readonly mutations: Mutation[] = [];
  /** The sender of each of the records. */
  readonly senders: (object | undefined)[] = [];
  readonly #usage = new Map<string, { operationCount: number; byteCount: number }>();
  /** All segments except the one being written. */
  readonly #closed: StoredSegment[] = [];
  #segment: SegmentWriter;
  #byteCount = 0;

  /** Begins after a journal that ends at a sequence with a hash. */
  constructor(expectedHead: number, hash: Buffer) {
    this.expectedHead = expectedHead;
    this.#segment = new SegmentWriter(expectedHead + 1, hash);
  }

  get isEmpty(): boolean {
    return this.all.length === 0;
  }

  /** True if the commit is full. */
  get isFull(): boolean {
    return this.all.length >= batchOperations || this.#byteCount >= batchBytes;
  }

  /** The journal's hash chain after the last record. */
  get hash(): Buffer {
    return this.#segment.hash;
  }

  get lastSeq(): number {
    return this.expectedHead + this.all.length;
  }

  /** Returns what each principal has written. */
  usage(): UsageDelta[] {
    return Array.from(this.#usage, ([principalId, delta]) => ({ principalId, ...delta }));
  }

  /** Closes the last segment and returns all of them. */
  close(): StoredSegment[] {
    return [...this.#closed, this.#segment.close()];
  }

  add({ record, payload, mutations, sender }: Entry): void {
    if (this.#segment.isFull) {
      const closed = this.#segment.close();
      this.#closed.push(closed);
      this.#segment = new SegmentWriter(closed.lastSeq + 1, closed.hash);
    }
    const byteCount = this.#segment.append(record, payload);
    this.#byteCount += byteCount;
    this.all.push(record);
    this.senders.push(sender);
    for (const mutation of mutations) this.mutations.push(mutation);
    const used = this.#usage.get(record.principalId) ?? { operationCount: 0, byteCount: 0 };
    used.operationCount++;
    used.byteCount += byteCount;
    this.#usage.set(record.principalId, used);
  }
}
