import { firstAfter } from '../ids/first-after.ts';
import { columnLimit, rowLimit } from '../../model/address.ts';
import { rowCount } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { LineSpan } from '../structure/line-span.ts';
import { isBlankArea, isFreeArea, neighbours } from './table-cells.ts';
import type { Structure } from '../structure/structure.ts';
import { spansOfPositions, type TableDraft } from './table-draft.ts';
import type { TableTarget } from './table-target.ts';

/** Positions of data rows to delete, ascending, and the number of rows to add. */
export interface RowChange {
  readonly removed: readonly number[];
  readonly addedCount: number;
}

/** Positions of rows after the draft has made room. */
export interface RowLayout {
  /** Position of the first new row. */
  readonly addedAt: number;
  /** Former positions of rows that were deleted together with rows of the sheet. */
  readonly deleted: readonly number[];
  /** True when rows were inserted into the sheet; returns false when existing rows were used. */
  readonly isMinted: boolean;
  /**
   * True when the rows of the sheet stay and contents of the table move up instead, because other
   * cells stand beside them.
   */
  readonly isShifted: boolean;
  /** Number of rows that a shifted table gains; negative when it loses some. */
  readonly growth: number;
  /** Position of the row that stays as the blank one when all are removed. */
  readonly blanked: number | undefined;
  /** The structure that has both the blank row of an empty table and the first of the others. */
  readonly both?: Structure | undefined;
  /** Position of an inserted blank row. */
  readonly blankAt?: number;
  /** Returns the new position of the content of a row which stays. */
  readonly placeOf: (position: number) => number;
}

/** The layout without shifted contents. */
export const plainLayout = {
  deleted: [],
  isMinted: false,
  isShifted: false,
  growth: 0,
  blanked: undefined,
} satisfies Partial<RowLayout>;

/** Uses existing rows of the sheet for new ones, as in old journals. */
export function takeRows(
  draft: TableDraft,
  target: TableTarget,
  { removed: all, addedCount }: RowChange,
  context: PlanContext,
): RowLayout {
  const { data, table } = target;
  const isEmpty = addedCount > 0 && rowCount(data) === 1 && isBlankData(target, context);
  // The blank row of an empty table becomes the first new row.
  if (isEmpty) return growEmpty(draft, target, addedCount, context);
  const keptCount = rowCount(data) - all.length;
  const blanked = keptCount + addedCount === 0 ? all[0] : undefined;
  const removed = blanked === undefined ? all : all.slice(1);
  const placeOf = placesAfter(removed);
  const spans = spansOfPositions(removed);
  if (spans.length > 0 && !ownsRows(target, spans, context)) {
    const growth = addedCount - removed.length;
    if (growth > 0) addBelow(draft, target, growth, context);
    else endAt(draft, target, target.range.row1 + growth);
    const addedAt = data.row1 + 1 - removed.length;
    return { ...plainLayout, addedAt, isShifted: true, growth, blanked, placeOf };
  }
  if (addedCount > 0) addBelow(draft, target, addedCount, context);
  draft.delete('row', draft.sheetOf(table), spans);
  const addedAt = data.row1 + 1 - removed.length;
  return { ...plainLayout, addedAt, deleted: removed, blanked, placeOf };
}

function growEmpty(
  draft: TableDraft,
  target: TableTarget,
  addedCount: number,
  context: PlanContext,
): RowLayout {
  if (addedCount > 1) addBelow(draft, target, addedCount - 1, context);
  const addedAt = target.data.row0;
  const placeOf = (position: number) => position;
  return { ...plainLayout, addedAt, placeOf };
}

export function placesAfter(removed: readonly number[]): (position: number) => number {
  return (position) =>
    position - firstAfter(removed.length, (at) => (removed[at] ?? 0) >= position);
}

/** Returns whether all data rows are blank, apart from calculated cells. */
export function isBlankData({ table, sheet, data }: TableTarget, context: PlanContext): boolean {
  const cells = context.cellsOf(sheet);
  return table.columns.every((column, index) => {
    if (column.formula !== undefined) return true;
    const position = data.column0 + index;
    return isBlankArea(sheet, { ...data, column0: position, column1: position }, cells);
  });
}

/** Returns whether nothing outside the table stands in some rows of the sheet. */
export function ownsRows(
  { table, sheet, range }: TableTarget,
  spans: readonly LineSpan[],
  context: PlanContext,
): boolean {
  const areas = spans.map(({ from, count }) => ({ row0: from, row1: from + count - 1 }));
  const isTorn = neighbours(table, context).some((other) =>
    areas.some(({ row0, row1 }) => row0 <= other.range.row1 && row1 >= other.range.row0),
  );
  if (isTorn) return false;
  const cells = context.cellsOf(sheet);
  const isBeside = ({ branch, sequence, offset }: LineId) => {
    const position = sheet.columns.positionOf(branch, sequence, offset);
    return position !== undefined && (position < range.column0 || position > range.column1);
  };
  if (![...cells.columnIds()].some(isBeside)) return true;
  return areas.every((rows) => {
    const left = { ...rows, column0: 0, column1: range.column0 - 1 };
    const right = { ...rows, column0: range.column1 + 1, column1: columnLimit - 1 };
    return isBlankArea(sheet, left, cells) && isBlankArea(sheet, right, cells);
  });
}

/**
 * Extends a table into blank rows below it, as Excel does; otherwise inserts rows, which push down
 * what stands there.
 */
function addBelow(
  draft: TableDraft,
  target: TableTarget,
  count: number,
  context: PlanContext,
): void {
  const { table, sheet, data, range } = target;
  const end = data.row1 + 1;
  const below = { ...range, row0: end, row1: range.row1 + count };
  const isFree = below.row1 < rowLimit && isFreeArea(sheet, below, context);
  if (table.totalsRow || !isFree) {
    checkPushed(target, { from: end, count }, context);
    draft.insert('row', sheet, { from: end, count });
  }
  // Rows inserted above totals are inside the table already.
  if (!table.totalsRow) endAt(draft, target, range.row1 + count);
}

/** Throws a rejection when inserted rows would tear another table or push cells out of the grid. */
export function checkPushed(
  { table, sheet, range }: TableTarget,
  { from, count }: LineSpan,
  context: PlanContext,
): void {
  const others = neighbours(table, context).map((other) => other.range);
  if (others.some(({ row0, row1 }) => row0 < from && row1 >= from)) {
    throw new Rejection('no_room', `another table stands beside the end of ${table.name}`);
  }
  const last = Math.max(range.row1, ...others.map(({ row1 }) => row1));
  const isFree = !context.isFilledFrom(sheet, 'row', Math.max(0, rowLimit - count));
  if (isFree && last + count < rowLimit) return;
  throw new Rejection('grid_full', `there is no room for ${count} more rows`);
}

export function endAt(draft: TableDraft, { table }: TableTarget, row: number): void {
  const lastRow = draft.sheetOf(table).rows.idAt(row);
  draft.set({ ...draft.table(table.id), lastRow });
}
