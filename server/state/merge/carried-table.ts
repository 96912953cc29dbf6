import type { BranchState } from '../branch-state.ts';
import { TableList, type StoredTable } from '../structure/tables.ts';
import type { SectionEntry } from '../structure/section.ts';
import { Carrier } from '../carrier.ts';

/**
 * Returns a table with its column formulas rewritten from the addresses of one state to those of
 * another.
 */
export function carriedTable(table: StoredTable, from: BranchState, to: BranchState): StoredTable {
  const carrier = new Carrier(from, to);
  const columns = table.columns.map((column) => {
    const { formula } = column;
    if (formula === undefined) return column;
    return { ...column, formula: carrier.carry(formula, table.sheetId) };
  });
  return { ...table, columns };
}

/** Returns the stored form of a table, which is equal for equal tables. */
export function entryOf(table: StoredTable | undefined): SectionEntry[1] {
  const [entry] = new TableList(table ? [table] : []).entries();
  return entry?.[1] ?? {};
}
