import type { Range } from '../../model/range.ts';
import type { RecordType } from '../../model/record.ts';
import type { BranchState } from '../branch-state.ts';
import { arrayArea } from '../operations/array-parts.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { isBlankArea } from '../tables/table-cells.ts';

/** Types of records that would go with a line they lie on. */
export const recordsOnLines: readonly RecordType[] = ['note', 'thread', 'hyperlink', 'cellmerge'];

/** Returns whether an area holds nothing that would be lost with its lines. */
export function isBareArea(state: BranchState, sheet: SheetOutline, area: Range): boolean {
  return (
    isBlankArea(sheet, area, state.cellsOf(sheet)) &&
    recordsOnLines.every((type) => state.records.meeting(type, sheet, area).length === 0)
  );
}

export function hasArray(state: BranchState, sheet: SheetOutline, area: Range): boolean {
  for (let row = area.row0; row <= area.row1; row++) {
    for (let column = area.column0; column <= area.column1; column++) {
      if (arrayArea(state.inputAt(sheet, row, column))) return true;
    }
  }
  return false;
}
