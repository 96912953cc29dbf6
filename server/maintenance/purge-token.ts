import { Failure } from '../model/failure.ts';

/** Returns the token of a purge; fails without one. */
export function requiredToken(id: string, confirm: string | undefined): string {
  if (confirm !== undefined && confirm !== '') return confirm;
  throw new Failure('invalidRequest', {
    detail: 'A purge needs the confirm token that archiving answered.',
    hint: `DELETE /v1/workbooks/${id} archives it, if it is not, and answers the token.`,
    errors: [{ pointer: '?confirm', code: 'missing', message: 'purge=true needs it' }],
  });
}

/** The refusal of a token without a purge: its sender does not mean to archive. */
export function misplacedToken(): Failure {
  return new Failure('invalidRequest', {
    detail: 'confirm is for a purge, and the request does not ask for one.',
    hint: 'Send purge=true with it, or leave it out to archive.',
    errors: [{ pointer: '?confirm', code: 'misplaced', message: 'goes with purge=true' }],
  });
}
