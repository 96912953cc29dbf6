import { columnLimit } from '../../model/address.ts';
import type { Range } from '../../model/range.ts';
import { CellList, type ChangedCell, type CollapsedCells } from './cell-list.ts';
import { ChangedAreas, type RunsByColumn } from './changed-areas.ts';
import type { ChangedRun, RunList } from './run-list.ts';
import { numbersAtOnce, sortedNumbers } from './sorted-numbers.ts';

export interface ChangedSheetCells {
  /** All cells that have an entry of their own, sorted by row and column. */
  readonly cells: CellList;
  readonly collapsed: readonly CollapsedCells[];
}

/** Changed cells of a sheet: all of them as runs, and the entries that tell of them. */
export interface CellChanges extends ChangedSheetCells {
  readonly runs: RunList;
}

/** The entries of changed runs, with the areas that they were found by. */
interface GatheredCells extends ChangedSheetCells {
  readonly areas: ChangedAreas;
}

/** Collects changed runs into entries: equal neighbours as one, all other cells one by one. */
export function* gatherCells(runs: RunList): Generator<void, GatheredCells> {
  const there = yield* byColumn(runs, false);
  const gone = yield* byColumn(runs, true);
  const areas = new ChangedAreas(runs);
  yield* areas.add(there);
  yield* areas.add(gone);
  const { collapsed, isCollapsed } = yield* collapse(areas);
  const others = (indexes: readonly number[] = []) =>
    indexes.filter((index) => isCollapsed[index] === 0);
  const alone: number[] = [];
  for (const column of ascending(new Set([...there.keys(), ...gone.keys()]))) {
    for (const index of others(there.get(column))) alone.push(index);
    for (const index of others(gone.get(column))) alone.push(index);
    yield;
  }
  return { areas, cells: yield* cellsByRow(runs, alone), collapsed };
}

/** Lists the areas that have an entry, by row and column, and marks their runs. */
export function* collapse(areas: ChangedAreas): ReturnType<ChangedAreas['collapse']> {
  const found = yield* areas.collapse();
  found.collapsed.sort((a, b) => placeOfRange(a.range) - placeOfRange(b.range));
  return found;
}

export function rowOf({ run, skipped }: ChangedCell): number {
  return (run.toRow >= 0 ? run.toRow : run.fromRow) + skipped;
}

export function columnOf({ run: { toRow, block } }: { readonly run: ChangedRun }): number {
  return toRow >= 0 ? block.toColumn : block.fromColumn;
}

export function placeOfRange({ row0, column0 }: Range): number {
  return row0 * columnLimit + column0;
}

/** Largest index of a cell; a row multiplied by it is still an exact number. */
const indexLimit = 2 ** 32;

function* byColumn(runs: RunList, isGone: boolean): Generator<void, RunsByColumn> {
  const columns = new Map<number, number[]>();
  for (let index = 0; index < runs.length; index++) {
    if (index % numbersAtOnce === 0) yield;
    if (runs.isGoneAt(index) !== isGone) continue;
    const column = runs.columnAt(index);
    const own = columns.get(column);
    if (own) own.push(index);
    else columns.set(column, [index]);
  }
  const sorted = new Map<number, readonly number[]>();
  for (const column of ascending(columns.keys())) {
    const own = columns.get(column) ?? [];
    sorted.set(column, isSorted(runs, own) ? own : yield* sortedByRow(runs, own));
    yield;
  }
  return sorted;
}

function ascending(columns: Iterable<number>): Int32Array {
  return Int32Array.from(columns).sort();
}

function isSorted(runs: RunList, indexes: readonly number[]): boolean {
  let last = -1;
  for (const index of indexes) {
    const row = runs.rowAt(index);
    if (row < last) return false;
    last = row;
  }
  return true;
}

function* sortedByRow(runs: RunList, indexes: readonly number[]): Generator<void, number[]> {
  const keys = Float64Array.from(indexes, (index) => runs.rowAt(index) * indexLimit + index);
  return Array.from(yield* sortedNumbers(keys), (key) => key % indexLimit);
}

/** Sorts cells by row; in one row they stay in the order of `indexes`. */
function* cellsByRow(runs: RunList, indexes: readonly number[]): Generator<void, CellList> {
  const count = indexes.reduce((total, index) => total + runs.countAt(index), 0);
  const keys = new Float64Array(count);
  const runOf = new Int32Array(count);
  let at = 0;
  for (const index of indexes) {
    const row = runs.rowAt(index);
    const end = at + runs.countAt(index);
    for (let down = 0; at < end; down++, at++) {
      if (at % numbersAtOnce === 0) yield;
      keys[at] = (row + down) * indexLimit + at;
      runOf[at] = index;
    }
  }
  const sorted = yield* sortedNumbers(keys);
  const [found, rows] = [new Int32Array(count), new Int32Array(count)];
  for (at = 0; at < count; at++) {
    if (at % numbersAtOnce === 0) yield;
    const key = sorted[at] ?? 0;
    const row = Math.floor(key / indexLimit);
    rows[at] = row;
    found[at] = runOf[key - row * indexLimit] ?? -1;
  }
  return new CellList(runs, found, rows);
}
