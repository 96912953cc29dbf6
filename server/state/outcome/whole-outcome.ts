import type { OperationPart } from '../merge/parts.ts';
import type { Judged } from '../merge/merge-judge.ts';
import { diffStates } from '../diff/diff.ts';
import type { DiffSummary } from '../diff/summary.ts';
import { countedSource } from './counted-source.ts';
import type { MergedSides, MergeQuestion } from './merge-question.ts';
import { conflictsOf, judgedState } from './merged-state.ts';
import { changedParts, type OwnedPart } from './owners.ts';
import type { Choices } from './stored-choice.ts';
import { noAuthors } from './units/change-authors.ts';
import { unitReports, type UnitReport } from './units/report.ts';

/** All that is told of a merge, without the merged state, which its parts lead to. */
export interface WholeOutcome {
  /** Parts that turn ours into the merged state. */
  readonly parts: readonly OperationPart[];
  /** The conflicts that the judge was asked about, by their ids. */
  readonly judged: ReadonlyMap<string, Judged>;
  readonly units: readonly UnitReport[];
  /** Changes of the source since the base. */
  readonly changes: DiffSummary;
  readonly owned: readonly OwnedPart[];
  readonly stateHash: string;
}

/**
 * Computes a merge from beginning to end, with those choices that are to count; its units ask for
 * no authors. Throws a rejection where the choices cannot be carried out.
 */
export function* wholeOutcome(
  sides: MergedSides,
  question: MergeQuestion,
  choices: Choices,
): Generator<void, WholeOutcome> {
  const { state, parts, judge } = yield* judgedState(sides, question, {
    choices,
    authors: noAuthors,
  });
  const conflicts = yield* conflictsOf(judge, question, choices);
  const stateHash = yield* state.stateHash();
  const counted = yield* countedSource(sides, question, noAuthors);
  const units = yield* unitReports(counted, conflicts.values());
  const owned = yield* ownedParts(question, { from: sides.ours, to: state });
  return { parts, judged: judge.judged, units, changes: counted.summary, owned, stateHash };
}

/** Returns the owned parts that a merge changes in its target. */
export function* ownedParts(
  { owners }: Pick<MergeQuestion, 'owners'>,
  ends: Parameters<typeof diffStates>[0],
): Generator<void, readonly OwnedPart[]> {
  return owners.length === 0 ? [] : yield* changedParts(owners, yield* diffStates(ends));
}
