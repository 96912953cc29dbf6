import { CELL_FORMULA } from '../../../assembly/abi.ts';
import { Pace } from '../../branches/pace.ts';
import { columnLimit, rowLimit, type Address } from '../../model/address.ts';
import type { Environment } from '../../model/environment.ts';
import type { CellForm } from '../../../workers/decode.ts';
import type { ModelView } from '../model.ts';

export const directions = ['up', 'down', 'left', 'right'] as const;
export type Direction = (typeof directions)[number];

export interface Edge {
  readonly at: Address;
  readonly isFilled: boolean;
}

/** Cells of a line read at once: a millisecond or less. */
const bandCells = 4_096;

/** Returns whether a cell has an input or a spilled value. */
const isFilled: CellForm<boolean> = (value, flags) =>
  value !== null || (flags & CELL_FORMULA) !== 0;

/**
 * Finds the cell to which Ctrl and an arrow key lead: the end of the filled cells around a cell,
 * the next filled cell, or the end of the sheet. Takes time by the length of the way over filled
 * rows.
 */
export async function findEdge(
  view: ModelView,
  from: Address & { readonly sheet: number; readonly direction: Direction },
  environment: Environment,
): Promise<Edge> {
  const line = new Line(view, from);
  const pace = new Pace(environment);
  const startsFilled = line.isFilledAt(0);
  if (line.end === 0) return { at: from, isFilled: startsFilled };
  const isWithin = startsFilled && line.isFilledAt(1);
  const last = line.lastUsed();
  for (let step = isWithin ? 1 : line.firstUsed(); step <= last; step++) {
    if (line.isFilledAt(step) !== isWithin) {
      const found = isWithin ? step - 1 : step;
      return { at: line.addressAt(found), isFilled: true };
    }
    if (step % bandCells === 0 && pace.isDue) await pace.rest();
  }
  return { at: line.addressAt(isWithin ? last : line.end), isFilled: isWithin };
}

/** The cells in a direction from one, by number of steps, read in bands. */
class Line {
  readonly #view: ModelView;
  readonly #from: Address & { readonly sheet: number; readonly direction: Direction };
  /** Number of steps to the last cell of the sheet. */
  readonly end: number;
  #band: readonly boolean[] = [];
  #bandFrom = 0;

  constructor(
    view: ModelView,
    from: Address & { readonly sheet: number; readonly direction: Direction },
  ) {
    this.#view = view;
    this.#from = from;
    const { row, column } = from;
    const ends = { up: row, down: rowLimit - 1 - row, left: column };
    this.end = from.direction === 'right' ? columnLimit - 1 - column : ends[from.direction];
  }

  /** Returns the first step that may come to a filled cell. */
  firstUsed(): number {
    const { row, direction } = this.#from;
    return direction === 'up' ? Math.max(1, row - this.#usedRows() + 1) : 1;
  }

  /** Returns the last step that may come to a filled cell; less than 1 for none. */
  lastUsed(): number {
    const { row, direction } = this.#from;
    return direction === 'down' ? Math.min(this.end, this.#usedRows() - 1 - row) : this.end;
  }

  #usedRows(): number {
    return this.#view.kernel.usedRows(this.#from.sheet, this.#from.column);
  }

  addressAt(step: number): Address {
    const { row, column, direction } = this.#from;
    if (direction === 'up' || direction === 'left') return moved(row, column, direction, -step);
    return moved(row, column, direction, step);
  }

  /** Returns whether the cell at a step is filled; called with ascending steps. */
  isFilledAt(step: number): boolean {
    if (step >= this.#bandFrom + this.#band.length) this.#read(step);
    return this.#band[step - this.#bandFrom] ?? false;
  }

  #read(step: number): void {
    const one = this.addressAt(step);
    const other = this.addressAt(Math.min(this.end, step + bandCells - 1));
    const range = {
      row0: Math.min(one.row, other.row),
      column0: Math.min(one.column, other.column),
      row1: Math.max(one.row, other.row),
      column1: Math.max(one.column, other.column),
    };
    const { sheet, direction } = this.#from;
    const how = { lens: 'value', form: isFilled } as const;
    const cells = this.#view.kernel.readRange(sheet, range, how).flat();
    this.#band = direction === 'up' || direction === 'left' ? cells.toReversed() : cells;
    this.#bandFrom = step;
  }
}

function moved(row: number, column: number, direction: Direction, by: number): Address {
  const isVertical = direction === 'up' || direction === 'down';
  return isVertical ? { row: row + by, column } : { row, column: column + by };
}
