import type { Changes, ChangeSource } from '../branches/changes.ts';
import type { Commit } from '../branches/commit.ts';
import { branchKey, positionKey, type BranchAddress } from '../branches/journal-store.ts';
import { lookAtHead } from '../branches/looks.ts';
import type { BranchState } from '../state/branch-state.ts';
import { Pace } from '../branches/pace.ts';
import type { Place } from '../branches/place.ts';
import { Failure } from '../model/failure.ts';
import type { Mutation } from '../model/mutation.ts';
import { contentMutations } from '../state/content-mutations.ts';
import type { SheetRange } from '../model/range.ts';
import { type Reference } from '../model/reference.ts';
import type { Lens } from '../../workers/kernel.ts';
import type { BranchSource } from './branch-source.ts';
import { BrokenModel } from './broken-model.ts';
import { EvaluationFaults } from './evaluation-faults.ts';
import { ModelCache } from './model-cache.ts';
import { Model, type ModelParts, type ModelView, type UseOptions } from './model.ts';
import { readPart } from './part.ts';
import { recalculationAt, type Position } from './position.ts';
import { TrialMemory } from './trial-memory.ts';
import { TrialModel } from './trial-model.ts';

export interface ModelsOptions extends ModelParts {
  readonly source: BranchSource;
  /** Called with errors of background work. */
  readonly report: (step: string, error: unknown) => void;
  readonly budgetBytes?: number;
}

export interface CacheFigures {
  readonly hits: number;
  readonly builds: number;
  readonly residentBytes: number;
}

const defaultBudgetBytes = 1 << 30;
/** Number of broken models after which a waiting reader fails. */
const attemptsMost = 5;
/**
 * Cells entered at once while building, and mutations: each is a part of a column, which has few
 * cells where lines were moved, or a run of formulas.
 */
const cellsAtOnce = 1 << 15;
const mutationsAtOnce = 1 << 11;

/**
 * The kernel models of this process, a cache over the journal. Models of heads receive commits;
 * those of older positions never change. Any of them can be dropped at any time.
 */
