import { Failure } from '../model/failure.ts';
import { missingScopes, type Principal } from '../model/scope.ts';

/**
 * Purging cannot be undone, so it needs the scope account, which proves that a person stands behind
 * the agent. As long as no credential can come to have that scope (claims are not open), asking for
 * it would mean that nothing can be purged at all; until then whoever may archive may purge.
 */
export function checkPurgeRight(principal: Principal, isAccountGranted: boolean): void {
  const missing = isAccountGranted ? missingScopes(principal, ['account']) : [];
  if (missing.length === 0) return;
  throw new Failure('insufficientScope', {
    detail: `A purge needs the scope account; the credential has ${principal.scopes.join(', ')}.`,
    hint: 'Claim this identity: POST /agent/auth/claim {"claim_token","email"}.',
    extra: { required: missing },
  });
}
