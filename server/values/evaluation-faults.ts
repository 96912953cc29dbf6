import { LRUCache } from 'lru-cache';

import type { Place } from '../branches/place.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { referenceName } from '../model/reference.ts';

const faultsMost = 1000;
const faultMilliseconds = 30_000;

/** Positions whose calculation broke a model, which are not tried for each reader. */
export class EvaluationFaults {
  readonly #faults: LRUCache<string, true>;

  constructor(environment: Pick<Environment, 'elapsed'>) {
    const clock = { perf: { now: () => environment.elapsed() }, ttlResolution: 0 };
    this.#faults = new LRUCache({ max: faultsMost, ttl: faultMilliseconds, ...clock });
  }

  /** Fails if the calculation of a place broke a model a moment ago. */
  check(key: string, { branch, seq }: Place): void {
    if (!this.#faults.has(key)) return;
    throw new Failure('evaluationFailed', {
      detail: `The calculation of ${referenceName(branch, seq)} was stopped by a fault a moment ago.`,
      hint: 'Read with lens=formula to look at the formulas; undo the last change if it goes on.',
    });
  }

  /** Lets a position be tried again. */
  forget(key: string): void {
    this.#faults.delete(key);
  }

  /** Returns the outcome of a calculation, and remembers a position that breaks a model. */
  async watch<Result>(key: string, using: Promise<Result>): Promise<Result> {
    try {
      return await using;
    } catch (error) {
      if (error instanceof Failure && error.key === 'evaluationFailed') {
        this.#faults.set(key, true);
      }
      throw error;
    }
  }
}
