import type { BranchState } from '../branch-state.ts';
import type { IdSpan, LineId, Order } from '../ids/order.ts';
import { rangeOf, sheetOfTable, type StoredTable } from '../structure/tables.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

export type TableEnds = Pick<StoredTable, 'firstRow' | 'lastRow'>;

/**
 * Finds the first and the last row of a table on the merged lines, header and all: its rows are
 * those that either side has in it, without those that one side took out. Undefined where none of
 * them is there.
 */
export function mergedRows(merging: Merging, table: StoredTable): TableEnds | undefined {
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  if (!sheet) return undefined;
  const { rows } = sheet;
  const { base, ours, theirs } = merging;
  const sides = [base, ours, theirs].map((state) => rowsIn(state, table));
  const [was, mine, yours] = sides.map((side) => side?.has);
  const isMember = (line: LineId) => {
    const isOurs = mine?.(line) === true;
    return isOurs === (was?.(line) === true) ? yours?.(line) === true : isOurs;
  };
  const isIn = (position: number) => position >= 0 && isMember(rows.idAt(position));
  const positions = sides
    .flatMap((side) => side?.ends ?? [])
    .flatMap((line) => positionIn(sheet, 'row', line) ?? [])
    .filter(isIn);
  if (positions.length === 0) {
    const spans = sides.flatMap((side) => side?.spans ?? []);
    for (const position of positionsOf(spans, rows)) if (isIn(position)) positions.push(position);
  }
  if (positions.length === 0) return undefined;
  let [first, last] = [Math.min(...positions), Math.max(...positions)];
  while (isIn(first - 1)) first--;
  while (isIn(last + 1)) last++;
  return { firstRow: rows.idAt(first), lastRow: rows.idAt(last) };
}

function rowsIn({ tables, structure }: BranchState, { id, sheetId }: StoredTable) {
  const table = tables.withId(id);
  if (table?.sheetId !== sheetId) return undefined;
  const sheet = sheetOfTable(table, structure);
  const { row0, row1 } = rangeOf(table, structure);
  const has = (line: LineId) => {
    const position = positionIn(sheet, 'row', line) ?? -1;
    return position >= row0 && position <= row1;
  };
  const spans = sheet.rows.spansAt(row0, Math.max(0, row1 - row0 + 1));
  return { has, spans, ends: [table.firstRow, table.lastRow] };
}

function* positionsOf(spans: readonly IdSpan[], order: Order): Generator<number> {
  for (const span of spans) {
    for (const { position, length } of order.piecesOf(span)) {
      for (let at = position; at < position + length; at++) yield at;
    }
  }
}
