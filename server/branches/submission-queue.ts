import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import type { LiveBranch } from './live-branch.ts';
import type { PendingSubmission } from './pending.ts';

/** Limits of the queue of one branch; beyond them a sender is asked to come back. */
const most = { submissionCount: 4_096, operationCount: 100_000, byteCount: 64 << 20 };

/** Milliseconds after which submissions that were not sent to a silent database are refused. */
const refuseMilliseconds = 2_000;
const lookMilliseconds = 250;
/** A submission is answered by then, whatever the database does. */
const answerMilliseconds = 9_000;
const appendMilliseconds = { least: 1_000, most: 7_000 };

/** Submissions in the order of their arrival. They stay until they are answered. */
export class SubmissionQueue {
  #waiting: PendingSubmission[] = [];
  #operationCount = 0;
  #byteCount = 0;
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** The submission that has waited longest. */
  get first(): PendingSubmission | undefined {
    return this.#waiting[0];
  }

  /** Lists the submissions that wait now. */
  snapshot(): readonly PendingSubmission[] {
    return this.#waiting.slice();
  }

  add(pending: PendingSubmission): void {
    if (this.#isFull) {
      throw new Failure('unavailable', {
        detail: `${this.#operationCount} operations wait for this branch already.`,
        hint: 'Wait a second and send the same submission again.',
        headers: { 'Retry-After': '1' },
      });
    }
    this.#waiting.push(pending);
    this.#count(pending, 1);
  }

  /** Drops the submissions that were answered. */
  sweep(): void {
    for (const pending of this.#waiting) if (pending.isAnswered) this.#count(pending, -1);
    this.#waiting = this.#waiting.filter((pending) => !pending.isAnswered);
  }

  /**
   * Fails submissions that were not sent to the database yet; the others are answered by their
   * outcome.
   */
  refuseUnsent(): void {
    for (const pending of this.#waiting) if (!pending.isBegun) pending.fail(notTried());
    this.sweep();
  }

  /** While the database takes its time, what came meanwhile is not left waiting behind it. */
  async whileRefusing<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const environment = this.#environment;
    let cancel = (): void => undefined;
    const look = (): void => {
      this.refuseUnsent();
      cancel = environment.after(lookMilliseconds, look);
    };
    cancel = environment.after(refuseMilliseconds, look);
    try {
      return await answer;
    } finally {
      cancel();
    }
  }

  /** Time limit of an append: shorter the longer the first submission has waited. */
  appendMilliseconds(now: number): number {
    const waited = now - (this.first?.arrivedAt ?? now);
    const { least, most: longest } = appendMilliseconds;
    return Math.max(least, Math.min(longest, answerMilliseconds - waited));
  }

  failAll(reason: unknown): void {
    for (const pending of this.#waiting) pending.fail(reason);
    this.sweep();
  }

  get #isFull(): boolean {
    return (
      this.#waiting.length >= most.submissionCount ||
      this.#operationCount >= most.operationCount ||
      this.#byteCount >= most.byteCount
    );
  }

  #count({ request }: PendingSubmission, sign: 1 | -1): void {
    this.#operationCount += sign * request.ops.length;
    this.#byteCount += sign * request.byteCount;
  }
}

function notTried(): Failure {
  return new Failure('unavailable', {
    detail: 'The database does not answer, so these operations were not tried.',
    hint: 'Wait a moment and send them again.',
    headers: { 'Retry-After': '1' },
  });
}

/** The oldest base that is still within the window, or the start of the state. */
export function oldestBase(
  waiting: readonly PendingSubmission[],
  { startSeq, state }: LiveBranch,
): number {
  let oldest = startSeq;
  for (const { request } of waiting) {
    const base = request.baseSeq ?? state.head;
    if (base >= state.head - limits.baseWindowOperations) oldest = Math.min(oldest, base);
  }
  return oldest;
}
