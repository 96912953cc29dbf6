/**
 * The rights that a credential may have. Registered agents have read and write; a claim adds
 * account.
 */
export const scopes = ['read', 'write', 'account'] as const;

export type Scope = (typeof scopes)[number];

/** The sender of a request, as far as the credential tells. */
export interface Principal {
  /** `agt_` or `usr_` + ULID: the owner of everything this principal makes. */
  readonly userId: string;
  readonly kind: 'anonymous' | 'claimed' | 'human';
  readonly scopes: readonly Scope[];
  readonly credentialId: string;
  /** Namespace of this principal's workbooks when a request names none. */
  readonly namespace: string;
}

/** Returns the needed scopes that a principal lacks. */
export function missingScopes(principal: Principal, needed: readonly Scope[]): Scope[] {
  return needed.filter((scope) => !principal.scopes.includes(scope));
}
