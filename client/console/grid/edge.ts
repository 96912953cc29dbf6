import type { Address } from '../../../server/model/address.ts';
import { holdsCell, type Range } from '../../../server/model/range.ts';
import type { Axes } from './selection.ts';
import type { ShownCell } from '../store/block-store.ts';

/** Rows down and columns right of an arrow key. */
export type Arrow = readonly [down: number, right: number];

/** Cells in memory; undefined where they are not loaded. */
interface Lookable {
  readonly source: {
    readonly cellAt: (row: number, column: number) => Pick<ShownCell, 'kind'> | undefined;
  };
  /** The cells that hold anything. */
  readonly used: Range;
}

interface Filled extends Axes, Lookable {}

/**
 * Returns where Ctrl and an arrow key lead: the last filled cell before a blank, the next filled
 * one, or the end of the sheet; undefined if cells on the way are not loaded.
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
    // Beyond the used cells there are only blanks.
    if (!isWithin && isBeyond(cell, [down, right], sheet.used)) return end;
    const isFilled = isFilledAt(cell, sheet);
    if (isFilled === undefined) return undefined;
    if (isFilled !== isWithin) return isWithin ? at(step - 1) : cell;
  }
  return end;
}

/** Returns the edge of the used cells, or of the sheet, if the service cannot be asked. */
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

/** A block of filled cells, as far as it is loaded. */
interface KnownRegion {
  readonly range: Range;
  /** False if adjacent cells are not loaded. */
  readonly isWhole: boolean;
}

/** Returns the block of filled cells around a cell; undefined if it is not fully loaded. */
export function regionAround({ row, column }: Address, sheet: Lookable): Range | undefined {
  const alone = { row0: row, row1: row, column0: column, column1: column };
  const { range, isWhole } = grownRegion(alone, sheet);
  return isWhole ? range : undefined;
}

/** Extends a block as long as adjacent or diagonal cells are filled. */
export function grownRegion(from: Range, sheet: Lookable): KnownRegion {
  let range = from;
  for (let before; before !== range;) {
    before = range;
    for (const side of sides) {
      const known = grownAlong(range, side, sheet);
      if (!known.isWhole) return known;
      ({ range } = known);
    }
  }
  return { range, isWhole: true };
}

function grownAlong(from: Range, side: Side, sheet: Lookable): KnownRegion {
  let range = from;
  for (;;) {
    const isFilled = holdsAny(stripOf(range, side), sheet);
    if (isFilled !== true) return { range, isWhole: isFilled === false };
    range = { ...range, [side.member]: range[side.member] + side.by };
  }
}

interface Side {
  readonly member: keyof Range;
  readonly by: 1 | -1;
}

const sides: readonly Side[] = [
  { member: 'row0', by: -1 },
  { member: 'row1', by: 1 },
  { member: 'column0', by: -1 },
  { member: 'column1', by: 1 },
];

/** Returns the cells beyond one side of a block, with the corners. */
function stripOf({ row0, row1, column0, column1 }: Range, { member }: Side): Range {
  const around = { row0: row0 - 1, row1: row1 + 1, column0: column0 - 1, column1: column1 + 1 };
  const line = around[member];
  return member === 'row0' || member === 'row1'
    ? { ...around, row0: line, row1: line }
    : { ...around, column0: line, column1: line };
}

function holdsAny(range: Range, sheet: Lookable): boolean | undefined {
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

/** Returns whether a cell is filled; undefined if it is not loaded. */
export function isFilledAt(at: Address, { used, source }: Lookable): boolean | undefined {
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
