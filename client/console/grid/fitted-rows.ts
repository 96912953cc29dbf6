import { Axis, type SizeRun } from './geometry.ts';
import type { GridShape } from './grid-events.ts';

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

  /** Returns a shape whose rows are as high as they need. */
  applied(shape: GridShape): GridShape {
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
