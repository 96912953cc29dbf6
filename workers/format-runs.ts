import type { CellStyle } from '../server/model/cell-style.ts';

/** Consecutive cells of a column with one style. */
export interface FormatRun {
  readonly column: number;
  readonly row0: number;
  readonly row1: number;
  readonly style: CellStyle;
}

interface Cursor {
  readonly column: number;
  readonly runs: readonly FormatRun[];
  at: number;
}

/** Own styles of the cells of one sheet, which are read row by row from the top. */
export class FormatRows {
  readonly #cursors: readonly Cursor[];

  constructor(runs: readonly FormatRun[]) {
    const byColumn = new Map<number, FormatRun[]>();
    for (const run of runs) {
      const column = byColumn.get(run.column);
      if (column === undefined) byColumn.set(run.column, [run]);
      else column.push(run);
    }
    this.#cursors = [...byColumn]
      .sort(([left], [right]) => left - right)
      .map(([column, found]) => ({
        column,
        runs: found.sort((left, right) => left.row0 - right.row0),
        at: 0,
      }));
  }

  /** Returns the first row from here on with a style; Infinity if there is none. */
  nextRow(from: number): number {
    let next = Infinity;
    for (const cursor of this.#cursors) {
      while ((cursor.runs[cursor.at]?.row1 ?? Infinity) < from) cursor.at++;
      next = Math.min(next, Math.max(cursor.runs[cursor.at]?.row0 ?? Infinity, from));
    }
    return next;
  }

  /** Yields the columns with a style in the row of the last `nextRow`, from left to right. */
  *inRow(row: number): Generator<{ column: number; style: CellStyle }> {
    for (const { column, runs, at } of this.#cursors) {
      const run = runs[at];
      if (run && run.row0 <= row && row <= run.row1) yield { column, style: run.style };
    }
  }
}
