/** What a credential may do. Registered agents have read and write; a claim adds account. */
export const scopes = ['read', 'write', 'account'] as const;

export type Scope = (typeof scopes)[number];

/** Who sends a request, as far as the credential tells. */
export interface Principal {
  /** `agt_` or `usr_` + ULID: the owner of what this principal makes. */
  readonly userId: string;
  readonly kind: 'anonymous' | 'claimed' | 'human';
  readonly scopes: readonly Scope[];
  readonly credentialId: string;
  /** Where this principal's workbooks live when a request names no namespace. */
  readonly namespace: string;
}

/** The scopes that are asked for and not held; empty when all is well. */
export function missingScopes(principal: Principal, needed: readonly Scope[]): Scope[] {
  return needed.filter((scope) => !principal.scopes.includes(scope));
}
