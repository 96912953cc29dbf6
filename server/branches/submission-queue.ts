import { Failure } from '../model/failure.ts';
import type { PendingSubmission } from './pending.ts';

/** What may wait for one branch; beyond that a sender is asked to come back. */
const most = { submissionCount: 4_096, operationCount: 100_000, byteCount: 64 << 20 };

/** Submissions in the order of their arrival. They stay until they are answered. */
export class SubmissionQueue {
  #waiting: PendingSubmission[] = [];
  #operationCount = 0;
  #byteCount = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** Everything that waits now. */
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

  /** Lets go of what was answered. */
  sweep(): void {
    for (const pending of this.#waiting) if (pending.isAnswered) this.#count(pending, -1);
    this.#waiting = this.#waiting.filter((pending) => !pending.isAnswered);
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
