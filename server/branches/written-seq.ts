import { Failure } from '../model/failure.ts';
import type { SubmissionAnswer } from './submission.ts';

/**
 * The sequence of the one operation of a submission; of a repeat, that of the first time. Fails
 * with `submission_rejected` where the branch took it for impossible.
 */
export function writtenSeq({ results }: Pick<SubmissionAnswer, 'results'>): number {
  const [result] = results;
  if (result?.seq !== undefined) return result.seq;
  const error = result?.error;
  throw new Failure('submissionRejected', {
    ...(error && { detail: error.message, hint: error.hint }),
  });
}
