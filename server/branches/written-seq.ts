import { Failure } from '../model/failure.ts';
import type { SubmissionAnswer } from './submission.ts';

/**
 * Returns the sequence of the only operation of a submission; for a repetition, the original one.
 * Fails with `submission_rejected` if the operation was rejected.
 */
export function writtenSeq({ results }: Pick<SubmissionAnswer, 'results'>): number {
  const [result] = results;
  if (result?.seq !== undefined) return result.seq;
  const error = result?.error;
  throw new Failure('submissionRejected', {
    ...(error && { detail: error.message, hint: error.hint }),
  });
}
