import { Failure } from '../model/failure.ts';
import type { LimitsProfile } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import type { Claims, Origin } from './claims/claims.ts';
import type { Completions } from './claims/completion/completions.ts';
import { maskEmail, readEmail } from './email-address.ts';
import type { CredentialDetails, IdentityStore } from './identity-store.ts';
import { limitsOf } from './registration.ts';

export interface OwnAccountParts {
  readonly store: IdentityStore;
  readonly profile: LimitsProfile;
  readonly claims: Claims;
  readonly completions: Completions;
}

type Answer = Readonly<Record<string, unknown>>;

/** Requests of an agent about its own identity, which its credential alone identifies. */
export class OwnAccount {
  readonly #parts: OwnAccountParts;

  constructor(parts: OwnAccountParts) {
    this.#parts = parts;
  }

  whoAmI(principal: Principal): Promise<Answer> {
    return describeIdentity(this.#parts.store, principal, this.#parts.profile);
  }

  /** Sends a code to a person, who passes it to the agent. */
  async startClaim(
    principal: Principal,
    {
      email: text,
      isLink,
      ...origin
    }: Origin & { readonly email: string; readonly isLink: boolean },
  ): Promise<Answer> {
    checkUnclaimed(principal);
    const email = readEmail(text);
    if (email === undefined) {
      throw new Failure('invalidRequest', {
        detail: 'email: not an e-mail address.',
        hint: 'Send one address such as ada@example.com.',
      });
    }
    return this.#parts.claims.request({ claimToken: principal, email, isLink, ...origin });
  }

  async completeClaim(
    principal: Principal,
    { code, ...origin }: Origin & { readonly code: string },
  ): Promise<Answer> {
    checkUnclaimed(principal);
    const asked = { claimToken: principal, code, idempotencyKey: undefined, ...origin };
    return (await this.#parts.completions.complete(asked)).data;
  }
}

function checkUnclaimed({ kind }: Principal): void {
  if (kind === 'anonymous') return;
  throw new Failure('previouslyClaimed', {
    detail: 'A person stands behind this identity already.',
    hint: 'Go on with the credential that you have: it holds the scope account.',
  });
}

function describeCredential({ id, last4, created, lastUsed, expires }: CredentialDetails) {
  return {
    id,
    last4,
    created: created.toISOString(),
    last_used: lastUsed?.toISOString() ?? null,
    expires: expires?.toISOString() ?? null,
  };
}

/** Returns the identity behind a credential, and what the credential allows. */
export async function describeIdentity(
  store: IdentityStore,
  principal: Principal,
  profile: LimitsProfile,
): Promise<Record<string, unknown>> {
  const { userId } = principal;
  const [credential, names] = await Promise.all([
    store.describeCredential(principal.credentialId),
    store.namesOf([userId]),
  ]);
  const owner = credential?.owner;
  return {
    user_id: userId,
    name: names.get(userId) ?? principal.namespace,
    kind: principal.kind,
    namespace: principal.namespace,
    scopes: principal.scopes,
    owner: owner === undefined ? null : { user_id: owner.userId, email: maskEmail(owner.email) },
    credential: credential && describeCredential(credential),
    limits: limitsOf(principal, profile),
  };
}
