import { LRUCache } from 'lru-cache';

import { boundedTo } from './cache-bounds.ts';
import type { Environment } from './environment.ts';
import { outageOf } from './outage.ts';

export interface RememberedOptions {
  readonly count: number;
  /** Time for which a value is believed without another look, in milliseconds. */
  readonly lifeMilliseconds: number;
  readonly environment: Environment;
}

/** Milliseconds after which a look is not waited for by a caller who can do with the old value. */
const lookMilliseconds = 1_000;

/**
 * A cache of looked-up values. A value older than its life is looked up again; while the source
 * does not answer, the old value stays valid. A value that was forgotten because it changed is
 * never returned again.
 */
export class Remembered<Value extends object> {
  readonly #environment: Environment;
  readonly #known: LRUCache<string, Value>;
  readonly #looking = new Map<string, Promise<Value | undefined>>();
  /** Grows with everything forgotten: a look that began before must not be remembered. */
  #changeCount = 0;
  /** True when the latest look got no answer. */
  #isAway = false;

  constructor({ count, lifeMilliseconds, environment }: RememberedOptions) {
    this.#environment = environment;
    const clock = { perf: { now: () => environment.elapsed() }, ttlResolution: 0 };
    this.#known = new LRUCache({
      ...boundedTo(count),
      ttl: lifeMilliseconds,
      noDeleteOnStaleGet: true,
      ...clock,
    });
  }

  /** Returns the value if it needs no look. */
  get(key: string): Value | undefined {
    return this.#known.get(key);
  }

  /** Returns a value from memory, or from the look, which may find nothing. */
  async find(key: string, look: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const fresh = this.#known.get(key);
    if (fresh !== undefined) return fresh;
    const looking = this.#look(key, look);
    const stale = this.#known.get(key, { allowStale: true });
    if (stale === undefined) return looking;
    const changeCount = this.#changeCount;
    const found = await this.#unlessAway(looking);
    if (found !== away) return found;
    // Meanwhile it may have been forgotten: then only the look can tell.
    return changeCount === this.#changeCount ? stale : looking;
  }

  delete(key: string): void {
    this.#changeCount++;
    this.#known.delete(key);
    this.#looking.delete(key);
  }

  clear(): void {
    this.#changeCount++;
    this.#known.clear();
    this.#looking.clear();
  }

  async #unlessAway(looking: Promise<Value | undefined>): Promise<Value | undefined | typeof away> {
    const outcome = looking.catch((error: unknown): typeof away => {
      if (outageOf(error) === undefined) throw error;
      this.#isAway = true;
      return away;
    });
    if (this.#isAway) return Promise.race<Value | undefined | typeof away>([outcome, nextTurn()]);
    let cancel = (): void => undefined;
    const late = new Promise<typeof away>((resolve) => {
      cancel = this.#environment.after(lookMilliseconds, () => {
        this.#isAway = true;
        resolve(away);
      });
    });
    try {
      return await Promise.race<Value | undefined | typeof away>([outcome, late]);
    } finally {
      cancel();
    }
  }

  /** Looks a key up, one look at a time; others who ask wait for the same one. */
  #look(key: string, look: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const running = this.#looking.get(key);
    if (running !== undefined) return running;
    const begun = this.#lookNow(key, look).finally(() => {
      if (this.#looking.get(key) === begun) this.#looking.delete(key);
    });
    this.#looking.set(key, begun);
    return begun;
  }

  async #lookNow(key: string, look: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const changeCount = this.#changeCount;
    const found = await look();
    this.#isAway = false;
    if (changeCount !== this.#changeCount) return found;
    if (found === undefined) this.#known.delete(key);
    else this.#known.set(key, found);
    return found;
  }
}

const away: unique symbol = Symbol('away');

function nextTurn(): Promise<typeof away> {
  return Promise.resolve().then(() => away);
}
