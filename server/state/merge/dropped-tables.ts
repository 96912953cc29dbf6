import { rangeName, type Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { LineMap } from '../structure/line-map.ts';
import { isBlankArea } from '../tables/table-cells.ts';
import { rangeOf, sheetOfTable, type StoredTable } from '../structure/tables.ts';
import { carriedTable, entryOf } from './carried-table.ts';
import type { Judge, Side } from './judge.ts';
import { isSame, type Sides } from '../compare/merged-members.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import type { Asked } from './scope.ts';
import { hasNewCells } from './table-edits.ts';

/** A table that one side dropped, and the other one changed. */
interface DroppedTable {
  readonly was: StoredTable;
  /** The table as the side that changed it has it. */
  readonly is: StoredTable;
  readonly changer: Side;
  /** True when its cells were cleared with it. */
  readonly isCleared: boolean;
}

/**
 * Decides about tables that one side dropped and the other changed. To keep one, it is dropped from
 * the base: it then counts as new and comes with all its cells. Otherwise it is dropped from the
 * side that changed it.
 */
export function* settleDropped(
  sides: AlignedSides,
  { judge, scope }: Asked,
): Generator<void, void> {
  const { base, ours, theirs } = sides;
  const states = { base: base.state, ours: ours.state, theirs: theirs.state };
  const dropped = [...droppedTables(states)];
  for (const one of dropped) {
    const { id, sheetId } = one.was;
    if (scope?.({ kind: 'table', place: { tableId: id, sheetId } }) === false) continue;
    const isKept = decide(one, judge) === one.changer;
    yield* drop(sides[isKept ? 'base' : one.changer], one);
  }
}

function decide({ was, is, changer }: DroppedTable, judge: Judge): unknown {
  const held = entryOf(is);
  return judge.decide({
    kind: 'table.edit_drop',
    register: `table edit_drop ${was.id}`,
    text: `the table ${is.name}`,
    place: { tableId: was.id, sheetId: was.sheetId },
    sides: () => ({
      base: entryOf(was),
      ours: changer === 'ours' ? held : undefined,
      theirs: changer === 'theirs' ? held : undefined,
    }),
  });
}

function* droppedTables(sides: Sides<BranchState>): Generator<DroppedTable> {
  for (const was of sides.base.tables.all) {
    for (const [changer, dropper] of [
      ['theirs', 'ours'],
      ['ours', 'theirs'],
    ] as const) {
      const is = sides[changer].tables.withId(was.id);
      if (!is || sides[dropper].tables.withId(was.id)) continue;
      const dropped = changedTable({ was, is }, sides.base, sides[changer], sides[dropper]);
      if (dropped) yield { ...dropped, changer };
    }
  }
}

/** Returns a dropped table that the other side changed; undefined for an unchanged one. */
function changedTable(
  { was, is }: Pick<DroppedTable, 'was' | 'is'>,
  base: BranchState,
  changer: BranchState,
  dropper: BranchState,
): Omit<DroppedTable, 'changer'> | undefined {
  // A table whose sheet is gone is part of the conflict about the sheet.
  if (is.sheetId !== was.sheetId || !dropper.structure.withId(was.sheetId)) return undefined;
  const isCleared = isBlank(was, base, dropper);
  const isEdited =
    !isSame(entryOf(carriedTable(was, base, changer)), entryOf(is)) ||
    (isCleared && hasNewCells(is, base, changer));
  return isEdited ? { was, is, isCleared } : undefined;
}

/** Returns whether all cells that a table had in one state are blank in another. */
function isBlank(table: StoredTable, from: BranchState, to: BranchState): boolean {
  const was = sheetOfTable(table, from.structure);
  const sheet = sheetOfTable(table, to.structure);
  const { row0, row1, column0, column1 } = rangeOf(table, from.structure);
  const rows = new LineMap(was, sheet, 'row').range(row0, row1);
  const columns = new LineMap(was, sheet, 'column').range(column0, column1);
  if (!rows || !columns) return true;
  const range: Range = { row0: rows[0], row1: rows[1], column0: columns[0], column1: columns[1] };
  return isBlankArea(sheet, range, to.cellsOf(sheet));
}

function* drop(
  parts: OperationParts,
  { was: { id, sheetId: sheet }, isCleared }: DroppedTable,
): Generator<void, void> {
  const { tables, structure } = parts.state;
  const table = tables.withId(id);
  if (!table) return;
  const range = rangeName(rangeOf(table, structure));
  yield* parts.add({ kind: 'table.drop', payload: { table: id, keepCells: true } });
  if (isCleared)
    yield* parts.add({ kind: 'range.clear', payload: { sheet, range, what: ['values'] } });
}
