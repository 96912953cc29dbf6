import type { Changes } from '../branches/changes.ts';
import type { BranchAddress } from '../branches/journal-store.ts';
import type { Mutation } from '../model/mutation.ts';
import { KernelFault } from '../../workers/kernel-instance.ts';
import { Kernel } from '../../workers/kernel.ts';
import { endWatch, type WatchedCells } from '../../workers/watch-model.ts';
import { BrokenModel } from './broken-model.ts';
import {
  explained,
  isFault,
  ModelTasks,
  taskTimeoutMilliseconds,
  type Commands,
} from './model-tasks.ts';
import type { Change, LastRecalculation, ModelParts, ModelView, UseOptions } from './model-view.ts';
import { isLittle, isUnmeasured } from './mutation-weight.ts';
import { Mutex } from './mutex.ts';
import { recalculationAt, startPosition, type Position } from './position.ts';
import { SheetList } from './sheet-list.ts';
import { WaitingChanges } from './waiting-changes.ts';
import { nameChanges, WatchedChanges } from './watched-changes.ts';

export type { Change, LastRecalculation, ModelParts, ModelView, UseOptions } from './model-view.ts';

const wholly: UseOptions = { evaluate: true };
const inProcessPendingMost = 2000;
/** Most cells of a model whose changes are found in this thread. */
const inProcessWatchedMost = 20_000;
const inProcessFuelSteps = 20_000;
/** Most dependents of an edit that are marked in this thread; more go to the pool. */
const inProcessMarkSteps = 20_000;
/** Time of an evaluation beyond which the next one goes to the pool. */
const lightMilliseconds = 5;
const lightCellMilliseconds = 0.001;

/**
 * The kernel model of a branch at its head or an older position. It is in shared memory, which this
 * thread and those of the pool use in turns.
 */
export class Model {
  readonly address: BranchAddress;
  /** Key by which the pool prefers one thread for a model. */
  readonly affinity: string;
  readonly sheets = new SheetList();
  readonly #parts: ModelParts;
  readonly #kernel = Kernel.create();
  readonly #tasks: ModelTasks;
  readonly #lock = new Mutex();
  /** Committed changes not applied yet; added by `push`, removed in the lock. */
  readonly #waiting = new WaitingChanges();
  #queuedSeq = 0;
  /** Changes received before the journal was read; undefined after that. */
  #early: Change[] | undefined = [];
  #position = startPosition;
  /** Sequence of the values; -1 before the first evaluation. */
  #evaluatedSeq = -1;
  readonly #watched = new WatchedChanges();
  #isBroken = false;
  /** True if another thread has used the memory since this one. */
  #isElsewhere = false;
  #last: LastRecalculation | undefined;
  /** Milliseconds of an evaluation in its tasks before the last. */
  #spent = 0;
  /** True if formulas are known to be light: fuel limits the number of cells, not a heavy one. */
  #isLight = false;

  constructor(address: BranchAddress, affinity: string, parts: ModelParts) {
    this.address = address;
    this.affinity = affinity;
    this.#parts = parts;
    this.#tasks = new ModelTasks(this.#kernel, affinity, parts);
  }

  /** Takes the cells whose value a watched change changed; undefined if unknown. */
  takeChanges(lastSeq: number): Changes | undefined {
    return this.#watched.take(lastSeq);
  }

  /** True if the model must be built again. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Returns the bytes, and reports them to the garbage collector. */
  weigh(): number {
    return this.#kernel.weigh();
  }

  /** Newest operation received, applied or not. */
  get knownSeq(): number {
    return this.#queuedSeq;
  }

  /** True if it is too far behind to catch up. */
  get isLeftBehind(): boolean {
    return this.#waiting.isHoard;
  }

