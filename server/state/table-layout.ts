import { columnLimit, rowLimit } from '../model/address.ts';
import { rowCount } from '../model/range.ts';
import { Rejection } from '../model/rejection.ts';
import type { PlanContext } from './plan.ts';
import { isBlankArea, neighbours } from './table-cells.ts';
import { spansOfPositions, type TableDraft } from './table-draft.ts';
import type { TableTarget } from './table-target.ts';

/** Data rows that go, by position from the first to the last, and how many come. */
export interface RowChange {
  readonly removed: readonly number[];
  readonly addedCount: number;
}

/** Where the rows stand once the draft has made room. */
export interface RowLayout {
  /** The new rows stand from here on. */
  readonly addedAt: number;
  /** Rows deleted with their sheet's, by their place before. */
  readonly deleted: readonly number[];
  /**
   * Whether the rows of the sheet stayed and the contents of the table's cells move up instead,
   * because other cells stand beside them.
   */
  readonly isShifted: boolean;
  /** Of a shifted table: how many rows it has more, or less, than before. */
  readonly growth: number;
  /** The row that all removed rows leave behind, blank: a table has at least one. */
  readonly blanked: number | undefined;
  /** Where a row that stays has its content now. */
  readonly placeOf: (position: number) => number;
}

/**
 * Makes room for new rows below the last one and takes rows out. A row of the table is a row of its
 * sheet, inserted and deleted as a whole, so that it keeps its identity whatever happens around it.
 * Only where that would tear other cells do contents move within the table's columns.
 */
export function changeRows(
  draft: TableDraft,
  target: TableTarget,
  change: RowChange,
  context: PlanContext,
): RowLayout {
  const { data } = target;
  const isPlaceholder =
    change.addedCount > 0 && rowCount(data) === 1 && isBlankData(target, context);
  if (isPlaceholder && change.removed.length === 0)
    return fillBlankRow(draft, target, change, context);
  const { addedCount } = change;
  const keptCount = rowCount(data) - change.removed.length;
  const [first] = change.removed;
  const blanked = keptCount + addedCount === 0 ? first : undefined;
  const removed = blanked === undefined ? change.removed : change.removed.slice(1);
  const placeOf = placesAfter(removed);
  if (removed.length > 0 && !ownsRows(target, removed, context)) {
    return shiftRows(draft, target, { removed, addedCount, blanked }, context);
  }
  const end = data.row1 + 1;
  if (addedCount > 0) addBelow(draft, target, addedCount, context);
  const sheet = draft.sheetOf(target.table);
  draft.delete('row', sheet, spansOfPositions(removed));
  const addedAt = end - removed.length;
  return { addedAt, deleted: removed, isShifted: false, growth: 0, blanked, placeOf };
}

/** The one row of an empty table is in nobody's way: it goes, or is the first of the new ones. */
function fillBlankRow(
  draft: TableDraft,
  target: TableTarget,
  { addedCount }: RowChange,
  context: PlanContext,
): RowLayout {
  const { row0 } = target.data;
  const rest = {
    isShifted: false,
    growth: 0,
    blanked: undefined,
    placeOf: (position: number) => position,
  };
  const isOwn = ownsRows(target, [row0], context);
  if (!isOwn || roomBelow(target, addedCount, context) === 'grow') {
    if (addedCount > 1) addBelow(draft, target, addedCount - 1, context);
    return { ...rest, addedAt: row0, deleted: [] };
  }
  addBelow(draft, target, addedCount, context);
  draft.delete('row', draft.sheetOf(target.table), [{ from: row0, count: 1 }]);
  return { ...rest, addedAt: row0, deleted: [row0] };
}

function placesAfter(removed: readonly number[]): (position: number) => number {
  return (position) => {
    let low = 0;
    let high = removed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((removed[middle] ?? Infinity) < position) low = middle + 1;
      else high = middle;
    }
    return position - low;
  };
}

