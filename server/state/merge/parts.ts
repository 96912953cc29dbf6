import type { Mutation } from '../../model/mutation.ts';
import type { Operation, PartedOperation } from '../../model/operation.ts';
import type { BranchState } from '../branch-state.ts';
import { planOperation } from '../planning.ts';
import type { NewRows, Plan, PlanContext, PlanRules } from '../plan/plan.ts';
import type { Resolved } from '../plan/resolved.ts';
import { planRestoration, type Restoration } from './restoration.ts';

/** One of several things that an operation does, in the addresses that the ones before it left. */
export type OperationPart = Pick<Operation, 'kind' | 'payload'> | Restoration;

/** The rules that a part is carried out by. */
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
  if (isRestoration(part)) return planRestoration(part, context);
  // The kind and the payload come from one operation.
  return yield* planOperation(part as Operation, context);
}

function isRestoration(part: OperationPart): part is Restoration {
  return part.kind.startsWith('restore.');
}

/** Carries out an operation part by part, and keeps what the journal will say of it. */
export class OperationParts {
  readonly state: BranchState;
  readonly parts: OperationPart[] = [];
  readonly mutations: Mutation[] = [];
  readonly #resolved: Resolved[] = [];
  readonly #check: (plan: Plan) => void;

  /** `check` throws a rejection for what may not be done. */
  constructor(state: BranchState, check: (plan: Plan) => void = () => undefined) {
    this.state = state;
    this.#check = check;
  }

  /** Everything that each part wrote to. */
  get resolved(): Resolved {
    return { parts: this.#resolved };
  }

  /** A merge completes tables by itself, once all of their lines are there. */
  *add(part: OperationPart, rules: PartRules = presentPartRules): Generator<void, void> {
    const { state } = this;
    const { newRows, cutsLinks } = rules;
    const context = state.contextAt(state.structure, 'journal', { newRows, keepsTables: false });
    const { plan, resolved } = yield* planPart(part, context);
    this.#check(plan);
    for (const mutation of state.applyPart(plan, cutsLinks)) this.mutations.push(mutation);
    this.parts.push({ kind: part.kind, payload: part.payload } as OperationPart);
    this.#resolved.push(state.hasCutLinks ? { ...resolved, cutLinks: true } : resolved);
  }
}

/** For what is done to a state only to merge from it: the state itself stays as it is. */
export function partsOn(state: BranchState): OperationParts {
  const fork = state.fork();
  fork.begin();
  return new OperationParts(fork);
}

/** The parts that the journal has of an operation that was admitted in parts. */
export function journalledParts({ payload }: PartedOperation): readonly OperationPart[] {
  return (payload as { readonly ops?: readonly OperationPart[] }).ops ?? [];
}

/** Applies the parts of a journalled operation; `begin` was called. */
export function* replayParts(
  state: BranchState,
  parts: readonly OperationPart[],
  { parts: resolved }: Resolved,
): Generator<void, readonly Mutation[]> {
  const replayed = new OperationParts(state);
  for (const [at, part] of parts.entries()) yield* replayed.add(part, partRules(resolved?.[at]));
  return replayed.mutations;
}

/** The rules by which a journalled part was carried out. */
export function partRules(resolved: Resolved | undefined): PartRules {
  return { newRows: newRowsOf(resolved), cutsLinks: resolved?.cutLinks === true };
}

/** The way in which a journalled operation came to new rows of a table. */
function newRowsOf(resolved: Resolved | undefined): NewRows {
  return resolved?.newRows ?? 'taken';
}

/** The rules by which a journalled operation was planned. */
export function rulesOf(resolved: Resolved): PlanRules {
  const { keepsTables = false, blankBehind = 'unsaid' } = resolved;
  return { newRows: newRowsOf(resolved), keepsTables, blankBehind };
}
