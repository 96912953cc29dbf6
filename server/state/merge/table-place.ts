import { writeInput } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../order.ts';
import { dataRange, keyColumnOf, rangeOf, sameLine, type StoredTable } from '../tables.ts';
import type { ContestPlace } from './judge.ts';
import { positionIn } from './relocation.ts';

interface Lines {
  readonly sheetId: string;
  readonly row?: LineId;
  readonly column?: LineId;
}

type TablePlace = Pick<ContestPlace, 'tableId' | 'key' | 'field'>;

/** The keyed table in whose rows lines are, and which row and column of it; undefined if in none. */
export function tablePlace(state: BranchState, lines: Lines): TablePlace | undefined {
  const { sheetId, row, column } = lines;
  const sheet = state.structure.withId(sheetId);
  const down = sheet && row && positionIn(sheet, 'row', row);
  if (!sheet || down === undefined) return undefined;
  for (const table of state.tables.onSheet(sheetId)) {
    const { row0, row1, column0 } = dataRange(table, rangeOf(table, state.structure));
    const key = keyColumnOf(table);
    const field = column && fieldOf(table, column);
    if (!key || down < row0 || down > row1 || (column && field === undefined)) continue;
    const input = state.inputAt(sheet, down, column0 + table.columns.indexOf(key));
    const place = { tableId: table.id, key: writeInput(input) };
    return field === undefined ? place : { ...place, field };
  }
  return undefined;
}

function fieldOf({ columns }: StoredTable, column: LineId): string | undefined {
  return columns.find(({ line }) => sameLine(line, column))?.name;
}

/** The table of whose header a cell is one, and what it says there; undefined if of none. */
export function headerAt(
  state: BranchState,
  { sheetId, row, column }: { sheetId: string; row: number; column: number },
): string | undefined {
  const isHeader = (table: StoredTable) => {
    const { row0, column0, column1 } = rangeOf(table, state.structure);
    return table.headerRow && row === row0 && column >= column0 && column <= column1;
  };
  const table = state.tables.onSheet(sheetId).find(isHeader);
  return table?.columns[column - rangeOf(table, state.structure).column0]?.name;
}
