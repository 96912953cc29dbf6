import { rowCount, type Range } from '../../model/range.ts';
import { cellTag } from '../cells/block.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { dataRange, rangeOf, sheetOfTable, type StoredTable } from '../structure/tables.ts';
import { HeldColumn } from './table-writes.ts';

/** The parts of a state that are needed to read rows of a table. */
export interface TableState {
  readonly structure: Structure;
  readonly cellsOf: (sheet: SheetOutline) => SheetCells;
}

/** The data rows of a table. */
export interface TableExtent {
  readonly sheet: SheetOutline;
  readonly data: Range;
  /** Number of rows; 0 for an empty table, although it has a blank row. */
  readonly rowCount: number;
}

export function extentOf(table: StoredTable, state: TableState): TableExtent {
  const { structure } = state;
  const sheet = sheetOfTable(table, structure);
  const data = dataRange(table, rangeOf(table, structure));
  const count = rowCount(data);
  const isEmpty = count === 1 && isBlank(table, { sheet, row: data.row0 }, state.cellsOf(sheet));
  return { sheet, data, rowCount: isEmpty ? 0 : count };
}

function isBlank(
  { columns }: StoredTable,
  { sheet, row }: { sheet: SheetOutline; row: number },
  cells: SheetCells,
): boolean {
  const id = sheet.rows.idAt(row);
  return columns.every(({ formula, line }) => {
    return formula !== undefined || new HeldColumn(cells, line).at(id).tag === cellTag.blank;
  });
}
