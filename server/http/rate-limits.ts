import { LRUCache } from 'lru-cache';

import { boundedTo } from '../model/cache-bounds.ts';
import type { Failure } from '../model/failure.ts';
import { limitReached } from '../model/limit-reached.ts';
import { concurrentRequestsPerPrincipal, loopbackFactor, requestRates } from '../model/limits.ts';
import type { LimitsProfile, RequestRates } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import { TokenBucket } from '../model/token-bucket.ts';

const windowSeconds = 60;
/** Buckets in memory, at most. A dropped bucket is full when its client comes back. */
const bucketCount = 50_000;

/** Limits of requests per minute and at a time, by principal or, without one, by client address. */
export class RateLimits {
  readonly #buckets = new LRUCache<string, TokenBucket>(boundedTo(bucketCount));
  readonly #running = new Map<string, number>();
  readonly #profile: LimitsProfile;
  readonly #now: () => number;

  constructor(profile: LimitsProfile, now: () => number) {
    this.#profile = profile;
    this.#now = now;
  }

  /** Counts one request; fails with the seconds to wait. */
  take(
    kind: 'read' | 'write',
    principal: Principal | undefined,
    address: string,
  ): TokenBucket | undefined {
    if (this.#profile === 'off') return undefined;
    const rates: RequestRates = requestRates[principal?.kind ?? 'public'];
    const bucket = this.#bucket(`${kind} ${principal?.userId ?? address}`, sizeOf(kind, rates));
    const waitSeconds = bucket.take(1, this.#now());
    if (waitSeconds > 0) throw limited(kind, bucket, waitSeconds);
    return bucket;
  }

  /**
   * Counts a running request, until the returned function is called; fails when there are too many.
   */
  enter(principal: Principal | undefined): () => void {
    if (principal === undefined || this.#profile === 'off') return () => undefined;
    const { userId } = principal;
    const running = (this.#running.get(userId) ?? 0) + 1;
    const most = concurrentRequestsPerPrincipal * this.#factor;
    if (running > most) throw tooMany(most);
    this.#running.set(userId, running);
    return () => {
      const left = (this.#running.get(userId) ?? 1) - 1;
      if (left === 0) this.#running.delete(userId);
      else this.#running.set(userId, left);
    };
  }

  get #factor(): number {
    return this.#profile === 'loopback' ? loopbackFactor : 1;
  }

  #bucket(key: string, perMinute: number): TokenBucket {
    const size = perMinute * this.#factor;
    const found = this.#buckets.get(key);
    // After a claim, the bucket of the same user is larger.
    if (found?.size === size) return found;
    const bucket = new TokenBucket(size, windowSeconds, this.#now());
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

function sizeOf(kind: 'read' | 'write', rates: RequestRates): number {
  return kind === 'read' ? rates.readPerMinute : rates.writePerMinute;
}

function limited(kind: string, bucket: TokenBucket, waitSeconds: number): Failure {
  return limitReached('rateLimited', {
    detail: `More than ${bucket.size} ${kind} requests a minute.`,
    hint: `Wait ${waitSeconds} s and send the same request again.`,
    quota: { name: kind, most: bucket.size, windowSeconds },
    waitSeconds,
  });
}

function tooMany(most: number): Failure {
  return limitReached('tooManyConcurrent', {
    detail: `More than ${most} requests of one identity run at once.`,
    hint: 'Wait for an answer before you send the next request.',
    quota: { name: 'concurrent', most },
    waitSeconds: 1,
  });
}
