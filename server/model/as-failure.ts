import { hasCode } from './error-code.ts';
import { Failure } from './failure.ts';
import { outageOf } from './outage.ts';

/** PostgreSQL's code for a row whose workbook, branch or user was removed a moment ago. */
const foreignKeyViolation = '23503';

/**
 * Turns any error into a failure of the catalogue: outages into theirs, unknown errors into faults
 * of the service.
 */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (hasCode(error, foreignKeyViolation)) {
    return new Failure('notFound', {
      detail: 'What this belongs to was removed while the request was under way.',
      cause: error,
    });
  }
  return (
    outageOf(error) ??
    new Failure('internal', {
      hint: 'Try again; if it stays, report the requestId.',
      cause: error,
    })
  );
}
