import type { Environment } from '../model/environment.ts';
import type { Authenticator } from './authenticator.ts';
import { isWellFormed, secretHash } from './credential.ts';
import type { IdentityStore } from './identity-store.ts';

interface Revokers {
  readonly store: Pick<IdentityStore, 'revoke'>;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly environment: Environment;
}

/** Ends a key or a token, here at once and in other processes by a notification. */
export async function revokeSecret(
  { store, authenticator, environment }: Revokers,
  secret: string | undefined,
  origin: { readonly address: string; readonly requestId: string },
): Promise<void> {
  if (secret === undefined) return;
  if (!isWellFormed('wbk_live_', secret) && !isWellFormed('wbo_', secret)) return;
  const sha256 = secretHash(secret);
  const at = new Date(environment.now());
  const kind = 'credential.revoked';
  await store.revoke(sha256, { kind, at, userId: undefined, credentialId: undefined, ...origin });
  authenticator.forget(sha256.toString('hex'));
}
