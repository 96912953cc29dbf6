import { LRUCache } from 'lru-cache';

import { boundedTo } from '../model/cache-bounds.ts';
import type { Environment } from '../model/environment.ts';
import type { Quota } from '../model/limit-reached.ts';
import { loopbackFactor, type LimitsProfile } from '../model/limits.ts';
import { TokenBucket } from '../model/token-bucket.ts';

/** Limit on how often one user may ask for something of one workbook. */
export interface Frequency {
  readonly perMinute: number;
  readonly limits: LimitsProfile;
  readonly environment: Environment;
}

const windowSeconds = 60;
const rememberedMost = 10_000;

/** Limits expensive requests by user and workbook. */
export class FrequencyLimit {
  readonly #frequency: Frequency;
  readonly #buckets = new LRUCache<string, TokenBucket>(boundedTo(rememberedMost));

  constructor(frequency: Frequency) {
    this.#frequency = frequency;
  }

  /** Number of requests in a minute. */
  get size(): number {
    const { perMinute, limits } = this.#frequency;
    return perMinute * (limits === 'loopback' ? loopbackFactor : 1);
  }

  quota(name: string): Quota {
    return { name, most: this.size, windowSeconds };
  }

  /** Seconds to wait before the next one; 0 when it is let in now. */
  take(workbookId: string, userId: string): number {
    const { environment, limits } = this.#frequency;
    if (limits === 'off') return 0;
    const key = `${userId} ${workbookId}`;
    const now = environment.elapsed();
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.size, windowSeconds, now);
    this.#buckets.set(key, bucket);
    return bucket.take(1, now);
  }
}
