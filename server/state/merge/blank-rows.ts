import { cellName, columnLimit } from '../../model/address.ts';
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
import { recordsOnLines } from './bare-areas.ts';
import { entryOf } from './carried-table.ts';
import { tellReaders, type LostCells } from './lost-cells.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

/** Both sides of a merge as they were before the alignment passes changed them. */
export interface Originals {
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** A table has one row at least: a blank one as long as there is no other. */
export function* settleBlankRows(merging: Merging, was: Originals): Generator<void, void> {
  if (merging.judge.isBetweenBranches) yield* dropBlank(merging, was);
  yield* keepRows(merging);
}

/** Deletes the blank row that a side has in an empty keyed table where the merged one has others. */
function* dropBlank(merging: Merging, was: Originals): Generator<void, void> {
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

/**
 * Gives a table whose rows went, some with one side and some with the other, a blank one. It has
 * the identity of the first that went, so that it is the same whichever side is merged into which.
 */
function* keepRows(merging: Merging): Generator<void, void> {
  const lost: LostCells[] = [];
  for (const { id } of stateOf(merging).tables.all) {
    const table = stateOf(merging).tables.withId(id);
    if (!table || hasRows(table, stateOf(merging))) continue;
    const line = goneRow(table, merging);
    if (!line) continue;
    yield* addBlank(table, line, merging);
    lost.push({ sheetId: table.sheetId, lines: { axis: 'row', span: { ...line, length: 1 } } });
  }
  merging.lost.push(...lost);
  yield* tellReaders(merging, { has: () => false }, lost);
}

function hasRows(table: StoredTable, state: BranchState): boolean {
  const { row0, row1 } = dataOf(table, state);
  return row1 >= row0;
}

/** The first row that a side had in the table, and that is nowhere any more. */
function goneRow({ id, sheetId }: StoredTable, merging: Merging): LineId | undefined {
  const sheet = stateOf(merging).structure.withId(sheetId);
  if (!sheet) return undefined;
  for (const side of [merging.common, merging.base, merging.ours, merging.theirs]) {
    const table = side.tables.withId(id);
    if (table?.sheetId !== sheetId) continue;
    const { sheet: was, row0, row1 } = dataOf(table, side);
    for (const span of was.rows.spansAt(row0, Math.max(0, row1 - row0 + 1))) {
      if (positionIn(sheet, 'row', span) === undefined) return span;
    }
  }
  return undefined;
}

function* addBlank(
  table: StoredTable,
  { branch, sequence, offset }: LineId,
  { parts }: Merging,
): Generator<void, void> {
  const { sheetId: sheet, headerRow } = table;
  const { row0 } = dataOf(table, parts.state);
  const ids = [branch, sequence, offset, 1];
  const line = { branch, sequence, offset };
  yield* parts.add({
    kind: 'restore.lines',
    payload: { sheet, axis: 'row', before: row0 + 1, ids },
  });
  const ends = {
    ...(!table.totalsRow && { lastRow: line }),
    ...(!headerRow && { firstRow: line }),
  };
  const put = [entryOf({ ...(parts.state.tables.withId(table.id) ?? table), ...ends })];
  yield* parts.add({ kind: 'restore.tables', payload: { put, delete: [] } });
  const cells = calculatedCells(table, row0, parts.state);
  if (cells.length > 0) yield* parts.add({ kind: 'cells.set', payload: { sheet, cells } });
}

function calculatedCells({ id }: StoredTable, row: number, { tables, structure }: BranchState) {
  const table = tables.withId(id);
  if (!table) return [];
  const { column0 } = rangeOf(table, structure);
  return table.columns.flatMap(({ formula }, index) =>
    formula === undefined ? [] : { a1: cellName(row, column0 + index), input: formula },
  );
}

function dataOf(table: StoredTable, { structure }: BranchState) {
  const { row0, row1 } = dataRange(table, rangeOf(table, structure));
  return { sheet: sheetOfTable(table, structure), row0, row1 };
}
