import { cellName } from '../../model/address.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import { typeOf } from '../../model/table-column.ts';
import type { BranchState } from '../branch-state.ts';
import type { SheetOutline } from '../structure/structure.ts';
import {
  columnWithId,
  dataRange,
  rangeOf,
  sameLine,
  sheetOfTable,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';
import { carriedTable } from './carried-table.ts';
import { cellsPerPart, convertedCells, type Converted, type Written } from './converted-cells.ts';
import { keyChanges } from './keyed-rows.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

/** A table of all three states in its merged form, and the cells to write in it. */
interface MergedTable {
  readonly merging: Merging;
  readonly table: StoredTable;
  readonly sheet: SheetOutline;
  readonly cells: Written[];
}

/**
 * Completes rows that one side added with the defaults of columns that the other added, converts
 * values to the types that columns got meanwhile, and names columns that came to another place.
 */
export function* completeRows(merging: Merging): Generator<void, void> {
  const { base, ours, theirs, judge } = merging;
  if (!judge.isBetweenBranches) return;
  for (const { id } of theirs.tables.all) {
    const states = [base, ours, theirs, stateOf(merging)];
    const [then, now, wanted, table] = states.map(({ tables }) => tables.withId(id));
    if (!then || !now || !wanted || !table) continue;
    const sheet = stateOf(merging).structure.withId(table.sheetId);
    if (!sheet) continue;
    const own: MergedTable = { merging, table, sheet, cells: [] };
    fillNew(own, { was: then, now, wanted });
    calculateAnew(own, then);
    nameHeaders(own, [now, wanted]);
    for (const [index, column] of table.columns.entries()) {
      const types = [now, wanted].map((side) => columnWithId(side, column.id));
      const isOther = types.some((side) => side && typeOf(side) !== typeOf(column));
      if (isOther) convert(own, { column, index, was: columnWithId(then, column.id) });
      yield;
    }
    for (let at = 0; at < own.cells.length; at += cellsPerPart) {
      const cells = own.cells.slice(at, at + cellsPerPart);
      yield* merging.parts.add({ kind: 'cells.set', payload: { sheet: sheet.id, cells } });
    }
  }
}

/** A header that neither side has in its place says the name of its column. */
function nameHeaders({ merging, table, sheet, cells }: MergedTable, sides: StoredTable[]): void {
  const state = stateOf(merging);
  const { row0, column0 } = rangeOf(table, state.structure);
  for (const [index, column] of table.headerRow ? table.columns.entries() : []) {
    const isThere = sides.some((side) => {
      const { line } = columnIn(side, column) ?? {};
      return line && sameLine(line, column.line) && sameLine(side.firstRow, table.firstRow);
    });
    if (isThere || state.inputAt(sheet, row0, column0 + index) === column.name) continue;
    cells.push({ a1: cellName(row0, column0 + index), input: writeInput(column.name) });
  }
}

function columnIn({ columns }: StoredTable, { id }: StoredColumn): StoredColumn | undefined {
  return columns.find((column) => column.id === id);
}

interface Sides {
  readonly was: StoredTable;
  readonly now: StoredTable;
  readonly wanted: StoredTable;
}

function fillNew({ merging, table, sheet, cells }: MergedTable, { was, now, wanted }: Sides) {
  const { base, ours, theirs } = merging;
  const state = stateOf(merging);
  const { column0 } = rangeOf(table, state.structure);
  const newIn = (side: StoredTable, other: StoredTable) =>
    [...table.columns.entries()].filter(
      ([, column]) =>
        !columnWithId(was, column.id) &&
        columnWithId(side, column.id) &&
        !columnWithId(other, column.id) &&
        fallbackOf(column) !== undefined,
    );
  const fill = (columns: [number, StoredColumn][], rows: BranchState) => {
    if (columns.length === 0) return;
    for (const { id } of keyChanges(rows, base, table.id).added) {
      const row = positionIn(sheet, 'row', id);
      if (row === undefined) continue;
      for (const [index, column] of columns) {
        if (state.inputAt(sheet, row, column0 + index) !== null) continue;
        cells.push({ a1: cellName(row, column0 + index), input: fallbackOf(column) ?? null });
      }
    }
  };
  fill(newIn(now, wanted), theirs);
  fill(newIn(wanted, now), ours);
}

/** Gives new rows the formula of a column when the other side changed that formula. */
function calculateAnew({ merging, table, sheet, cells }: MergedTable, was: StoredTable): void {
  const { base } = merging;
  const state = stateOf(merging);
  const changed = changedFormulas(table, carriedTable(was, base, state));
  if (changed.length === 0) return;
  const before = sheetOfTable(was, base.structure);
  const old = dataRange(was, rangeOf(was, base.structure));
  const { row0, row1, column0 } = dataRange(table, rangeOf(table, state.structure));
  for (let row = row0; row <= row1; row++) {
    const place = positionIn(before, 'row', sheet.rows.idAt(row)) ?? -1;
    if (place >= old.row0 && place <= old.row1) continue;
    for (const { index, from, to } of changed) {
      const held = writeInput(state.inputAt(sheet, row, column0 + index));
      if (held === from) cells.push({ a1: cellName(row, column0 + index), input: to });
    }
  }
}

interface ChangedFormula {
  readonly index: number;
  readonly from: string;
  readonly to: string;
}

function changedFormulas(table: StoredTable, was: StoredTable): ChangedFormula[] {
  return table.columns.flatMap((column, index) => {
    const from = columnWithId(was, column.id)?.formula;
    const to = column.formula;
    return from === undefined || to === undefined || from === to ? [] : [{ index, from, to }];
  });
}

/**
 * Returns what a new row holds in a column when no value is given: the formula, else the default.
 */
function fallbackOf({ formula, default: value }: StoredColumn): WireInput | undefined {
  return formula ?? (value === null ? undefined : value);
}

function convert({ merging, table, cells }: MergedTable, converted: Converted): void {
  for (const cell of convertedCells(stateOf(merging), table, converted)) cells.push(cell);
}
