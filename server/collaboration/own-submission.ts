import type { SubmissionAnswer } from '../branches/submission.ts';
import type { OpStream } from './op-stream.ts';

/**
 * A submission of a socket that is not acknowledged yet. The sequencer passes it on as the sender
 * of its operations, by which the stream of this socket recognises them.
 */
export class OwnSubmission {
  readonly name: string;
  readonly #stream: OpStream;
  /** Sequence numbers of its operations that were written so far. */
  firstSeq: number | undefined;
  lastSeq: number | undefined;
  /** True when the sequence numbers are contiguous. */
  isUnbroken = true;
  answer: SubmissionAnswer | undefined;
  /**
   * True when it failed as a whole; operations that were written all the same pass like those of
   * others.
   */
  hasFailed = false;

  constructor(name: string, stream: OpStream) {
    this.name = name;
    this.#stream = stream;
  }

  get isSettled(): boolean {
    return this.answer !== undefined || this.hasFailed;
  }

  /** Notes that one of its operations was written. */
  note(seq: number): void {
    if (this.firstSeq === undefined) {
      this.firstSeq = seq;
      this.#stream.expect(this, seq);
    } else if (seq !== (this.lastSeq ?? 0) + 1) this.isUnbroken = false;
    this.lastSeq = seq;
  }
}
