import { cellTag } from '../cells/block.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { cellIn, sameCell } from '../compare/same-lanes.ts';
import type { BranchState } from '../branch-state.ts';
import { arraysOver } from '../operations/array-parts.ts';
import { filledCells } from '../operations/filled-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { stateOf, type Merging } from './merging.ts';

// A legacy array fills its cells, and what the other side entered in one of them cannot stay beside
// it: both sides changed the cell then, whichever of them holds it.

interface Held {
  readonly state: BranchState;
  readonly cell: CodedCell;
}

interface CoveredCell {
  readonly sheet: SheetOutline;
  readonly place: CellPlace;
  readonly at: { readonly row: number; readonly column: number };
  readonly base: Held;
  readonly ours: Held;
  readonly theirs: Held;
}

/** The first cell of the array of ours around a cell that theirs fills, unless the base had it. */
export function arrayAround(merging: Merging, cell: CoveredCell): CoveredCell | undefined {
  const state = stateOf(merging);
  const { sheet, at, theirs } = cell;
  if (!state.coding.dictionary.largestArray || theirs.cell.tag === cellTag.blank) return undefined;
  for (const { row0: row, column0: column } of arraysOver(sheet, at, state)) {
    if (row === at.row && column === at.column) continue;
    const first = cellAt(merging, sheet, { row, column });
    if (!sameCell(first.base, first.ours, first.place)) return first;
  }
  return undefined;
}

/** The cells of ours that lie in an array that theirs enters, and are not as the base had them. */
export function heldWithin(merging: Merging, { sheet, at, theirs }: CoveredCell): CoveredCell[] {
  if (theirs.cell.tag !== cellTag.formula) return [];
  const { array } = theirs.state.coding.dictionary.formula(theirs.cell.number);
  if (!array || array.rowCount * array.columnCount === 1) return [];
  const { row: row0, column: column0 } = at;
  const [row1, column1] = [row0 + array.rowCount - 1, column0 + array.columnCount - 1];
  const state = stateOf(merging);
  const cellsOf = (outline: SheetOutline) => state.cellsOf(outline);
  return [...filledCells(sheet, { row0, column0, row1, column1 }, { cellsOf })]
    .filter(({ row, column }) => row !== row0 || column !== column0)
    .map((place) => cellAt(merging, sheet, place))
    .filter(({ base, ours, place }) => !sameCell(base, ours, place));
}

function cellAt(merging: Merging, sheet: SheetOutline, at: CoveredCell['at']): CoveredCell {
  const row = sheet.rows.idAt(at.row);
  const place = { sheetId: sheet.id, row, column: sheet.columns.idAt(at.column) };
  const held = (state: BranchState): Held => ({ state, cell: cellIn(state, place) });
  const { base, ours, theirs } = merging;
  return { sheet, place, at, base: held(base), ours: held(ours), theirs: held(theirs) };
}
