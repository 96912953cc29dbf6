import { columnCount, type Range } from '../../server/model/range.ts';

/** Columns that all array formulas of a sheet together may cover; only a forged file has more. */
const coveredColumnsMax = 16_000_000;

/**
 * Cells that array formulas fill, without those that hold the formulas. Cells come row by row, so
 * the latest array of each column suffices.
 */
export class ArrayCover {
  readonly #byColumn = new Map<number, Range>();
  #coveredColumns = 0;

  /** Adds an array; returns false when there are more than a genuine sheet can hold. */
  add(range: Range): boolean {
    const isOneCell = range.row0 === range.row1 && range.column0 === range.column1;
    if (isOneCell) return true;
    this.#coveredColumns += columnCount(range);
    if (this.#coveredColumns > coveredColumnsMax) return false;
    for (let column = range.column0; column <= range.column1; column++) {
      this.#byColumn.set(column, range);
    }
    return true;
  }

  covers(row: number, column: number): boolean {
    if (this.#byColumn.size === 0) return false;
    const range = this.#byColumn.get(column);
    return range !== undefined && row >= range.row0 && row <= range.row1;
  }
}
