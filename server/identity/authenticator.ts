import { LRUCache } from 'lru-cache';

import { boundedTo } from '../model/cache-bounds.ts';
import { dayMilliseconds } from '../model/durations.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { limitReached } from '../model/limit-reached.ts';
import { credentialLife, loopbackFactor, registrationLimits } from '../model/limits.ts';
import type { LimitsProfile } from '../model/limits.ts';
import { Remembered } from '../model/remembered.ts';
import type { Principal } from '../model/scope.ts';
import { TokenBucket } from '../model/token-bucket.ts';
import { isWellFormed, secretHash } from './credential.ts';
import type { IdentityStore, KnownCredential } from './identity-store.ts';

const known = { count: 50_000, lifeMilliseconds: 30_000 };
const unknown = { count: 10_000, lifeMilliseconds: 5_000 };
const addressCount = 10_000;
const touchEveryMilliseconds = 30_000;

export interface AuthenticatorOptions {
  readonly store: IdentityStore;
  readonly environment: Environment;
  readonly profile: LimitsProfile;
  /** Address of the API. A token that was issued for another address is refused here (RFC 8707). */
  readonly resource: string;
  /** Called when the times of use could not be written; the next write takes them along. */
  readonly report: (step: string, error: unknown) => void;
}

/** A valid credential with its principal; `expiresAt` is in milliseconds since the epoch. */
export type HeldCredential = Pick<KnownCredential, 'principal' | 'expiresAt'>;

/** Checks bearer credentials: from its cache in about a microsecond, else from the database. */
export class Authenticator {
  readonly #store: IdentityStore;
  readonly #environment: Environment;
  readonly #profile: LimitsProfile;
  readonly #resource: string;
  readonly #report: AuthenticatorOptions['report'];
  /** Credentials by SHA-256 in hexadecimal. A key leaves the moment any process revokes it. */
  readonly #known: Remembered<KnownCredential>;
  /** Well-formed keys that the database does not have. Bounded, so that guesses take no memory. */
  readonly #unknown: LRUCache<string, true>;
  readonly #misses = new LRUCache<string, TokenBucket>(boundedTo(addressCount));
  /** Credentials used since the last write to the database. */
  #used = new Set<string>();
  readonly #endListeners = new Set<(sha256: string | undefined) => void>();
  #stopListening: (() => Promise<void>) | undefined;
  #cancelTouch: (() => void) | undefined;

