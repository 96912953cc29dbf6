import type { Sides } from '../compare/merged-members.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import { rangeOf, type StoredTable } from '../structure/tables.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

/**
 * Finds the last row of a table on the merged lines: the last one that it has on either side,
 * without those that one side took out of it.
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

/** Where the first row of a table slid to, once it is gone between branches. */
function slidTop(merging: Merging, { id, sheetId }: StoredTable): number | undefined {
  const now = merging.judge.isBetweenBranches ? stateOf(merging).tables.withId(id) : undefined;
  const sheet = stateOf(merging).structure.withId(sheetId);
  return now?.sheetId === sheetId && sheet ? positionIn(sheet, 'row', now.firstRow) : undefined;
}

/** Tells whether a line is one of a table's once both sides are merged. */
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
