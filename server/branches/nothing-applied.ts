import { Failure } from '../model/failure.ts';
import { fieldErrorOf } from './results.ts';
import type { SubmissionAnswer } from './submission.ts';

/** Makes the failure of a submission of which nothing was applied; it has results as any answer. */
export function nothingApplied({ status: outcome, ...result }: SubmissionAnswer): Failure {
  const errors = result.results.flatMap(({ error }, index) => {
    if (!error || index >= toldMost) return [];
    return [fieldErrorOf(index, error)];
  });
  const [first] = errors;
  const hint = result.results.find(({ error }) => error)?.error?.hint;
  return new Failure('nothingApplied', {
    ...(first && { detail: `${first.pointer}: ${first.message}` }),
    ...(hint !== undefined && { hint }),
    errors,
    extra: { outcome, ...result },
  });
}

/** Most rejections in `errors`; `results` has all. */
const toldMost = 20;
