import { cellName, type Address } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import { shiftedCell, shiftedRange, type Shift } from '../../../server/model/shift.ts';
import type { Axis } from './geometry.ts';

/** The active cell, and the range between its anchor and the other corner. */
export interface Selection {
  readonly active: Address;
  readonly other: Address;
  /** First corner, if that is not the active cell. */
  readonly anchor?: Address;
  /** Further selected ranges. */
  readonly also?: readonly Range[];
  /** Column where a row of Tabs began, to which Enter returns. */
  readonly tabbedFrom?: number;
}

/** Returns the selection of a range, with its first cell active. */
export function selectionOfRange({ row0, column0, row1, column1 }: Range): Selection {
  return { active: { row: row0, column: column0 }, other: { row: row1, column: column1 } };
}

export function selectionOf(row: number, column: number): Selection {
  return { active: { row, column }, other: { row, column } };
}

export function rangeOfSelection({ active, anchor = active, other }: Selection): Range {
  return {
    row0: Math.min(anchor.row, other.row),
    column0: Math.min(anchor.column, other.column),
    row1: Math.max(anchor.row, other.row),
    column1: Math.max(anchor.column, other.column),
  };
}

/** Returns all selected ranges, first the one of the active cell. */
export function rangesOf(selection: Selection): readonly [Range, ...Range[]] {
  const range = rangeOfSelection(selection);
  return [range, ...(selection.also ?? []).filter((one) => !isSameRange(one, range))];
}

export function isSameRange(one: Range, other: Range): boolean {
  return (
    one.row0 === other.row0 &&
    one.row1 === other.row1 &&
    one.column0 === other.column0 &&
    one.column1 === other.column1
  );
}

/** Returns `B7` or `B7:C9`, with a comma between several. */
export function selectionNames(selection: Selection): string {
  return rangesOf(selection)
    .map((range) => selectionName(selectionOfRange(range)))
    .join(', ');
}

/** Returns the name of the range of the active cell: `B7` or `B7:C9`. */
export function selectionName(selection: Selection): string {
  const range = rangeOfSelection(selection);
  const isOne = range.row0 === range.row1 && range.column0 === range.column1;
  return isOne ? cellName(range.row0, range.column0) : rangeName(range);
}

export interface Axes {
  readonly rows: Axis;
  readonly columns: Axis;
  /** Areas that are one cell each. */
  readonly merged?: readonly Range[] | undefined;
}

/** Returns the selection of whole rows or columns. */
export function selectionOfLines(
  lines: 'rows' | 'columns',
  [first, last]: readonly [number, number],
  { rows, columns }: Axes,
): Selection {
  return lines === 'rows'
    ? { active: { row: first, column: 0 }, other: { row: last, column: columns.count - 1 } }
    : { active: { row: 0, column: first }, other: { row: rows.count - 1, column: last } };
}

/** Returns the cell to scroll to; for whole rows or columns only the coordinate across them. */
export function revealedOf(selection: Selection, { rows, columns }: Axes): Partial<Address> {
  const { active, anchor, other } = selection;
  const { row, column } = anchor ? active : other;
  const range = rangeOfSelection(selection);
  const hasAllRows = range.row0 === 0 && range.row1 === rows.count - 1;
  const hasAllColumns = range.column0 === 0 && range.column1 === columns.count - 1;
  return {
    ...((anchor !== undefined || !hasAllRows) && { row }),
    ...((anchor !== undefined || !hasAllColumns) && { column }),
  };
}

/** A shift that a selection follows. */
export interface FollowedShift extends Shift {
  /** True where the person of this page shifts the lines. */
  readonly isOwn: boolean;
}

/** Returns a selection after lines have moved, and whether its active cell was deleted. */
export function shiftedSelection(
  selection: Selection,
  shifts: readonly FollowedShift[],
): { readonly selection: Selection; readonly isGone: boolean } {
  const { active, other, also = [] } = selection;
  const followed = followedShifts(rangeOfSelection(selection), shifts);
  const after = <Place>(from: Place, move: (at: Place, shift: Shift) => Place | undefined) =>
    followed.reduce<Place | undefined>((at, one) => at && move(at, one), from);
  const at = after(active, shiftedCell);
  const moved = {
    active: at ?? active,
    other: after(other, shiftedCell) ?? at ?? active,
    also: also.flatMap((range) => after(range, shiftedRange) ?? []),
  };
  return { selection: moved, isGone: at === undefined };
}

/** Lines that a person inserts at the selection are selected then, as in Excel. */
function followedShifts(selected: Range, shifts: readonly FollowedShift[]): readonly Shift[] {
  let at: Range | undefined = selected;
  return shifts.filter((shift) => {
    const first = shift.axis === 'row' ? at?.row0 : at?.column0;
    if (shift.isOwn && shift.kind === 'insert' && first === shift.at) return false;
    at = at && shiftedRange(at, shift);
    return true;
  });
}
