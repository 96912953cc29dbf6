import type { Frame } from './frame.ts';
import { batchLimits } from './limits.ts';
import type { OwnSubmission } from './own-submission.ts';
import { frameOf, type OpFrame, type StreamEntry } from './ring.ts';
import type { GapReason } from './server-messages.ts';

/** The source of a stream: a room. */
export interface StreamSource {
  /** The last operation that may be sent. */
  readonly head: number;
  /** Returns operations `firstSeq` to `lastSeq`; undefined when they are not in memory. */
  between(firstSeq: number, lastSeq: number): readonly StreamEntry[] | undefined;
}

/** The receiver of a stream: a session. */
export interface StreamSink {
  readonly isFull: boolean;
  send(frame: Frame): void;
  /** Sends all messages of the callback together. */
  together(send: () => void): void;
  acknowledge(own: OwnSubmission): void;
  gap(reason: GapReason, fromSeq: number, toSeq: number): void;
  now(): number;
}

export interface StreamWants {
  readonly ops: boolean;
  /** True to send own operations like all others, followed by their acknowledgement. */
  readonly hasOwnOps: boolean;
}

/**
 * The operations of a branch for one socket: each once and in order, with acknowledgements in the
 * place of its own. When the socket cannot take more, the stream waits; what it missed is sent from
 * memory later, or reported as a gap.
 */
export class OpStream {
  /** The last operation that was sent or reported as missing. */
  sentSeq: number;
  wants: StreamWants;
  readonly #source: StreamSource;
  readonly #sink: StreamSink;
  /** Own submissions that are not acknowledged yet, by first sequence number. */
  #expected: Map<number, OwnSubmission> | undefined;
  /** Operations from the journal, older than those in memory, for a client that comes back. */
  #backlog: readonly StreamEntry[] = [];
  /** True while the backlog is being read: nothing is sent. */
  isHeld = false;
  /** Time since which too many bytes wait for the socket. */
  laggingSince: number | undefined;
  #isAdvancing = false;

  constructor(
    sentSeq: number,
    wants: StreamWants,
    ends: { source: StreamSource; sink: StreamSink },
  ) {
    this.sentSeq = sentSeq;
    this.wants = wants;
    this.#source = ends.source;
    this.#sink = ends.sink;
  }

  /** Returns whether the next frames can be sent as to all others. */
  follows(firstSeq: number): boolean {
    const isFree = !this.isHeld && this.laggingSince === undefined;
    return isFree && this.sentSeq === firstSeq - 1 && !this.#expected?.size;
  }

  /** Starts again after an operation. Own submissions under way will still be acknowledged. */
  restart(sentSeq: number, wants: StreamWants): void {
    this.sentSeq = sentSeq;
    this.wants = wants;
    this.#backlog = [];
    this.laggingSince = undefined;
    this.isHeld = true;
  }

  /** Continues with operations that are older than those in memory. */
  release(backlog: readonly StreamEntry[] = []): void {
    this.#backlog = backlog;
    this.isHeld = false;
    this.advance();
  }

  /** Notes the first sequence number of an own submission. */
  expect(own: OwnSubmission, firstSeq: number): void {
    this.#expected ??= new Map();
    this.#expected.set(firstSeq, own);
  }

  /** Notes that the outcome of an own submission is known. */
  settled(own: OwnSubmission): void {
    const isToCome = own.firstSeq !== undefined && own.firstSeq > this.sentSeq;
    if (own.hasFailed || !isToCome) {
      if (own.firstSeq !== undefined) this.#expected?.delete(own.firstSeq);
      this.#sink.acknowledge(own);
    }
    this.advance();
  }

  /** Skips operations up to `toSeq`, and reports them as a gap. */
  skip(reason: GapReason, fromSeq: number, toSeq: number): void {
    this.#backlog = [];
    this.sentSeq = toSeq;
    this.#sink.gap(reason, fromSeq, toSeq);
    for (const [firstSeq, own] of this.#expected ?? []) {
      if (firstSeq > toSeq || !own.isSettled) continue;
      this.#expected?.delete(firstSeq);
      this.#sink.acknowledge(own);
    }
  }

  /** Continues after the socket has taken its waiting bytes. */
  drained(): void {
    if (this.laggingSince === undefined || this.isHeld) return;
    this.laggingSince = undefined;
    this.advance();
  }

  /** Sends a frame that everybody gets; returns false when the stream has to wait. */
  pass({ lastSeq, frame }: OpFrame): boolean {
    if (this.#sink.isFull) {
      this.laggingSince ??= this.#sink.now();
      return false;
    }
    this.sentSeq = lastSeq;
    if (this.wants.ops) this.#sink.send(frame);
    return true;
  }

  /** Sends as much as possible. */
  advance(): void {
    if (this.isHeld || this.#isAdvancing || this.laggingSince !== undefined) return;
    if (this.sentSeq >= this.#source.head) return;
    this.#isAdvancing = true;
    this.#sink.together(() => {
      while (this.sentSeq < this.#source.head && this.#step());
    });
    this.#isAdvancing = false;
  }

  /** Sends the next part; returns false when the stream has to wait. */
  #step(): boolean {
    if (this.#sink.isFull) {
      this.laggingSince = this.#sink.now();
      return false;
    }
    const next = this.sentSeq + 1;
    const own = this.#expected?.get(next);
    if (own && !this.wants.hasOwnOps) {
      if (!own.isSettled) return false;
      this.#expected?.delete(next);
      if (own.isUnbroken && own.lastSeq !== undefined) {
        this.sentSeq = own.lastSeq;
        this.#sink.acknowledge(own);
        return true;
      }
      this.#sink.acknowledge(own);
    }
    const entries = this.#entriesFrom(next);
    if (entries === undefined) {
      this.skip('slow_consumer', next, this.#source.head);
      return true;
    }
    const { frame, lastSeq } = frameOf(entries, this.#source.head);
    this.#noteSent(lastSeq);
    if (this.wants.ops) this.#sink.send(frame);
    if (this.wants.hasOwnOps) this.#acknowledgePassed();
    return true;
  }

  #noteSent(lastSeq: number): void {
    this.sentSeq = lastSeq;
    if ((this.#backlog.at(-1)?.seq ?? 0) <= lastSeq) this.#backlog = [];
  }

  #entriesFrom(next: number): readonly StreamEntry[] | undefined {
    const last = Math.min(this.#nextOwn(next) - 1, this.#source.head);
    const [oldest] = this.#backlog;
    const from = next - (oldest?.seq ?? 0);
    const held = this.#backlog.slice(from, from + batchLimits.operations);
    if (oldest !== undefined && held.length > 0) return held.filter(({ seq }) => seq <= last);
    const found = this.#source.between(next, last);
    return found?.length ? found : undefined;
  }

  /** Returns the sequence number at which the next own submission begins. */
  #nextOwn(after: number): number {
    let nearest = Infinity;
    if (this.wants.hasOwnOps) return nearest;
    for (const firstSeq of this.#expected?.keys() ?? []) {
      if (firstSeq > after && firstSeq < nearest) nearest = firstSeq;
    }
    return nearest;
  }

  /** Acknowledges own submissions whose operations have all passed. */
  #acknowledgePassed(): void {
    for (const [firstSeq, own] of this.#expected ?? []) {
      if (!own.isSettled || (own.lastSeq ?? 0) > this.sentSeq) continue;
      this.#expected?.delete(firstSeq);
      this.#sink.acknowledge(own);
    }
  }
}
