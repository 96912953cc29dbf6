import { isUndo, type Operation, type UndoOperation } from '../model/operation.ts';
import { ClientView } from '../state/client-view.ts';
import type { Structure } from '../state/structure.ts';
import type { OperationResult, SubmissionAnswer, SubmissionRequest } from './submission.ts';

/** How far a submission has come; what a batch that failed is set back to. */
interface Progress {
  readonly resultCount: number;
  readonly seen: Structure | undefined;
  readonly firstSeq: number | undefined;
  readonly lastSeq: number | undefined;
}

const nothing = { resultCount: 0, seen: undefined, firstSeq: undefined, lastSeq: undefined };

/** A submission between its arrival and its answer. */
export class PendingSubmission {
  readonly request: SubmissionRequest;
  readonly answered: Promise<SubmissionAnswer>;
  /** Those of its operations that take others back. */
  readonly undoes: readonly UndoOperation[];
  /** One a settled operation, in order. Changed by the batch that admits it. */
  results: OperationResult[] = [];
  view: ClientView | undefined;
  firstSeq: number | undefined;
  lastSeq: number | undefined;
  /** Whether the sender has heard, of whatever it was. */
  isAnswered = false;
  #saved: Progress = nothing;
  #resolve!: (answer: SubmissionAnswer) => void;
  #reject!: (reason: unknown) => void;

  constructor(request: SubmissionRequest) {
    this.request = request;
    this.undoes = request.ops.filter(isUndo);
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isComplete(): boolean {
    return this.results.length === this.request.ops.length;
  }

  get next(): Operation | undefined {
    return this.request.ops[this.results.length];
  }

  /** The id of an operation: its own, or one made from the Idempotency-Key and its place. */
  idOf(index: number): string | undefined {
    const { ops, idempotencyKey } = this.request;
    const own = ops[index]?.id;
    return own ?? (idempotencyKey === undefined ? undefined : `${idempotencyKey}#${index}`);
  }

  /** Whether this very submission, and not an earlier one, wrote the operation. */
  hasWritten(seq: number): boolean {
    return this.firstSeq !== undefined && seq >= this.firstSeq;
  }

  /** What is durable so far; `restore` goes back to it. */
  save(): void {
    this.#saved = {
      resultCount: this.results.length,
      seen: this.view?.structure,
      firstSeq: this.firstSeq,
      lastSeq: this.lastSeq,
    };
  }

  restore(): void {
    const { resultCount, seen, firstSeq, lastSeq } = this.#saved;
    this.results = this.results.slice(0, resultCount);
    this.view = seen && new ClientView(seen);
    this.firstSeq = firstSeq;
    this.lastSeq = lastSeq;
  }

  wrote(seq: number): void {
    this.firstSeq ??= seq;
    this.lastSeq = seq;
  }

  settle(head: number): void {
    const { firstSeq, lastSeq, results } = this;
    this.isAnswered = true;
    this.#resolve({ status: overall(results), firstSeq, lastSeq, head, results });
  }

  fail(reason: unknown): void {
    this.isAnswered = true;
    this.#reject(reason);
  }
}

function overall(results: readonly OperationResult[]): SubmissionAnswer['status'] {
  const rejectedCount = results.filter(({ status }) => status === 'rejected').length;
  if (rejectedCount > 0) return rejectedCount === results.length ? 'rejected' : 'partial';
  const isOld = results.length > 0 && results.every(({ status }) => status === 'duplicate');
  return isOld ? 'duplicate' : 'applied';
}
