import { columnLimit } from '../../model/address.ts';
import { writeInput } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import {
  dataRange,
  keyColumnOf,
  rangeOf,
  sheetOfTable,
  type StoredTable,
} from '../structure/tables.ts';
import { followFirstRow } from '../tables/first-rows.ts';
import { isBlankArea } from '../tables/table-cells.ts';
import { recordsOnLines } from './left-lines.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

/** Both sides of a merge as they were before the alignment passes changed them. */
export interface Originals {
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/**
 * Deletes the blank row of a keyed table that was empty on one side, once the merged table has
 * others.
 */
export function* dropBlankRows(merging: Merging, was: Originals): Generator<void, void> {
  if (!merging.judge.isBetweenBranches) return;
  for (const { id, sheetId } of was.theirs.tables.all) {
    for (const side of [was.theirs, was.ours]) {
      const line = soleRow(side, id);
      const row = line && blankRow(stateOf(merging), id, line);
      if (row === undefined || (yield* isNamed(stateOf(merging), id, row))) continue;
      const payload = { sheet: sheetId, from: row + 1, count: 1 };
      yield* merging.parts.add({ kind: 'rows.delete', payload });
    }
  }
}

/** The only row of a keyed table, if it is blank. */
function soleRow(side: BranchState, id: string): LineId | undefined {
  const table = side.tables.withId(id);
  if (!table || !keyColumnOf(table)) return undefined;
  const { sheet, row0, row1 } = dataOf(table, side);
  return row0 === row1 && isBare(side, table, row0) ? sheet.rows.idAt(row0) : undefined;
}

/** The position of a row that is blank and not the only one of its table. */
function blankRow(state: BranchState, id: string, line: LineId): number | undefined {
  const table = state.tables.withId(id);
  if (!table) return undefined;
  const { sheet, row0, row1 } = dataOf(table, state);
  const row = positionIn(sheet, 'row', line) ?? -1;
  const isBeside = row1 > row0 && row >= row0 && row <= row1;
  return isBeside && isBare(state, table, row) ? row : undefined;
}

/** Returns whether a formula names cells of a row of a table. */
function* isNamed(state: BranchState, id: string, row: number): Generator<void, boolean> {
  const table = state.tables.withId(id);
  if (!table) return false;
  const { structure } = state;
  const data = { ...rangeOf(table, structure), row0: row, row1: row };
  const followed = yield* followFirstRow(
    { table, data },
    structure,
    state.contextAt(state.structure),
  );
  return followed !== undefined;
}

/** Returns whether a row holds nothing but the formulas of calculated columns. */
function isBare(state: BranchState, table: StoredTable, row: number): boolean {
  const sheet = sheetOfTable(table, state.structure);
  const whole = { row0: row, row1: row, column0: 0, column1: columnLimit - 1 };
  const { column0 } = rangeOf(table, state.structure);
  let from = 0;
  for (const [index, { formula }] of table.columns.entries()) {
    const column = column0 + index;
    const held = formula === undefined ? null : state.inputAt(sheet, row, column);
    if (held === null || writeInput(held) !== formula) continue;
    const before = { ...whole, column0: from, column1: column - 1 };
    if (column > from && !isBlankArea(sheet, before, state.cellsOf(sheet))) return false;
    from = column + 1;
  }
  if (!isBlankArea(sheet, { ...whole, column0: from }, state.cellsOf(sheet))) return false;
  return recordsOnLines.every((type) => state.records.meeting(type, sheet, whole).length === 0);
}

function dataOf(table: StoredTable, { structure }: BranchState) {
  const { row0, row1 } = dataRange(table, rangeOf(table, structure));
  return { sheet: sheetOfTable(table, structure), row0, row1 };
}
