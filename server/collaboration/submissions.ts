import type { SubmissionAnswer } from '../branches/submission.ts';
import { asFailure } from '../model/as-failure.ts';
import type { Failure } from '../model/failure.ts';
import { acknowledgementOf, emptyAnswer, rateLimited, refusalOf } from './acknowledgement.ts';
import type { SubmitOps } from './client-messages.ts';
import { Frame } from './frame.ts';
import { socketLimits } from './limits.ts';
import type { OpStream } from './op-stream.ts';
import type { OrderedWork } from './ordered-work.ts';
import type { Outlet } from './outlet.ts';
import { OwnSubmission } from './own-submission.ts';
import type { SocketRates } from './rates.ts';
import type { Seat } from './seat.ts';

export interface AskedSubmission {
  readonly message: SubmitOps;
  readonly writer: string;
  readonly byteCount: number;
  readonly sender: OwnSubmission;
}

/** A submission that is queued behind earlier ones; the answer follows when it is there. */
export interface Submitted {
  readonly answering: Promise<SubmissionAnswer>;
}

export interface SubmissionHost {
  submit(seat: Seat, asked: AskedSubmission): Promise<Submitted>;
  report(step: string, error: unknown): void;
}

interface SubmissionParts {
  readonly host: SubmissionHost;
  readonly seat: Seat;
  readonly outlet: Outlet;
  readonly rates: SocketRates | undefined;
  readonly order: OrderedWork;
}

/** Submissions of one socket, from their frames to their answers. */
export class Submissions {
  readonly #parts: SubmissionParts;
  /** The stream in which they are acknowledged; undefined before the hello is answered. */
  stream: OpStream | undefined;
  writer: string;
  /** Set once the credential has been replaced: it cannot write any more. */
  superseded: { readonly at: number; readonly failure: Failure } | undefined;
  /** Number of submissions without an answer. */
  #unackedCount = 0;

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
    this.writer = parts.seat.principal.userId;
  }

  get unackedCount(): number {
    return this.#unackedCount;
  }

  /** Takes a submission whose frame should have waited so long, or refuses it. */
  take(message: SubmitOps, byteCount: number, waitMilliseconds: number): void {
    const { order, rates } = this.#parts;
    const { ops } = message;
    if (waitMilliseconds > 0) {
      this.#refuse(
        message,
        rateLimited(waitMilliseconds, 'Too many frames came from this socket.'),
      );
    } else if (ops.length === 0) {
      order.run(() => this.#answerPing(message));
    } else if (this.superseded) {
      this.#refuse(message, this.superseded.failure);
    } else if (this.#unackedCount >= socketLimits.unackedSubmissions) {
      const most = socketLimits.unackedSubmissions;
      this.#refuse(message, rateLimited(100, `More than ${most} submissions wait for an answer.`));
    } else {
      const wait = rates?.takeOps(ops.length) ?? 0;
      if (wait > 0) {
        this.#refuse(message, rateLimited(wait, 'Too many operations came from this socket.'));
        return;
      }
      this.#unackedCount++;
      order.run(() => this.#handIn(message, byteCount));
    }
  }

  acknowledge({ name, answer, isUnbroken }: OwnSubmission): void {
    if (!answer) return;
    this.#unackedCount--;
    const head = Math.max(this.#begun.sentSeq, answer.lastSeq ?? 0);
    const told = acknowledgementOf(name, { answer, isWhole: isUnbroken, head });
    this.#parts.outlet.send(new Frame(told));
  }

  #answerPing(message: SubmitOps): void {
    this.#begun.advance();
    this.#parts.outlet.send(new Frame(emptyAnswer(message, this.#begun.sentSeq)));
  }

  /** Resolves when the submission is queued behind earlier ones. */
  async #handIn(message: SubmitOps, byteCount: number): Promise<void> {
    const sender = new OwnSubmission(message.submission, this.#begun);
    const { host, seat } = this.#parts;
    const { writer } = this;
    try {
      const { answering } = await host.submit(seat, { message, writer, byteCount, sender });
      void this.#answer(sender, message, answering);
    } catch (error) {
      this.#failed(sender, message, error);
    }
  }

  async #answer(
    own: OwnSubmission,
    message: SubmitOps,
    answering: Promise<SubmissionAnswer>,
  ): Promise<void> {
    try {
      own.answer = await answering;
    } catch (error) {
      this.#failed(own, message, error);
      return;
    }
    this.#begun.settled(own);
  }

  /** Answers a submission that failed as a whole. */
  #failed(own: OwnSubmission, message: SubmitOps, error: unknown): void {
    const { host, outlet } = this.#parts;
    const failure = asFailure(error);
    if (failure.key === 'internal') host.report('hand in operations of a socket', error);
    this.#unackedCount--;
    own.hasFailed = true;
    if (outlet.isOpen) this.#refuse(message, failure);
    this.#begun.settled(own);
  }

  #refuse({ submission, ops }: SubmitOps, failure: Failure): void {
    const head = this.stream?.sentSeq ?? 0;
    this.#parts.outlet.send(new Frame(refusalOf(submission, { ops, failure, head })));
  }

  get #begun(): OpStream {
    if (!this.stream) throw new Error('a socket has no stream before its hello');
    return this.stream;
  }
}
