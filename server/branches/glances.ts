import type { Environment } from '../model/environment.ts';
import type { BranchState, WatchedState } from '../state/branch-state.ts';
import { Pace } from './pace.ts';

/** A read that keeps no part of the state, and may see the state before a batch. */
export type Glance<Result> = (state: BranchState) => Generator<void, Result>;

/**
 * Reads of one branch while a batch is under way: they see the state before it, the last durable
 * one. Without this a page of a table would wait for a large write and its commit.
 */
export class Glances {
  readonly #environment: Environment;
  readonly #running = new Set<Promise<unknown>>();
  /** The state before the batch. */
  #former: WatchedState | undefined;
  /** Becomes false once somebody may know the batch. */
  #isOpen = false;
  /** True if there was a read since the last batch began; without, small batches keep no state. */
  #wereThere = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Keeps the state before a batch if that is large, or if there was a read lately. */
  begin(state: BranchState, isLarge: boolean): void {
    this.#former = isLarge || this.#wereThere ? state.watched() : undefined;
    this.#isOpen = true;
    this.#wereThere = false;
  }

  /**
   * Makes later reads wait for the state after the batch; called before anybody knows that state.
   */
  close(): void {
    this.#isOpen = false;
  }

  /** Resolves once nobody reads the former state any more; then the next batch may begin. */
  async end(live: BranchState | undefined): Promise<void> {
    this.close();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    this.#former?.release();
    if (live) this.#former?.adoptedBy(live);
    this.#former = undefined;
  }

  /** Starts a read; undefined if it has to wait for its turn. */
  take<Result>(glance: Glance<Result>, leastHead: number): Promise<Result> | undefined {
    this.#wereThere = true;
    const state = this.#former?.state;
    if (!state || !this.#isOpen || state.head < leastHead) return undefined;
    const running = new Pace(this.#environment).run(glance(state));
    this.#running.add(running);
    const over = (): void => void this.#running.delete(running);
    running.then(over, over);
    return running;
  }
}
