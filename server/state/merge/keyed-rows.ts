import type { Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { blockDifferences } from '../block-differences.ts';
import { isKey, keyText } from '../key-index.ts';
import type { LineId } from '../order.ts';
import type { SheetCells } from '../sheet-cells.ts';
import type { SheetOutline } from '../structure.ts';
import { dataRange, keyColumnOf, rangeOf, sameLine, sheetOfTable } from '../tables.ts';
import { lanesIn, unequalLanes } from '../unequal-lanes.ts';
import { laneAt, placeOf } from './same-lanes.ts';

export interface KeyedRow {
  readonly id: LineId;
  /** Equal for equal keys, in all states of a workbook. */
  readonly key: string;
}

/** What became of the keys of a table since a base. */
export interface KeyChanges {
  /** Rows that had no key, by their place in the table. */
  readonly added: readonly KeyedRow[];
  /** Rows that have another key than they had, with the one of before. */
  readonly replaced: readonly KeyedRow[];
}

const noChanges: KeyChanges = { added: [], replaced: [] };

/** Reads no more than the blocks of the key column that are not those of the base. */
export function keyChanges(side: BranchState, base: BranchState, tableId: string): KeyChanges {
  const [own, other] = [keyedIn(side, tableId), keyedIn(base, tableId)];
  if (!own || !other || !sameLine(own.line, other.line)) return noChanges;
  const found = [...changedKeys(own, other)].sort((a, b) => a.position - b.position);
  const rows = (wanted: boolean) =>
    found.flatMap(({ row, isNew }) => (isNew === wanted ? row : []));
  return { added: rows(true), replaced: rows(false) };
}

interface KeyedTable {
  readonly sheet: SheetOutline;
  readonly cells: SheetCells;
  /** Of the key column. */
  readonly line: LineId;
  readonly data: Range;
}

function keyedIn(state: BranchState, tableId: string): KeyedTable | undefined {
  const table = state.tables.withId(tableId);
  const line = table && keyColumnOf(table)?.line;
  if (!line) return undefined;
  const sheet = sheetOfTable(table, state.structure);
  const data = dataRange(table, rangeOf(table, state.structure));
  return { sheet, cells: state.cellsOf(sheet), line, data };
}

interface ChangedKey {
  readonly row: KeyedRow;
  readonly position: number;
  readonly isNew: boolean;
}

function* changedKeys(own: KeyedTable, other: KeyedTable): Generator<ChangedKey> {
  const { sheet, line, data } = own;
  for (const { column, place, from, to } of blockDifferences(own.cells, other.cells)) {
    if (!sameLine(column, line)) continue;
    const [block, then] = [from?.block, to?.block];
    for (const lane of unequalLanes(lanesIn(block), lanesIn(then))) {
      const { row: id } = placeOf(place, lane, { sheetId: sheet.id, column });
      const position = sheet.rows.positionOf(id.branch, id.sequence, id.offset) ?? -1;
      const [now, before] = [laneAt(block, lane), laneAt(then, lane)];
      if (position < data.row0 || position > data.row1 || !isKey(now)) continue;
      const isNew = !isKey(before);
      yield { row: { id, key: keyText(isNew ? now : before) }, position, isNew };
    }
  }
}
