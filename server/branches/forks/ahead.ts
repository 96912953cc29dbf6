import { LRUCache } from 'lru-cache';

import type { Environment } from '../../model/environment.ts';
import { diffStates, type StateDiff } from '../../state/diff/diff.ts';
import type { Branches } from '../branches.ts';
import { positionKey, type BranchAddress } from '../journal-store.ts';
import { Pace } from '../pace.ts';

export interface AheadParts {
  readonly branches: Pick<Branches, 'stateAt'>;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

interface CountedHead {
  readonly address: BranchAddress;
  readonly head: number;
}

/** Counts of branches, by position: a number each. */
const countsMost = 20_000;
/**
 * Longest wait of a list of branches; cells that are not counted by then are there at the next
 * request.
 */
const patienceMilliseconds = 1_000;

/**
 * Counts the cells of branches that differ from where they begin. Counting reads what was written
 * to a branch and no more; a position is counted once, one after the other.
 */
export class AheadCells {
  readonly #parts: AheadParts;
  readonly #counts = new LRUCache<string, number>({ max: countsMost });
  readonly #waiting = new Map<string, CountedHead>();
  #running: Promise<void> | undefined;

  constructor(parts: AheadParts) {
    this.#parts = parts;
  }

  /** Counts in the order of the heads; undefined for heads still being counted. */
  async of(heads: readonly CountedHead[]): Promise<(number | undefined)[]> {
    for (const one of heads) {
      if (one.head > 0 && !this.#counts.has(keyOf(one))) this.#waiting.set(keyOf(one), one);
    }
    await this.#counted();
    return heads.map((one) => (one.head === 0 ? 0 : this.#counts.get(keyOf(one))));
  }

  async #counted(): Promise<void> {
    if (this.#waiting.size === 0 && !this.#running) return;
    this.#running ??= this.#countAll().finally(() => (this.#running = undefined));
    const { environment } = this.#parts;
    const running = this.#running;
    await new Promise<void>((resolve) => {
      const stopWaiting = environment.after(patienceMilliseconds, resolve);
      void running.finally(() => {
        stopWaiting();
        resolve();
      });
    });
  }

  async #countAll(): Promise<void> {
    for (const [key, one] of this.#waiting) {
      try {
        this.#counts.set(key, await this.#count(one));
      } catch (error) {
        this.#parts.report('count the cells of a branch', error);
      }
      this.#waiting.delete(key);
    }
  }

  async #count({ address, head }: CountedHead): Promise<number> {
    const { branches, environment } = this.#parts;
    const from = await branches.stateAt(address, 0);
    const to = await branches.stateAt(address, head);
    return changedCells(await new Pace(environment).run(diffStates({ from, to })));
  }
}

function keyOf({ address, head }: CountedHead): string {
  return positionKey(address, head);
}

function changedCells({ sheets }: StateDiff): number {
  let total = 0;
  for (const { cells, collapsed } of sheets) {
    total += cells.length;
    for (const { count } of collapsed) total += count;
  }
  return total;
}
