import { columnLimit } from '../../model/address.ts';
import type { Range } from '../../model/range.ts';
import { cellTag } from '../block.ts';
import { isAlike, type ChangedRun } from './changed-runs.ts';
import type { Change } from './sides.ts';

/** One cell of a run. */
export interface ChangedCell {
  readonly run: ChangedRun;
  /** Cells of the run above it. */
  readonly skipped: number;
}

/** Cells that became the same formula, or the same out of the same: one entry for all of them. */
export interface CollapsedCells {
  readonly change: Change;
  /** Where they stand; of cells whose lines are gone, where they stood. */
  readonly range: Range;
  readonly count: number;
  /** Of the upper left cell. */
  readonly first: ChangedRun;
  readonly members: readonly ChangedRun[];
  /** They did not all hold the same before. */
  readonly isMixed: boolean;
}

export interface ChangedSheetCells {
  /** By row and column. */
  readonly cells: readonly ChangedCell[];
  readonly collapsed: readonly CollapsedCells[];
}

/** Fewer are told one by one. */
const collapsedLeast = 3;

/** Runs below and beside one another that are one change, and all other cells one by one. */
export function gatherCells(runs: readonly ChangedRun[]): ChangedSheetCells {
  const collapsed: CollapsedCells[] = [];
  const others: ChangedRun[] = [];
  const isHere = (run: ChangedRun) => run.toRow >= 0;
  for (const side of [runs.filter(isHere), runs.filter((run) => !isHere(run))]) {
    for (const area of areasOf(segmentsOf(side))) {
      const { range, members } = area;
      const [first] = members;
      if (!first || area.count < collapsedLeast) others.push(...members);
      else {
        const { change } = first;
        const isMixed = members.some(({ was }) => !isAlike(was, first.was));
        collapsed.push({ change, range, count: area.count, first, members, isMixed });
      }
    }
  }
  const byPlace = collapsed.sort((a, b) => placeOfRange(a.range) - placeOfRange(b.range));
  return { cells: sortedCells(others), collapsed: byPlace };
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

interface Segment {
  readonly column: number;
  readonly row: number;
  count: number;
  readonly key: string;
  readonly members: ChangedRun[];
}

/** Of equal keys are cells that may become one entry. */
function keyOf({ change, was, is }: ChangedRun): string {
  if (is.tag === cellTag.formula && change !== 'removed') return `${change}=${is.number}`;
  return `${change} ${was.tag}:${was.number} ${is.tag}:${is.number}`;
}

function segmentsOf(runs: readonly ChangedRun[]): Segment[] {
  const sorted = runs.toSorted(
    (a, b) => standingColumn(a) - standingColumn(b) || standingRow(a) - standingRow(b),
  );
  const segments: Segment[] = [];
  let last: Segment | undefined;
  for (const run of sorted) {
    const [column, row, key] = [standingColumn(run), standingRow(run), keyOf(run)];
    if (last?.column === column && last.row + last.count === row && last.key === key) {
      last.count += run.count;
      last.members.push(run);
    } else {
      last = { column, row, count: run.count, key, members: [run] };
      segments.push(last);
    }
  }
  return segments;
}

interface Area {
  range: Range;
  count: number;
  readonly members: ChangedRun[];
}

/** Segments come by column; those of equal rows and keys beside one another are one area. */
function areasOf(segments: readonly Segment[]): Area[] {
  const open = new Map<string, Area>();
  const areas: Area[] = [];
  for (const { column, row, count, key, members } of segments) {
    const name = `${row}+${count} ${key}`;
    const beside = open.get(name);
    if (beside?.range.column1 === column - 1) {
      beside.range = { ...beside.range, column1: column };
      beside.count += count;
      beside.members.push(...members);
      continue;
    }
    const range = { row0: row, row1: row + count - 1, column0: column, column1: column };
    const area = { range, count, members: [...members] };
    open.set(name, area);
    areas.push(area);
  }
  return areas;
}

function placeOfRange({ row0, column0 }: Range): number {
  return row0 * columnLimit + column0;
}

function sortedCells(runs: readonly ChangedRun[]): ChangedCell[] {
  const cells: ChangedCell[] = [];
  for (const run of runs) {
    for (let skipped = 0; skipped < run.count; skipped++) cells.push({ run, skipped });
  }
  const places = Float64Array.from(cells, (cell) => {
    const place = rowOf(cell) * columnLimit + columnOf(cell);
    return place * 2 + Number(cell.run.toRow < 0);
  });
  const order = Uint32Array.from(cells, (_cell, index) => index);
  order.sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  return Array.from(order, (index) => cells[index]).filter((cell) => cell !== undefined);
}
