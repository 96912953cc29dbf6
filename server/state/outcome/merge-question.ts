import type { Policy, ProtectedBranch } from '../../model/policy.ts';
import type { BranchState } from '../branch-state.ts';
import type { Moves } from '../merge/followed-moves.ts';
import type { Choices } from './stored-choice.ts';
import type { Grouping, UnitGroup } from './units/unit.ts';

export type Granularity = Policy['merge']['conflictGranularity'];
export type Strategy = 'none' | 'ours' | 'theirs';

/** The two states of a merge, and the one that both are compared with. */
export interface MergedSides {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** The wishes of whoever proposed a merge, as far as its outcome depends on them. */
export interface OutcomeWishes {
  readonly strategy: Strategy;
  /** Unit of conflicts; that of the policy where it is left out. */
  readonly granularity?: Granularity;
  /** Rule that makes units while nobody makes any; `auto` where it is left out. */
  readonly grouping?: Grouping;
}

/** All that the outcome of a merge follows from beside its states: plain data. */
export interface MergeQuestion {
  readonly wishes: OutcomeWishes;
  /** Everything that was chosen. */
  readonly choices: Choices;
  readonly units: readonly UnitGroup[];
  readonly policy: Policy['merge'];
  /** Parts of the target whose changes need the approval of somebody. */
  readonly owners: ProtectedBranch['owners'];
  /** Values that each of several bases has, by register, where they do not agree. */
  readonly terms: ReadonlyMap<string, readonly string[]>;
  /** The last operation of each branch that the base holds. */
  readonly held: ReadonlyMap<number, number>;
  readonly moves: Moves;
}
