import { cellName, parseAddress } from '../../model/address.ts';
import { isFormulaInput } from '../../model/cell-value.ts';
import { quoteSheet } from '../../model/range.ts';
import type { ShownPlaces } from '../../diffs/value-causes.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { EditedCells } from '../../state/diff/edited-cells.ts';
import { sheetAt } from '../../state/formulas/formula-text.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';

interface Cell {
  readonly sheet: SheetOutline;
  readonly row: number;
  readonly column: number;
}

const editsMost = 10;
/** Most precedents of a cell that are followed. */
const cellsMost = 200;

/** A merged state, and what is another in it. */
export interface MergedChanges {
  readonly merged: BranchState;
  readonly shown: ShownPlaces;
  readonly edited: EditedCells;
}

/** Finds the edited cells that a cell reads, directly or through others with a changed value. */
export function editsBehind(
  changes: MergedChanges,
  cell: Cell,
): { readonly text: string; readonly edits: readonly string[] } {
  const edits = new Set<string>();
  const seen = new Set<string>([nameOf(cell)]);
  const waiting = [cell];
  for (let at = 0; at < waiting.length && seen.size < cellsMost && edits.size < editsMost; at++) {
    const reader = waiting[at];
    for (const read of reader ? changedReads(changes, reader) : []) {
      const name = nameOf(read);
      if (seen.has(name)) continue;
      seen.add(name);
      if (changes.edited.isEdited(read.sheet.id, read)) edits.add(name);
      else waiting.push(read);
      if (seen.size >= cellsMost || edits.size >= editsMost) break;
    }
  }
  return { text: nameOf(cell), edits: [...edits] };
}

function nameOf({ sheet, row, column }: Cell): string {
  return `${quoteSheet(sheet.name)}!${cellName(row, column)}`;
}

function* changedReads({ merged, shown }: MergedChanges, cell: Cell): Generator<Cell> {
  const input = merged.inputAt(cell.sheet, cell.row, cell.column);
  if (!isFormulaInput(input)) return;
  const { structure, coding } = merged;
  for (const reference of coding.formulas.references(input.formula)) {
    const sheet = sheetAt(reference, { from: structure, to: structure, sheetId: cell.sheet.id });
    if (!sheet) continue;
    for (const name of shown.within(sheet.id, reference)) {
      const address = parseAddress(name);
      if (address) yield { sheet, ...address };
    }
  }
}
