import { cellName, type Address } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import type { Axis } from './geometry.ts';

/** The active cell, and the range that it and the other corner span. */
export interface Selection {
  readonly active: Address;
  readonly other: Address;
}

/** Returns the selection of a range, with its first cell active. */
export function selectionOfRange({ row0, column0, row1, column1 }: Range): Selection {
  return { active: { row: row0, column: column0 }, other: { row: row1, column: column1 } };
}

export function selectionOf(row: number, column: number): Selection {
  return { active: { row, column }, other: { row, column } };
}

export function rangeOfSelection({ active, other }: Selection): Range {
  return {
    row0: Math.min(active.row, other.row),
    column0: Math.min(active.column, other.column),
    row1: Math.max(active.row, other.row),
    column1: Math.max(active.column, other.column),
  };
}

/** Returns `B7` or `B7:C9`. */
export function selectionName(selection: Selection): string {
  const range = rangeOfSelection(selection);
  const isOne = range.row0 === range.row1 && range.column0 === range.column1;
  return isOne ? cellName(range.row0, range.column0) : rangeName(range);
}

export interface Axes {
  readonly rows: Axis;
  readonly columns: Axis;
}

/** Returns the cell so many visible lines away, kept inside the sheet. */
export function stepFrom(
  from: Address,
  [down, right]: readonly [number, number],
  { rows, columns }: Axes,
): Address {
  return { row: lineFrom(rows, from.row, down), column: lineFrom(columns, from.column, right) };
}

function lineFrom(axis: Axis, index: number, steps: number): number {
  if (steps === 0) return index;
  const target = Math.max(0, Math.min(axis.count - 1, index + steps));
  return axis.nextVisible(target, steps > 0 ? 1 : -1);
}
