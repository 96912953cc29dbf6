import type { CellOrigin, Origins } from '../diffs/origins.ts';
import type { ContestPlace } from '../state/merge/judge.ts';
import { CellIndex, type SoughtCell } from '../values/blame/cell-index.ts';
import type { Conflict } from '../state/outcome/merged-state.ts';
import { conflictFilter, type ConflictFilter } from './conflict-view.ts';
import type { Position } from './graph.ts';
import type { OpenLook } from './look.ts';

/** The author of one side of a conflict. */
export type Author = Omit<CellOrigin, 'cause'>;

export interface ConflictAuthors {
  readonly ours: Author | undefined;
  readonly theirs: Author | undefined;
}

/** Finds who wrote the two sides of conflicts about cells, as far back as the journal is read. */
export async function authorsOf(
  { record, outcome, graph }: OpenLook,
  conflicts: readonly Conflict[],
  origins: Pick<Origins, 'ofCells'>,
): Promise<(conflict: Conflict) => ConflictAuthors> {
  const heldOf = graph.heldBy(outcome.bases);
  const indexes = new Map(conflicts.map((conflict, index) => [conflict, index]));
  const read = ({ no: branchNo, seq }: Position) => {
    const address = { workbookId: record.workbookId, branchNo };
    return origins.ofCells({ address, seq }, heldOf, cellsOf(conflicts));
  };
  const [ours, theirs] = await Promise.all([
    read({ no: record.targetNo, seq: record.targetSeq }),
    read({ no: record.sourceNo, seq: record.sourceSeq }),
  ]);
  return (conflict) => {
    const index = indexes.get(conflict) ?? -1;
    return { ours: ours.get(index), theirs: theirs.get(index) };
  };
}

/** The conflicts of a request. */
interface SelectedConflicts {
  readonly isMeant: (conflict: Conflict) => boolean;
  /** Authors of a conflict; undefined if the journal was not read for them. */
  readonly authors: ((conflict: Conflict) => ConflictAuthors) | undefined;
}

/** Selects the conflicts that fit a filter, which may ask for the writer of theirs. */
export async function selectConflicts(
  look: OpenLook,
  filter: ConflictFilter,
  origins: Pick<Origins, 'ofCells'>,
): Promise<SelectedConflicts> {
  const isMeant = conflictFilter(filter, look.outcome);
  const { writer } = filter;
  if (writer === undefined) return { isMeant, authors: undefined };
  const meant = [...look.outcome.conflicts.values()].filter(isMeant);
  const authors = await authorsOf(look, meant, origins);
  const written = new Set(meant.filter((conflict) => authors(conflict).theirs?.writer === writer));
  return { isMeant: (conflict) => written.has(conflict), authors };
}

function cellsOf(conflicts: readonly Conflict[]): CellIndex[] {
  const bySheet = new Map<string, SoughtCell[]>();
  for (const [index, { contest }] of conflicts.entries()) {
    const { sheetId, row, column }: ContestPlace = contest.place;
    if (sheetId === undefined || !row || !column) continue;
    const cells = bySheet.get(sheetId);
    if (cells) cells.push({ index, row, column });
    else bySheet.set(sheetId, [{ index, row, column }]);
  }
  return [...bySheet].map(([id, cells]) => new CellIndex(id, cells));
}