export class Models implements ChangeSource {
  readonly #options: ModelsOptions;
  readonly #cache: ModelCache;
  readonly #faults: EvaluationFaults;
  readonly #unsubscribe: () => void;
  readonly #trials = new TrialMemory();
  #hits = 0;
  #builds = 0;

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#cache = new ModelCache(options.budgetBytes ?? defaultBudgetBytes);
    this.#faults = new EvaluationFaults(options.environment);
    this.#unsubscribe = options.source.subscribe((commit) => this.#hear(commit));
  }

  get figures(): CacheFigures {
    const { residentBytes } = this.#cache;
    return { hits: this.#hits, builds: this.#builds, residentBytes };
  }

  /** Returns the bytes of a head's model; 0 if there is none. */
  bytesOf(address: BranchAddress): number {
    return this.#cache.builtHead(branchKey(address))?.weigh() ?? 0;
  }

  locate(workbookId: string, reference: Reference): Promise<Place> {
    return this.#options.source.locate(workbookId, reference);
  }

  /** Runs `work` with a model at the place, or after it if the place is not pinned. */
  async use<Result>(
    place: Place,
    evaluate: boolean,
    work: (view: ModelView) => Result | Promise<Result>,
  ): Promise<Result> {
    const key = positionKey(place.address, place.seq);
    if (evaluate) this.#faults.check(key, place);
    return this.#faults.watch(key, this.#use(place, { evaluate }, work));
  }

  /**
   * Evaluates a position for about a quarter of a second, and runs `work` with its progress. Also
   * retries positions that broke a model.
   */
  async step<Result>(
    place: Place,
    work: (view: ModelView) => Result | Promise<Result>,
  ): Promise<Result> {
    const key = positionKey(place.address, place.seq);
    this.#faults.forget(key);
    return this.#faults.watch(key, this.#use(place, { evaluate: true, tasksMost: 1 }, work));
  }

  /** Runs `work` with the values of a state outside the journal, with the clock of a position. */
  async useState<Result>(
    state: BranchState,
    { address, ...moment }: Position & { readonly address: BranchAddress },
    work: (view: ModelView) => Result | Promise<Result>,
  ): Promise<Result> {
    const model = new Model(address, `${branchKey(address)}#`, this.#options);
    await this.#load(model, state, moment);
    const boxed = async (view: ModelView) => ({ result: await work(view) });
    const found = await model.use({ seq: moment.seq, evaluate: true }, boxed);
    if (!found) throw new Error('a model was not at the position it was made for');
    return found.result;
  }

  /** Runs `work` with an evaluated copy of a model, for trials without effect. */
  async tryOn<Result>(place: Place, work: (trial: TrialModel) => Promise<Result>): Promise<Result> {
    const affinity = `${branchKey(place.address)}#`;
    const spare = this.#trials.take(affinity);
    const trial = await this.use(place, true, (view) => {
      const clock = recalculationAt(place.address.workbookId, view.position);
      return TrialModel.copyOf(view, { affinity, clock, parts: this.#options }, spare);
    });
    return work(trial).finally(() => this.#trials.keep(affinity, trial.spare));
  }

  /**
   * Runs `work` to read some ranges. Without a model yet, one of a part of the position may do,
   * whose cost depends on the ranges, not on the workbook.
   */
  async look<Result>(
    place: Place,
    { ranges, lens }: { ranges: readonly SheetRange[]; lens: Lens },
    work: (view: ModelView) => Result | Promise<Result>,
  ): Promise<Result> {
    // A reader of values at a head will read again, which the whole model serves.
    if ((place.isPinned || lens !== 'value') && !this.holds(place)) {
      const { source } = this.#options;
      const look = (state: BranchState) => readPart(state, ranges, lens);
      const view = place.isPinned
        ? await source.readAt(place.address, place.seq, look)
        : await source.read(place.address, look);
      if (view) return work(view);
    }
    return this.use(place, lens === 'value', work);
  }

  /** Returns whether a model of the place exists or is being built. */
  holds(place: Place): boolean {
    const head = this.#cache.head(branchKey(place.address));
    if (head && !head.isBroken && (!place.isPinned || head.knownSeq === place.seq)) return true;
    const key = positionKey(place.address, place.seq);
    return this.#cache.hasOlder(key) || this.#cache.building(key) !== undefined;
  }

  /**
   * Returns the model at the head of the branch, unless a pinned place is certainly gone from it.
   */
  async #head(place: Place): Promise<Model | undefined> {
    // The state of an open merge has no commits, and is another one after each choice.
    if (place.onto) return undefined;
    const key = branchKey(place.address);
    const known = this.#cache.useHead(key);
    if (known !== undefined && !known.isBroken && known.knownSeq >= place.seq) {
      this.#hits++;
      return known;
    }
    // A branch that other nodes write to moves without a commit here; then the model is rebuilt.
    if (known !== undefined) this.#cache.dropHead(key);
    if (place.isPinned && known === undefined && !this.#cache.building(key)) {
      const head = await this.#options.source.read(place.address, lookAtHead);
      if (head !== place.seq) return undefined;
    }
    return this.#build(key, place.address, undefined);
  }

  /** Evaluates a head in advance, so that a commit after it is fast. */
  async prepare(head: Place): Promise<void> {
    await this.use(head, true, () => undefined);
  }

  /** Returns the cells changed by a watched commit of this process, once, for its sender. */
  async changesOf(address: BranchAddress, lastSeq: number): Promise<Changes> {
    const model = this.#cache.builtHead(branchKey(address));
    if (model && !model.isBroken && model.knownSeq >= lastSeq) {
      await this.#run(model, () => model.use({ evaluate: false }, () => undefined)).catch(
        unlessBroken,
      );
    }
    const changes = model?.takeChanges(lastSeq);
    if (changes !== undefined) return changes;
    throw new Failure('unavailable', {
      detail: 'The values before it are not in memory any more; a diff with values=true tells.',
    });
  }

  /** Drops the models of a workbook, and those under construction once they are done. */
  forget(workbookId: string): void {
    this.#cache.forget(`${workbookId}/`);
    this.#trials.forget(workbookId);
  }

  close(): void {
    this.#unsubscribe();
    this.#cache.clear();
  }

  /** Uses a model; rebuilds one that another reader broke. */
  async #use<Result>(
    place: Place,
    how: Omit<UseOptions, 'seq'>,
    work: (view: ModelView) => Result | Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; attempt <= attemptsMost; attempt++) {
      try {
        return await this.#useOnce(place, how, work);
      } catch (error) {
        if (!(error instanceof BrokenModel)) throw error;
      }
    }
    throw new Failure('unavailable', {
      detail: 'The values are calculated anew again and again, as other calculations were stopped.',
      hint: 'Try again in a moment.',
    });
  }

  async #useOnce<Result>(
    place: Place,
    how: Omit<UseOptions, 'seq'>,
    work: (view: ModelView) => Result | Promise<Result>,
  ): Promise<Result> {
    const boxed = async (view: ModelView) => ({ result: await work(view) });
    const seq = place.isPinned ? place.seq : undefined;
    const head = await this.#head(place);
    if (head !== undefined) {
      const found = await this.#run(head, () => head.use({ ...how, seq }, boxed));
      if (found !== undefined) return found.result;
    }
    const older = await this.#olderModel(place);
    const found = await this.#run(older, () => older.use({ ...how, seq: place.seq }, boxed));
    if (found === undefined) throw leftMeanwhile(place);
    return found.result;
  }

  async #olderModel(place: Place): Promise<Model> {
    const key = positionKey(place.address, place.seq);
    const known = this.#cache.useOlder(key);
    if (known !== undefined && !known.isBroken) {
      this.#hits++;
      return known;
    }
    return this.#build(key, place.address, place.seq);
  }

  async #run<Result>(model: Model, use: () => Promise<Result>): Promise<Result> {
    try {
      return await use();
    } finally {
      this.#cache.weighAgain(model);
    }
  }

  /** Builds a model, once for each key; other readers wait for the same one. */
  #build(key: string, address: BranchAddress, seq: number | undefined): Promise<Model> {
    const building = this.#cache.building(key);
    if (building !== undefined) return building;
    const model = new Model(address, key, this.#options);
    this.#builds++;
    return this.#cache.build(model, seq === undefined, this.#fill(model, seq));
  }

  async #fill(model: Model, seq: number | undefined): Promise<void> {
    const { source } = this.#options;
    const { address } = model;
    const state = await source.stateAt(address, seq);
    const at = await source.timeOf(address, state.head);
    await this.#load(model, state, { seq: state.head, at });
  }

  async #load(model: Model, state: BranchState, { seq: lastSeq, at }: Position): Promise<void> {
    const pace = new Pace(this.#options.environment);
    let mutations: Mutation[] = [];
    let loading = Promise.resolve();
    let cellCount = 0;
    for (const mutation of contentMutations(state)) {
      mutations.push(mutation);
      cellCount += mutation.kind === 'column' ? mutation.inputs.length : 1;
      if (pace.isDue) await pace.rest();
      if (mutations.length < mutationsAtOnce && cellCount < cellsAtOnce) continue;
      await loading;
      loading = model.load({ firstSeq: lastSeq, lastSeq, at, mutations });
      // The next mutations are read meanwhile; a failure is thrown when they are awaited.
      void Promise.allSettled([loading]);
      mutations = [];
      cellCount = 0;
    }
    await loading;
    await model.load({ firstSeq: lastSeq, lastSeq, at, mutations });
    model.loaded();
  }

  #hear(commit: Commit): void {
    const key = branchKey(commit);
    const model = this.#cache.head(key);
    if (model === undefined) return;
    const { firstSeq, lastSeq, records, mutations, isWatched = false } = commit;
    const change = { firstSeq, lastSeq, at: records.at(-1)?.at ?? 0, mutations, isWatched };
    const isDue = model.push(change);
    if (model.isBroken || model.isLeftBehind) this.#cache.dropHead(key);
    else if (isDue) {
      this.#run(model, () => model.settle()).catch((error: unknown) => {
        this.#options.report('bring a model up', error);
      });
    }
  }
}

/** Ignores a broken model, whose changes are reported as unknown. */
function unlessBroken(error: unknown): void {
  if (!(error instanceof BrokenModel)) throw error;
}

/** Failure of a model that was dropped with its workbook before it was read. */
function leftMeanwhile({ branch, seq }: Place): Failure {
  return new Failure('unavailable', {
    detail: `The values of ${branch}@${seq} left memory while they were read.`,
    hint: 'Send the same request again.',
    headers: { 'Retry-After': '1' },
  });
}
