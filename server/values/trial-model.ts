import type { PackedChanges } from '../../workers/changed-values.ts';
import { KernelFault } from '../../workers/kernel-instance.ts';
import type { ApartResult } from '../../workers/kernel-results.ts';
import { Kernel, type Recalculation } from '../../workers/kernel.ts';
import type { Mutation } from '../model/mutation.ts';
import { isFault, ModelTasks, taskTimeoutMilliseconds } from './model-tasks.ts';
import type { ModelParts, ModelView } from './model-view.ts';

/** A trial came to an end that says nothing of the model it was made from. */
export class TrialFault extends Error {
  override readonly name = 'TrialFault';
}

interface Origin {
  /** Tasks of trials on one model prefer one thread. */
  readonly affinity: string;
  /** Clock and seed for NOW and RAND, as in the model. */
  readonly clock: Recalculation;
  readonly parts: ModelParts;
}

/**
 * A copy of a model, to see what changes would lead to. It costs its memory and what depends on the
 * changes; the model itself stays as it is. It has one caller, who takes one step after the other.
 * Each fails with a TrialFault where a thread died or the memory cannot be trusted any more.
 */
export class TrialModel {
  readonly #kernel: Kernel;
  readonly #origin: Origin;
  readonly #tasks: ModelTasks;
  /** True once a thread may have died at work on the memory. */
  #isFaulty = false;

  private constructor(origin: Origin, kernel: Kernel) {
    this.#kernel = kernel;
    this.#origin = origin;
    this.#tasks = new ModelTasks(this.#kernel, origin.affinity, origin.parts);
  }

  /**
   * `view` is of an evaluated model that nobody else works on meanwhile, `spare` the memory of an
   * earlier trial.
   */
  static async copyOf(view: ModelView, origin: Origin, spare?: Kernel): Promise<TrialModel> {
    const trial = new TrialModel(origin, spare ?? Kernel.create());
    await trial.#guard(() => trial.#copy(view));
    // V8 is to know what the copy weighs, as only so it is let go of in time.
    trial.#kernel.weigh();
    return trial;
  }

  /**
   * Makes some changes, and answers which cells hold another value now than in the model. Ends
   * between two tasks when the signal says so.
   */
  async change(mutations: readonly Mutation[], signal?: AbortSignal): Promise<PackedChanges> {
    return this.#guard(() => this.#change(mutations, signal));
  }

  /**
   * Evaluates a formula that stands in no cell, with the cells of a sheet, given by its key; to be
   * called after a change, however small. Undefined where the text is no formula.
   */
  async evaluate(
    formula: string,
    sheet: number,
    cellsMost: number,
  ): Promise<ApartResult | undefined> {
    return this.#guard(async () => {
      const { loan } = this.#kernel;
      const task = { loan, formula, sheet, cellsMost };
      const answer = await this.#origin.parts.pool.run('evaluateFormula', task, this.#options);
      if (!answer.ok) throw new KernelFault(answer.fault);
      return answer.result;
    });
  }

  /** Its memory for the next trial, once this one is over; undefined if it cannot be trusted. */
  get spare(): Kernel | undefined {
    return this.#isFaulty ? undefined : this.#kernel;
  }

  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.#isFaulty = true;
      throw isFault(error) ? new TrialFault('a trial was stopped', { cause: error }) : error;
    }
  }

  async #copy(view: ModelView): Promise<void> {
    const { loan } = this.#kernel;
    const { pool } = this.#origin.parts;
    const result = await pool.run('copyModel', { from: view.lend(), loan }, this.#options);
    if (!result.ok) throw new KernelFault(result.fault);
  }

  async #change(
    mutations: readonly Mutation[],
    signal: AbortSignal | undefined,
  ): Promise<PackedChanges> {
    const { clock, parts } = this.#origin;
    const checkPatience = this.#tasks.patience();
    let { isDone } = await this.#tasks.run(await this.#tasks.send(mutations), clock);
    while (!isDone) {
      signal?.throwIfAborted();
      checkPatience();
      ({ isDone } = await this.#tasks.run([], clock));
    }
    const { loan } = this.#kernel;
    const result = await parts.pool.run('readChanges', { loan }, this.#options);
    if (!result.ok) throw new KernelFault(result.fault);
    return result.changes;
  }

  get #options() {
    const { affinity } = this.#origin;
    return { timeoutMilliseconds: taskTimeoutMilliseconds, affinity };
  }
}
