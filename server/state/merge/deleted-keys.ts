import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { BranchState } from '../branch-state.ts';
import { sameLane } from '../cells/cell-coding.ts';
import { isKey, rowsOf } from '../cells/key-index.ts';
import type { LineId } from '../ids/order.ts';
import {
  dataRange,
  keyColumnOf,
  rangeOf,
  sheetOfTable,
  type StoredColumn,
} from '../structure/tables.ts';
import type { Side } from './judge.ts';
import { keyChanges } from './keyed-rows.ts';
import { positionIn, tableIn, type AlignedSides } from './relocation.ts';
import { cellIn } from '../compare/same-lanes.ts';

/**
 * A key as it is sent, and its row in the base and on the other side (undefined when that has
 * none).
 */
interface SoughtKey {
  readonly key: string | number;
  readonly was: LineId;
  readonly is: LineId | undefined;
}

/**
 * Repeats the deletion of table rows by one side (the rows below were shifted up) in the base and
 * on the other side, so that rows stay comparable. Rows that the other side changed stay, and
 * become conflicts.
 */
export function* deleteKeys(
  sides: AlignedSides,
  tableId: string,
  side: Side,
): Generator<void, void> {
  const { base } = sides;
  const own = sides[side].state;
  const other = side === 'ours' ? sides.theirs : sides.ours;
  const { gone } = keyChanges(own, base.state, tableId);
  const sheet = sheetOfTable(tableIn(own, tableId), own.structure);
  // Deleted rows of the sheet are left to the merge of lines.
  const there = gone.filter((line) => positionIn(sheet, 'row', line) !== undefined);
  const sought = yield* seek(base.state, other.state, { tableId, lines: there });
  const { columns, sheetId } = tableIn(base.state, tableId);
  const rows = { base: base.state, other: other.state, sheetId, columns };
  const unchanged = sought.filter(({ was, is }) => !is || isSameRow(rows, { was, is }));
  const present = unchanged.filter(({ is }) => is !== undefined);
  for (const [parts, keys] of [
    [base, unchanged],
    [other, present],
  ] as const) {
    for (let at = 0; at < keys.length; at += limits.rowsPerOperation) {
      const some = keys.slice(at, at + limits.rowsPerOperation).map(({ key }) => key);
      // A key that its column does not allow is ignored: its row stays and becomes a conflict.
      const payload = { table: tableId, keys: some, onMissing: 'ignore' } as const;
      // With carried ids a new row would get the id of one that the branch has made since.
      yield* parts.add({ kind: 'rows.delete', payload }, { newRows: 'taken', cutsLinks: true });
    }
  }
}

/** Finds the keys of some lines of the base, without those that either state has more than once. */
function* seek(
  base: BranchState,
  other: BranchState,
  { tableId, lines }: { readonly tableId: string; readonly lines: readonly LineId[] },
): Generator<void, SoughtKey[]> {
  if (lines.length === 0) return [];
  const [inBase, inOther] = [yield* rowsByCell(base, tableId), yield* rowsByCell(other, tableId)];
  const table = tableIn(base, tableId);
  const column = keyColumnOf(table)?.line;
  if (!column) return [];
  const sheet = sheetOfTable(table, base.structure);
  const across = positionIn(sheet, 'column', column) ?? 0;
  return lines.flatMap((was) => {
    const cell = cellIn(base, { sheetId: sheet.id, row: was, column });
    const down = positionIn(sheet, 'row', was);
    if (!isKey(cell) || down === undefined) return [];
    const [known, found] = [inBase(cell), inOther(cell)];
    if (known.length > 1 || found.length > 1) return [];
    const key = base.inputAt(sheet, down, across);
    const isPlain = typeof key === 'string' || typeof key === 'number';
    return isPlain ? [{ key, was, is: found[0] }] : [];
  });
}

function* rowsByCell(state: BranchState, tableId: string) {
  const table = tableIn(state, tableId);
  const context = state.contextAt(state.structure);
  const sheet = sheetOfTable(table, state.structure);
  const { row0, row1 } = dataRange(table, rangeOf(table, state.structure));
  const line = keyColumnOf(table)?.line;
  const rowsWith = line && (yield* context.keys.of(sheet, line, context.cellsOf(sheet)));
  return (cell: ReturnType<typeof cellIn>): LineId[] =>
    [...rowsOf(rowsWith?.(cell))].filter((id) => {
      const position = positionIn(sheet, 'row', id) ?? -1;
      return position >= row0 && position <= row1;
    });
}

interface SameRow {
  readonly base: BranchState;
  readonly other: BranchState;
  readonly sheetId: string;
  readonly columns: readonly StoredColumn[];
}

/** Returns whether a row is unchanged. A formula that moved to another line counts as changed. */
function isSameRow(
  { base, other, sheetId, columns }: SameRow,
  { was, is }: { readonly was: LineId; readonly is: LineId },
): boolean {
  return columns.every(({ line: column }) => {
    const [then, now] = [
      cellIn(base, { sheetId, row: was, column }),
      cellIn(other, { sheetId, row: is, column }),
    ];
    return sameLane(then, now);
  });
}
