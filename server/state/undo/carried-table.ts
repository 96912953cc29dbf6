import type { BranchState } from '../branch-state.ts';
import type { StoredTable } from '../tables.ts';
import { Carrier } from './span-undo.ts';

/** A table of one state, its formulas in the addresses of another. */
export function carriedTable(table: StoredTable, from: BranchState, to: BranchState): StoredTable {
  const carrier = new Carrier(from, to);
  const columns = table.columns.map((column) => {
    const { formula } = column;
    if (formula === undefined) return column;
    return { ...column, formula: carrier.carry(formula, table.sheetId) };
  });
  return { ...table, columns };
}
