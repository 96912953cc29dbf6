import type { Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { blockDifferences } from '../cells/block-differences.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import { isKey } from '../cells/key-index.ts';
import { keyText } from '../cells/key-table.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { dataRange, keyColumnOf, rangeOf, sameLine, sheetOfTable } from '../structure/tables.ts';
import { unequalCells } from '../cells/unequal-lanes.ts';
import { laneAt, placeOf } from '../compare/same-lanes.ts';

export interface KeyedRow {
  readonly id: LineId;
  /** Equal for equal keys, in all states of a workbook. */
  readonly key: string;
}

/** Changes of the keys of a table since a base. */
export interface KeyChanges {
  /** Rows with a key on a line that held none in the base, from top to bottom. */
  readonly added: readonly KeyedRow[];
  /** Keys that are on another line: cells were shifted or sorted, or rows added again. */
  readonly moved: readonly { readonly from: LineId; readonly to: LineId }[];
  /** Lines of keys that are gone. */
  readonly gone: readonly LineId[];
}

const noChanges: KeyChanges = { added: [], moved: [], gone: [] };

/** Compares the key columns of a table in two states; reads only blocks that differ. */
export function keyChanges(side: BranchState, base: BranchState, tableId: string): KeyChanges {
  const [own, other] = [keyedIn(side, tableId), keyedIn(base, tableId)];
  if (!own || !other || !sameLine(own.line, other.line)) return noChanges;
  const found = [...changedKeys(own, other)].sort((a, b) => a.position - b.position);
  const added = found.flatMap(({ id, now, before }) =>
    now !== undefined && before === undefined ? { id, key: now } : [],
  );
  return { added, ...movesOf(found) };
}

function movesOf(found: readonly ChangedKey[]): Pick<KeyChanges, 'moved' | 'gone'> {
  const next = rowsByKey(
    found.flatMap(({ id, now: key }) => (key === undefined ? [] : { id, key })),
  );
  const moved: { readonly from: LineId; readonly to: LineId }[] = [];
  const gone: LineId[] = [];
  for (const { id: from, before } of found) {
    if (before === undefined) continue;
    const to = next(before)?.id;
    if (to) moved.push({ from, to });
    else gone.push(from);
  }
  return { moved, gone };
}

/** Returns a function that takes the next row with a key: several cells may hold the same key. */
export function rowsByKey(rows: readonly KeyedRow[]): (key: string) => KeyedRow | undefined {
  const byKey = new Map<string, KeyedRow[]>();
  for (const row of rows) {
    const known = byKey.get(row.key);
    if (known) known.push(row);
    else byKey.set(row.key, [row]);
  }
  return (key) => byKey.get(key)?.shift();
}

interface KeyedTable {
  readonly sheet: SheetOutline;
  readonly cells: SheetCells;
  /** The sheet column that holds the keys. */
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

/** A row whose key cell differs, with its key in each state (undefined for none). */
interface ChangedKey {
  readonly id: LineId;
  readonly position: number;
  readonly now: string | undefined;
  readonly before: string | undefined;
}

function* changedKeys(own: KeyedTable, other: KeyedTable): Generator<ChangedKey> {
  const { sheet, line } = own;
  for (const { column, place, from, to } of blockDifferences(own.cells, other.cells)) {
    if (!sameLine(column, line)) continue;
    const [block, then] = [from?.block, to?.block];
    for (const lane of unequalCells(block, then)) {
      const { row: id } = placeOf(place, lane, { sheetId: sheet.id, column });
      const now = keyIn(own, id, laneAt(block, lane));
      const before = keyIn(other, id, laneAt(then, lane));
      if (now === undefined && before === undefined) continue;
      yield { id, position: positionOf(own, id) ?? Infinity, now, before };
    }
  }
}

function positionOf({ sheet }: KeyedTable, id: LineId): number | undefined {
  return sheet.rows.positionOf(id.branch, id.sequence, id.offset);
}

/** The key in a cell, if its row is a data row of the table. */
function keyIn(table: KeyedTable, id: LineId, cell: CodedCell): string | undefined {
  const position = positionOf(table, id) ?? -1;
  const { row0, row1 } = table.data;
  return position >= row0 && position <= row1 && isKey(cell) ? keyText(cell) : undefined;
}
