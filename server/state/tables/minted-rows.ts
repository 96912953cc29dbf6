import { columnLimit, rowLimit } from '../../model/address.ts';
import { rowCount, type Range } from '../../model/range.ts';
import type { IdSpan } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import { isBlankArea, neighbours } from './table-cells.ts';
import { spansOfPositions, type TableDraft } from './table-draft.ts';
import {
  checkPushed,
  endAt,
  isBlankData,
  ownsRows,
  placesAfter,
  plainLayout,
  takeRows,
  type RowChange,
  type RowLayout,
} from './table-layout.ts';
import type { TableTarget } from './table-target.ts';

// New rows of a table are new rows of the sheet with ids that no other branch has, so that a merge
// can tell rows apart. Only when other cells stand beside the table are existing rows used.

/** Numbers of rows up to 256, by powers of two, for which operations share a run of ids. */
const sharedLevels = 9;
/** Offsets of each level. */
const levelOffsets = 2 ** 28;

/**
 * Returns ids for the rows that an operation adds. A block of cells holds neighbours of one run,
 * and an almost empty one costs as much as a full one. So operations that add few rows share a run,
 * number 0 of their branch, at offsets that derive from their sequence numbers.
 */
export function mintedIds({ branch, sequence }: TableDraft['run'], length: number): IdSpan {
  const level = Math.ceil(Math.log2(length));
  const offset = sequence * 2 ** level;
  if (level >= sharedLevels || offset + length > levelOffsets) {
    return { branch, sequence, offset: 0, length };
  }
  return { branch, sequence: 0, offset: level * levelOffsets + offset, length };
}

/**
 * Adds rows below the last one and removes rows. Rows of the sheet are inserted and deleted, so
 * that the others keep their identity. Only when that would tear other cells do contents move
 * within the columns of the table instead.
 */
export function changeRows(
  draft: TableDraft,
  target: TableTarget,
  change: RowChange,
  context: PlanContext,
): RowLayout {
  const isMinting = context.newRows !== 'taken';
  if (!isMinting) return takeRows(draft, target, change, context);
  const minted = losesAll(target, change, context)
    ? leaveBlank(draft, target, context)
    : mintRows(draft, target, change, context);
  return minted ?? takeRows(draft, target, change, context);
}

/**
 * Inserts rows of the sheet below the table, and deletes rows. A table that loses all rows gets a
 * blank one, which is deleted when others are added. Returns undefined when that would push down or
 * tear what stands beside the table.
 */
function mintRows(
  draft: TableDraft,
  target: TableTarget,
  { removed: all, addedCount }: RowChange,
  context: PlanContext,
): RowLayout | undefined {
  const { table, data } = target;
  const isEmpty = rowCount(data) === 1 && isBlankData(target, context);
  const removed = isEmpty ? replacedRows(data, addedCount) : all;
  const isEmptied = addedCount === 0 && removed.length === rowCount(data);
  const count = isEmptied ? 1 : addedCount;
  const spans = spansOfPositions(removed);
  const isTorn = spans.length > 0 && !ownsRows(target, spans, context);
  if (isTorn || (count > removed.length && !isLast(target, context))) return undefined;
  if (count > 0) insertBelow(draft, target, count, context);
  const both = draft.structure;
  draft.delete('row', draft.sheetOf(table), spans);
  const addedAt = data.row1 + 1 - removed.length;
  return {
    ...plainLayout,
    addedAt,
    deleted: removed,
    isMinted: count > 0,
    ...(isEmpty && { both }),
    ...(isEmptied && { blankAt: addedAt }),
    placeOf: placesAfter(removed),
  };
}

/** Returns the blank row of an empty table when rows are added: it is deleted. */
function replacedRows({ row0 }: Range, addedCount: number): number[] {
  return addedCount > 0 ? [row0] : [];
}

/** Returns whether nothing stands beside or below the table in rows that would be pushed down. */
function isLast({ table, sheet, range, data }: TableTarget, context: PlanContext): boolean {
  // Rows are always inserted above totals.
  if (table.totalsRow) return true;
  const below = { ...range, row0: data.row1 + 1, row1: rowLimit - 1 };
  if (neighbours(table, context).some((other) => other.range.row1 >= below.row0)) return false;
  const sides = [
    { ...below, column0: 0, column1: range.column0 - 1 },
    { ...below, column0: range.column1 + 1, column1: columnLimit - 1 },
  ];
  const cells = context.cellsOf(sheet);
  return sides.every(
    (side) =>
      side.column0 > side.column1 ||
      (context.records.meeting('cellmerge', sheet, side).length === 0 &&
        isBlankArea(sheet, side, cells)),
  );
}

/** Returns whether a filled table loses all of its rows. */
function losesAll(
  target: TableTarget,
  { removed, addedCount }: RowChange,
  context: PlanContext,
): boolean {
  const count = rowCount(target.data);
  if (!context.keepsTables || addedCount > 0 || removed.length < count) return false;
  return count > 1 || (count === 1 && !isBlankData(target, context));
}

/**
 * Inserts a blank row below the first deleted one, so that ranges over all of them end at it.
 * Returns undefined when that would tear what stands beside the table.
 */
function leaveBlank(
  draft: TableDraft,
  target: TableTarget,
  context: PlanContext,
): RowLayout | undefined {
  const { table, sheet, data, range } = target;
  const { row0 } = data;
  const count = rowCount(data);
  if (!ownsRows(target, [{ from: row0, count }], context)) return undefined;
  checkPushed(target, { from: row0 + 1, count: 1 }, context);
  const inherit = sheet.rows.idAt(row0);
  draft.mint(sheet, { position: row0 + 1, count: 1, ids: [mintedIds(draft.run, 1)], inherit });
  if (row0 === range.row1) endAt(draft, target, row0 + 1);
  draft.keepsTables = true;
  const both = draft.structure;
  const below = count > 1 ? [{ from: row0 + 2, count: count - 1 }] : [];
  draft.delete('row', draft.sheetOf(table), [{ from: row0, count: 1 }, ...below]);
  const deleted = Array.from({ length: count }, (_, at) => row0 + at);
  const layout = { ...plainLayout, addedAt: row0, deleted, isMinted: true, both, blankAt: row0 };
  return { ...layout, placeOf: placesAfter(deleted) };
}

function insertBelow(
  draft: TableDraft,
  target: TableTarget,
  count: number,
  context: PlanContext,
): void {
  const { table, sheet, data, range } = target;
  checkPushed(target, { from: data.row1 + 1, count }, context);
  const ids = [mintedIds(draft.run, count)];
  draft.mint(sheet, { position: data.row1 + 1, count, ids });
  // Rows inserted above totals are inside the table already.
  if (!table.totalsRow) endAt(draft, target, range.row1 + count);
}
