import { Failure } from '../model/failure.ts';
import { missingScopes, type Principal } from '../model/scope.ts';

/**
 * Purging cannot be undone, so it needs the scope account, which proves that a person stands behind
 * the agent.
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
