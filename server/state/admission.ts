import type { Mutation } from '../model/mutation.ts';
import { isParted, type Operation, type OperationKind } from '../model/operation.ts';
import { settingsBranchNo } from '../model/policy.ts';
import { cellCount, columnCount } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import type { BranchState } from './branch-state.ts';
import type { ClientView } from './client-view.ts';
import { checkExpectations } from './expectation.ts';
import { presentRules, type Plan, type PlanContext, type Planned } from './plan/plan.ts';
import { toEnd } from './plan/steps.ts';
import { planAtOnce, planOperation } from './planning.ts';
import { checkArrayParts, knowsArrays, readArrays } from './operations/array-parts.ts';
import { checkProtection, signed, type Author } from './operations/protection.ts';
import type { Resolved } from './plan/resolved.ts';
import type { RowCounts } from './plan/row-counts.ts';
import { journalledParts, replayParts, rulesOf } from './merge/parts.ts';
import { checkValidation } from './operations/validation-check.ts';

/** An operation that was applied to the state, in the form to journal. */
export interface Admitted {
  readonly status: 'applied' | 'rebased' | 'noop';
  readonly kind: OperationKind;
  readonly payload: unknown;
  readonly resolved: Resolved;
  readonly clipped: readonly string[];
  readonly mutations: readonly Mutation[];
  /** Outcomes of the rows, for kinds that write rows of a table. */
  readonly rows?: RowCounts;
  /**
   * True when it changed nothing and was passed over: it gets no sequence number and is not
   * journalled.
   */
  readonly isPassed?: boolean;
}

/**
 * The operations after `base` up to `through` by others; a write to the same registers is refused.
 * Undefined admits the operation: the later write wins.
 */
export type StrictSpan = { readonly base: number; readonly through: number } | undefined;

export interface AdmissionOptions {
  readonly view: ClientView;
  readonly strict: StrictSpan;
  /** The submitting author; left out, no protection applies. */
  readonly author?: Author;
  /** True to pass over an operation that changes nothing, when a repeat need not be recognised. */
  readonly passesNoop?: boolean;
  /** The year for typed dates that name none; left out, such dates stay texts. */
  readonly year?: number;
}

function contextOf(state: BranchState, { view, author, year }: AdmissionOptions): PlanContext {
  const origin = author?.formulaOrigin ?? 'person';
  return state.contextAt(view.structure, origin, presentRules, year);
}

/**
 * Plans an operation against what its client saw, and applies it to the head. A rejection leaves
 * the state as it was. Yields now and then; the state must not change in between.
 */
