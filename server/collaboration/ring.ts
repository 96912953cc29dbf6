import type { JournalRecord } from '../branches/record.ts';
import { Frame } from './frame.ts';
import { batchLimits, ringLimits } from './limits.ts';
import { streamOp, type StreamOp } from './server-messages.ts';

/** An operation of the stream, and the text that all frames with it share. */
export interface StreamEntry {
  readonly op: StreamOp;
  readonly json: string;
  /** When it was accepted, in milliseconds since the epoch. */
  readonly at: number;
}

export function streamEntry(record: JournalRecord, hash?: string): StreamEntry {
  const op = streamOp(record, hash);
  return { op, json: JSON.stringify(op), at: record.at };
}

/** Operations that follow one another, as one frame. */
export interface OpFrame {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly frame: Frame;
}

/** As many of the first entries as one frame holds. */
export function frameOf(entries: readonly StreamEntry[], head: number): OpFrame {
  let byteCount = 0;
  let count = 0;
  for (const { json } of entries) {
    if (count > 0 && byteCount + json.length > batchLimits.bytes) break;
    byteCount += json.length;
    if (++count === batchLimits.operations) break;
  }
  const taken = entries.slice(0, count);
  const firstSeq = taken[0]?.op.seq ?? 0;
  const last = taken.at(-1);
  const lastSeq = last?.op.seq ?? 0;
  const at = new Date(last?.at ?? 0).toISOString();
  const ops = taken.map(({ op }) => op);
  const message = { kind: 'op_applied', firstSeq, lastSeq, ops, at, head };
  const texts = taken.map(({ json }) => json).join(',');
  const text = `{"kind":"op_applied","firstSeq":${firstSeq},"lastSeq":${lastSeq},"ops":[${texts}],"at":"${at}","head":${head}}`;
  return { firstSeq, lastSeq, frame: new Frame(message, text) };
}

/** The latest operations of a branch, for whoever is a little behind. */
export class Ring {
  /** The entries from `#start` on, one after the other. */
  #entries: StreamEntry[] = [];
  #start = 0;
  #byteCount = 0;

  get byteCount(): number {
    return this.#byteCount;
  }

  push(entry: StreamEntry): void {
    this.#entries.push(entry);
    this.#byteCount += entry.json.length;
  }

  /** Lets go of what is too much, but of nothing after an operation. */
  trim(through: number): void {
    while (this.#isFull && this.firstSeq <= through) this.#drop();
    // The places of those that are gone are given back now and then.
    if (this.#start < ringLimits.operations) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#byteCount = 0;
  }

  /** Entries from one sequence through another; undefined when the first is not here any more. */
  between(firstSeq: number, lastSeq: number): readonly StreamEntry[] | undefined {
    const oldest = this.#entries[this.#start];
    if (oldest === undefined || oldest.op.seq > firstSeq) return undefined;
    const from = this.#start + firstSeq - oldest.op.seq;
    const count = Math.min(lastSeq - firstSeq + 1, batchLimits.operations);
    return this.#entries.slice(from, from + count);
  }

  /** The oldest that is here; Infinity when there is none. */
  get firstSeq(): number {
    return this.#entries[this.#start]?.op.seq ?? Infinity;
  }

  get #isFull(): boolean {
    const count = this.#entries.length - this.#start;
    return count > ringLimits.operations || (count > 1 && this.#byteCount > ringLimits.bytes);
  }

  #drop(): void {
    this.#byteCount -= this.#entries[this.#start]?.json.length ?? 0;
    this.#start++;
  }
}
