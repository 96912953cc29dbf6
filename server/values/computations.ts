import type { Branches } from '../branches/branches.ts';
import type { Place } from '../branches/place.ts';
import type { Pool } from '../compute/pool.ts';
import type { Jobs, JobQueue, JobRun, JobState } from '../jobs/jobs.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Models } from './models.ts';
import { resultKey } from './results/key.ts';
import { packModel } from './results/pack.ts';
import type { Results, StoredResult } from './results/results.ts';
import type { ResultKey } from './results/sql.ts';

export interface ComputationsOptions {
  readonly jobs: Jobs;
  readonly results: Results;
  readonly models: Models;
  readonly branches: Pick<Branches, 'hashAt'>;
  readonly pool: Pick<Pool, 'run'>;
  readonly environment: Environment;
  /** Returns the owner of a workbook, whose quota its computations use. */
  readonly ownerOf: (workbookId: string) => Promise<string>;
}

/** State of the computation of all values of a position. */
export type Computation = JobState | { readonly kind: 'computed'; readonly result: StoredResult };

export const valuesQueue = 'values';
/** Cells computed in a second with ordinary formulas, including reading, packing and storing. */
const cellsPerSecond = 1_000_000;
const expireSeconds = 900;
const computeMilliseconds = 600_000;

/** Computes all values of positions above the ceiling: once, in any process, and stored. */
export class Computations {
  readonly #options: ComputationsOptions;

  constructor(options: ComputationsOptions) {
    this.#options = options;
  }

  /** The queue of jobs, for workers. */
  get queue(): JobQueue {
    const work = (data: unknown, run: JobRun): Promise<void> => this.#compute(data as Place, run);
    return { retryLimit: 2, expireInSeconds: expireSeconds, work };
  }

  /** Finds the stored result of a position. */
  async find(place: Place): Promise<StoredResult | undefined> {
    return this.#options.results.find(await this.#keyOf(place));
  }

  async look(place: Place): Promise<Computation> {
    const { jobs, results } = this.#options;
    const key = await this.#keyOf(place);
    const result = await results.find(key);
    return result ? { kind: 'computed', result } : jobs.state(jobOf(key, place));
  }

  /** Starts a computation unless it is done; waits for its end for some time. */
  async ensure(
    place: Place,
    { cells, waitMilliseconds }: { cells: number; waitMilliseconds: number },
  ): Promise<Computation> {
    const { jobs, results, environment, ownerOf } = this.#options;
    const key = await this.#keyOf(place);
    const tenant = await ownerOf(place.address.workbookId);
    const request = { ...jobOf(key, place), tenant, seconds: Math.max(1, cells / cellsPerSecond) };
    const deadline = environment.elapsed() + waitMilliseconds;
    for (;;) {
      const result = await results.find(key);
      if (result) return { kind: 'computed', result };
      const state = await jobs.ensure(request);
      const left = deadline - environment.elapsed();
      if (left <= 0 || state.kind === 'failed') return state;
      await jobs.wait(key.key, left);
    }
  }

  /** Ends the computation of a position; returns whether one was under way. */
  async cancel(place: Place): Promise<boolean> {
    return this.#options.jobs.cancel(jobOf(await this.#keyOf(place), place));
  }

  async forget(workbookId: string): Promise<void> {
    await this.#options.results.forget(workbookId);
  }

  async #keyOf(place: Place): Promise<ResultKey> {
    return resultKey(place, await this.#options.branches.hashAt(place.address, place.seq));
  }

  async #compute(place: Place, run: JobRun): Promise<void> {
    const { results, models, pool, environment } = this.#options;
    const key = await this.#keyOf(place);
    // Another process may have finished it and died before noting that.
    if (await results.find(key)) return;
    const deadline = environment.elapsed() + computeMilliseconds;
    while (!(await this.#step(place, run))) {
      if (environment.elapsed() > deadline) {
        throw new Failure('evaluationFailed', {
          detail: `The calculation takes longer than ${computeMilliseconds / 1000} seconds.`,
        });
      }
    }
    await models.use(place, true, async (view) => {
      const { seq } = view.position;
      const total = view.kernel.valueCount;
      await results.store(key, { seq, total }, packModel(view, { pool, signal: run.signal }));
    });
  }

  /** Evaluates a position for one step; returns whether it is complete. */
  async #step(place: Place, { signal, progressed }: JobRun): Promise<boolean> {
    signal.throwIfAborted();
    return this.#options.models.step(place, ({ kernel, isEvaluated }) => {
      const { formulas: total, pending } = kernel.statistics();
      progressed({ done: Math.max(0, total - pending), total });
      return isEvaluated;
    });
  }
}

function jobOf({ key }: ResultKey, { address, branch, seq }: Place) {
  return { queue: valuesQueue, key, data: { address, branch, seq, isPinned: true } };
}
