import type { Mutation } from '../../model/mutation.ts';
import type { BranchState } from '../branch-state.ts';
import type { Contest, Judge } from '../merge/judge.ts';
import { MergeJudge, type Chosen, type Judged } from '../merge/merge-judge.ts';
import { mergeChange } from '../merge/merge.ts';
import type { Change } from '../merge/merging.ts';
import { OperationParts, type OperationPart } from '../merge/parts.ts';
import { contestedChange, type Scope } from '../merge/scope.ts';
import { keptBy } from './kept.ts';
import type { MergedSides, MergeQuestion } from './merge-question.ts';
import { settledByPolicy } from './settled.ts';
import type { Choices, StoredChoice } from './stored-choice.ts';
import type { SourceAuthors } from './units/change-authors.ts';
import { scopeOf } from './units/membership.ts';
import { writeInputs, writtenInputs, type WrittenInput } from './written-inputs.ts';

/** A conflict with its choice, if one was made. */
export interface Conflict extends Judged {
  readonly stored: StoredChoice | undefined;
  /** True if no choice is needed any more. */
  readonly isSettled: boolean;
}

/** Conflicts by id, in the order in which they were found. */
export type Conflicts = ReadonlyMap<string, Conflict>;

/** A merged state, and the parts and mutations that lead to it. */
export interface MergedState {
  readonly state: BranchState;
  /** Parts of the operation that turns ours into the merged state. */
  readonly parts: readonly OperationPart[];
  /** Mutations that do the same to a kernel model of ours. */
  readonly mutations: readonly Mutation[];
}

export interface JudgedState extends MergedState {
  readonly judge: MergeJudge;
}

interface MergeInto {
  readonly ours: BranchState;
  readonly judge: Judge;
  readonly scope?: Scope | undefined;
  readonly written?: readonly WrittenInput[];
}

/** Merges a change into a fork of ours. Throws a rejection if it cannot be applied. */
export function* mergedInto(
  change: Change,
  { ours, judge, scope, written = [] }: MergeInto,
): Generator<void, MergedState> {
  const state = ours.fork();
  state.begin();
  const parts = new OperationParts(state);
  yield* mergeChange(change, parts, judge, scope);
  yield* writeInputs(written, parts);
  return { state, parts: parts.parts, mutations: parts.mutations };
}

/** Carries out the parts of a merge on a fork of ours. */
export function* carriedOut(
  parts: readonly OperationPart[],
  ours: BranchState,
): Generator<void, MergedState> {
  const state = ours.fork();
  state.begin();
  const done = new OperationParts(state);
  for (const part of parts) yield* done.add(part);
  return { state, parts, mutations: done.mutations };
}

interface Decided {
  readonly choices: Choices;
  readonly authors: SourceAuthors;
}

/**
 * Merges two states with the choices that still apply. Throws a rejection if they cannot be carried
 * out.
 */
export function* judgedState(
  { base, ours, theirs }: MergedSides,
  { wishes, units, policy, terms, held, moves }: MergeQuestion,
  { choices, authors }: Decided,
): Generator<void, JudgedState> {
  const scope = scopeOf(units, { base, theirs, authors });
  const judge = new MergeJudge({
    chosenFor: (id) => chosenFor(choices.get(id)),
    otherwise: wishes.strategy === 'theirs' ? 'theirs' : 'ours',
    terms,
    settle: (contest) =>
      scope?.(contestedChange(contest)) === false ? 'ours' : settledByPolicy(contest, policy),
    asksAgreed: policy.insertInsertSameKey === 'conflict',
  });
  const written = writtenInputs(choices, { ours, theirs });
  const kept = keptBy(choices, { base, ours, theirs, scope });
  const conflictGranularity = wishes.granularity ?? policy.conflictGranularity;
  const rules = { ...policy, conflictGranularity };
  const heldOf = (branchNo: number): number => held.get(branchNo) ?? 0;
  const change: Change = { base, theirs, heldOf, moves, kept, policy: rules };
  const merged = yield* mergedInto(change, { ours, judge, written, scope });
  return { ...merged, judge };
}

function chosenFor(stored: StoredChoice | undefined): Chosen | undefined {
  if (!stored || stored.choice === 'accept' || stored.choice === 'keep') return undefined;
  return { choice: stored.choice, sides: stored.sides };
}

/** Conflicts between two pauses, because their sides are read. */
const conflictsBetweenPauses = 64;

/** Returns the conflicts that a judge met; `counted` are the choices that it used. */
export function* conflictsOf(
  { judged }: { readonly judged: ReadonlyMap<string, Judged> },
  { choices, wishes }: MergeQuestion,
  counted: Choices,
): Generator<void, Conflicts> {
  const conflicts = new Map<string, Conflict>();
  for (const [id, one] of judged) {
    const { contest, sides, choice } = one;
    const stored = choices.get(id);
    const isAnswered = stored !== undefined && choice !== undefined;
    const isLost = stored !== undefined && !counted.has(id);
    const isUsual = wishes.strategy !== 'none' || isWarning(contest);
    const isSettled = isAnswered || (isUsual && !isLost);
    conflicts.set(id, { id, contest, sides, choice, stored, isSettled });
    if (conflicts.size % conflictsBetweenPauses === 0) yield;
  }
  return conflicts;
}

/**
 * Returns whether a contest is only a warning: rows moved by both sides stay where ours put them.
 */
export function isWarning({ kind, usual }: Pick<Contest, 'kind' | 'usual'>): boolean {
  if (usual !== undefined) return true;
  return kind === 'row.order' || kind === 'col.order' || kind === 'sheet.order';
}
