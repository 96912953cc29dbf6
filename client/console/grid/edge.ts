import type { Address } from '../../../server/model/address.ts';
import { holdsCell, type Range } from '../../../server/model/range.ts';
import type { Axes } from './selection.ts';
import type { GridSource } from './source.ts';

/** Rows down and columns right of an arrow key. */
export type Arrow = readonly [down: number, right: number];

interface Filled extends Axes {
  readonly source: Pick<GridSource, 'cellAt'>;
  /** The cells that hold anything. */
  readonly used: Range;
}

/**
 * Returns the cell where Ctrl and an arrow key lead: the last filled one before a blank, the next
 * filled one, or the end of the sheet; undefined where cells on the way are not loaded.
 */
export function edgeFrom(from: Address, [down, right]: Arrow, sheet: Filled): Address | undefined {
  const { rows, columns } = sheet;
  const last = { row: rows.count - 1, column: columns.count - 1 };
  const at = (step: number) => ({
    row: from.row + down * step,
    column: from.column + right * step,
  });
  const isOutside = ({ row, column }: Address) =>
    row < 0 || column < 0 || row > last.row || column > last.column;
  const end = endOf(from, [down, right], last);
  if (isOutside(at(1))) return from;
  const starts = isFilledAt(from, sheet);
  const second = isFilledAt(at(1), sheet);
  if (starts === undefined || second === undefined) return undefined;
  const isWithin = starts && second;
  for (let step = 1; !isOutside(at(step)); step++) {
    const cell = at(step);
    // Nothing lies beyond what is used on the way out of it.
    if (!isWithin && isBeyond(cell, [down, right], sheet.used)) return end;
    const isFilled = isFilledAt(cell, sheet);
    if (isFilled === undefined) return undefined;
    if (isFilled !== isWithin) return isWithin ? at(step - 1) : cell;
  }
  return end;
}

/** Returns the border of what is used, or of the sheet: for when the service cannot be asked. */
export function guessedEdge(from: Address, [down, right]: Arrow, { used, rows, columns }: Filled) {
  const along = (at: number, by: number, [low, high, last]: readonly [number, number, number]) => {
    if (by === 0) return at;
    const stops = by > 0 ? [low, high, last] : [high, low, 0];
    return stops.find((stop) => (by > 0 ? stop > at : stop < at)) ?? at;
  };
  return {
    row: along(from.row, down, [used.row0, used.row1, rows.count - 1]),
    column: along(from.column, right, [used.column0, used.column1, columns.count - 1]),
  };
}

/** Returns the block of filled cells around a cell; undefined where it is not loaded whole. */
export function regionAround(from: Address, sheet: Filled): Range | undefined {
  let region = { row0: from.row, row1: from.row, column0: from.column, column1: from.column };
  for (;;) {
    const grown = grownOnce(region, sheet);
    if (grown === undefined || grown === region) return grown;
    region = grown;
  }
}

function grownOnce(region: Range, sheet: Filled): Range | undefined {
  const { row0, row1, column0, column1 } = region;
  const around = { row0: row0 - 1, row1: row1 + 1, column0: column0 - 1, column1: column1 + 1 };
  const sides = [
    { ...around, row1: row0 - 1 },
    { ...around, row0: row1 + 1 },
    { ...around, column1: column0 - 1 },
    { ...around, column0: column1 + 1 },
  ];
  let grown = region;
  for (const [index, side] of sides.entries()) {
    const isFilled = holdsAny(side, sheet);
    if (isFilled === undefined) return undefined;
    if (!isFilled) continue;
    const member = (['row0', 'row1', 'column0', 'column1'] as const)[index] ?? 'row0';
    grown = { ...grown, [member]: around[member] };
  }
  return grown;
}

function holdsAny(range: Range, sheet: Filled): boolean | undefined {
  const { used } = sheet;
  for (let row = Math.max(used.row0, range.row0); row <= Math.min(used.row1, range.row1); row++) {
    const last = Math.min(used.column1, range.column1);
    for (let column = Math.max(used.column0, range.column0); column <= last; column++) {
      const isFilled = isFilledAt({ row, column }, sheet);
      if (isFilled !== false) return isFilled;
    }
  }
  return false;
}

/** Returns whether a cell holds anything; undefined where it is not loaded. */
export function isFilledAt(at: Address, { used, source }: Filled): boolean | undefined {
  if (!holdsCell(used, at)) return false;
  const cell = source.cellAt(at.row, at.column);
  return cell && cell.kind !== 'blank';
}

function endOf({ row, column }: Address, [down, right]: Arrow, last: Address): Address {
  const along = (at: number, by: number, end: number) => (by === 0 ? at : by > 0 ? end : 0);
  return { row: along(row, down, last.row), column: along(column, right, last.column) };
}

function isBeyond({ row, column }: Address, [down, right]: Arrow, used: Range): boolean {
  const isAside = {
    row: row < used.row0 || row > used.row1,
    column: column < used.column0 || column > used.column1,
  };
  if (down !== 0) return isAside.column || (down > 0 ? row > used.row1 : row < used.row0);
  return isAside.row || (right > 0 ? column > used.column1 : column < used.column0);
}
