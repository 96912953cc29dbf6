import type { Principal, Scope } from '../model/scope.ts';

/** A credential as the bearer check needs it. */
export interface KnownCredential {
  readonly principal: Principal;
  readonly sha256: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly ended: 'revoked' | 'superseded' | undefined;
  /** Address that an OAuth token was issued for (RFC 8707); undefined for keys. */
  readonly resource: string | undefined;
}

/** A credential as its owner sees it. */
export interface CredentialDetails {
  readonly id: string;
  readonly last4: string;
  readonly created: Date;
  readonly lastUsed: Date | undefined;
  readonly expires: Date | undefined;
  readonly label: string | undefined;
  /** The person behind the credential: its owner, or the person that an agent is linked to. */
  readonly owner: { readonly userId: string; readonly email: string } | undefined;
}

/** A key that takes the place of another of the same identity. */
export interface Rotation {
  readonly oldId: string;
  readonly oldExpiresAt: Date;
  readonly newId: string;
  readonly sha256: Buffer;
  readonly last4: string;
  readonly liveMost: number;
  readonly at: Date;
  readonly address: string;
  readonly requestId: string;
}

export interface Rotated {
  readonly expires: Date | undefined;
  readonly oldExpires: Date;
  readonly oldSha256: string;
}

/** Everything that an anonymous registration writes, in one transaction. */
export interface NewRegistration {
  readonly userId: string;
  readonly namespace: string;
  readonly client: { readonly name: string | undefined; readonly version: string | undefined };
  readonly credentialId: string;
  readonly credentialSha256: Buffer;
  readonly last4: string;
  readonly scopes: readonly Scope[];
  readonly registrationId: string;
  readonly claimTokenSha256: Buffer;
  readonly expiresAt: Date;
  readonly addressGroup: string;
  readonly address: string;
  readonly requestId: string;
  readonly at: Date;
  /** True when registrations of the last hour are limited. */
  readonly isLimited: boolean;
  /** Registrations an hour that are allowed before this one. */
  readonly most: { readonly perAddress: number; readonly perDeployment: number };
  readonly repeat: Repeat | undefined;
}

/** An answer under an Idempotency-Key, sealed with a key that is not stored. */
export interface Repeat {
  readonly keySha256: Buffer;
  readonly fingerprint: Buffer;
  readonly sealed: Buffer;
  readonly expiresAt: Date;
}

export type RegistrationOutcome =
  | { readonly kind: 'registered' }
  /** Another request with the same Idempotency-Key was faster. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'limited'; readonly by: 'ip' | 'global'; readonly oldest: Date };

export interface AuthEvent {
  readonly kind: string;
  readonly userId: string | undefined;
  readonly credentialId: string | undefined;
  readonly address: string;
  readonly requestId: string;
  readonly at: Date;
}

/** Agents and their credentials. A resolved write is durable. */
export interface IdentityStore {
  findCredential(sha256: Buffer): Promise<KnownCredential | undefined>;
  describeCredential(credentialId: string): Promise<CredentialDetails | undefined>;
  /**
   * Returns names by user id: what an agent registered as, else the namespace; unknown ids are left
   * out.
   */
  namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  register(registration: NewRegistration): Promise<RegistrationOutcome>;
  findRepeat(keySha256: Buffer, at: Date): Promise<Repeat | undefined>;
  /** Ends the credential. A repeated call and an unknown credential change nothing. */
  revoke(sha256: Buffer, event: AuthEvent): Promise<void>;
  /** Replaces a key. Undefined: the key has ended meanwhile. */
  rotate(rotation: Rotation): Promise<Rotated | 'tooMany' | undefined>;
  /** Notes the time of use, and moves the end of unclaimed credentials to `expiresAt`. */
  touch(credentialIds: readonly string[], usedAt: Date, expiresAt: Date): Promise<void>;
  /** Deletes what has expired. */
  tidy(at: Date): Promise<void>;
  /**
   * Calls `revoked` with the SHA-256 in hexadecimal of each credential that ends in any process,
   * and `reconnected` whenever some calls may have been missed. Resolves, once it listens, with the
   * function that ends it.
   */
  listen(revoked: (sha256: string) => void, reconnected: () => void): Promise<() => Promise<void>>;
}
