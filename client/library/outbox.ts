import type { Acknowledged, Acknowledgement } from './frames.ts';
import { nothing, PendingQueue, type Pending, type Storage } from './pending.ts';
import type { Problem } from './problem.ts';
import { closed } from './session-ends.ts';

interface Waiter {
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (problem: Problem) => void;
}

const unansweredMost = 16;

/** Submissions of a session, each with the caller who waits for its answer. */
export class Outbox {
  readonly #queue: PendingQueue;
  readonly #waiters = new Map<string, Waiter>();
  /** Submissions that were sent on the current socket and are not answered. */
  readonly #sent = new Set<string>();

  constructor(storage: Storage | undefined, name: string) {
    this.#queue = new PendingQueue(storage, name);
  }

  load(): Promise<void> {
    return this.#queue.load();
  }

  /** Submissions without an answer. */
  get pending(): readonly Pending[] {
    return this.#queue.items;
  }

  /** Resolves with the answer to a submission; rejects when it is discarded or the session ends. */
  answerTo(submission: string): Promise<Acknowledged> {
    const answer = new Promise<Acknowledged>((resolve, reject) => {
      this.#waiters.set(submission, { resolve, reject });
    });
    // It may be rejected while the submission is being stored, before anybody can wait for it.
    answer.catch(nothing);
    return answer;
  }

  /** Adds a submission, unless it is here already; resolves once it is stored. */
  async add(pending: Pending): Promise<void> {
    const isKnown = this.pending.some(({ submission }) => submission === pending.submission);
    if (isKnown) return;
    try {
      await this.#queue.add(pending);
    } catch (error) {
      this.#waiters.delete(pending.submission);
      throw error;
    }
  }

  /** Drops a submission, unless it was sent on the current socket. */
  async discard(submission: string): Promise<void> {
    if (this.#sent.has(submission)) return;
    this.#waiters.get(submission)?.reject(closed('It was discarded.'));
    this.#waiters.delete(submission);
    await this.#queue.remove(submission);
  }

  /** Has all submissions name addresses as of another position. */
  rebase(baseSeq: number | undefined): void {
    // A list that the storage does not take is in the next write.
    void this.#queue.rebase(baseSeq).then(nothing, nothing);
  }

  /** Yields the submissions that may be sent now, in their order, and marks each as sent. */
  *due(): Generator<Pending, void> {
    for (const pending of this.#queue.stored) {
      if (this.#sent.size >= unansweredMost) return;
      if (this.#sent.has(pending.submission)) continue;
      this.#sent.add(pending.submission);
      yield pending;
    }
  }

  /** Marks a submission as not sent; without an id all of them, as after a lost connection. */
  unsend(submission?: string): void {
    if (submission === undefined) this.#sent.clear();
    else this.#sent.delete(submission);
  }

  /** Drops an answered submission, after a call of `tell`, and resolves its promise. */
  async settle(answer: Acknowledgement, tell: () => void): Promise<void> {
    const { submission } = answer;
    const waiter = this.#waiters.get(submission);
    this.#waiters.delete(submission);
    tell();
    // A submission that stays in the storage is sent again, and the service knows it by its id.
    await this.#queue.remove(submission).then(nothing, nothing);
    waiter?.resolve(answer);
  }

  /** Rejects the promises of all answers; the submissions stay in the storage. */
  end(problem: Problem): void {
    for (const { reject } of this.#waiters.values()) reject(problem);
    this.#waiters.clear();
  }
}
