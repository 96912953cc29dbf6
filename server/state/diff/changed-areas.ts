import { CollapsedCells } from './cell-list.ts';
import { IntRecords } from './int-records.ts';
import type { RunList } from './run-list.ts';

/** Indexes of runs by column, left to right, each column from top to bottom. */
export type RunsByColumn = ReadonlyMap<number, readonly number[]>;

/** Cells of an area that share an entry, at least; fewer get an entry each. */
const collapsedLeast = 3;

/** Runs to look at between two pauses. */
const runsAtOnce = 4_096;

/** Places of the members of an area: its corners, its cells, and the ends of its chain of runs. */
const member = { row0: 0, row1: 1, column0: 2, column1: 3, count: 4, first: 5, last: 6 } as const;
const recordSize = Object.keys(member).length;
const noRun = -1;

/** Areas as whole numbers. */
export interface AreaLists {
  readonly records: Int32Array;
  /** For each run the next one of its area; -1 behind the last. */
  readonly next: Int32Array;
}

/** Contiguous runs of one column with one change. */
interface Segment {
  readonly row0: number;
  readonly row1: number;
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

/** Areas of equal changes: runs below one another are joined, and then columns with equal rows. */
export class ChangedAreas {
  readonly #runs: RunList;
  #areas = new IntRecords(recordSize);
  /** For each run the next one of its area. */
  #next: Int32Array;

  constructor(runs: RunList) {
    this.#runs = runs;
    this.#next = new Int32Array(runs.length).fill(noRun);
  }

  /** Makes areas of the lists of others. */
  static of(runs: RunList, { records, next }: AreaLists): ChangedAreas {
    const made = new ChangedAreas(runs);
    made.#areas = IntRecords.of(recordSize, records);
    made.#next = next;
    return made;
  }

  get lists(): AreaLists {
    return { records: this.#areas.values, next: this.#next };
  }

  *add(columns: RunsByColumn): Generator<void, void> {
    let before: readonly number[] = [];
    let last: number | undefined;
    for (const [column, indexes] of columns) {
      const beside = last === column - 1 ? before : [];
      before = yield* this.#addColumn(column, indexes, beside);
      last = column;
    }
  }

  /** Lists the areas that are large enough for an entry, and marks their runs. */
  *collapse(): Generator<void, { collapsed: CollapsedCells[]; isCollapsed: Uint8Array }> {
    const collapsed: CollapsedCells[] = [];
    const isCollapsed = new Uint8Array(this.#runs.length);
    for (let area = 0; area < this.#areas.length; area++) {
      if (area % runsAtOnce === 0) yield;
      if (this.#areas.get(area, member.count) < collapsedLeast) continue;
      const indexes: number[] = [];
      let index = this.#areas.get(area, member.first);
      for (; index !== noRun; index = this.#next[index] ?? noRun) {
        isCollapsed[index] = 1;
        if (indexes.push(index) % runsAtOnce === 0) yield;
      }
      const [row0, row1] = [this.#areas.get(area, member.row0), this.#areas.get(area, member.row1)];
      const column0 = this.#areas.get(area, member.column0);
      const column1 = this.#areas.get(area, member.column1);
      collapsed.push(new CollapsedCells(this.#runs, indexes, { row0, row1, column0, column1 }));
    }
    return { collapsed, isCollapsed };
  }

  /** Adds the runs of a column and returns its areas, given those of the column before it. */
  *#addColumn(
    column: number,
    indexes: readonly number[],
    beside: readonly number[],
  ): Generator<void, readonly number[]> {
    const found: number[] = [];
    let at = 0;
    let looked = 0;
    for (let from = 0; from < indexes.length;) {
      const to = this.#joined(indexes, from);
      const [first = noRun, last = noRun] = [indexes[from], indexes[to - 1]];
      const row0 = this.#runs.rowAt(first);
      const row1 = this.#runs.rowAt(last) + this.#runs.countAt(last) - 1;
      while (this.#areas.get(beside[at] ?? noRun, member.row0) < row0 && at < beside.length) at++;
      found.push(this.#addSegment({ row0, row1, column, first, last }, beside[at]));
      looked += to - from;
      from = to;
      if (looked < runsAtOnce) continue;
      looked = 0;
      yield;
    }
    return found;
  }

  /** Joins the runs from an index on that are one below the other; returns one past their last. */
  #joined(indexes: readonly number[], from: number): number {
    const runs = this.#runs;
    const first = indexes[from] ?? noRun;
    let last = first;
    let to = from + 1;
    for (; to < indexes.length; to++) {
      const next = indexes[to] ?? noRun;
      const isBelow = runs.rowAt(next) === runs.rowAt(last) + runs.countAt(last);
      if (!isBelow || !runs.areOneChange(first, next)) break;
      this.#next[last] = next;
      last = next;
    }
    return to;
  }

  /** Adds a segment to the area beside it if both are one; returns its area. */
  #addSegment(segment: Segment, beside: number | undefined): number {
    const { row0, row1, column, first, last } = segment;
    const areas = this.#areas;
    const count = row1 - row0 + 1;
    if (beside === undefined || !this.#isBeside(beside, segment)) {
      return this.#newArea(segment, count);
    }
    areas.set(beside, member.column1, column);
    areas.set(beside, member.count, areas.get(beside, member.count) + count);
    this.#next[areas.get(beside, member.last)] = first;
    areas.set(beside, member.last, last);
    return beside;
  }

  #newArea({ row0, row1, column, first, last }: Segment, count: number): number {
    const areas = this.#areas;
    const area = areas.add();
    areas.set(area, member.row0, row0);
    areas.set(area, member.row1, row1);
    areas.set(area, member.column0, column);
    areas.set(area, member.column1, column);
    areas.set(area, member.count, count);
    areas.set(area, member.first, first);
    areas.set(area, member.last, last);
    return area;
  }

  #isBeside(area: number, { row0, row1, first }: Segment): boolean {
    const areas = this.#areas;
    return (
      areas.get(area, member.row0) === row0 &&
      areas.get(area, member.row1) === row1 &&
      this.#runs.areOneChange(areas.get(area, member.first), first)
    );
  }
}