  /** Receives a change, which the next use applies; returns whether a use is due now. */
  push(change: Change): boolean {
    if (this.#early !== undefined) {
      this.#early.push(change);
      return false;
    }
    if (change.lastSeq <= this.#queuedSeq) return false;
    if (change.firstSeq !== this.#queuedSeq + 1) {
      this.#isBroken = true;
      return false;
    }
    this.#queuedSeq = change.lastSeq;
    return this.#waiting.add(change);
  }

  /** Applies a part of the journal, before the model is used. */
  async load(change: Change): Promise<void> {
    this.#queuedSeq = change.lastSeq;
    try {
      await this.#apply([change], { evaluate: false });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Ends loading; applies what was committed meanwhile. */
  loaded(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const change of early) this.push(change);
  }

  /**
   * Runs `work` with exclusive use of the model. Undefined if the wanted position has passed, or is
   * inside a commit. With `evaluate` all values are those of the position, unless `tasksMost` ended
   * evaluation before.
   */
  use<Result>(
    options: UseOptions,
    work: (view: ModelView) => Result | Promise<Result>,
  ): Promise<Result | undefined> {
    return this.#lock.run(async () => {
      if (this.#isBroken) throw new BrokenModel();
      try {
        await this.#advance(options);
        const { seq = this.#position.seq } = options;
        if (this.#position.seq !== seq) return undefined;
        this.#comeBack();
        return await work({
          kernel: this.#kernel,
          sheets: this.sheets,
          position: this.#position,
          lastRecalculation: this.#last,
          isEvaluated: this.#evaluatedSeq === this.#position.seq,
          lend: () => {
            this.#isElsewhere = true;
            return this.#kernel.loan;
          },
        });
      } catch (error) {
        throw this.#explain(error);
      }
    });
  }

  /** Applies waiting changes, so that they do not pile up in an unread model. */
  async settle(): Promise<void> {
    await this.use({ evaluate: false }, () => undefined);
  }

  async #advance(options: UseOptions): Promise<void> {
    const { seq = Infinity, evaluate } = options;
    const changes = this.#waiting.take(seq);
    if (changes.length > 0) {
      try {
        await this.#follow(changes, options);
      } catch (error) {
        // Some changes may be missing after any error.
        this.#isBroken = true;
        throw error;
      }
    }
    const isWanted = seq === Infinity || seq === this.#position.seq;
    if (evaluate && isWanted) await this.#settleValues(options);
  }

  /** Applies changes; watched ones separately, between two calculations. */
  async #follow(changes: readonly Change[], options: UseOptions): Promise<void> {
    let others: Change[] = [];
    for (const change of changes) {
      if (change.isWatched !== true) {
        others.push(change);
        continue;
      }
      if (others.length > 0) await this.#apply(others, wholly);
      others = [];
      await this.#watch(change);
    }
    if (others.length > 0) await this.#apply(others, options);
  }

  async #watch(change: Change): Promise<void> {
    await this.#settleValues(wholly);
    this.#comeBack();
    if (this.#kernel.valueCount > inProcessWatchedMost) await this.#watchInPool(false);
    else this.#kernel.watchChanges(true);
    await this.#apply([change], wholly);
    await this.#settleValues(wholly);
    this.#comeBack();
    const isMany = this.#kernel.valueCount > inProcessWatchedMost;
    const watched = isMany ? await this.#watchInPool(true) : endWatch(this.#kernel);
    if (watched) this.#watched.keep(change.lastSeq, nameChanges(watched, this.sheets));
  }

  async #watchInPool(isEnd: boolean): Promise<WatchedCells | undefined> {
    this.#isElsewhere = true;
    const result = await this.#parts.pool.run(
      'watchModel',
      { loan: this.#kernel.loan, isEnd },
      { timeoutMilliseconds: taskTimeoutMilliseconds, affinity: this.affinity },
    );
    if (!result.ok) throw new KernelFault(result.fault);
    return result.watched;
  }

  /** Evaluates up to the position. */
  async #settleValues(options: UseOptions): Promise<void> {
    if (this.#evaluatedSeq !== this.#position.seq) await this.#evaluate([], options);
  }

