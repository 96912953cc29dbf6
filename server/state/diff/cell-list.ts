import type { Range } from '../../model/range.ts';
import type { ChangedRun, RunList } from './run-list.ts';
import type { Change } from './sides.ts';

/** One cell of a run. */
export interface ChangedCell {
  readonly run: ChangedRun;
  /** Number of cells of the run above it. */
  readonly skipped: number;
}

/** Changed cells, sorted by row and column; each is made when somebody reads it. */
export class CellList implements Iterable<ChangedCell> {
  readonly #runs: RunList;
  /** For each cell the index of its run. */
  readonly indexes: Int32Array;
  /** For each cell the row it stands in. */
  readonly rows: Int32Array;

  constructor(runs: RunList, indexes: Int32Array, rows: Int32Array) {
    this.#runs = runs;
    this.indexes = indexes;
    this.rows = rows;
  }

  get length(): number {
    return this.indexes.length;
  }

  countChanges(): Readonly<Record<Change, number>> {
    return this.#runs.countChanges(this.indexes);
  }

  at(index: number): ChangedCell | undefined {
    const [run, row] = [this.indexes[index], this.rows[index]];
    if (run === undefined || row === undefined) return undefined;
    return { run: this.#runs.at(run), skipped: row - this.#runs.rowAt(run) };
  }

  /** Returns the cells that fit. */
  filter(fits: (cell: ChangedCell) => boolean): CellList {
    const kept = Array.from(this.indexes.keys()).filter((index) => {
      const cell = this.at(index);
      return cell !== undefined && fits(cell);
    });
    const of = (values: Int32Array) => Int32Array.from(kept, (index) => values[index] ?? 0);
    return new CellList(this.#runs, of(this.indexes), of(this.rows));
  }

  *[Symbol.iterator](): Generator<ChangedCell> {
    for (let index = 0; index < this.length; index++) {
      const cell = this.at(index);
      if (cell) yield cell;
    }
  }
}

/**
 * Cells with one entry in a diff, because they got the same formula, or the same content instead of
 * the same.
 */
export class CollapsedCells {
  readonly change: Change;
  /** The range in the later state; for deleted lines, in the earlier one. */
  readonly range: Range;
  readonly count: number;
  /** The run of the upper left cell. */
  readonly first: ChangedRun;
  /** True when the former contents differed. */
  readonly isMixed: boolean;
  readonly #runs: RunList;
  readonly #indexes: readonly number[];

  /** `indexes` are those of its runs, that of the upper left cell first. */
  constructor(runs: RunList, indexes: readonly number[], range: Range) {
    const first = indexes[0] ?? -1;
    this.first = runs.at(first);
    this.change = this.first.change;
    this.range = range;
    this.count = indexes.reduce((total, index) => total + runs.countAt(index), 0);
    this.isMixed = indexes.some((index) => !runs.wereAlike(index, first));
    this.#runs = runs;
    this.#indexes = indexes;
  }

  /** Yields all runs of the cells. */
  *members(): Generator<ChangedRun> {
    for (const index of this.#indexes) yield this.#runs.at(index);
  }
}
