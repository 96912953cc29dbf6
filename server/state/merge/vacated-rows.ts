import { columnLimit } from '../../model/address.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { LineId } from '../ids/order.ts';
import type { RecordType } from '../../model/record.ts';
import type { SheetOutline } from '../structure/structure.ts';
import {
  dataRange,
  keyColumnOf,
  rangeOf,
  sheetOfTable,
  type StoredTable,
} from '../structure/tables.ts';
import { isBlankArea, readColumnInTurns } from '../tables/table-cells.ts';
import { spansOfPositions } from '../tables/table-draft.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

/** Types of records that would go with a row they lie on. */
const kept: readonly RecordType[] = ['note', 'thread', 'hyperlink', 'cellmerge'];

/** Both sides of a merge as they were before anything was aligned. */
export interface Originals {
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/**
 * Deletes rows of keyed tables that the merge has left without content: a row that was moved to
 * the line that the other side has for its key leaves its own behind, and so does the row of an
 * empty table to which the other side adds some. Rows that either side left blank stay.
 */
export function* dropVacatedRows(merging: Merging, was: Originals): Generator<void, void> {
  if (!merging.judge.isBetweenBranches) return;
  for (const { id } of was.theirs.tables.all) {
    const table = stateOf(merging).tables.withId(id);
    if (!table || !was.ours.tables.withId(id) || !isChanged(merging, table.sheetId)) continue;
    const rows = yield* vacatedRows(stateOf(merging), table, was);
    if (rows.length === 0) continue;
    const spans = spansOfPositions(rows).map(({ from, count }) => ({ from: from + 1, count }));
    yield* merging.parts.add({ kind: 'rows.delete', payload: { sheet: table.sheetId, spans } });
  }
}

/** Returns whether both sides have written to a sheet. */
function isChanged({ base, ours, theirs }: Merging, sheetId: string): boolean {
  const [then, now, wanted] = [base, ours, theirs].map((state) => {
    const sheet = state.structure.withId(sheetId);
    return sheet && state.cellsOf(sheet);
  });
  return now !== then && wanted !== then;
}

function* vacatedRows(
  state: BranchState,
  table: StoredTable,
  { ours, theirs }: Originals,
): Generator<void, number[]> {
  const key = keyColumnOf(table);
  if (!key) return [];
  const sheet = sheetOfTable(table, state.structure);
  const range = dataRange(table, rangeOf(table, state.structure));
  const keys = { column: key.line, range };
  const { tags } = yield* readColumnInTurns(state.cellsOf(sheet), sheet, keys);
  const rows: number[] = [];
  for (let at = tags.indexOf(cellTag.blank); at >= 0; at = tags.indexOf(cellTag.blank, at + 1)) {
    const row = range.row0 + at;
    const line = sheet.rows.idAt(row);
    const isHeld = [ours, theirs].some((side) => holds(side, table.id, line));
    if (!isHeld && isBlankRow(state, sheet, row)) rows.push(row);
  }
  // A table has at least one row.
  return rows.length === tags.length ? rows.slice(1) : rows;
}

/** Returns whether a side has a row there that it left blank, or on which something lies. */
function holds(side: BranchState, tableId: string, line: LineId): boolean {
  const table = side.tables.withId(tableId);
  const sheet = table && side.structure.withId(table.sheetId);
  const row = sheet && positionIn(sheet, 'row', line);
  if (!table || !sheet || row === undefined) return false;
  const whole = wholeRow(row);
  if (kept.some((type) => side.records.meeting(type, sheet, whole).length > 0)) return true;
  const { row0, row1 } = dataRange(table, rangeOf(table, side.structure));
  const isOwn = row >= row0 && row <= row1 && row1 > row0;
  return isOwn && isBlankArea(sheet, whole, side.cellsOf(sheet));
}

function isBlankRow(state: BranchState, sheet: SheetOutline, row: number): boolean {
  return isBlankArea(sheet, wholeRow(row), state.cellsOf(sheet));
}

function wholeRow(row: number) {
  return { row0: row, row1: row, column0: 0, column1: columnLimit - 1 };
}
