import type { Policy } from '../../model/policy.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import type { Moves } from './followed-moves.ts';
import type { Contest, Judge } from './judge.ts';
import { verdictOn, type Sides } from '../compare/merged-members.ts';
import type { LostCells } from './lost-cells.ts';
import type { DeletedPart } from './named-deletions.ts';
import type { OperationParts } from './parts.ts';
import { contestedChange, type Scope, type ScopedChange } from './scope.ts';

/** The merge policy of a workbook, as far as it says which changes are conflicts. */
export type MergePolicy = Pick<Policy['merge'], 'conflictGranularity' | 'deleteVsFormat'>;

/** A change: its result and the base it started from. */
export interface Change {
  readonly base: BranchState;
  readonly theirs: BranchState;
  /**
   * The last operation of a branch that the base holds, or what it was made of: lines that came
   * later cannot have been there before. Left out where that is not known.
   */
  readonly heldOf?: ((branchNo: number) => number) | undefined;
  /** Blocks that were cut and pasted, as far as the journal was asked. */
  readonly moves?: Moves | undefined;
  /** Parts that one side deleted and the merge keeps all the same; none when left out. */
  readonly kept?: readonly DeletedPart[] | undefined;
  /** Rules for conflicts; the defaults when left out. */
  readonly policy?: MergePolicy | undefined;
}

/**
 * A three-way merge under way. Whatever differs between `base` and `theirs` becomes as it is in
 * theirs where `ours` still has it as it was in the base; where it has not, the judge is asked.
 */
export interface Merging extends Change {
  /** The base as it was, also with what is kept of deletions and so is new to `base`. */
  readonly common: BranchState;
  /** State at the beginning of the merge. */
  readonly ours: BranchState;
  readonly parts: OperationParts;
  readonly judge: Judge;
  /** The changes of theirs that are taken; all of them when left out. */
  readonly scope?: Scope | undefined;
  /** Cells that come back, and that formulas had lost sight of. */
  readonly lost: LostCells[];
  /** Formulas that were written with `#REF!`, which says no more what they have lost. */
  readonly mute: CellPlace[];
  /** Cells that were decided about, by the text of their places. */
  readonly chosen: Set<string>;
}

/** Returns whether a change of theirs is left out. */
export function isLeft({ scope }: Pick<Merging, 'scope'>, change: ScopedChange): boolean {
  return scope !== undefined && !scope(change);
}

/**
 * Returns whether a register takes the value of theirs; `shown` gives the sides in the form that
 * the conflict tells them.
 */
export function takes(
  merging: Merging,
  sides: Sides<unknown>,
  contest: Omit<Contest, 'sides'>,
  shown: Contest['sides'] = () => sides,
): boolean {
  if (isLeft(merging, contestedChange(contest))) return false;
  const verdict = verdictOn(sides);
  if (verdict !== 'contest') return verdict === 'set';
  return merging.judge.decide({ ...contest, sides: shown }) === 'theirs';
}

/** Returns the state merged so far. */
export function stateOf({ parts }: Merging): BranchState {
  return parts.state;
}
