import type { SettingValue } from '../model/settings.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { NameSummary, SheetSummary } from '../state/structure/summaries.ts';
import type { TableSummary } from '../state/structure/tables.ts';
import type { LiveBranch, LiveStart } from './live-branch.ts';

/** Looks at a state without changing it; yields wherever the thread may do something else. */
export type Look<Result> = (state: BranchState, live: LiveBranch) => Generator<void, Result>;

/** Content at the head of a branch, without its cells. */
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
