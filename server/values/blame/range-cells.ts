import { cellName } from '../../model/address.ts';
import { Failure } from '../../model/failure.ts';
import {
  cellCount,
  columnCount,
  intersection,
  type Range,
  type SheetRange,
} from '../../model/range.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { formatsOf } from '../../state/plan/plan.ts';
import { readFormats } from '../../state/cells/sheet-formats.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';
import type { SoughtCell } from './cell-index.ts';

/** A cell that is not blank. */
export interface FilledCell extends SoughtCell {
  readonly cell: string;
  /** True if it has a format. */
  readonly isFormatted: boolean;
}

export interface RangeCells {
  readonly seq: number;
  readonly sheet: Pick<SheetOutline, 'id' | 'name'>;
  /** Cells in the order of areas, rows and columns. */
  readonly cells: readonly FilledCell[];
}

/** Most cells of one answer. */
export const blameCellsMost = 5_000;

/** Finds the filled cells of a range, with their inputs or formulas. */
export function* findRangeCells(
  state: BranchState,
  { sheet: name, areas }: SheetRange,
): Generator<void, RangeCells> {
  const sheet = findSheet(state, name);
  const bounds = state.used(sheet);
  const wanted = bounds ? areas.flatMap((area) => intersection(area, bounds) ?? []) : [];
  const total = wanted.reduce((sum, area) => sum + cellCount(area), 0);
  if (total > blameCellsMost) {
    throw new Failure('rangeTooLarge', {
      detail: `The range has ${total} cells; an answer has at most ${blameCellsMost}.`,
      hint: 'Ask for fewer rows at a time.',
    });
  }
  const cells: FilledCell[] = [];
  for (const area of wanted) {
    for (const cell of filledCells(state, sheet, area)) {
      cells.push({ ...cell, index: cells.length });
    }
    yield;
  }
  return { seq: state.head, sheet, cells };
}

function findSheet({ structure }: BranchState, name: string | undefined): SheetOutline {
  const sheet = name === undefined ? structure.sheets[0] : structure.find(name);
  if (sheet) return sheet;
  throw sheetNotFound(name, structure.sheets);
}

function* filledCells(
  state: BranchState,
  sheet: SheetOutline,
  area: Range,
): Generator<Omit<FilledCell, 'index'>> {
  const cells = state.cellsOf(sheet);
  const formats = readFormats(formatsOf(state, sheet), area);
  const width = columnCount(area);
  for (let row = area.row0; row <= area.row1; row++) {
    const rowId = sheet.rows.idAt(row);
    for (let column = area.column0; column <= area.column1; column++) {
      const columnId = sheet.columns.idAt(column);
      const found = cells.find(rowId, columnId);
      if (!found || found.block.tagAt(found.lane) === cellTag.blank) continue;
      const format = formats[(row - area.row0) * width + column - area.column0] ?? 0;
      const isFormatted = format !== 0;
      yield { cell: cellName(row, column), row: rowId, column: columnId, isFormatted };
    }
  }
}
