import type { OperationResult, SubmissionAnswer } from '../branches/submission.ts';
import { Failure } from '../model/failure.ts';
import type { RejectionError } from '../model/rejection.ts';
import { rejectionError, Rejection, rejections } from '../model/rejection.ts';
import type { SubmitOps } from './client-messages.ts';
import { faultyMembers } from './submission-reading.ts';

/** Statuses after which the same submission may succeed later. */
const passing: ReadonlySet<number> = new Set([408, 429, 503]);
/** Statuses of lasting refusals: the submission or the credential is wrong. */
const lasting: ReadonlySet<number> = new Set([400, 401, 413, 415, 422]);

export interface Acknowledgement {
  readonly kind: 'ack';
  readonly submission: string;
  readonly status: SubmissionAnswer['status'];
  readonly firstSeq?: number;
  readonly lastSeq?: number;
  readonly head: number;
  readonly results: readonly object[];
  readonly retryAfterMs?: number;
  /**
   * Error of a refused submission without operations; other refusals report it for each operation.
   */
  readonly error?: RejectionError | object;
}

/** Returns the acknowledgement of a submission. `isWhole`: its sequence numbers are contiguous. */
export function acknowledgementOf(
  submission: string,
  { answer, isWhole, head }: { answer: SubmissionAnswer; isWhole: boolean; head: number },
): Acknowledgement {
  const { status, firstSeq, lastSeq } = answer;
  const span = isWhole && firstSeq !== undefined && lastSeq !== undefined && { firstSeq, lastSeq };
  const results = answer.results.map(resultOf);
  return { kind: 'ack', submission, status, ...span, head, results };
}

/** An operation that changed nothing counts as applied. */
function resultOf(result: OperationResult): object {
  return result.status === 'noop' ? { ...result, status: 'applied', noop: true } : result;
}

/** Returns the acknowledgement of a submission of which nothing was applied. */
export function refusalOf(
  submission: string,
  { ops, failure, head }: { ops: readonly unknown[]; failure: Failure; head: number },
): Acknowledgement {
  const results = ops.map((op, index) => {
    const id = idOf(op);
    const error = errorAt(failure, index);
    return { ...(id !== undefined && { id }), status: 'rejected', error };
  });
  const retryAfterMs = retryAfter(failure);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const why = ops.length === 0 ? { error: errorAt(failure, 0) } : {};
  return { kind: 'ack', submission, status: 'rejected', head, results, ...wait, ...why };
}

/**
 * Returns the acknowledgement of a submission without operations, which clients send as a sign of
 * life.
 */
export function emptyAnswer(message: SubmitOps, head: number): Acknowledgement {
  const { submission } = message;
  const failure = faultyMembers(message);
  if (failure) return refusalOf(submission, { ops: [], failure, head });
  return { kind: 'ack', submission, status: 'applied', head, results: [] };
}

function idOf(op: unknown): string | undefined {
  if (typeof op !== 'object' || op === null || !('id' in op)) return undefined;
  return typeof op.id === 'string' ? op.id : undefined;
}

/**
 * Returns the error to report for one operation. A refused submission may be sent again
 * (`retryable`) unless it is wrong in itself, because refusals are not stored; the rejection of an
 * operation is final.
 */
function errorAt(failure: Failure, index: number): RejectionError | object {
  const { code, detail, hint, errors } = failure;
  if (failure.key === 'submissionRejected') {
    const own = errors.find(({ pointer }) => `${pointer}/`.startsWith(`/ops/${index}/`));
    if (!own) return rejectionError(new Rejection('not_applied', 'another one was rejected'));
    const { code: rejected, message } = own;
    const within = own.pointer.slice(`/ops/${index}/payload`.length);
    const pointed = within === '' ? {} : { pointer: within };
    return { code: rejected, message, ...hintOf(rejected), retryable: false, ...pointed };
  }
  const own = errors.find(({ pointer }) => pointer.startsWith(`/ops/${index}/`));
  const message = own === undefined ? detail : `${own.pointer}: ${own.message}`;
  const next = hint ?? (own && shapesHint);
  const rest = next === undefined ? {} : { hint: next };
  return { code, message, ...rest, retryable: isRetryable(failure) };
}

function isRetryable({ key, status }: Failure): boolean {
  return !lasting.has(status) && key !== 'insufficientScope';
}

const shapesHint = 'GET /openapi.json has the members of each kind of operation.';

/** Returns the hint for a code of a rejection. */
function hintOf(code: string): { readonly hint?: string } {
  const hint = new Map<string, string>(Object.entries(rejections)).get(code);
  return hint === undefined ? {} : { hint };
}

function retryAfter({ status, extra, headers }: Failure): number | undefined {
  if (!passing.has(status)) return undefined;
  const milliseconds = extra['retryAfterMs'];
  if (typeof milliseconds === 'number') return milliseconds;
  const seconds = Number(extra['retry_after'] ?? headers['Retry-After'] ?? 1);
  return Number.isFinite(seconds) ? Math.ceil(seconds * 1_000) : 1_000;
}

export function rateLimited(retryAfterMs: number, detail: string): Failure {
  const hint = 'Send the same submission again after retryAfterMs.';
  return new Failure('rateLimited', { detail, hint, extra: { retryAfterMs } });
}
