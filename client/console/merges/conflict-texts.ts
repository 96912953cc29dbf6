import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { loadPlaceLabels, type PlaceLabels } from './place-labels.ts';
import { loadResults, type Results } from './results.ts';
import { isOver, type Conflict, type MergeView } from './review.ts';

/** A merge whose conflicts are shown. */
export interface ShownMerge {
  readonly book: string;
  readonly view: MergeView;
}

const noLabels: PlaceLabels = new Map();

/** Loads names for the rows and columns of conflicts; without them addresses are shown. */
export function usePlaceLabels(
  { book, view: { source, target } }: ShownMerge,
  conflicts: readonly Conflict[],
): PlaceLabels {
  const { service } = useShell();
  const { value } = useLoaded(
    () => loadPlaceLabels(service, { book, source, target }, conflicts),
    [book, source.seq, target.seq, conflicts.map(({ id }) => id).join(' ')],
  );
  return value ?? noLabels;
}

const noResults: Results = new Map();

/** Loads the texts of conflict cells in an open merge, and again after each choice. */
export function useResults({ book, view }: ShownMerge, conflicts: readonly Conflict[]): Results {
  const { service } = useShell();
  const { id, digest } = view;
  const shown = isOver(view) ? [] : conflicts;
  const { value } = useLoaded(
    () => loadResults(service, { book, id }, shown),
    [book, id, digest, shown.map((one) => one.id).join(' ')],
  );
  return value ?? noResults;
}
