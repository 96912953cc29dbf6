import type { SubmissionAnswer } from '../branches/submission.ts';
import type { OpStream } from './op-stream.ts';

/**
 * Operations that one socket has handed in and not heard of yet. The sequencer carries it along as
 * their sender, so that the stream of this socket knows its own when they come by.
 */
export class OwnSubmission {
  readonly name: string;
  readonly #stream: OpStream;
  /** Sequences that have come by so far. */
  firstSeq: number | undefined;
  lastSeq: number | undefined;
  /** True when the operations follow one another, so that one answer can stand for them. */
  isUnbroken = true;
  answer: SubmissionAnswer | undefined;
  /** It failed as a whole; what of it was written comes by as others' operations do. */
  hasFailed = false;

  constructor(name: string, stream: OpStream) {
    this.name = name;
    this.#stream = stream;
  }

  get isSettled(): boolean {
    return this.answer !== undefined || this.hasFailed;
  }

  /** One of its operations was written. */
  note(seq: number): void {
    if (this.firstSeq === undefined) {
      this.firstSeq = seq;
      this.#stream.expect(this, seq);
    } else if (seq !== (this.lastSeq ?? 0) + 1) this.isUnbroken = false;
    this.lastSeq = seq;
  }
}
