import type { Branches } from '../../branches/branches.ts';
import type { BranchAddress } from '../../branches/journal-store.ts';
import type { SubmissionAnswer, SubmissionRequest } from '../../branches/submission.ts';
import { isForever, positionTag, readReference, type Place } from '../../branches/place.ts';
import { RefusingOperation } from '../../branches/trial.ts';
import { Failure } from '../../model/failure.ts';
import { referenceName } from '../../model/reference.ts';
import type { RejectionError } from '../../model/rejection.ts';

/** Reads `expect_head`: the head, if the branch is the named one. */
export async function expectedHeadOf(
  branches: Pick<Branches, 'isFirstOfName'>,
  named: NamedBranch,
  expected: number | string | undefined,
): Promise<number | undefined> {
  if (typeof expected !== 'string') return expected;
  const reference = readReference(expected, '/expect_head');
  const isPosition = 'branch' in reference && reference.sequence !== undefined;
  if (!isPosition || reference.branch !== named.branch) {
    throw new Failure('headMoved', {
      detail: `${expected.slice(0, 100)} is not a position of the branch ${named.branch}.`,
      hint: 'Send the ref of an answer about this branch, such as main@42, or its number.',
    });
  }
  if (await isSameBranch(branches, named, reference.branchNo)) return reference.sequence;
  throw new Failure('headMoved', {
    detail: `The branch ${named.branch} is not the one that expect_head is about: it was made anew.`,
    hint: 'Read the branch again and decide anew.',
  });
}

async function isSameBranch(
  branches: Pick<Branches, 'isFirstOfName'>,
  { address }: NamedBranch,
  branchNo: number | undefined,
): Promise<boolean> {
  if (branchNo !== undefined) return branchNo === address.branchNo;
  return isForever(address.branchNo) || branches.isFirstOfName(address);
}

/** The position of a branch as its name says it, with its number where the name had others. */
export async function positionName(
  branches: Pick<Branches, 'isFirstOfName'>,
  { address, branch, onto }: NamedBranch,
  seq: number,
): Promise<string> {
  if (onto) return branch;
  const isPlain = isForever(address.branchNo) || (await branches.isFirstOfName(address));
  return isPlain ? referenceName(branch, seq) : positionTag({ address, branch }, seq);
}

type NamedBranch = Pick<Place, 'address' | 'branch' | 'onto'>;

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
