import type { MergedSides, MergeQuestion } from './merge-question.ts';
import { diffStates } from '../diff/diff.ts';
import { summaryOf, type DiffSummary } from '../diff/summary.ts';
import type { SourceAuthors } from './units/change-authors.ts';
import { countedUnits, type CountedUnits } from './units/report.ts';

/** The changes of the source since the base, as a whole and by unit. */
export interface CountedSource extends CountedUnits {
  readonly summary: DiffSummary;
}

/** Counts the changes of the source, regardless of choices. */
export function* countedSource(
  { base, theirs }: Pick<MergedSides, 'base' | 'theirs'>,
  { units: groups, wishes: { grouping = 'auto' } }: Pick<MergeQuestion, 'units' | 'wishes'>,
  authors: SourceAuthors,
): Generator<void, CountedSource> {
  const diff = yield* diffStates({ from: base, to: theirs });
  const counted = yield* countedUnits({ groups, grouping, diff }, { base, theirs, authors });
  return { ...counted, summary: summaryOf(diff) };
}
