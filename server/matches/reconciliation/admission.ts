import { LRUCache } from 'lru-cache';

import { boundedTo } from '../../model/cache-bounds.ts';
import type { Failure } from '../../model/failure.ts';
import { limitReached, type Quota } from '../../model/limit-reached.ts';
import { loopbackFactor, type LimitsProfile } from '../../model/limits.ts';
import { TokenBucket } from '../../model/token-bucket.ts';
import { reconciliationLimits as limits } from './limits.ts';

const linkCount = 10_000;
const windowSeconds = 60;

/** Limits of what one link may ask of this process, whoever asks. */
export class Admission {
  readonly #profile: LimitsProfile;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, TokenBucket>(boundedTo(linkCount));
  readonly #running = new Map<string, number>();

  constructor(profile: LimitsProfile, now: () => number) {
    this.#profile = profile;
    this.#now = now;
  }

  /** Runs a request of a link, or fails with the seconds to wait. */
  async run<Result>(linkId: string, request: () => Promise<Result>): Promise<Result> {
    if (this.#profile === 'off') return request();
    const factor = this.#profile === 'loopback' ? loopbackFactor : 1;
    const size = limits.requestsPerMinute * factor;
    const bucket = this.#buckets.get(linkId) ?? new TokenBucket(size, windowSeconds, this.#now());
    this.#buckets.set(linkId, bucket);
    const waitSeconds = bucket.take(1, this.#now());
    if (waitSeconds > 0) throw limited('rateLimited', { most: size, windowSeconds }, waitSeconds);
    const running = this.#running.get(linkId) ?? 0;
    if (running >= limits.requestsAtOnce) {
      throw limited('tooManyConcurrent', { most: limits.requestsAtOnce }, 1);
    }
    this.#running.set(linkId, running + 1);
    try {
      return await request();
    } finally {
      const left = (this.#running.get(linkId) ?? 1) - 1;
      if (left === 0) this.#running.delete(linkId);
      else this.#running.set(linkId, left);
    }
  }
}

function limited(
  code: 'rateLimited' | 'tooManyConcurrent',
  quota: Omit<Quota, 'name'>,
  waitSeconds: number,
): Failure {
  return limitReached(code, {
    detail: `This link is asked more than ${limits.requestsPerMinute} times a minute, or ${limits.requestsAtOnce} times at once.`,
    hint: `Wait ${waitSeconds} s and send the same request again.`,
    quota: { name: 'reconciliation', ...quota },
    waitSeconds,
  });
}
