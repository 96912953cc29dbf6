import type { Mutation } from '../../server/model/mutation.ts';
import { defaultPolicy } from '../../server/model/policy.ts';
import { Rejection } from '../../server/model/rejection.ts';
import type { FormulaService } from '../../server/model/formula-service.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import type { CellPlace } from '../../server/state/cells/cell-coding.ts';
import type { Choice } from '../../server/state/merge/judge.ts';
import { MergeJudge, type Judged } from '../../server/state/merge/merge-judge.ts';
import type { Moves } from '../../server/state/merge/followed-moves.ts';
import { lineMovesOf, movesOfMerge, type LineMove } from '../../server/state/merge/line-moves.ts';
import { MadeMoves, moveSteps, type MoveStep } from '../../server/state/merge/made-moves.ts';
import type { MergePolicy } from '../../server/state/merge/merging.ts';
import { mergeChange } from '../../server/state/merge/merge.ts';
import { namedDeletions } from '../../server/state/merge/named-deletions.ts';
import { OperationParts, type OperationPart } from '../../server/state/merge/parts.ts';
import { drive, StateDriver } from './state-driver.ts';

export interface MergeOutcome {
  readonly driver: StateDriver;
  readonly parts: readonly OperationPart[];
  readonly mutations: readonly Mutation[];
  readonly conflicts: readonly Judged[];
}

export interface ChoiceByKind {
  readonly choices?: ReadonlyMap<string, Choice>;
  readonly otherwise?: 'ours' | 'theirs';
  /** Cell whose formula keeps a deleted cell that it names. */
  readonly keep?: CellPlace;
  readonly policy?: Partial<MergePolicy>;
}

/** Base of a merge, and the moves in the journals. */
interface MergeGround {
  readonly base?: BranchState;
  /** The last operation of another branch that the base holds. */
  readonly held?: number;
  readonly moves?: Moves;
}

/** Two branches of one base, and the merge of the second into the first. */
export class MergeDriver {
  readonly #formulas: FormulaService | undefined;
  /** Blocks and lines that a merge has moved, by its state. */
  readonly #movedBy = new WeakMap<
    BranchState,
    { readonly blocks: readonly MoveStep[]; readonly lines: readonly LineMove[] }
  >();
  readonly base: StateDriver;
  readonly ours: StateDriver;
  readonly theirs: StateDriver;

  constructor(formulas: FormulaService | undefined, prepare: (base: StateDriver) => void) {
    this.#formulas = formulas;
    this.base = new StateDriver(formulas);
    prepare(this.base);
    this.ours = this.driverOn(this.base.state.fork());
    this.theirs = this.driverOn(this.base.state.branchOff(2));
  }

  merge(options: ChoiceByKind = {}): MergeOutcome {
    return this.#merge(this.ours.state, this.theirs.state, options);
  }

  /** Merges ours into theirs. */
  mirror(options: ChoiceByKind = {}): MergeOutcome {
    return this.#merge(this.theirs.state, this.ours.state, options);
  }

  /** Merges theirs into the result of an earlier merge. */
  mergeInto(ours: BranchState, options: ChoiceByKind = {}): MergeOutcome {
    return this.#merge(ours, this.theirs.state, options);
  }

  /** Merges like `merge`, after storing and reading the states. */
  mergeAgain(again: (state: BranchState) => BranchState): MergeOutcome {
    const [base, ours, theirs] = [this.base, this.ours, this.theirs].map(({ state }) =>
      again(state),
    );
    if (!base || !ours || !theirs) throw new Error('there are three states');
    return this.#merge(ours, theirs, {}, { base, moves: this.#moves(this.ours.state) });
  }

  /** Merges what theirs did since into an earlier merge, or with `isBack` that into theirs. */
  mergeLater({ state: merged }: StateDriver, later: BranchState, isBack: boolean): MergeOutcome {
    const base = this.theirs.state;
    const made = this.#madeBy(this.ours);
    made.carryOver(this.#movedBy.get(merged)?.blocks ?? [], this.#madeBy(this.theirs));
    const { moves } = made;
    const held = this.base.state.head;
    return isBack
      ? this.#merge(later, merged, {}, { base, held, moves: { ours: [], theirs: moves } })
      : this.#merge(merged, later, {}, { base, held, moves: { ours: moves, theirs: [] } });
  }

  /** Merges two states of any base. */
  mergeFrom(base: BranchState, ours: BranchState, theirs: BranchState): MergeOutcome {
    return this.#merge(ours, theirs, {}, { base });
  }

  #merge(
    ours: BranchState,
    theirs: BranchState,
    options: ChoiceByKind,
    { base = this.base.state, held = 0, moves = this.#moves(ours) }: MergeGround = {},
  ): MergeOutcome {
    const merged = ours.fork();
    const judge = new MergeJudge({
      chosenFor: (id) => {
        const choice = options.choices?.get(id);
        return choice && { choice };
      },
      otherwise: options.otherwise ?? 'ours',
    });
    merged.begin();
    const parts = new OperationParts(merged);
    try {
      const heldOf = (branchNo: number) => (branchNo === base.branchNo ? base.head : held);
      const kept = options.keep && namedDeletions(options.keep, { base, ours, theirs });
      const policy = { ...defaultPolicy.merge, ...options.policy };
      const change = { base, theirs, heldOf, moves, kept, policy };
      drive(mergeChange(change, parts, judge));
    } catch (error) {
      if (error instanceof Rejection) throw new Error(error.code, { cause: error });
      throw error;
    }
    const conflicts = [...judge.judged.values()];
    const { mutations } = parts;
    const done = { kind: 'merge', payload: { ops: parts.parts }, resolved: parts.resolved };
    const blocks = moveSteps(done, { branchNo: merged.branchNo, seq: merged.head });
    this.#movedBy.set(merged, { blocks, lines: [...lineMovesOf(done)] });
    return { driver: this.driverOn(merged), parts: parts.parts, mutations, conflicts };
  }

  /** Returns the moved blocks and lines of both sides, as their journals hold them. */
  #moves(ours: BranchState): Moves {
    const linesOf = ({ admitted }: StateDriver) =>
      admitted.flatMap(({ kind, payload, resolved }) => [
        ...lineMovesOf({ kind, payload, resolved }),
      ]);
    const [mine, yours] = [this.#madeBy(this.ours), this.#madeBy(this.theirs)];
    let myLines = linesOf(this.ours);
    const yourLines = linesOf(this.theirs);
    const merged = this.#movedBy.get(ours);
    if (merged && ours !== this.ours.state && ours !== this.theirs.state) {
      const { latest, earliest } = movesOfMerge(merged.lines, yourLines);
      if (merged.lines.length > 0) myLines = [...earliest, ...myLines, ...latest];
    }
    mine.add(merged?.blocks ?? []);
    return ours === this.theirs.state
      ? { ours: yours.moves, theirs: mine.moves, lines: { ours: yourLines, theirs: myLines } }
      : { ours: mine.moves, theirs: yours.moves, lines: { ours: myLines, theirs: yourLines } };
  }

  #madeBy({ admitted, state: { branchNo } }: StateDriver): MadeMoves {
    const made = new MadeMoves();
    for (const [seq, done] of admitted.entries()) made.add(moveSteps(done, { branchNo, seq }));
    return made;
  }

  driverOn(state: BranchState): StateDriver {
    const driver = new StateDriver(this.#formulas);
    driver.take(state);
    return driver;
  }
}