  async #apply(changes: readonly Change[], options: UseOptions): Promise<void> {
    this.#comeBack();
    const mutations = changes.flatMap((change) => change.mutations);
    const last = changes.at(-1);
    const position = last === undefined ? this.#position : { seq: last.lastSeq, at: last.at };
    // Marks left by an earlier edit may take long.
    if (this.#kernel.isMarked && isLittle(this.#kernel, mutations)) {
      this.#kernel.apply(mutations, inProcessMarkSteps);
      this.#moved(mutations, position);
      return;
    }
    this.#isElsewhere = true;
    const rest = await this.#tasks.send(mutations);
    this.#moved(mutations, position);
    if (options.evaluate) await this.#evaluate(rest, options);
    else if (rest.length > 0) await this.#runTask(rest, false);
  }

  #moved(mutations: readonly Mutation[], position: Position): void {
    for (const mutation of mutations) this.sheets.apply(mutation);
    if (this.#isLight && mutations.some(isUnmeasured)) this.#isLight = false;
    this.#position = position;
    this.#spent = 0;
  }

  async #evaluate(
    commands: readonly Commands[],
    { tasksMost = Infinity }: UseOptions,
  ): Promise<void> {
    const isDone =
      (commands.length === 0 && this.#evaluateHere()) ||
      (await this.#evaluateInPool(commands, tasksMost));
    if (isDone) this.#evaluatedSeq = this.#position.seq;
  }

  /** Evaluates small work in this thread; returns false if more is left. */
  #evaluateHere(): boolean {
    this.#comeBack();
    const { pendingCount } = this.#kernel;
    const isWorkless = this.#kernel.formulaCount === 0;
    if (!isWorkless && (!this.#isLight || pendingCount > inProcessPendingMost)) return false;
    const { stopwatch = () => performance.now() } = this.#parts;
    const started = stopwatch();
    const clock = recalculationAt(this.address.workbookId, this.#position);
    const steps = [inProcessFuelSteps, inProcessFuelSteps] as const;
    const isDone = this.#kernel.recalculate(clock, ...steps);
    const evaluateMilliseconds = stopwatch() - started;
    if (evaluateMilliseconds > lightMilliseconds) this.#isLight = false;
    const cells = this.#kernel.evaluatedCount;
    this.#last = { cells, applyMilliseconds: 0, evaluateMilliseconds, inPool: false };
    return isDone;
  }

  /** Evaluates in the pool; returns false if more is left after a number of tasks. */
  async #evaluateInPool(commands: readonly Commands[], tasksMost: number): Promise<boolean> {
    const checkPatience = this.#tasks.patience();
    let isDone = await this.#runTask(commands, true);
    for (let taskCount = 1; !isDone; taskCount++) {
      this.#spent += this.#last?.evaluateMilliseconds ?? 0;
      if (taskCount >= tasksMost) return false;
      checkPatience();
      isDone = await this.#runTask([], true);
    }
    this.#measured();
    return true;
  }

  #measured(): void {
    const spent = this.#spent;
    this.#spent = 0;
    if (this.#last === undefined) return;
    const { cells } = this.#last;
    const evaluateMilliseconds = this.#last.evaluateMilliseconds + spent;
    this.#last = { ...this.#last, evaluateMilliseconds };
    // Few cells that took long contain a heavy one; many fast ones are light.
    this.#isLight = evaluateMilliseconds <= lightMilliseconds + cells * lightCellMilliseconds;
  }

  async #runTask(commands: readonly Commands[], evaluate: boolean): Promise<boolean> {
    const recalculation = evaluate
      ? recalculationAt(this.address.workbookId, this.#position)
      : undefined;
    this.#isElsewhere = true;
    const { isDone, last } = await this.#tasks.run(commands, recalculation);
    this.#last = last;
    return isDone;
  }

  #comeBack(): void {
    if (!this.#isElsewhere) return;
    this.#kernel.refresh();
    this.#isElsewhere = false;
  }

  /** Marks the model as broken after a fault, which leaves its memory unknown. */
  #explain(error: unknown): unknown {
    if (isFault(error)) this.#isBroken = true;
    return explained(error);
  }
}
