import { Failure } from './failure.ts';
import { operationLimits } from './operation-limits.ts';

/** Fails when a submission has more operations than one may have. */
export function checkOperationCount(count: number): void {
  const { operationsPerSubmission } = operationLimits;
  if (count <= operationsPerSubmission) return;
  throw new Failure('tooManyOperations', {
    detail: `One submission takes at most ${operationsPerSubmission} operations, and this one has ${count}.`,
    hint: 'Send several submissions.',
  });
}
