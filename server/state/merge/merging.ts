import type { Policy } from '../../model/policy.ts';
import type { BranchState } from '../branch-state.ts';
import type { FormulaMove } from '../formula-text.ts';
import { moveFormula } from '../formula-text.ts';
import { carryTableNames } from '../table-names.ts';
import type { SheetArea } from '../reference-map.ts';
import type { Moves } from './followed-moves.ts';
import type { Contest, Judge } from './judge.ts';
import { verdictOn, type Sides } from './merged-members.ts';
import type { DeletedPart } from './named-deletions.ts';
import type { OperationParts } from './parts.ts';
import { contestedChange, type Scope, type ScopedChange } from './scope.ts';

/** What a workbook says about what is contested. */
export type MergePolicy = Pick<Policy['merge'], 'conflictGranularity' | 'deleteVsFormat'>;

/** What was changed, and from what. */
export interface Change {
  readonly base: BranchState;
  readonly theirs: BranchState;
  /**
   * The last operation of a branch that the base holds, or what it was made of: lines that came
   * later cannot have been there before. Left out where that is not known.
   */
  readonly heldOf?: ((branchNo: number) => number) | undefined;
  /** What was cut and pasted, as far as the journal was asked. */
  readonly moves?: Moves | undefined;
  /** What one side deleted and the merge has all the same; nothing when left out. */
  readonly kept?: readonly DeletedPart[] | undefined;
  /** What counts as a conflict; the defaults when left out. */
  readonly policy?: MergePolicy | undefined;
}

/**
 * A three-way merge under way. Whatever differs between `base` and `theirs` becomes as it is in
 * theirs where `ours` still has it as it was in the base; where it has not, the judge is asked.
 */
export interface Merging extends Change {
  /** What there is when the merge begins. */
  readonly ours: BranchState;
  readonly parts: OperationParts;
  readonly judge: Judge;
  /** Which changes of theirs are taken; all of them when left out. */
  readonly scope?: Scope | undefined;
  /** Cells, in the addresses of theirs, that formulas of ours lost sight of. */
  readonly lost: SheetArea[];
  /** Lines, in the addresses of theirs, that stand elsewhere in the base. */
  readonly moved: SheetArea[];
}

/** Whether a change of theirs is left out. */
export function isLeft({ scope }: Pick<Merging, 'scope'>, change: ScopedChange): boolean {
  return scope !== undefined && !scope(change);
}

/** Whether something becomes as it is in theirs; `shown` where its sides are told otherwise. */
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

/** What is merged so far. */
export function stateOf({ parts }: Merging): BranchState {
  return parts.state;
}

/** Formulas of one state in the addresses of another, tables by the names that they have there. */
export class Carrier {
  readonly #from: BranchState;
  readonly #to: BranchState;
  readonly #structures: Omit<FormulaMove, 'sheetId'>;
  readonly #context: Parameters<typeof carryTableNames>[1];

  constructor(from: BranchState, to: BranchState) {
    this.#from = from;
    this.#to = to;
    this.#structures = { from: from.structure, to: to.structure };
    this.#context = { ...to.contextAt(to.structure), base: from.structure };
  }

  carry(text: string, sheetId: string | undefined): string {
    const { formulas } = this.#to.coding;
    const moved = moveFormula(text, { ...this.#structures, sheetId }, formulas);
    return this.names(moved);
  }

  names(text: string): string {
    return this.#from.tables === this.#to.tables ? text : carryTableNames(text, this.#context);
  }
}
