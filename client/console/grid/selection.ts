import { cellName, type Address } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import type { Axis } from './geometry.ts';

/** The active cell, and the range that its anchor and the other corner span. */
export interface Selection {
  readonly active: Address;
  readonly other: Address;
  /** The first corner, where the active cell is another one. */
  readonly anchor?: Address;
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

/** Returns the next cell of a selection of several, from its end to its start; else the next one. */
export function stepped(
  selection: Selection,
  step: readonly [number, number],
  axes: Axes,
): Selection {
  const range = rangeOfSelection(selection);
  const { active, other, anchor = active } = selection;
  if (range.row0 === range.row1 && range.column0 === range.column1) {
    const to = stepFrom(active, step, axes);
    return { active: to, other: to };
  }
  const [down, right] = step;
  const width = range.column1 - range.column0 + 1;
  const height = range.row1 - range.row0 + 1;
  const [row, column] = [active.row - range.row0, active.column - range.column0];
  const isDown = down !== 0;
  const index = isDown ? column * height + row + down : row * width + column + right;
  const next = (index + width * height) % (width * height);
  const [of, at] = isDown
    ? [next % height, Math.floor(next / height)]
    : [Math.floor(next / width), next % width];
  return { active: { row: range.row0 + of, column: range.column0 + at }, other, anchor };
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
