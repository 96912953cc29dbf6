import { Failure } from '../model/failure.ts';
import { missingScopes, type Principal } from '../model/scope.ts';

/**
 * Fails without the scope `account`, which proves a person behind the agent: a purge cannot be
 * undone.
 */
export function checkPurgeRight(principal: Principal): void {
  const missing = missingScopes(principal, ['account']);
  if (missing.length === 0) return;
  throw new Failure('insufficientScope', {
    detail: `A purge needs the scope account; the credential has ${principal.scopes.join(', ')}.`,
    hint: 'Claim this identity: POST /agent/auth/claim {"claim_token","email"}.',
    extra: { required: missing },
  });
}
