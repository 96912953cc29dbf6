import { columnLimit } from '../../model/address.ts';
import type { Range } from '../../model/range.ts';
import { cellTag } from '../cells/block.ts';
import { sameLane } from '../cells/cell-coding.ts';
import type { ChangedRun } from './changed-runs.ts';
import type { Change } from './sides.ts';

/** One cell of a run. */
export interface ChangedCell {
  readonly run: ChangedRun;
  /** Number of cells of the run above it. */
  readonly skipped: number;
}

/**
 * Cells with one entry in a diff, because they got the same formula, or the same content instead of
 * the same.
 */
export interface CollapsedCells {
  readonly change: Change;
  /** The range in the later state; for deleted lines, in the earlier one. */
  readonly range: Range;
  readonly count: number;
  /** The run of the upper left cell. */
  readonly first: ChangedRun;
  readonly members: readonly ChangedRun[];
  /** True when the former contents differed. */
  readonly isMixed: boolean;
}

export interface ChangedSheetCells {
  /** All other cells, sorted by row and column. */
  readonly cells: readonly ChangedCell[];
  readonly collapsed: readonly CollapsedCells[];
}

/** Fewer cells get an entry each. */
const collapsedLeast = 3;

/** Collects changed runs into entries: equal neighbours as one, all other cells one by one. */
export function* gatherCells(runs: readonly ChangedRun[]): Generator<void, ChangedSheetCells> {
  const collapsed: CollapsedCells[] = [];
  const others: ChangedRun[] = [];
  for (const isGone of [false, true]) {
    const columns = columnsOf(runs.filter(({ toRow }) => toRow < 0 === isGone));
    yield;
    for (const area of yield* areasOf(columns)) {
      if (area.count < collapsedLeast) pushRuns(others, area);
      else collapsed.push(collapsedArea(area));
    }
  }
  const byPlace = collapsed.sort((a, b) => placeOfRange(a.range) - placeOfRange(b.range));
  return { cells: yield* sortedCells(others), collapsed: byPlace };
}

export function rowOf({ run, skipped }: ChangedCell): number {
  return standingRow(run) + skipped;
}

export function columnOf({ run }: ChangedCell): number {
  return standingColumn(run);
}

function standingRow({ toRow, fromRow }: ChangedRun): number {
  return toRow >= 0 ? toRow : fromRow;
}

function standingColumn({ toRow, block }: ChangedRun): number {
  return toRow >= 0 ? block.toColumn : block.fromColumn;
}

/**
 * Returns whether cells may share an entry. If they got a formula, their former content does not
 * matter.
 */
function isOneChange(a: ChangedRun, b: ChangedRun): boolean {
  if (a.change !== b.change || !sameLane(a.is, b.is)) return false;
  return (a.is.tag === cellTag.formula && a.change !== 'removed') || sameLane(a.was, b.was);
}

/** Groups runs by column, left to right, each sorted from top to bottom. */
function columnsOf(runs: readonly ChangedRun[]): (readonly ChangedRun[])[] {
  const columns = new Map<number, ChangedRun[]>();
  for (const run of runs) {
    const column = standingColumn(run);
    const own = columns.get(column);
    if (own) own.push(run);
    else columns.set(column, [run]);
  }
  const sorted = [...columns].sort(([a], [b]) => a - b);
  return sorted.map(([, own]) => (isSorted(own) ? own : own.sort(byRow)));
}

function byRow(a: ChangedRun, b: ChangedRun): number {
  return standingRow(a) - standingRow(b);
}

function isSorted(runs: readonly ChangedRun[]): boolean {
  return runs.every((run, index) => {
    const next = runs[index + 1];
    return next === undefined || standingRow(run) < standingRow(next);
  });
}

/** A rectangle of equal changes; kept small because most have a single run. */
interface Area {
  readonly row0: number;
  row1: number;
  readonly column0: number;
  column1: number;
  count: number;
  readonly first: ChangedRun;
  /** All other runs, in any order. */
  rest: ChangedRun[] | undefined;
}

function pushRuns(runs: ChangedRun[], { first, rest }: Area): void {
  runs.push(first);
  if (rest) for (const run of rest) runs.push(run);
}

/** Joins runs below one another, and then columns with equal rows. */
function* areasOf(columns: readonly (readonly ChangedRun[])[]): Generator<void, Area[]> {
  const areas: Area[] = [];
  /** The latest area by its first row. */
  const latest = new Map<number, Area>();
  for (const runs of columns) {
    for (const segment of segmentsOf(runs)) {
      const beside = latest.get(segment.row0);
      if (beside && isBeside(beside, segment)) {
        beside.column1 = segment.column1;
        beside.count += segment.count;
        pushRuns((beside.rest ??= []), segment);
      } else {
        latest.set(segment.row0, segment);
        areas.push(segment);
      }
    }
    yield;
  }
  return areas;
}

function isBeside(area: Area, { column0, row1, first }: Area): boolean {
  return area.column1 === column0 - 1 && area.row1 === row1 && isOneChange(area.first, first);
}

function* segmentsOf(runs: readonly ChangedRun[]): Generator<Area> {
  let open: Area | undefined;
  for (const run of runs) {
    const { count } = run;
    const row0 = standingRow(run);
    if (open?.row1 === row0 - 1 && isOneChange(open.first, run)) {
      open.row1 = row0 + count - 1;
      open.count += count;
      (open.rest ??= []).push(run);
      continue;
    }
    if (open) yield open;
    const column0 = standingColumn(run);
    const row1 = row0 + count - 1;
    open = { row0, row1, column0, column1: column0, count, first: run, rest: undefined };
  }
  if (open) yield open;
}

function collapsedArea({ row0, row1, column0, column1, count, first, rest }: Area): CollapsedCells {
  const members = [first, ...(rest ?? [])];
  const isMixed = members.some(({ was }) => !sameLane(was, first.was));
  const range = { row0, row1, column0, column1 };
  return { change: first.change, range, count, first, members, isMixed };
}

export function placeOfRange({ row0, column0 }: Range): number {
  return row0 * columnLimit + column0;
}

const rowsBetweenPauses = 10_000;

/**
 * Sorts cells by row, then by column; in one place a cell that is there comes before one that is
 * gone.
 */
function* sortedCells(runs: readonly ChangedRun[]): Generator<void, ChangedCell[]> {
  const rows = new Map<number, ChangedCell[]>();
  for (const run of runs) {
    const first = standingRow(run);
    for (let skipped = 0; skipped < run.count; skipped++) {
      const cell = { run, skipped };
      const own = rows.get(first + skipped);
      if (own) own.push(cell);
      else rows.set(first + skipped, [cell]);
    }
  }
  yield;
  const cells: ChangedCell[] = [];
  let count = 0;
  for (const row of Float64Array.from(rows.keys()).sort()) {
    for (const cell of (rows.get(row) ?? []).sort(byColumn)) cells.push(cell);
    if (++count % rowsBetweenPauses === 0) yield;
  }
  return cells;
}

function byColumn(a: ChangedCell, b: ChangedCell): number {
  return columnOf(a) - columnOf(b) || Number(a.run.toRow < 0) - Number(b.run.toRow < 0);
}
