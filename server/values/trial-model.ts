import type { PackedChanges } from '../../workers/changed-values.ts';
import { KernelFault } from '../../workers/kernel-instance.ts';
import type { ApartResult } from '../../workers/kernel-results.ts';
import { Kernel, type Recalculation } from '../../workers/kernel.ts';
import type { Mutation } from '../model/mutation.ts';
import { isFault, ModelTasks, taskTimeoutMilliseconds } from './model-tasks.ts';
import type { ModelParts, ModelView } from './model-view.ts';

/** Failure of a trial that does not affect its model. */
export class TrialFault extends Error {
  override readonly name = 'TrialFault';
}

interface Origin {
  /** Key by which the pool prefers one thread for trials on a model. */
  readonly affinity: string;
  /** Clock and seed for NOW and RAND, as in the model. */
  readonly clock: Recalculation;
  readonly parts: ModelParts;
}

/**
 * A copy of a model for trying changes. It costs the memory of the model and the evaluation of
 * dependents; the model itself is unchanged. One caller uses it step by step; each step fails with
 * a TrialFault if a thread died or the memory is not reliable any more.
 */
export class TrialModel {
  readonly #kernel: Kernel;
  readonly #origin: Origin;
  readonly #tasks: ModelTasks;
  /** True once a thread may have died while using the memory. */
  #isFaulty = false;

  private constructor(origin: Origin, kernel: Kernel) {
    this.#kernel = kernel;
    this.#origin = origin;
    this.#tasks = new ModelTasks(this.#kernel, origin.affinity, origin.parts);
  }

  /**
   * Copies an evaluated model, of which `view` is the exclusive use; `spare` is the memory of an
   * earlier trial.
   */
  static async copyOf(view: ModelView, origin: Origin, spare?: Kernel): Promise<TrialModel> {
    const trial = new TrialModel(origin, spare ?? Kernel.create());
    await trial.#guard(() => trial.#copy(view));
    // V8 frees the copy in time only if it knows the size.
    trial.#kernel.weigh();
    return trial;
  }

  /**
   * Applies changes; returns the cells whose value differs from the model. Ends between two tasks
   * on an abort.
   */
  async change(mutations: readonly Mutation[], signal?: AbortSignal): Promise<PackedChanges> {
    return this.#guard(() => this.#change(mutations, signal));
  }

  /**
   * Evaluates a formula outside the grid with the cells of a sheet, given by key; called after a
   * change of any size. Undefined if the text is no formula.
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

  /** Memory for the next trial after this one; undefined if it must not be used. */
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
