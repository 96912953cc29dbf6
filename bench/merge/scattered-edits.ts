import type { BranchState } from '../../server/state/branch-state.ts';
import {
  apply,
  editedColumns,
  insertRowsAbove,
  rowsAbove,
  scatterPrime,
} from '../state/plan-workbook.ts';

export type Side = 'ours' | 'theirs';

/** Input of one side for a cell of the base; `#` in a formula is its row number. */
export interface Edit {
  readonly row: number;
  /** Letter of the column. */
  readonly column: string;
  readonly input: number | string;
}

const cellsPerOperation = 5_000;
const formulaColumns = 'IJ';

/**
 * Yields edits of a side, half of them formulas, all different; no cell is edited by both sides.
 */
export function* scatteredEdits(side: Side, count: number, rowCount: number): Generator<Edit> {
  for (let at = 0; at < count; at++) {
    const isFormula = at % 2 === 1;
    const columns = isFormula ? formulaColumns : editedColumns;
    // Formulas alternate with inputs, and in either the two sides take turns.
    const turn = (at >> 1) * 2 + (side === 'ours' ? 0 : 1);
    const place = (turn * scatterPrime) % (rowCount * columns.length);
    const row = Math.floor(place / columns.length);
    const column = columns[place % columns.length] ?? 'A';
    yield { row, column, input: isFormula ? `=A#*${3 + turn}+C#` : -1 - turn };
  }
}

/** Applies the edits of a side, below its new rows. */
export function applyEdits(state: BranchState, edits: Iterable<Edit>, skipped: number): void {
  const cells = Array.from(edits, ({ row, column, input }) => {
    const number = row + 1 + skipped;
    const written = typeof input === 'string' ? input.replaceAll('#', String(number)) : input;
    return { a1: `${column}${number}`, input: written };
  });
  for (let at = 0; at < cells.length; at += cellsPerOperation) {
    const part = cells.slice(at, at + cellsPerOperation);
    apply(state, 'cells.set', { sheet: 'Plan', cells: part });
  }
}

interface SideOptions {
  readonly side: Side;
  readonly editCount: number;
  readonly rowCount: number;
  /** True when this side inserted rows above everything first. */
  readonly isBelowNewRows: boolean;
}

/** Returns the state that one side makes of the base. */
export function editedSide(base: BranchState, options: SideOptions): BranchState {
  const { side, editCount, rowCount, isBelowNewRows } = options;
  const state = side === 'ours' ? base.fork() : base.branchOff(2);
  if (isBelowNewRows) insertRowsAbove(state);
  const edits = scatteredEdits(side, editCount, rowCount);
  applyEdits(state, edits, isBelowNewRows ? rowsAbove : 0);
  return state;
}
