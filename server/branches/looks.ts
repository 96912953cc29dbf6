import type { SettingValue } from '../model/settings.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { NameSummary, SheetSummary } from '../state/structure/summaries.ts';
import type { TableSummary } from '../state/structure/tables.ts';
import type { LiveBranch, LiveStart } from './live-branch.ts';
import type { Pace } from './pace.ts';

/** A read of a state that does not change it; yields where the thread may do other work. */
export type Look<Result> = (state: BranchState, live: LiveBranch) => Generator<void, Result>;

/** Summary of a branch at its head, without cells. */
export interface BranchSummary {
  readonly head: number;
  readonly stateHash: string;
  readonly sheets: readonly SheetSummary[];
  readonly names: readonly NameSummary[];
  readonly tables: readonly TableSummary[];
  /** Number of records by type. */
  readonly records: Readonly<Record<string, number>>;
  readonly settings: Readonly<Record<string, SettingValue>>;
}

export function* lookAtHead(state: BranchState): Generator<void, number> {
  yield* [];
  return state.head;
}

export function* hashAtHead({ head }: BranchState, { hash }: LiveBranch) {
  yield* [];
  return { seq: head, hash };
}

export function* startHere(state: BranchState, live: LiveBranch): Generator<void, LiveStart> {
  yield* [];
  const { content, hash, packs } = live;
  return { state: state.fork(), content, hash, packs };
}

export function* forkHere(state: BranchState): Generator<void, BranchState> {
  yield* [];
  return state.fork();
}

export function* outlineOf(
  state: BranchState,
): Generator<void, Pick<BranchSummary, 'head' | 'sheets'>> {
  yield* [];
  return { head: state.head, sheets: state.sheetSummaries() };
}

export function* summarize(state: BranchState): Generator<void, BranchSummary> {
  const stateHash = yield* state.stateHash();
  return {
    head: state.head,
    stateHash,
    sheets: state.sheetSummaries(),
    names: state.nameSummaries(),
    tables: state.tables.summaries(state.structure),
    records: state.records.counts(),
    settings: state.settings.all(),
  };
}

interface WaitingLook {
  run(live: LiveBranch): Promise<void>;
  fail(reason: unknown): void;
}

/** The reads of a branch that wait until no batch is under way. */
export class LookQueue {
  readonly #pace: Pace;
  #waiting: WaitingLook[] = [];

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add<Result>(look: Look<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = (live: LiveBranch) =>
        this.#pace.run(look(live.state, live)).then(resolve, reject);
      this.#waiting.push({ run, fail: reject });
    });
  }

  /** Runs the reads that wait now; later ones wait for the next run. */
  async run(live: LiveBranch): Promise<void> {
    const looks = this.#waiting;
    this.#waiting = [];
    for (const look of looks) await look.run(live);
  }

  failAll(reason: unknown): void {
    for (const look of this.#waiting) look.fail(reason);
    this.#waiting = [];
  }
}