  constructor(options: AuthenticatorOptions) {
    const { environment } = options;
    this.#store = options.store;
    this.#environment = environment;
    this.#profile = options.profile;
    this.#resource = options.resource;
    this.#report = options.report;
    const clock = { perf: { now: () => environment.elapsed() }, ttlResolution: 0 };
    this.#known = new Remembered({ ...known, environment });
    this.#unknown = new LRUCache({
      ...boundedTo(unknown.count),
      ttl: unknown.lifeMilliseconds,
      ...clock,
    });
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#store.listen(
      (sha256) => this.#ended(sha256),
      () => this.#missed(),
    );
    this.#touchLater();
  }

  /** Writes the times of use that are not written yet, and stops listening. */
  async stop(): Promise<void> {
    this.#cancelTouch?.();
    await this.#touch();
    await this.#stopListening?.();
  }

  /** Returns the principal of an Authorization header, without a promise when it is cached. */
  check(authorization: string | undefined, address: string): Principal | Promise<Principal> {
    const secret = readBearer(authorization);
    const sha256 = secretHash(secret);
    const key = sha256.toString('hex');
    const found = this.#known.get(key);
    return found === undefined ? this.#ask(sha256, key, address) : this.#admit(found);
  }

  /** Reads a credential from the database, expired ones too; undefined when it is unknown. */
  find(secret: string): Promise<KnownCredential | undefined> {
    return this.#store.findCredential(secretHash(secret));
  }

  /** Returns the key for `recheck`, for callers whose credential is checked again later. */
  keyOf(authorization: string | undefined): string {
    return secretHash(readBearer(authorization)).toString('hex');
  }

  /** Reads the credential as it is now; fails as `check` does when it has ended. */
  async recheck(key: string): Promise<HeldCredential> {
    const found = await this.#known.find(key, () =>
      this.#store.findCredential(Buffer.from(key, 'hex')),
    );
    if (found === undefined) throw refused('unknown');
    return { principal: this.#admit(found), expiresAt: found.expiresAt };
  }

  /** Called with the key of each credential that ends, and with undefined when some were missed. */
  whenEnded(listener: (key: string | undefined) => void): void {
    this.#endListeners.add(listener);
  }

  forget(sha256: string): void {
    this.#ended(sha256);
  }

  #ended(sha256: string): void {
    this.#known.delete(sha256);
    for (const listener of this.#endListeners) listener(sha256);
  }

  #missed(): void {
    this.#known.clear();
    for (const listener of this.#endListeners) listener(undefined);
  }

  async #ask(sha256: Buffer, key: string, address: string): Promise<Principal> {
    if (this.#unknown.get(key) === true) throw refused('unknown');
    this.#checkMisses(address);
    const found = await this.#known.find(key, () => this.#store.findCredential(sha256));
    if (found !== undefined) return this.#admit(found);
    this.#unknown.set(key, true);
    this.#countMiss(address);
    throw refused('unknown');
  }

  #admit(credential: KnownCredential): Principal {
    const { ended, expiresAt, principal, resource } = credential;
    if (ended !== undefined) throw refused(ended);
    if (expiresAt !== undefined && expiresAt <= this.#environment.now()) throw refused('expired');
    if (resource !== undefined && resource !== this.#resource) throw refused('audience');
    this.#used.add(principal.credentialId);
    return principal;
  }

  /**
   * Counts a failed look-up of an address. Good keys are not counted, so they are never delayed.
   */
  #countMiss(address: string): void {
    this.#missBucket(address)?.take(1, this.#environment.elapsed());
  }

  #checkMisses(address: string): void {
    const bucket = this.#missBucket(address);
    if (bucket === undefined) return;
    const waitSeconds = bucket.waitSeconds(this.#environment.elapsed());
    if (waitSeconds === 0) return;
    const { size: most, windowSeconds } = bucket;
    throw limitReached('rateLimited', {
      detail: 'Too many unknown credentials came from this address.',
      hint: `Wait ${waitSeconds} s, and send a credential that is known here.`,
      quota: { name: 'unknown-credentials', most, windowSeconds },
      waitSeconds,
      extra: { scope: 'ip' },
    });
  }

  #missBucket(address: string): TokenBucket | undefined {
    if (this.#profile === 'off') return undefined;
    const factor = this.#profile === 'loopback' ? loopbackFactor : 1;
    const size = registrationLimits.unknownCredentialsPerMinute * factor;
    const bucket =
      this.#misses.get(address) ?? new TokenBucket(size, 60, this.#environment.elapsed());
    this.#misses.set(address, bucket);
    return bucket;
  }

  #touchLater(): void {
    this.#cancelTouch = this.#environment.after(touchEveryMilliseconds, () => {
      this.#touch()
        .catch((error: unknown) => this.#report('write the times of use', error))
        .finally(() => this.#touchLater());
    });
  }

  async #touch(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    this.#used = new Set();
    const now = this.#environment.now();
    const expiresAt = new Date(now + credentialLife.unclaimedDays * dayMilliseconds);
    try {
      await this.#store.touch(used, new Date(now), expiresAt);
    } catch (error) {
      for (const id of used) this.#used.add(id);
      throw error;
    }
  }
}

/** Reads the key of an Authorization header; fails before any look-up when it cannot be a key. */
export function readBearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new Failure('unauthenticated', { detail: 'The request has no Authorization header.' });
  }
  const space = authorization.indexOf(' ');
  const scheme = authorization.slice(0, space).toLowerCase();
  if (scheme !== 'bearer') {
    throw new Failure('unauthenticated', {
      detail: 'The Authorization header is not of the form "Bearer <API_KEY>".',
    });
  }
  const secret = authorization.slice(space + 1).trim();
  const isOurs = isWellFormed('wbk_live_', secret) || isWellFormed('wbo_', secret);
  if (!isOurs) throw refused('malformed');
  return secret;
}

const refusals = {
  malformed: ['invalidToken', 'The key is not one of this service, or has a slip in it.'],
  unknown: ['invalidToken', 'The key is not known here.'],
  revoked: ['invalidToken', 'The key was revoked.'],
  superseded: ['credentialSuperseded', 'The key was replaced when its identity was claimed.'],
  audience: ['invalidToken', 'The token was given for another service.'],
  expired: ['credentialExpired', 'The key was not used for a long time and has expired.'],
} as const;

function refused(reason: keyof typeof refusals): Failure {
  const [key, detail] = refusals[reason];
  return new Failure(key, { detail, extra: { reason } });
}
