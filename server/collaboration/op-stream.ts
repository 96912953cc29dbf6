import type { Frame } from './frame.ts';
import { batchLimits } from './limits.ts';
import type { OwnSubmission } from './own-submission.ts';
import { frameOf, type OpFrame, type StreamEntry } from './ring.ts';
import type { GapReason } from './server-messages.ts';

/** The source that a stream takes its operations from. */
export interface StreamSource {
  /** The last operation that anybody may hear of. */
  readonly head: number;
  /** Some operations from one sequence through another; undefined where they are not at hand. */
  between(firstSeq: number, lastSeq: number): readonly StreamEntry[] | undefined;
}

/** Where a stream leads to. */
export interface StreamSink {
  readonly isFull: boolean;
  send(frame: Frame): void;
  /** Sends what is sent within as one. */
  together(send: () => void): void;
  acknowledge(own: OwnSubmission): void;
  gap(reason: GapReason, fromSeq: number, toSeq: number): void;
  now(): number;
}

export interface StreamWants {
  readonly ops: boolean;
  /** Own operations come by like all others, and the acknowledgement after them. */
  readonly hasOwnOps: boolean;
}

/**
 * The operations of a branch as one socket gets them: each once, in their order, its own as
 * acknowledgements at their place. A socket that cannot follow waits, and what it missed is sent
 * from what is at hand, or named as a gap.
 */
export class OpStream {
  /** All up to here was sent, or named as missing. */
  sentSeq: number;
  wants: StreamWants;
  readonly #source: StreamSource;
  readonly #sink: StreamSink;
  /** Own submissions by their first sequence, until they are acknowledged. */
  #expected: Map<number, OwnSubmission> | undefined;
  /** From before what the room has at hand; read for a resumption. */
  #backlog: readonly StreamEntry[] = [];
  /** Nothing is sent as long as its operations are being read. */
  isHeld = false;
  /** Since when too much waits for the socket. */
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

  /** Returns whether the stream takes the next frames as they are, like all others. */
  follows(firstSeq: number): boolean {
    const isFree = !this.isHeld && this.laggingSince === undefined;
    return isFree && this.sentSeq === firstSeq - 1 && !this.#expected?.size;
  }

  /** Begins again behind an operation. Own ones that are under way are acknowledged all the same. */
  restart(sentSeq: number, wants: StreamWants): void {
    this.sentSeq = sentSeq;
    this.wants = wants;
    this.#backlog = [];
    this.laggingSince = undefined;
    this.isHeld = true;
  }

  /** Goes on with operations from before what the room has at hand. */
  release(backlog: readonly StreamEntry[] = []): void {
    this.#backlog = backlog;
    this.isHeld = false;
    this.advance();
  }

  /** An own submission begins at a sequence. */
  expect(own: OwnSubmission, firstSeq: number): void {
    this.#expected ??= new Map();
    this.#expected.set(firstSeq, own);
  }

  /** Its outcome is known. */
  settled(own: OwnSubmission): void {
    const isToCome = own.firstSeq !== undefined && own.firstSeq > this.sentSeq;
    if (own.hasFailed || !isToCome) {
      if (own.firstSeq !== undefined) this.#expected?.delete(own.firstSeq);
      this.#sink.acknowledge(own);
    }
    this.advance();
  }

  /** Nothing of what waits will be sent: what is between is to be loaded. */
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

  /** The socket has taken what waited for it. */
  drained(): void {
    if (this.laggingSince === undefined || this.isHeld) return;
    this.laggingSince = undefined;
    this.advance();
  }

  /** The next frame, as everybody gets it; false where it has to wait. */
  pass({ lastSeq, frame }: OpFrame): boolean {
    if (this.#sink.isFull) {
      this.laggingSince ??= this.#sink.now();
      return false;
    }
    this.sentSeq = lastSeq;
    if (this.wants.ops) this.#sink.send(frame);
    return true;
  }

  /** Sends what can be sent. */
  advance(): void {
    if (this.isHeld || this.#isAdvancing || this.laggingSince !== undefined) return;
    if (this.sentSeq >= this.#source.head) return;
    this.#isAdvancing = true;
    this.#sink.together(() => {
      while (this.sentSeq < this.#source.head && this.#step());
    });
    this.#isAdvancing = false;
  }

  /** False where it has to wait. */
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
    this.sentSeq = lastSeq;
    if (this.wants.ops) this.#sink.send(frame);
    if (this.wants.hasOwnOps) this.#acknowledgePassed();
    return true;
  }

  #entriesFrom(next: number): readonly StreamEntry[] | undefined {
    const last = Math.min(this.#nextOwn(next) - 1, this.#source.head);
    const [oldest] = this.#backlog;
    const from = next - (oldest?.seq ?? 0);
    const held = this.#backlog.slice(from, from + batchLimits.operations);
    if (oldest !== undefined && held.length > 0) return held.filter(({ seq }) => seq <= last);
    this.#backlog = [];
    const found = this.#source.between(next, last);
    return found?.length ? found : undefined;
  }

  /** Where the next own submission begins that is acknowledged in the stream. */
  #nextOwn(after: number): number {
    let nearest = Infinity;
    if (this.wants.hasOwnOps) return nearest;
    for (const firstSeq of this.#expected?.keys() ?? []) {
      if (firstSeq > after && firstSeq < nearest) nearest = firstSeq;
    }
    return nearest;
  }

  /** Own operations that came by whole are acknowledged behind them. */
  #acknowledgePassed(): void {
    for (const [firstSeq, own] of this.#expected ?? []) {
      if (!own.isSettled || (own.lastSeq ?? 0) > this.sentSeq) continue;
      this.#expected?.delete(firstSeq);
      this.#sink.acknowledge(own);
    }
  }
}
