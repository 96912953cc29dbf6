import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { FormulaService } from '../model/formula-service.ts';
import type { Mutation } from '../model/mutation.ts';
import type { SettingValue } from '../model/settings.ts';
import type { BranchState, NameSummary, SheetSummary } from '../state/branch-state.ts';
import type { TableSummary } from '../state/tables.ts';
import type { Commit, CommitListener } from './commit.ts';
import { readHistory, type HistoryPage } from './history.ts';
import type { BranchAddress, JournalStore } from './journal-store.ts';
import { LiveBranch } from './live-branch.ts';
import { Pace } from './pace.ts';
import { replayJournal } from './replay.ts';
import { Sequencer, type Look } from './sequencer.ts';
import type { SubmissionAnswer, SubmissionRequest } from './submission.ts';

/** Branches kept in memory; the ones not used for longest go first. */
const liveMost = 256;
const knownNamesMost = 10_000;

export interface BranchesOptions {
  readonly store: JournalStore;
  readonly formulas: FormulaService;
  readonly environment: Environment;
  /** Told of a listener that failed; the others hear of the commit all the same. */
  readonly report: (step: string, error: unknown) => void;
}

/** What there is at the head of a branch, without its cells. */
export interface BranchSummary {
  readonly head: number;
  readonly stateHash: string;
  readonly sheets: readonly SheetSummary[];
  readonly names: readonly NameSummary[];
  readonly tables: readonly TableSummary[];
  /** How many records there are, by type. */
  readonly records: Readonly<Record<string, number>>;
  readonly settings: Readonly<Record<string, SettingValue>>;
}

/** Mutations of some consecutive operations, the last of which is `lastSeq`. */
export interface MutationStep {
  readonly lastSeq: number;
  readonly mutations: readonly Mutation[];
}

/** All branches of all workbooks: writes to them, looks at them, and hears of what was written. */
export class Branches {
  readonly #options: BranchesOptions;
  /** In the order of their last use. An idle one can be dropped at any time: all is in the journal. */
  readonly #live = new Map<string, Sequencer>();
  /** Branch numbers by workbook and name; a name never changes its branch. */
  readonly #numbers = new Map<string, number>();
  readonly #listeners = new Set<CommitListener>();

  constructor(options: BranchesOptions) {
    this.#options = options;
  }

  /** Fails with `branch_not_found` unless the workbook has a branch of that name. */
  async address(workbookId: string, name: string): Promise<BranchAddress> {
    const key = `${workbookId}/${name}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return { workbookId, branchNo: known };
    const row = await this.#options.store.branchNamed(workbookId, name);
    if (!row) {
      throw new Failure('branchNotFound', {
        detail: `The workbook has no branch called ${name}.`,
        hint: 'The branch that every workbook has is main.',
      });
    }
    if (this.#numbers.size >= knownNamesMost) this.#numbers.clear();
    this.#numbers.set(key, row.branchNo);
    return { workbookId, branchNo: row.branchNo };
  }

  /** Answers when everything that was accepted is durable. */
  submit(address: BranchAddress, request: SubmissionRequest): Promise<SubmissionAnswer> {
    return this.#sequencer(address).submit(request);
  }

  /** Looks at the head between two commits: nothing that is seen can be lost any more. */
  read<Result>(address: BranchAddress, look: Look<Result>): Promise<Result> {
    return this.#sequencer(address).read(look);
  }

  /** Looks at an older position, which is replayed for this one look. */
  async readAt<Result>(address: BranchAddress, seq: number, look: Look<Result>): Promise<Result> {
    const live = new LiveBranch(address.branchNo, this.#options.formulas);
    const replay = replayJournal(live, address, { ...this.#options, through: seq });
    while ((await replay.next()).done !== true);
    return new Pace(this.#options.environment).run(look(live.state));
  }

  summary(address: BranchAddress): Promise<BranchSummary> {
    return this.read(address, summarize);
  }

  /** Operations after a sequence number, as the journal has them. */
  history(address: BranchAddress, page: { after: number; limit: number }): Promise<HistoryPage> {
    return readHistory(this.#options.store, address, page);
  }

  /**
   * What every operation from the first to `through` did to the grid, for building a kernel model
   * of that position. Ends early when the branch does.
   */
  async *mutations(address: BranchAddress, through: number): AsyncGenerator<MutationStep, void> {
    const live = new LiveBranch(address.branchNo, this.#options.formulas);
    const steps = replayJournal(live, address, { ...this.#options, through });
    for await (const { lastSeq, mutations } of steps) yield { lastSeq, mutations };
  }

  /** Each commit, of each branch in its order; returns what ends it. */
  subscribe(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when everything that was accepted is answered. */
  async stop(): Promise<void> {
    await Promise.all([...this.#live.values()].map((sequencer) => sequencer.settled()));
  }

  #sequencer(address: BranchAddress): Sequencer {
    const key = `${address.workbookId}/${address.branchNo}`;
    const known = this.#live.get(key);
    const sequencer =
      known ??
      new Sequencer(address, { ...this.#options, onCommit: (commit) => this.#emit(commit) });
    this.#live.delete(key);
    this.#live.set(key, sequencer);
    if (!known) this.#evict();
    return sequencer;
  }

  #evict(): void {
    let surplus = this.#live.size - liveMost;
    for (const [key, sequencer] of this.#live) {
      if (surplus <= 0) return;
      if (!sequencer.isIdle) continue;
      this.#live.delete(key);
      surplus--;
    }
  }

  #emit(commit: Commit): void {
    for (const listener of this.#listeners) {
      try {
        listener(commit);
      } catch (error) {
        this.#options.report('tell a listener of a commit', error);
      }
    }
  }
}

function* summarize(state: BranchState): Generator<void, BranchSummary> {
  const stateHash = yield* state.stateHash();
  return {
    head: state.head,
    stateHash,
    sheets: state.sheetSummaries(),
    names: state.nameSummaries(),
    tables: state.tables.summaries(),
    records: state.records.counts(),
    settings: state.settings.all(),
  };
}
