import { writeInput } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import {
  dataRange,
  keyColumnOf,
  rangeOf,
  sameLine,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';
import type { ContestPlace } from './judge.ts';
import { positionIn } from './relocation.ts';

interface Lines {
  readonly sheetId: string;
  readonly row?: LineId;
  readonly column?: LineId;
}

export type TablePlace = Pick<ContestPlace, 'tableId' | 'key' | 'field'>;

/**
 * Returns the keyed table around a row, with the key of the row and the name of the column if one
 * is given; undefined when there is none.
 */
export function tablePlace(state: BranchState, lines: Lines): TablePlace | undefined {
  const { sheetId, row, column } = lines;
  const sheet = state.structure.withId(sheetId);
  const down = sheet && row && positionIn(sheet, 'row', row);
  if (!sheet || down === undefined) return undefined;
  const table = state.tables.onSheet(sheetId).find((one) => hasRow(one, down, state));
  const key = table && keyColumnOf(table);
  if (!key) return undefined;
  const across = positionIn(sheet, 'column', key.line);
  const input = across === undefined ? null : state.inputAt(sheet, down, across);
  const place = { tableId: table.id, key: writeInput(input) };
  if (!column) return place;
  const field = fieldOf(table, column);
  return field === undefined ? undefined : { ...place, field };
}

function hasRow(table: StoredTable, row: number, { structure }: BranchState): boolean {
  const { row0, row1 } = dataRange(table, rangeOf(table, structure));
  return row >= row0 && row <= row1;
}

function fieldOf({ columns }: StoredTable, column: LineId): string | undefined {
  return columns.find(({ line }) => sameLine(line, column))?.name;
}

/** Returns the table column of a cell in a data row; undefined when it is in no table. */
export function columnAt(
  state: BranchState,
  { sheetId, row, column }: Required<Lines>,
): StoredColumn | undefined {
  const sheet = state.structure.withId(sheetId);
  const down = sheet && positionIn(sheet, 'row', row);
  if (down === undefined) return undefined;
  const table = state.tables.onSheet(sheetId).find((one) => hasRow(one, down, state));
  return table?.columns.find(({ line }) => sameLine(line, column));
}

/** Returns the column name that a header cell stands for; undefined when the cell is no header. */
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
