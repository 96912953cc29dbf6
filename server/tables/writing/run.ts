import type { SubmissionAnswer } from '../../branches/submission.ts';
import { Failure } from '../../model/failure.ts';
import type { Operation } from '../../model/operation.ts';
import type { RowsPart } from '../../model/row-writes.ts';
import {
  addCounts,
  noRows,
  type RejectedRow,
  type RowCounts,
} from '../../state/plan/row-counts.ts';
import { isKeyBatch, placeIn } from './row-parts.ts';

/** A part of a run that was refused. */
export interface RefusedChunk {
  /** Places of its first and last row in what was sent. */
  readonly rows: readonly [from: number, to: number];
  readonly code: string;
  readonly message: string;
  readonly pointer: string;
}

export interface RowsWritten extends RowCounts {
  readonly status: 'applied' | 'partial' | 'duplicate' | 'unchanged';
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly head: number;
  /** Operations in the journal. */
  readonly operations: number;
  readonly refused: readonly RefusedChunk[];
}

/** One operation, and the rows that it was made of. */
export interface Step {
  readonly operation: Operation;
  readonly part: RowsPart;
  /** Rows whose keys parts before it had: left out, or a reason to refuse all of it. */
  readonly repeated?: readonly RejectedRow[];
}

/** The outcome so far of a run of operations that are not one whole. */
export class Run {
  #counts = noRows;
  readonly #answers: SubmissionAnswer[] = [];
  readonly #refused: RefusedChunk[] = [];
  #first: Failure | undefined;
  #bug: { error: unknown } | undefined;

  /** The position after all of it; nothing of it may have been written. */
  get position(): number {
    return sumOf(this.#answers).lastSeq ?? this.#head;
  }

  get #head(): number {
    return Math.max(...this.#answers.map((answer) => answer.head));
  }

  get isWhole(): boolean {
    return this.#refused.length === 0;
  }

  async note(
    { part }: Step,
    sent: Promise<{ answer: SubmissionAnswer; counts: RowCounts }>,
  ): Promise<void> {
    try {
      const { answer, counts } = await sent;
      this.#counts = addCounts(this.#counts, counts);
      this.#answers.push(answer);
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500 || error.status === 412) {
        this.#bug ??= { error };
      } else this.refuse(error, part);
    }
  }

  leaveOut(rejected: readonly RejectedRow[]): void {
    this.#counts = addCounts(this.#counts, leftOut(rejected));
  }

  refuse(failure: Failure, part: RowsPart): void {
    this.#first ??= failure;
    const [error] = failure.errors;
    const { length } = isKeyBatch(part) ? part.keys : part.rows;
    this.#refused.push({
      rows: [placeIn(part, 0), placeIn(part, length - 1)],
      code: error?.code ?? failure.code,
      message: error?.message ?? failure.detail,
      pointer: error?.pointer ?? '',
    });
  }

  /** Fails where nothing was done, and where it cannot go on. */
  check(): void {
    if (this.#bug) throw this.#bug.error;
    if (this.#answers.length === 0 && this.#first) throw this.#first;
  }

  result(): RowsWritten {
    this.check();
    const sum = sumOf(this.#answers);
    const status = this.isWhole ? sum.status : 'partial';
    return { ...this.#counts, ...sum, status, head: this.#head, refused: this.#refused };
  }
}

export function leftOut(rejected: readonly RejectedRow[]): RowCounts {
  return { ...noRows, rejected, rejectedCount: rejected.length };
}

/** Sums up what the answers to operations say of the whole. */
export function sumOf(answers: readonly SubmissionAnswer[]) {
  const results = answers.flatMap((answer) => answer.results);
  const seqs = results.flatMap(({ seq }) => seq ?? []);
  const isOld = results.length > 0 && results.every(({ status }) => status === 'duplicate');
  const isSame = results.every(({ status }) => status === 'noop');
  const status: RowsWritten['status'] = isOld ? 'duplicate' : isSame ? 'unchanged' : 'applied';
  const firstSeq = seqs.length > 0 ? Math.min(...seqs) : null;
  const lastSeq = seqs.length > 0 ? Math.max(...seqs) : null;
  const refused: readonly RefusedChunk[] = [];
  return { status, firstSeq, lastSeq, operations: seqs.length, refused };
}
