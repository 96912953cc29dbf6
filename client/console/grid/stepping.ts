import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { Axis } from './geometry.ts';
import { edgeOfArea, isOneCell, shownCell } from './merged.ts';
import {
  rangeOfSelection,
  rangesOf,
  selectionOfRange,
  type Axes,
  type Selection,
} from './selection.ts';

type Step = readonly [down: number, right: number];

/**
 * Returns the next cell within a selection of several, through all its ranges; else the next cell.
 */
export function stepped(selection: Selection, step: Step, axes: Axes): Selection {
  const [, ...also] = rangesOf(selection);
  if (also.length === 0 && isOneCell(selection, axes.merged)) return entered(selection, step, axes);
  let next = through(selection, step);
  // Covered cells of a merged area are skipped, at most once around.
  for (let tries = 0; tries < passedMost && isCovered(next.active, axes); tries++) {
    next = through(next, step);
  }
  return next;
}

const passedMost = 10_000;

function isCovered({ row, column }: Address, { merged }: Axes): boolean {
  const shown = shownCell(merged, { row, column });
  return shown.row !== row || shown.column !== column;
}

/** Returns the adjacent cell; after a row of Tabs Enter goes below its beginning. */
function entered(selection: Selection, step: Step, axes: Axes): Selection {
  const [down, right] = step;
  const { active, tabbedFrom } = selection;
  if (down === 0 && right === 0) return selection;
  const to = stepFrom(active, step, axes);
  if (right !== 0) return { active: to, other: to, tabbedFrom: tabbedFrom ?? active.column };
  const below = down > 0 && tabbedFrom !== undefined ? { ...to, column: tabbedFrom } : to;
  return { active: below, other: below };
}

function through(selection: Selection, [down, right]: Step): Selection {
  const range = rangeOfSelection(selection);
  const { active, other, anchor = active } = selection;
  const [, ...also] = rangesOf(selection);
  const width = range.column1 - range.column0 + 1;
  const height = range.row1 - range.row0 + 1;
  const [row, column] = [active.row - range.row0, active.column - range.column0];
  const isDown = down !== 0;
  const index = isDown ? column * height + row + down : row * width + column + right;
  const isLeft = index < 0 || index >= width * height;
  if (isLeft && also.length > 0) return turned(range, also, index >= 0);
  const next = (index + width * height) % (width * height);
  const [of, at] = isDown
    ? [next % height, Math.floor(next / height)]
    : [Math.floor(next / width), next % width];
  return { active: { row: range.row0 + of, column: range.column0 + at }, other, anchor, also };
}

/** Returns the selection with the active cell in the range after, or before, the current one. */
function turned(range: Range, also: readonly Range[], isOn: boolean): Selection {
  const next = (isOn ? also[0] : also.at(-1)) ?? range;
  const { active: first, other: last } = selectionOfRange(next);
  const others = isOn ? [...also.slice(1), range] : [range, ...also.slice(0, -1)];
  return { active: isOn ? first : last, anchor: first, other: last, also: others };
}

/** Returns the cell some visible lines away, within the sheet; merged areas count as one. */
export function stepFrom(from: Address, step: Step, { rows, columns, merged }: Axes): Address {
  const { row, column } = edgeOfArea(merged, from, step);
  const [down, right] = step;
  return { row: lineFrom(rows, row, down), column: lineFrom(columns, column, right) };
}

function lineFrom(axis: Axis, index: number, steps: number): number {
  if (steps === 0) return index;
  const target = Math.max(0, Math.min(axis.count - 1, index + steps));
  return axis.nextVisible(target, steps > 0 ? 1 : -1);
}
