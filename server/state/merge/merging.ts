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

/** The part of a workbook's merge policy that says which changes are conflicts. */
export type MergePolicy = Pick<Policy['merge'], 'conflictGranularity' | 'deleteVsFormat'>;

/**
 * A change to merge: the state that it led to, and the base that it started from. In a merge of
 * branches, `theirs` is the source and `base` the common ancestor. An undo is a merge too: there,
 * `base` is the state after the undone operation and `theirs` the state before it.
 */
export interface Change {
  readonly base: BranchState;
  readonly theirs: BranchState;
  /** The base with lines that come back to ours: these stand in front of new ones in their place. */
  readonly whole?: BranchState | undefined;
  /**
   * Returns the number of the last operation of a branch that the base contains: lines added later
   * cannot have been in it. Left out when unknown.
   */
  readonly heldOf?: ((branchNo: number) => number) | undefined;
  /** Moves of cells and lines; undefined when the journals were not read. */
  readonly moves?: Moves | undefined;
  /** Parts that one side deleted and the merge keeps, because a kept formula refers to them. */
  readonly kept?: readonly DeletedPart[] | undefined;
  /** Rules for conflicts; left out for the defaults. */
  readonly policy?: MergePolicy | undefined;
}

/**
 * A three-way merge in progress. A register that differs between `base` and `theirs` takes the
 * value of theirs if ours still has the value of the base; otherwise the judge decides.
 */
export interface Merging extends Change {
  /** The common ancestor in full. `base` is without the deleted parts that the merge keeps. */
  readonly common: BranchState;
  /** The target as it was before the merge. */
  readonly ours: BranchState;
  readonly parts: OperationParts;
  readonly judge: Judge;
  /** The changes of theirs to take; left out for all. */
  readonly scope?: Scope | undefined;
  /** Deleted cells that the merge brings back; formulas had `#REF!` for them. */
  readonly lost: LostCells[];
  /** Cells that got a formula with `#REF!` in its text, which no longer says what was lost. */
  readonly mute: CellPlace[];
  /** Cells with a decided conflict, by `placeText`. */
  readonly chosen: Set<string>;
}

/** Returns whether a change of theirs is left out. */
export function isLeft({ scope }: Pick<Merging, 'scope'>, change: ScopedChange): boolean {
  return scope !== undefined && !scope(change);
}

/**
 * Returns whether a register takes the value of theirs; `shown` gives the sides as the conflict
 * presents them.
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
