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

/** A conflict with its choice, if anybody made one. */
export interface Conflict extends Judged {
  readonly stored: StoredChoice | undefined;
  /** True when nobody has to choose any more. */
  readonly isSettled: boolean;
}

/** By id, in the order in which they were met. */
export type Conflicts = ReadonlyMap<string, Conflict>;

/** A merged state, and how one gets there. */
export interface MergedState {
  readonly state: BranchState;
  /** Parts that turn ours into the merged state. */
  readonly parts: readonly OperationPart[];
  /** Mutations that do so to a kernel model of ours. */
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

/** Merges a change into a fork of ours. Throws a rejection for what cannot be done. */
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

interface Decided {
  readonly choices: Choices;
  readonly authors: SourceAuthors;
}

/**
 * Merges two states, with those choices that are to count. Throws a rejection where they cannot be
 * carried out.
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

/** Conflicts between two pauses: their sides are read. */
const conflictsBetweenPauses = 64;

/** Returns the conflicts that a judge was asked about; `counted` are the choices that it knew. */
export function* conflictsOf(
  { judged }: MergeJudge,
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

/** Rows that both sides moved: ours stay where ours put them unless somebody minds. */
export function isWarning({ kind, usual }: Pick<Contest, 'kind' | 'usual'>): boolean {
  if (usual !== undefined) return true;
  return kind === 'row.order' || kind === 'col.order' || kind === 'sheet.order';
}
