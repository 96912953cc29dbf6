import type { Environment } from '../model/environment.ts';
import type { BranchState, WatchedState } from '../state/branch-state.ts';
import { Pace } from './pace.ts';

/** A look that keeps nothing of the state; what it answers may be the state before a batch. */
export type Glance<Result> = (state: BranchState) => Generator<void, Result>;

/** Bytes of operations from which to keep a state costs nothing beside what they cost. */
const largeBytes = 4_096;

/**
 * Glances at one branch while a batch is under way: they see the state before it, which is the last
 * that is durable. Otherwise a page of a table would wait for the plan of a large write and for its
 * commit.
 */
export class Glances {
  readonly #environment: Environment;
  readonly #running = new Set<Promise<unknown>>();
  /** The state before the batch. */
  #former: WatchedState | undefined;
  /** False once somebody may have heard of the batch. */
  #isOpen = false;
  /** True when somebody glanced since the last batch began: small ones that nobody watches are cheaper. */
  #wereThere = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Keeps the state as it is before a batch that is large, or if anybody has glanced lately. */
  begin(state: BranchState, byteCount: number): void {
    const isLarge = byteCount >= largeBytes;
    this.#former = isLarge || this.#wereThere ? state.watched() : undefined;
    this.#isOpen = true;
    this.#wereThere = false;
  }

  /** Lets later ones wait for the state after the batch; called before anybody hears of that. */
  close(): void {
    this.#isOpen = false;
  }

  /** Resolves once nobody looks at the former state any more; the next batch begins after that. */
  async end(live: BranchState | undefined): Promise<void> {
    this.close();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    this.#former?.release();
    if (live) this.#former?.adoptedBy(live);
    this.#former = undefined;
  }

  /** Undefined where the glance has to wait for its turn. */
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
