import { isLast, isUndo, type Operation, type UndoOperation } from '../model/operation.ts';
import type { AdmissionOptions, StrictSpan } from '../state/admission.ts';
import { ClientView } from '../state/client-view.ts';
import type { Structure } from '../state/structure/structure.ts';
import { comparedId, keyedId } from './keyed-id.ts';
import type { OperationResult, SubmissionAnswer, SubmissionRequest } from './submission.ts';

/** The durable progress of a submission, to which a failed batch resets it. */
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
  /** Milliseconds since the Unix epoch. */
  readonly arrivedAt: number;
  readonly answered: Promise<SubmissionAnswer>;
  /** Undo operations of the submission. */
  readonly undoes: readonly UndoOperation[];
  /** Results of the settled operations in order; changed by the batch that admits it. */
  results: OperationResult[] = [];
  view: ClientView | undefined;
  firstSeq: number | undefined;
  lastSeq: number | undefined;
  /** True once the sender has an answer. */
  isAnswered = false;
  readonly #comparedIds: string[] = [];
  #saved: Progress = nothing;
  #resolve!: (answer: SubmissionAnswer) => void;
  #reject!: (reason: unknown) => void;

  constructor(request: SubmissionRequest, arrivedAt = 0) {
    this.request = request;
    this.arrivedAt = arrivedAt;
    this.undoes = request.ops.filter(isUndo);
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** True if it undoes the last change, which requires that all before it is durable. */
  get undoesLast(): boolean {
    return this.undoes.some(isLast);
  }

  get isComplete(): boolean {
    return this.results.length === this.request.ops.length;
  }

  /** True once a batch has taken some of it. */
  get isBegun(): boolean {
    return this.results.length > 0;
  }

  get next(): Operation | undefined {
    return this.request.ops[this.results.length];
  }

  /** View of the client; available once admission has begun. */
  get seen(): ClientView {
    if (!this.view) throw new Error('a submission is admitted before it has a view');
    return this.view;
  }

  /** Options for admitting the next operation; without an id a noop leaves no trace. */
  optionsOf(strict: StrictSpan, id: string | undefined): AdmissionOptions {
    const passesNoop = this.request.passesNoops === true && id === undefined;
    const year = new Date(this.arrivedAt).getUTCFullYear();
    return { view: this.seen, strict, author: this.request, passesNoop, year };
  }

  /**
   * Returns the id of an operation: its own, or one made from the Idempotency-Key and its place.
   */
  idOf(index: number): string | undefined {
    const op = this.request.ops[index];
    if (op === undefined || op.id !== undefined) return op?.id;
    const { comparesRepeats, idempotencyKey: key } = this.request;
    if (key === undefined || comparesRepeats !== true) return this.plainIdOf(index);
    return (this.#comparedIds[index] ??= comparedId(key, index, op));
  }

  /**
   * Returns the id of only Idempotency-Key and place; undefined for an operation with its own id.
   */
  plainIdOf(index: number): string | undefined {
    const { ops, idempotencyKey: key } = this.request;
    return key === undefined || ops[index]?.id !== undefined ? undefined : keyedId(key, index);
  }

  /** Returns whether this submission, not an earlier one, wrote the operation. */
  hasWritten(seq: number): boolean {
    return this.firstSeq !== undefined && seq >= this.firstSeq;
  }

  /** Saves the durable progress, to which `restore` returns. */
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