export function* admit(
  state: BranchState,
  operation: Operation,
  options: AdmissionOptions,
): Generator<void, Admitted | Rejection> {
  let planned: Planned;
  try {
    checkBranch(state, operation);
    const context = contextOf(state, options);
    checkExpectations(operation, context, state);
    planned = yield* planOperation(signed(operation, options.author), context);
    yield* readArrays(planned.plan, state);
    checkRules(state, planned, options.author);
    if (options.strict) checkConflict(state, planned, options.strict);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  yield;
  return yield* carryOut(state, operation, { ...options, planned });
}

/**
 * Does as `admit` without pauses. Returns undefined, with nothing done, for an operation that may
 * take long.
 */
export function admitAtOnce(
  state: BranchState,
  operation: Operation,
  options: AdmissionOptions,
): Admitted | Rejection | undefined {
  let planned: Planned | undefined;
  try {
    checkBranch(state, operation);
    const context = contextOf(state, options);
    checkExpectations(operation, context, state);
    planned = planAtOnce(signed(operation, options.author), context);
    if (planned && (isWide(planned.plan, state) || !knowsArrays(planned.plan, state))) {
      return undefined;
    }
    if (planned) checkRules(state, planned, options.author);
    if (planned && options.strict) checkConflict(state, planned, options.strict);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  return planned && toEnd(carryOut(state, operation, { ...options, planned }));
}

/** Columns and cells up to which writing them takes a few milliseconds. */
const columnsMost = 256;
const cellsMost = 1 << 17;
const insertedMost = 8;

/** Returns whether a plan writes to so much that it is carried out with pauses. */
function isWide(plan: Plan, state: BranchState): boolean {
  switch (plan.type) {
    case 'fill':
    case 'clear':
    case 'format':
    case 'lanes':
      return plan.areas.some(
        (area) => columnCount(area) > columnsMost || cellCount(area) > cellsMost,
      );
    case 'insert':
      return isWideInsertion(plan, state);
    case 'delete':
    case 'move':
      return state.cellsOf(plan.sheet).columns.size > columnsMost || lineCount(plan) > cellsMost;
    default:
      return false;
  }
}

/** New lines get the formats of a neighbour: of each of its cells, in each of them. */
function isWideInsertion(
  { sheet, axis, count, inherit }: Extract<Plan, { type: 'insert' }>,
  state: BranchState,
): boolean {
  if (!inherit) return false;
  return axis === 'row' ? state.cellsOf(sheet).columns.size > columnsMost : count > insertedMost;
}

function lineCount({ spans }: { readonly spans: readonly { readonly count: number }[] }): number {
  return spans.reduce((sum, { count }) => sum + count, 0);
}

function checkRules(state: BranchState, { plan }: Planned, author: Author | undefined): void {
  checkProtection(plan, state, author);
  checkArrayParts(plan, state);
  checkValidation(plan, state);
}

function* carryOut(
  state: BranchState,
  operation: Operation,
  {
    view,
    planned,
    passesNoop,
  }: Pick<AdmissionOptions, 'view' | 'passesNoop'> & { readonly planned: Planned },
): Generator<void, Admitted> {
  const before = state.structure;
  const isNoop = yield* state.changesNothing(planned.plan);
  if (isNoop && passesNoop === true) return passedOver(planned);
  const mutations = yield* state.applySlowly(isNoop ? undefined : planned.plan);
  view.follow({ operation, plan: planned.plan }, state, before);
  const { kind, payload, clipped, rows } = planned;
  return {
    status: isNoop ? 'noop' : planned.rebased ? 'rebased' : 'applied',
    kind,
    payload,
    resolved: isNoop ? { ...planned.resolved, noop: true } : withResult(planned, state),
    clipped,
    mutations,
    ...(rows && { rows }),
  };
}

/** Returns the result of an operation that was passed over; the head of the state does not move. */
function passedOver({ kind, payload, resolved, clipped, rows }: Planned): Admitted {
  const nothing = { status: 'noop', isPassed: true, mutations: [] } as const;
  return { ...nothing, kind, payload, resolved, clipped, ...(rows && { rows }) };
}

/**
 * Applies a journalled operation, which is in the addresses of the head. Gives the same state and
 * the same mutations as its admission did.
 */
export function* replay(
  state: BranchState,
  operation: Operation,
  resolved: Resolved,
): Generator<void, readonly Mutation[]> {
  if (resolved.noop === true) return state.apply(undefined);
  if (isParted(operation)) {
    state.begin();
    return yield* replayParts(state, journalledParts(operation), resolved);
  }
  const context = state.contextAt(state.structure, 'journal', rulesOf(resolved));
  const planned = planAtOnce(operation, context) ?? (yield* planOperation(operation, context));
  const [takesNoEnd, cutsLinks] = [resolved.tookNoEnd === true, resolved.cutLinks === true];
  return yield* state.applySlowly(planned.plan, { takesNoEnd, cutsLinks });
}

/** Adds what is known only after the plan was applied. */
function withResult(planned: Planned, state: BranchState): Resolved {
  const resolved = withRun(planned, state);
  return {
    ...resolved,
    ...(state.hasCutLinks && { cutLinks: true }),
    ...(state.tookNoEnd && { tookNoEnd: true }),
  };
}

/** Adds the ids of new rows and columns, which derive from the sequence number. */
function withRun({ plan, resolved }: Planned, state: BranchState): Resolved {
  if (plan.type === 'insert') {
    return { ...resolved, lines: [state.branchNo, state.head, 0, plan.count] };
  }
  if (plan.type === 'sheetAdd') return { ...resolved, sheet: `s${state.branchNo}.${state.head}.0` };
  return resolved;
}

/**
 * Rejects an operation on the wrong branch: the policy is written on branch 0 only, and nothing
 * else is.
 */
export function checkBranch(state: BranchState, { kind }: Operation): void {
  if ((kind === 'policy.set') === (state.branchNo === settingsBranchNo)) return;
  throw new Rejection('wrong_branch', `this branch does not take ${kind}`);
}

export function checkConflict(
  state: BranchState,
  { plan }: Pick<Planned, 'plan'>,
  strict: NonNullable<StrictSpan>,
): void {
  if (!state.recent.reaches(strict.base, state.head)) {
    throw new Rejection('base_too_old', 'too much was written since for a strict comparison');
  }
  const sequence = state.recent.conflict(plan, strict, state.structure);
  // Writing what is there already is no conflict.
  if (sequence === undefined || toEnd(state.changesNothing(plan))) return;
  throw new Rejection('conflict', `operation ${sequence} wrote to the same cells`, sequence);
}
