import type { CellOrigin, Origins } from '../diffs/origins.ts';
import type { ContestPlace } from '../state/merge/judge.ts';
import { CellIndex, type SoughtCell } from '../values/blame/cell-index.ts';
import type { Conflict } from './computer.ts';
import { conflictFilter, type ConflictFilter } from './conflict-view.ts';
import type { Position } from './graph.ts';
import type { OpenLook } from './merges.ts';

/** Who made a side of a conflict what it is. */
export type Author = Pick<CellOrigin, 'by' | 'at'>;

export interface ConflictAuthors {
  readonly ours: Author | undefined;
  readonly theirs: Author | undefined;
}

/** Tells of conflicts about cells who wrote them, as far as the journal is read back for it. */
export async function authorsOf(
  { record, outcome, graph }: OpenLook,
  conflicts: readonly Conflict[],
  origins: Pick<Origins, 'ofCells'>,
): Promise<(conflict: Conflict) => ConflictAuthors> {
  const vectors = outcome.bases.map((base) => graph.vector(base));
  const heldOf = (branchNo: number) => Math.max(...vectors.map((held) => held.get(branchNo) ?? 0));
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

/** Conflicts that are asked for. */
interface SelectedConflicts {
  readonly isMeant: (conflict: Conflict) => boolean;
  /** Who wrote them, where the journal was read for it. */
  readonly authors: ((conflict: Conflict) => ConflictAuthors) | undefined;
}

/** Tells of one conflict after the other whether it is meant, also by who wrote what theirs has. */
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
  const written = new Set(meant.filter((conflict) => authors(conflict).theirs?.by === writer));
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
