import type { JournalRecord } from '../branches/record.ts';
import { Frame, packed, packedWithList } from './frame.ts';
import { batchLimits, pressureLimits, ringLimits } from './limits.ts';
import { streamOp, type StreamOp } from './server-messages.ts';

/** An operation of the stream, with the text that all frames share. */
export class StreamEntry {
  readonly seq: number;
  /** Time of acceptance, in milliseconds since the epoch. */
  readonly at: number;
  #json: string;
  #op: StreamOp | undefined;
  #packed: string | undefined;

  constructor(record: JournalRecord, hash?: string) {
    this.seq = record.seq;
    this.at = record.at;
    this.#op = streamOp(record, hash);
    this.#json = JSON.stringify(this.#op);
  }

  get json(): string {
    return this.#json;
  }

  get op(): StreamOp {
    return this.#op ?? (JSON.parse(this.#json) as StreamOp);
  }

  /**
   * The operation in MessagePack, a character for each byte, cached for the next client that comes
   * back: small buffers would keep the larger ones that they are cut from.
   */
  get packed(): string {
    return (this.#packed ??= packed(this.op).toString('latin1'));
  }

  /** True when only the text is kept. */
  get isCondensed(): boolean {
    return this.#op === undefined;
  }

  /** Keeps only the text, in one piece, which takes half the memory. */
  condense(): void {
    if (this.#op === undefined) return;
    this.#op = undefined;
    this.#json = Buffer.from(this.#json).toString();
  }
}

/** Returns consecutive operations as one frame. */
export interface OpFrame {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly frame: Frame;
}

/** Returns the first entries, as many as one frame holds. */
export function frameOf(entries: readonly StreamEntry[], head: number): OpFrame {
  let byteCount = 0;
  let count = 0;
  for (const { json } of entries) {
    if (count > 0 && byteCount + json.length > batchLimits.bytes) break;
    byteCount += json.length;
    if (++count === batchLimits.operations) break;
  }
  const taken = entries.slice(0, count);
  const firstSeq = taken[0]?.seq ?? 0;
  const last = taken.at(-1);
  const lastSeq = last?.seq ?? 0;
  const at = new Date(last?.at ?? 0).toISOString();
  const pack = (): Buffer => {
    const message = { kind: 'op_applied', firstSeq, lastSeq, ops: [], at, head };
    if (taken.some(({ isCondensed }) => isCondensed)) {
      return packedWithList(message, { name: 'ops', items: taken.map((entry) => entry.packed) });
    }
    return packed({ ...message, ops: taken.map(({ op }) => op) });
  };
  const texts = taken.map(({ json }) => json).join(',');
  const text = `{"kind":"op_applied","firstSeq":${firstSeq},"lastSeq":${lastSeq},"ops":[${texts}],"at":"${at}","head":${head}}`;
  return {
    firstSeq,
    lastSeq,
    frame: new Frame({ kind: 'op_applied', lastSeq }, { json: text, pack }),
  };
}

/** Places of dropped entries that are given up at once. */
const freedAtOnce = 1_024;

/** The latest operations of a branch in memory, for sockets that are a little behind. */
export class Ring {
  /** Consecutive entries; undefined before `#start`, where they are dropped. */
  #entries: (StreamEntry | undefined)[] = [];
  #start = 0;
  /** Number of the first entry that is more than text. */
  #condensed = 0;
  #byteCount = 0;

  get byteCount(): number {
    return this.#byteCount;
  }

  push(entry: StreamEntry): void {
    this.#entries.push(entry);
    this.#byteCount += entry.json.length;
  }

  /** Drops entries above the limits, but none after a given operation. */
  trim(through: number, now: number): void {
    while (this.#isTooMuch(now) && this.firstSeq <= through) this.#drop();
    this.#condense(through);
    // Places of dropped entries are given up now and then.
    if (this.#start < freedAtOnce) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#condensed = Math.max(0, this.#condensed - this.#start);
    this.#start = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#condensed = 0;
    this.#byteCount = 0;
  }

  /** Returns entries `firstSeq` to `lastSeq`; undefined when the first was dropped. */
  between(firstSeq: number, lastSeq: number): readonly StreamEntry[] | undefined {
    const oldest = this.#entries[this.#start];
    if (oldest === undefined || oldest.seq > firstSeq) return undefined;
    const from = this.#start + firstSeq - oldest.seq;
    const count = Math.min(lastSeq - firstSeq + 1, batchLimits.operations);
    return this.#entries.slice(from, from + count).flatMap((entry) => entry ?? []);
  }

  /** Number of the oldest entry; Infinity for none. */
  get firstSeq(): number {
    return this.#entries[this.#start]?.seq ?? Infinity;
  }

  #isTooMuch(now: number): boolean {
    const count = this.#entries.length - this.#start;
    if (count > ringLimits.operations) return true;
    if (count > 1 && this.#byteCount > ringLimits.bytes) return true;
    const age = now - (this.#entries[this.#start]?.at ?? now);
    return count > ringLimits.restOperations && age > pressureLimits.laggingMilliseconds;
  }

  #condense(through: number): void {
    this.#condensed = Math.max(this.#condensed, this.#start);
    for (; this.#condensed < this.#entries.length; this.#condensed++) {
      const entry = this.#entries[this.#condensed];
      if (entry === undefined || entry.seq > through) return;
      entry.condense();
    }
  }

  #drop(): void {
    this.#byteCount -= this.#entries[this.#start]?.json.length ?? 0;
    this.#entries[this.#start++] = undefined;
  }
}
