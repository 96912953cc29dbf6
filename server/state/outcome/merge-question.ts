import type { Policy, ProtectedBranch } from '../../model/policy.ts';
import type { BranchState } from '../branch-state.ts';
import type { Moves } from '../merge/followed-moves.ts';
import type { Choices } from './stored-choice.ts';
import type { Grouping, UnitGroup } from './units/unit.ts';

export type Granularity = Policy['merge']['conflictGranularity'];
export type Strategy = 'none' | 'ours' | 'theirs';

/** The two states of a merge, and the base that both are compared with. */
export interface MergedSides {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** The options of a merge on which its outcome depends. */
export interface OutcomeWishes {
  readonly strategy: Strategy;
  /** Unit of conflicts; that of the policy if left out. */
  readonly granularity?: Granularity;
  /** Rule that makes units while nobody makes any; `auto` if left out. */
  readonly grouping?: Grouping;
}

/** Everything but the states on which the outcome of a merge depends: plain data. */
export interface MergeQuestion {
  readonly wishes: OutcomeWishes;
  /** All choices made so far. */
  readonly choices: Choices;
  readonly units: readonly UnitGroup[];
  readonly policy: Policy['merge'];
  /** Parts of the target whose owners must approve changes. */
  readonly owners: ProtectedBranch['owners'];
  /** Values of a register in each of several bases, for registers on which the bases differ. */
  readonly terms: ReadonlyMap<string, readonly string[]>;
  /** The last operation of each branch that the base holds. */
  readonly held: ReadonlyMap<number, number>;
  readonly moves: Moves;
}
