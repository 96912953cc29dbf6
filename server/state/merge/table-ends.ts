import type { Sides } from '../compare/merged-members.ts';
import type { BranchState } from '../branch-state.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import { rangeOf, sheetOfTable, type StoredTable } from '../structure/tables.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

/**
 * Finds the last row of a table in the merged sheet: the last that either side has, except rows
 * that one side took out of the table.
 */
export function lastRowOf(
  merging: Merging,
  sides: Sides<StoredTable>,
  firstRow: LineId,
): LineId | undefined {
  const { ours } = sides;
  const sheet = stateOf(merging).structure.withId(ours.sheetId);
  const first = sheet && (positionIn(sheet, 'row', firstRow) ?? slidTop(merging, ours));
  if (!sheet || first === undefined) return undefined;
  const isMember = membership(merging, ours.id);
  const ends = [ours, sides.theirs, sides.base].flatMap(({ lastRow }) => {
    return positionIn(sheet, 'row', lastRow) ?? [];
  });
  let last = Math.max(first, ...ends);
  while (isMember(sheet.rows.idAt(last + 1))) last++;
  while (last > first && !isMember(sheet.rows.idAt(last))) last--;
  return sheet.rows.idAt(last);
}

/**
 * Finds the first row of a table in the merged sheet. When the first row is gone (one side removed
 * the header, the other the rows below it), that is the first remaining row.
 */
export function firstRowOf(
  merging: Merging,
  { ours }: Sides<StoredTable>,
  firstRow: LineId,
): LineId {
  const sheet = stateOf(merging).structure.withId(ours.sheetId);
  if (!sheet || !merging.judge.isBetweenBranches) return firstRow;
  const isMember = membership(merging, ours.id);
  let first = positionIn(sheet, 'row', firstRow);
  if (first !== undefined) {
    while (first > 0 && isMember(sheet.rows.idAt(first - 1))) first--;
    return sheet.rows.idAt(first);
  }
  const pieces = [merging.ours, merging.theirs]
    .flatMap((side) => spansOf(side, ours.id))
    .flatMap((span) => sheet.rows.piecesOf(span))
    .toSorted((a, b) => a.position - b.position);
  for (const { position, length } of pieces) {
    for (let at = position; at < position + length; at++) {
      const line = sheet.rows.idAt(at);
      if (isMember(line)) return line;
    }
  }
  return firstRow;
}

function spansOf({ tables, structure }: BranchState, id: string): IdSpan[] {
  const table = tables.withId(id);
  if (!table) return [];
  const { row0, row1 } = rangeOf(table, structure);
  return sheetOfTable(table, structure).rows.spansAt(row0, row1 - row0 + 1);
}

/** Returns the position of the first row in the state merged so far; undefined in an undo. */
function slidTop(merging: Merging, { id, sheetId }: StoredTable): number | undefined {
  const now = merging.judge.isBetweenBranches ? stateOf(merging).tables.withId(id) : undefined;
  const sheet = stateOf(merging).structure.withId(sheetId);
  return now?.sheetId === sheetId && sheet ? positionIn(sheet, 'row', now.firstRow) : undefined;
}

/**
 * Returns a function that tells whether a line belongs to the merged table: as the side that
 * changed that has it.
 */
function membership({ base, ours, theirs }: Merging, id: string): (line: LineId) => boolean {
  const [was, mine, yours] = [base, ours, theirs].map((state) => rowsOf(state, id));
  return (line) => {
    const isOurs = mine?.(line) === true;
    return isOurs === (was?.(line) === true) ? yours?.(line) === true : isOurs;
  };
}

function rowsOf({ tables, structure }: BranchState, id: string) {
  const table = tables.withId(id);
  const sheet = table && structure.withId(table.sheetId);
  if (!table || !sheet) return undefined;
  const { row0, row1 } = rangeOf(table, structure);
  return (line: LineId) => {
    const position = positionIn(sheet, 'row', line) ?? -1;
    return position >= row0 && position <= row1;
  };
}
