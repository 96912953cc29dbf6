import { Axis, type SizeRun } from './geometry.ts';
import type { GridShape } from './grid-events.ts';
import { columnHeaderPx, rowHeaderPx } from './panes.ts';

type View = Pick<HTMLElement, 'clientWidth' | 'clientHeight'>;

/** Share of a view that frozen lines may take. */
const frozenMost = 2 / 3;

/** Freezes as many lines as leave room for others; behind more nothing could be reached. */
function withRoom(shape: GridShape, { clientWidth, clientHeight }: View): GridShape {
  const { rows, columns, frozenRows, frozenColumns } = shape;
  const within = (axis: Axis, count: number, px: number) =>
    axis.startOf(count) <= px ? count : Math.min(count, axis.indexAt(Math.max(0, px)));
  const across = within(columns, frozenColumns, (clientWidth - rowHeaderPx) * frozenMost);
  const down = within(rows, frozenRows, (clientHeight - columnHeaderPx) * frozenMost);
  if (across === frozenColumns && down === frozenRows) return shape;
  return { ...shape, frozenRows: down, frozenColumns: across };
}

/** Heights of rows that nobody has set: as high as their cells need, as far as they were drawn. */
export class FittedRows {
  /** Heights in pixels by column, by row, of cells that need more than one usual line. */
  readonly #needs = new Map<number, Map<number, number>>();
  #isChanged = false;

  /** Notes the height that a cell needs; undefined if one usual line is enough. */
  readonly note = (row: number, column: number, px: number | undefined): void => {
    const known = this.#needs.get(row);
    if (known?.get(column) === px) return;
    this.#isChanged = true;
    if (px !== undefined)
      this.#needs.set(row, (known ?? new Map<number, number>()).set(column, px));
    else if (known?.delete(column) === true && known.size === 0) this.#needs.delete(row);
  };

  /** Returns whether a cell needs another height than before; resets that. */
  takeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  clear(): void {
    this.#needs.clear();
  }

  /** Returns a shape for a view: with rows as high as they need, and frozen lines that leave room. */
  applied(shape: GridShape, view: View): GridShape {
    return withRoom(this.#fitted(shape), view);
  }

  #fitted(shape: GridShape): GridShape {
    const { rows, isRowSet } = shape;
    if (!isRowSet || this.#needs.size === 0) return shape;
    const fitted = [...this.#needs]
      .map(([row, needs]) => ({ row, px: Math.max(...needs.values()) }))
      .filter(({ row, px }) => rows.sizeOf(row) > 0 && rows.sizeOf(row) < px && !isRowSet(row))
      .toSorted((one, other) => one.row - other.row);
    const runs: SizeRun[] = [];
    let next = 0;
    for (const { row, px } of fitted) {
      runs.push(...rows.runsWithin(next, row - next), { from: row, count: 1, px });
      next = row + 1;
    }
    runs.push(...rows.runsWithin(next, rows.count - next));
    return { ...shape, rows: new Axis(rows.count, 0, runs) };
  }
}
