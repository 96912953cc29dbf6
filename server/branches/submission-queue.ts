import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import type { LiveBranch } from './live-branch.ts';
import type { Pace } from './pace.ts';
import type { PendingSubmission } from './pending.ts';

/** Limits of the queue of a branch, beyond which senders must retry later. */
const most = { submissionCount: 4_096, operationCount: 100_000, byteCount: 64 << 20 };

/** Milliseconds after which submissions are refused that a silent database has not received. */
const refuseMilliseconds = 2_000;
const lookMilliseconds = 250;
/** Milliseconds within which a submission is answered in any case. */
const answerMilliseconds = 9_000;
/** Bytes of operations from which work on them takes a slice of its own. */
const largeBytes = 4_096;
const appendMilliseconds = { least: 1_000, most: 7_000 };

/** The submissions in order of arrival, until they are answered. */
export class SubmissionQueue {
  #waiting: PendingSubmission[] = [];
  #operationCount = 0;
  #byteCount = 0;
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** True if what waits takes long beside a pause, or a kept state. */
  get isLarge(): boolean {
    return this.#byteCount >= largeBytes;
  }

  /** Lets readers have the thread before a part of large work that takes a slice by itself. */
  async giveWay(pace: Pace): Promise<void> {
    if (this.isLarge) await pace.rest();
    else pace.begin();
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** The longest waiting submission. */
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

  /** Removes answered submissions. */
  sweep(): void {
    for (const pending of this.#waiting) if (pending.isAnswered) this.#count(pending, -1);
    this.#waiting = this.#waiting.filter((pending) => !pending.isAnswered);
  }

  /** Fails submissions that were not sent to the database; the others wait for their outcome. */
  refuseUnsent(): void {
    for (const pending of this.#waiting) if (!pending.isBegun) pending.fail(notTried());
    this.sweep();
  }

  /** Waits for an answer of the database, and refuses unsent submissions if it takes long. */
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

  /** Time limit of an append, which shrinks with the wait of the first submission. */
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

/**
 * Returns the oldest base of waiting submissions in the window, and at most the start of the state.
 */
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