/** Whether no data row holds anything but calculated cells. */
function isBlankData({ table, sheet, data }: TableTarget, context: PlanContext): boolean {
  const cells = context.cellsOf(sheet);
  return table.columns.every((column, index) => {
    if (column.formula !== undefined) return true;
    const position = data.column0 + index;
    return isBlankArea(sheet, { ...data, column0: position, column1: position }, cells);
  });
}

/** Whether nothing else stands in these rows of the sheet. */
function ownsRows(
  { table, sheet, range }: TableTarget,
  rows: readonly number[],
  context: PlanContext,
): boolean {
  const used = context.used(sheet);
  const others = neighbours(table, context);
  const isTorn = others.some((other) =>
    rows.some((row) => row >= other.range.row0 && row <= other.range.row1),
  );
  if (isTorn) return false;
  if (!used || (used.column0 >= range.column0 && used.column1 <= range.column1)) return true;
  const cells = context.cellsOf(sheet);
  return spansOfPositions(rows).every(({ from, count }) => {
    const area = { row0: from, row1: from + count - 1 };
    const left = { ...area, column0: 0, column1: range.column0 - 1 };
    const right = { ...area, column0: range.column1 + 1, column1: columnLimit - 1 };
    const isLeftBlank = range.column0 === 0 || isBlankArea(sheet, left, cells);
    return isLeftBlank && (right.column0 >= columnLimit || isBlankArea(sheet, right, cells));
  });
}

/**
 * `insert` makes new rows of the sheet, `grow` takes those below into the table, as Excel does where
 * they are blank and something else goes on beside them.
 */
function roomBelow(
  { table, sheet, range, data }: TableTarget,
  count: number,
  context: PlanContext,
): 'insert' | 'grow' {
  const lastUsed = context.used(sheet)?.row1 ?? -1;
  const others = neighbours(table, context).map((other) => other.range);
  const lastRow = Math.max(range.row1, lastUsed, ...others.map(({ row1 }) => row1));
  const end = data.row1 + 1;
  if (!table.totalsRow && lastRow > range.row1 && range.row1 + count < rowLimit) {
    const below = { ...range, row0: end, row1: range.row1 + count };
    const isFree = others.every(
      (other) =>
        other.row0 > below.row1 ||
        other.row1 < below.row0 ||
        other.column0 > below.column1 ||
        other.column1 < below.column0,
    );
    if (isFree && isBlankArea(sheet, below, context.cellsOf(sheet))) return 'grow';
  }
  if (others.some(({ row0, row1 }) => row0 < end && row1 >= end)) {
    throw new Rejection('no_room', `another table stands beside the end of ${table.name}`);
  }
  if (lastRow + count < rowLimit) return 'insert';
  throw new Rejection('grid_full', `there is no room for ${count} more rows`);
}

function addBelow(
  draft: TableDraft,
  target: TableTarget,
  count: number,
  context: PlanContext,
): void {
  const { table, data, range } = target;
  const room = roomBelow(target, count, context);
  const end = data.row1 + 1;
  if (room === 'insert') draft.insert('row', draft.sheetOf(table), { from: end, count });
  // What was inserted before a row of totals stands within the table already.
  if (table.totalsRow) return;
  const lastRow = draft.sheetOf(table).rows.idAt(range.row1 + count);
  draft.set({ ...draft.table(table.id), lastRow });
}

/** Rows of the sheet stay, because of what stands beside them; the table ends higher or lower. */
function shiftRows(
  draft: TableDraft,
  target: TableTarget,
  { removed, addedCount, blanked }: RowChange & { blanked: number | undefined },
  context: PlanContext,
): RowLayout {
  const { table, data } = target;
  const growth = addedCount - removed.length;
  if (growth > 0) addBelow(draft, target, growth, context);
  else {
    const last = data.row1 + growth + Number(table.totalsRow);
    draft.set({ ...table, lastRow: draft.sheetOf(table).rows.idAt(last) });
  }
  const addedAt = data.row1 + 1 - removed.length;
  return { addedAt, deleted: [], isShifted: true, growth, blanked, placeOf: placesAfter(removed) };
}
