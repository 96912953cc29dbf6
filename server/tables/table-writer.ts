import type { BranchAddress } from '../branches/journal-store.ts';
import type { Branches } from '../branches/branches.ts';
import type { OperationResult, SubmissionAnswer } from '../branches/submission.ts';
import type { SubmissionRequest } from '../branches/submission.ts';
import { RefusingOperation } from '../branches/trial.ts';
import { Failure, type FailureKey } from '../model/failure.ts';
import type { RejectionCode, RejectionError } from '../model/rejection.ts';

type Writing = Pick<Branches, 'submit'>;

/** The operations of a request, with pointers into the request. */
export interface TableSubmission {
  readonly request: SubmissionRequest;
  /** Turns a pointer into the payload of an operation into one into the request. */
  readonly pointerOf: (index: number, within: string) => string;
}

/** Submits operations; failures are those of the request. */
export async function submitForTable(
  branches: Writing,
  address: BranchAddress,
  { request, pointerOf }: TableSubmission,
): Promise<SubmissionAnswer> {
  let answer: SubmissionAnswer;
  try {
    answer = await branches.submit(address, request);
  } catch (error) {
    throw refusedWhole(error, pointerOf);
  }
  const at = answer.results.findIndex(({ error }) => error !== undefined);
  const error = answer.results[at]?.error;
  if (error) throw refusal(error, pointerOf(at, error.pointer ?? ''));
  return answer;
}

/** Makes the failure of an atomic request from the operation that caused it. */
function refusedWhole(error: unknown, pointerOf: TableSubmission['pointerOf']): unknown {
  if (!(error instanceof Failure) || !(error.cause instanceof RefusingOperation)) return error;
  const { index, error: refused } = error.cause;
  return refusal(refused, pointerOf(index, refused.pointer ?? ''));
}

/** Rejections that are conflicts with the current state; others depend on the request only. */
const conflicts: ReadonlySet<string> = new Set<RejectionCode>([
  'target_deleted',
  'precondition_failed',
  'conflict',
  'base_too_old',
  'id_too_old',
  'id_reused',
  'protected',
]);

function keyFor(code: string): FailureKey {
  if (code === 'table_not_found') return 'tableNotFound';
  if (code === 'name_taken') return 'nameTaken';
  return conflicts.has(code) ? 'nothingApplied' : 'tableRefused';
}

export function refusal({ code, message, hint }: RejectionError, pointer: string): Failure {
  const errors = [{ pointer, code, message }];
  return new Failure(keyFor(code), { detail: message, hint, errors });
}

/** Returns the result of the only operation of a submission. */
export function onlyResult({ results }: SubmissionAnswer): OperationResult {
  const [result] = results;
  if (!result) throw new Error('a submission of one operation has no result');
  return result;
}
