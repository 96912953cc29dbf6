import { isFormulaInput, type Input } from '../../model/cell-value.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import type { Range } from '../../model/range.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { StoredColumn, StoredTable } from '../../state/structure/tables.ts';
import type { TableExtent } from '../../state/tables/table-extent.ts';
import { HeldColumn } from '../../state/tables/table-writes.ts';
import { fillsNoOthers } from '../../values/plain-formula.ts';

export const rowLenses = ['value', 'input', 'formula', 'formatted'] as const;
export type RowLens = (typeof rowLenses)[number];

/** Rows of a table, and the wanted columns. */
export interface RowChoice {
  readonly table: StoredTable;
  readonly extent: TableExtent;
  /** Positions in the sheet, in the order of the answer. */
  readonly positions: readonly number[];
  readonly columns: readonly StoredColumn[];
  readonly lens: RowLens;
}

export interface RowCells {
  readonly rows: readonly (readonly WireInput[])[];
  /** True if some cells have formulas, whose values are not in the state. */
  readonly needsValues: boolean;
}

const cellsBetweenPauses = 2_048;

/** Reads the cells of rows, as far as their values are in the state. */
export function* readRowCells(
  state: BranchState,
  { extent, positions, columns, lens }: RowChoice,
): Generator<void, RowCells> {
  const { sheet } = extent;
  const cells = state.cellsOf(sheet);
  const held = columns.map(({ line }) => ({ line, cells: new HeldColumn(cells, line) }));
  const isComputed = lens === 'value' || lens === 'formatted';
  const found = { hasFormulas: false, hasBlanks: false };
  const rows: WireInput[][] = [];
  let cellCount = 0;
  for (const position of positions) {
    const row = sheet.rows.idAt(position);
    const values: WireInput[] = [];
    for (const { line, cells: column } of held) {
      const cell = column.at(row);
      found.hasFormulas ||= cell.tag === cellTag.formula;
      found.hasBlanks ||= cell.tag === cellTag.blank;
      const isLeft = isComputed && cell.tag === cellTag.formula;
      const place = { sheetId: sheet.id, row, column: line };
      const input = isLeft ? null : state.coding.decode(cell, place, state.structure);
      values.push(shown(input, lens));
    }
    rows.push(values);
    cellCount += values.length;
    if (cellCount < cellsBetweenPauses) continue;
    cellCount = 0;
    yield;
  }
  const needsValues = isComputed && (yield* areComputed(found, state, extent));
  return { rows, needsValues };
}

function shown(input: Input, lens: RowLens): WireInput {
  if (lens === 'input') return writeInput(input);
  if (isFormulaInput(input)) return lens === 'formula' ? input.formula : null;
  return lens === 'formula' ? null : input;
}

/**
 * Returns whether cells may have computed values: formulas, or blank cells that an array may fill.
 */
function* areComputed(
  { hasFormulas, hasBlanks }: { hasFormulas: boolean; hasBlanks: boolean },
  state: BranchState,
  { sheet }: TableExtent,
): Generator<void, boolean> {
  if (hasFormulas || !hasBlanks) return hasFormulas;
  const cells = state.cellsOf(sheet);
  if (!wholly.has(cells)) {
    yield* cells.readAll();
    wholly.add(cells);
  }
  return !(yield* fillsNoOthers(state.coding));
}

/** Sheets of cells whose blocks are all read, so that the dictionary has all formulas. */
const wholly = new WeakSet<object>();

/** Returns the indexes of the columns in the table. */
export function columnPlaces({ columns, extent: { data, sheet } }: RowChoice): readonly number[] {
  return columns.map(({ line: { branch, sequence, offset } }) => {
    return (sheet.columns.positionOf(branch, sequence, offset) ?? data.column0) - data.column0;
  });
}

/** Returns the rows as ranges of the sheet, each as wide as the table. */
export function runsOf({ positions, extent }: RowChoice): Range[] {
  const { column0, column1 } = extent.data;
  const runs: { row0: number; row1: number; column0: number; column1: number }[] = [];
  for (const row of positions) {
    const last = runs.at(-1);
    if (last?.row1 === row - 1) last.row1 = row;
    else runs.push({ row0: row, row1: row, column0, column1 });
  }
  return runs;
}
