import type { Branches } from '../../branches/branches.ts';
import type { BranchAddress } from '../../branches/journal-store.ts';
import type { SubmissionAnswer, SubmissionRequest } from '../../branches/submission.ts';
import { RefusingOperation } from '../../branches/trial.ts';
import { Failure } from '../../model/failure.ts';
import type { RejectionError } from '../../model/rejection.ts';

interface ArgumentsSubmission {
  readonly request: SubmissionRequest;
  /** The pointer into the arguments for one into the payload of an operation. */
  readonly pointerOf: (index: number, within: string) => string;
}

/** Submits operations that arguments were made into; a refusal names the argument at fault. */
export async function submitArguments(
  branches: Pick<Branches, 'submit'>,
  address: BranchAddress,
  { request, pointerOf }: ArgumentsSubmission,
): Promise<SubmissionAnswer> {
  const answer = await branches.submit(address, request).catch((error: unknown) => {
    if (!(error instanceof Failure) || !(error.cause instanceof RefusingOperation)) throw error;
    const { index, error: refused } = error.cause;
    throw refusal(refused, pointerOf(index, refused.pointer ?? ''));
  });
  const index = answer.results.findIndex(({ error }) => error !== undefined);
  const refused = answer.results[index]?.error;
  if (refused) throw refusal(refused, pointerOf(index, refused.pointer ?? ''));
  return answer;
}

function refusal({ code, message, hint }: RejectionError, pointer: string): Failure {
  const errors = [{ pointer, code, message }];
  return new Failure('nothingApplied', { detail: `${pointer}: ${message}`, hint, errors });
}
