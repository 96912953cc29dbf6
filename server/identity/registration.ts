import type { Addresses } from '../model/addresses.ts';
import { dayMilliseconds, hourMilliseconds } from '../model/durations.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { limitReached } from '../model/limit-reached.ts';
import { makeId } from '../model/identifier.ts';
import {
  credentialLife,
  idempotency,
  loopbackFactor,
  registrationLimits,
} from '../model/limits.ts';
import type { LimitsProfile } from '../model/limits.ts';
import { toldLimits } from '../model/plan.ts';
import type { Principal, Scope } from '../model/scope.ts';
import { makeSecret, secretHash } from './credential.ts';
import type { IdentityStore, Repeat } from './identity-store.ts';
import { fingerprintOf, repeatId, seal, unseal } from './repeat.ts';

export interface RegistrationRequest {
  readonly client: { readonly name: string | undefined; readonly version: string | undefined };
  readonly address: string;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
}

/** Answer to a registration; the two secrets in it are shown only this time. */
export interface RegistrationAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly replayed: boolean;
}

const firstScopes: readonly Scope[] = ['read', 'write'];
const namespaceLength = 12;

/** Registers agents. */
export class Registrations {
  readonly #store: IdentityStore;
  readonly #environment: Environment;
  readonly #addresses: Addresses;
  readonly #profile: LimitsProfile;

  constructor(
    store: IdentityStore,
    environment: Environment,
    addresses: Addresses,
    profile: LimitsProfile,
  ) {
    this.#store = store;
    this.#environment = environment;
    this.#addresses = addresses;
    this.#profile = profile;
  }

  /**
   * Registers an agent. A retry with the same Idempotency-Key gets the first answer, and no second
   * agent.
   */
  async registerAnonymous(request: RegistrationRequest): Promise<RegistrationAnswer> {
    const earlier = await this.#earlier(request);
    if (earlier !== undefined) return earlier;
    const now = this.#environment.now();
    const credential = makeSecret('wbk_live_', this.#environment);
    const claimToken = makeSecret('wbc_', this.#environment);
    const expiresAt = new Date(now + credentialLife.unclaimedDays * dayMilliseconds);
    const userId = makeId('agt_', this.#environment);
    const registrationId = makeId('reg_', this.#environment);
    const names = { credential, claimToken, userId, registrationId, expiresAt };
    const data = this.#answer(names);
    const outcome = await this.#store.register({
      userId,
      namespace: `agt-${userId.slice(-namespaceLength).toLowerCase()}`,
      client: request.client,
      credentialId: makeId('crd_', this.#environment),
      credentialSha256: secretHash(credential),
      last4: credential.slice(-4),
      scopes: firstScopes,
      registrationId,
      claimTokenSha256: secretHash(claimToken),
      expiresAt,
      addressGroup: addressGroup(request.address),
      address: request.address,
      requestId: request.requestId,
      at: new Date(now),
      isLimited: this.#profile !== 'off',
      most: this.#most(),
      repeat: this.#repeat(request, data),
    });
    if (outcome.kind === 'registered') return { data, replayed: false };
    if (outcome.kind === 'limited') throw this.#limited(outcome.by, outcome.oldest);
    const first = await this.#earlier(request);
    if (first === undefined) throw new Failure('unavailable', { hint: 'Send it again.' });
    return first;
  }

  async #earlier(request: RegistrationRequest): Promise<RegistrationAnswer | undefined> {
    const { idempotencyKey: key, address } = request;
    if (key === undefined) return undefined;
    const at = new Date(this.#environment.now());
    const repeat = await this.#store.findRepeat(repeatId(key, address), at);
    if (repeat === undefined) return undefined;
    if (!repeat.fingerprint.equals(fingerprintOf(request.client))) {
      throw new Failure('idempotencyMismatch', { hint: 'Use a new key for a new request.' });
    }
    const data = JSON.parse(unseal(repeat.sealed, key)) as Record<string, unknown>;
    return { data, replayed: true };
  }

  #repeat(request: RegistrationRequest, data: unknown): Repeat | undefined {
    const { idempotencyKey: key, address, client } = request;
    if (key === undefined) return undefined;
    const lifeMilliseconds = idempotency.registrationMinutes * 60_000;
    return {
      keySha256: repeatId(key, address),
      fingerprint: fingerprintOf(client),
      sealed: seal(JSON.stringify(data), key, this.#environment),
      expiresAt: new Date(this.#environment.now() + lifeMilliseconds),
    };
  }

  #most(): { perAddress: number; perDeployment: number } {
    if (this.#profile === 'off') {
      return { perAddress: unlimited, perDeployment: unlimited };
    }
    const factor = this.#profile === 'loopback' ? loopbackFactor : 1;
    return {
      perAddress: registrationLimits.perAddressPerHour * factor,
      perDeployment: registrationLimits.perDeploymentPerHour * factor,
    };
  }

  #limited(by: 'ip' | 'global', oldest: Date): Failure {
    const freeAt = oldest.getTime() + hourMilliseconds;
    const waitSeconds = Math.max(1, Math.ceil((freeAt - this.#environment.now()) / 1000));
    const { perAddress, perDeployment } = this.#most();
    const most = by === 'ip' ? perAddress : perDeployment;
    const who = by === 'ip' ? 'from this address' : 'on this service';
    return limitReached('rateLimited', {
      detail: `Too many registrations ${who} in the last hour.`,
      hint: `Wait ${waitSeconds} s, or use the credential you already have.`,
      extra: { scope: by },
      quota: { name: 'registration', most, windowSeconds: hourMilliseconds / 1000 },
      waitSeconds,
    });
  }

  #answer(names: {
    credential: string;
    claimToken: string;
    userId: string;
    registrationId: string;
    expiresAt: Date;
  }): Record<string, unknown> {
    const { baseUrl, authUrl } = this.#addresses;
    const expires = names.expiresAt.toISOString();
    return {
      credential: names.credential,
      user_id: names.userId,
      claim_token: names.claimToken,
      scopes: firstScopes,
      registration_id: names.registrationId,
      registration_type: 'anonymous',
      credential_type: 'api_key',
      credential_expires: expires,
      claim_url: `${authUrl}/agent/auth/claim`,
      claim_token_expires: expires,
      post_claim_scopes: ['read', 'write', 'account'],
      api_base: `${baseUrl}/v1`,
      mcp_url: `${baseUrl}/mcp`,
      docs_url: `${baseUrl}/docs`,
      limits: limitsOf({ kind: 'anonymous' }, this.#profile),
    };
  }
}

const unlimited = 2_000_000_000;

/** Returns the limits in the form that agents read; null means no limit. */
export function limitsOf(
  principal: Pick<Principal, 'kind'>,
  profile: LimitsProfile,
): Record<string, number | null> {
  const limits = toldLimits(profile, principal);
  return {
    cells: limits.cells ?? null,
    workbooks: limits.workbooks,
    operations_per_month: limits.operationsPerMonth,
    storage_bytes: limits.storageBytes,
    requests_per_minute: limits.readsPerMinute,
  };
}

/** Returns the network that counts as one client address: for IPv6 the /64 that a customer has. */
export function addressGroup(address: string): string {
  const groups = address.split(':');
  return groups.length < 8 ? address : `${groups.slice(0, 4).join(':')}::/64`;
}
