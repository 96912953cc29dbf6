import type { Mutation } from '../../model/mutation.ts';
import type { Operation, PartedOperation } from '../../model/operation.ts';
import type { BranchState } from '../branch-state.ts';
import { planOperation } from '../planning.ts';
import type { NewRows, Plan, PlanContext, PlanRules } from '../plan/plan.ts';
import type { Resolved } from '../plan/resolved.ts';
import { planRestoration, type Restoration } from './restoration.ts';

/**
 * One step of an operation that consists of several, in the addresses after the steps before it.
 */
export type OperationPart = Pick<Operation, 'kind' | 'payload'> | Restoration;

/** The rules by which a part is applied; older journals have other ones. */
interface PartRules {
  readonly newRows: NewRows;
  readonly cutsLinks: boolean;
}

const presentPartRules: PartRules = { newRows: 'carried', cutsLinks: true };

interface PlannedPart {
  readonly plan: Plan;
  readonly resolved: Resolved;
}

function* planPart(part: OperationPart, context: PlanContext): Generator<void, PlannedPart> {
  if (isRestoration(part)) return yield* planRestoration(part, context);
  // TypeScript cannot tell that kind and payload belong together.
  return yield* planOperation(part as Operation, context);
}

function isRestoration(part: OperationPart): part is Restoration {
  return part.kind.startsWith('restore.');
}

/** Applies an operation part by part, and collects what the journal stores of it. */
export class OperationParts {
  #state: BranchState;
  /** True until the first part: the state is that of somebody else so far. */
  #isShared: boolean;
  readonly parts: OperationPart[] = [];
  readonly mutations: Mutation[] = [];
  readonly #resolved: Resolved[] = [];
  readonly #check: (plan: Plan) => void;

  /**
   * `check` throws a rejection for what may not be done. A shared state stays as it is: parts are
   * done to a fork of it.
   */
  constructor(
    state: BranchState,
    check: (plan: Plan) => void = () => undefined,
    { isShared = false } = {},
  ) {
    this.#state = state;
    this.#isShared = isShared;
    this.#check = check;
  }

  /** The state with all that was done so far. */
  get state(): BranchState {
    return this.#state;
  }

  /** Applies a plan that no operation stands for. */
  apply(plan: Plan): void {
    this.#own().applyPart(plan);
  }

  #own(): BranchState {
    if (this.#isShared) {
      this.#state = this.#state.fork();
      this.#state.begin();
      this.#isShared = false;
    }
    return this.#state;
  }

  /** Everything that each part wrote to. */
  get resolved(): Resolved {
    return { parts: this.#resolved };
  }

  /**
   * Applies one part. Tables do not grow by themselves here: a merge completes them once all of
   * their lines are there.
   */
  *add(part: OperationPart, rules: PartRules = presentPartRules): Generator<void, void> {
    const state = this.#own();
    const { newRows, cutsLinks } = rules;
    const context = state.contextAt(state.structure, 'journal', { newRows, keepsTables: false });
    const { plan, resolved } = yield* planPart(part, context);
    this.#check(plan);
    for (const mutation of state.applyPart(plan, cutsLinks)) this.mutations.push(mutation);
    this.parts.push({ kind: part.kind, payload: part.payload } as OperationPart);
    this.#resolved.push(state.hasCutLinks ? { ...resolved, cutLinks: true } : resolved);
  }
}

/** Returns parts that are applied to a copy of a state, which itself stays as it is. */
export function partsOn(state: BranchState): OperationParts {
  return new OperationParts(state, undefined, { isShared: true });
}

/** The three sides of a merge, and what is done to each of them until they can be compared. */
export interface AlignedSides {
  readonly base: OperationParts;
  readonly ours: OperationParts;
  readonly theirs: OperationParts;
}

/** Returns the parts in the payload of a journalled merge or undo. */
export function journalledParts({ payload }: PartedOperation): readonly OperationPart[] {
  return (payload as { readonly ops?: readonly OperationPart[] }).ops ?? [];
}

/** Applies the parts of a journalled operation; the caller has called `begin`. */
export function* replayParts(
  state: BranchState,
  parts: readonly OperationPart[],
  { parts: resolved }: Resolved,
): Generator<void, readonly Mutation[]> {
  const replayed = new OperationParts(state);
  for (const [at, part] of parts.entries()) yield* replayed.add(part, partRules(resolved?.[at]));
  return replayed.mutations;
}

/** Returns the rules by which a journalled part was applied. */
export function partRules(resolved: Resolved | undefined): PartRules {
  return { newRows: newRowsOf(resolved), cutsLinks: resolved?.cutLinks === true };
}

/** Returns the rule by which a journalled operation found new rows of a table. */
function newRowsOf(resolved: Resolved | undefined): NewRows {
  return resolved?.newRows ?? 'taken';
}

/** Returns the rules by which a journalled operation was planned. */
export function rulesOf(resolved: Resolved): PlanRules {
  const { keepsTables = false, blankBehind = 'unsaid' } = resolved;
  return { newRows: newRowsOf(resolved), keepsTables, blankBehind };
}
