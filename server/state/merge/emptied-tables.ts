import { cellName } from '../../model/address.ts';
import { rowCount } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import {
  dataRange,
  hasRows,
  rangeOf,
  sheetOfTable,
  type StoredTable,
} from '../structure/tables.ts';
import { entryOf } from './carried-table.ts';
import { tellReaders, type LostCells } from './lost-cells.ts';
import { stateOf, type Merging } from './merging.ts';
import { positionIn } from './relocation.ts';

/**
 * Gives a table a blank row when both sides together deleted all of its rows. It gets the identity
 * of the first deleted row, so that both directions of the merge agree.
 */
export function* keepRows(merging: Merging): Generator<void, void> {
  const lost: LostCells[] = [];
  for (const { id } of stateOf(merging).tables.all) {
    const table = stateOf(merging).tables.withId(id);
    if (!table || hasRows(table, stateOf(merging).structure)) continue;
    const line = goneRow(table, merging);
    if (!line) continue;
    yield* addBlank(table, line, merging);
    lost.push({ sheetId: table.sheetId, lines: { axis: 'row', span: { ...line, length: 1 } } });
  }
  merging.lost.push(...lost);
  yield* tellReaders(merging, { has: () => false }, lost);
}

/** The first row of the table in any of the states that the merged sheet has not. */
function goneRow({ id, sheetId }: StoredTable, merging: Merging): LineId | undefined {
  const sheet = stateOf(merging).structure.withId(sheetId);
  if (!sheet) return undefined;
  for (const side of [merging.common, merging.base, merging.ours, merging.theirs]) {
    const table = side.tables.withId(id);
    if (table?.sheetId !== sheetId) continue;
    const { rows } = sheetOfTable(table, side.structure);
    const data = dataRange(table, rangeOf(table, side.structure));
    for (const span of rows.spansAt(data.row0, Math.max(0, rowCount(data)))) {
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
  const { row0 } = dataRange(table, rangeOf(table, parts.state.structure));
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
  const column0 = table && rangeOf(table, structure).column0;
  if (!table || column0 === undefined) return [];
  return table.columns.flatMap(({ formula }, index) =>
    formula === undefined ? [] : { a1: cellName(row, column0 + index), input: formula },
  );
}
