import type { BranchState } from '../branch-state.ts';
import { rangeOf, sameLine, sheetOfTable, type StoredTable } from '../structure/tables.ts';
import { entryOf } from './carried-table.ts';
import { isSame } from '../compare/merged-members.ts';
import { newCells } from './touched-lines.ts';

/** Returns whether two tables are equal by content: states read from storage share no objects. */
export function isSameTable(a: StoredTable | undefined, b: StoredTable | undefined): boolean {
  return a === b || isSame(entryOf(a), entryOf(b));
}

/** Returns whether a cell of a table holds something in `ours` that it did not in `base`. */
export function hasNewCells(table: StoredTable, base: BranchState, ours: BranchState): boolean {
  const { sheetId, columns } = table;
  const { row0, row1 } = rangeOf(table, ours.structure);
  const spans = sheetOfTable(table, ours.structure).rows.spansAt(row0, row1 - row0 + 1);
  for (const { column } of newCells({ base, ours }, { sheetId, axis: 'row', spans })) {
    if (columns.some(({ line }) => sameLine(line, column))) return true;
  }
  return false;
}

/**
 * Returns whether rows of a table were added, deleted or changed since the base. Calculated columns
 * and columns of one state only do not count.
 */
export function hasChangedRows(
  tableId: string,
  { base, side }: { readonly base: BranchState; readonly side: BranchState },
): boolean {
  const [was, is] = [base, side].map(({ tables }) => tables.withId(tableId));
  if (was?.sheetId === undefined || was.sheetId !== is?.sheetId) return false;
  const columns = was.columns.filter(({ id, formula }) => {
    return formula === undefined && is.columns.some((column) => column.id === id);
  });
  return (
    hasNewCells({ ...is, columns }, base, side) || hasNewCells({ ...was, columns }, side, base)
  );
}
