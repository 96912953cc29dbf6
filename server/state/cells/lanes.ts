import { operationLimits as limits } from '../../model/operation-limits.ts';
import { rowCount, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { cellTag } from './block.ts';
import type { FormulaRun } from './formula-runs.ts';
import type { SheetCells, Stretch } from './sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';

/**
 * Contents of contiguous cells of one column, in arrays as in blocks; cells beyond its ends are
 * blank.
 */
export interface LaneColumn {
  readonly row: number;
  readonly column: number;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Indexes of styles. */
  readonly formats: Uint16Array;
}

/** Pieces of a column are kept together if at most so many blank rows lie between them. */
const gapMost = 1024;

interface FilledPiece {
  readonly stretch: Stretch;
  /** Filled lanes of the stretch: first and end. */
  readonly from: number;
  readonly to: number;
  readonly row: number;
}

export function emptyLanes(row: number, column: number, count: number): LaneColumn {
  const tags = new Uint8Array(count);
  const numbers = new Float64Array(count);
  return { row, column, tags, numbers, formats: new Uint16Array(count) };
}

/**
 * Reads the filled cells of an area column by column, from the left; a column may come in several
 * pieces.
 */
export function* readLanes(
  sheet: SheetOutline,
  area: Range,
  cells: SheetCells,
): Generator<void, LaneColumn[]> {
  const rows = sheet.rows.spansAt(area.row0, rowCount(area));
  const found: LaneColumn[] = [];
  let cellCount = 0;
  for (const { column, id } of columnsWithin(sheet, area, cells)) {
    for (const pieces of near(filledPieces(cells.stretches(rows, id), area.row0))) {
      const lanes = joined(pieces, column);
      found.push(lanes);
      cellCount += lanes.tags.length;
      checkTransfer(cellCount);
      yield;
    }
  }
  return found;
}

export function checkTransfer(cellCount: number): void {
  if (cellCount <= limits.cellsPerTransfer) return;
  const most = limits.cellsPerTransfer;
  throw new Rejection('range_too_large', `more than ${most} cells would be written at once`);
}

function columnsWithin(sheet: SheetOutline, area: Range, cells: SheetCells) {
  const found = [];
  for (const id of cells.columnIds()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined || column < area.column0 || column > area.column1) continue;
    found.push({ column, id });
  }
  return found.sort((a, b) => a.column - b.column);
}

function* filledPieces(stretches: Iterable<Stretch>, row0: number): Generator<FilledPiece> {
  for (const stretch of stretches) {
    let { from, to } = stretch;
    const isDefault = (lane: number) =>
      stretch.block.tagAt(lane) === cellTag.blank && stretch.block.formatAt(lane) === 0;
    while (from < to && isDefault(from)) from++;
    while (from < to && isDefault(to - 1)) to--;
    if (from === to) continue;
    yield { stretch, from, to, row: row0 + stretch.skipped + (from - stretch.from) };
  }
}

/** Groups pieces with small gaps between them. */
function* near(pieces: Iterable<FilledPiece>): Generator<FilledPiece[]> {
  let group: FilledPiece[] = [];
  let end = -Infinity;
  for (const piece of pieces) {
    if (piece.row - end > gapMost && group.length > 0) {
      yield group;
      group = [];
    }
    group.push(piece);
    end = piece.row + (piece.to - piece.from);
  }
  if (group.length > 0) yield group;
}

function joined(pieces: readonly FilledPiece[], column: number): LaneColumn {
  const row = pieces[0]?.row ?? 0;
  const last = pieces.at(-1);
  const count = last ? last.row + (last.to - last.from) - row : 0;
  const lanes = emptyLanes(row, column, count);
  for (const piece of pieces) {
    const { block } = piece.stretch;
    let at = piece.row - row;
    for (let lane = piece.from; lane < piece.to; lane++, at++) {
      lanes.tags[at] = block.tagAt(lane);
      lanes.numbers[at] = block.numberAt(lane);
      lanes.formats[at] = block.formatAt(lane);
    }
  }
  return lanes;
}

/** Joins the pieces of each column of an area to one of full height; blank columns are left out. */
export function wholeLanes(lanes: readonly LaneColumn[], area: Range): LaneColumn[] {
  const whole = new Map<number, LaneColumn>();
  for (const piece of lanes) {
    let all = whole.get(piece.column);
    if (!all) {
      checkTransfer((whole.size + 1) * rowCount(area));
      all = emptyLanes(area.row0, piece.column, rowCount(area));
      whole.set(piece.column, all);
    }
    all.tags.set(piece.tags, piece.row - area.row0);
    all.numbers.set(piece.numbers, piece.row - area.row0);
    all.formats.set(piece.formats, piece.row - area.row0);
  }
  return [...whole.values()];
}

/** Yields runs of the same formula. */
export function* formulaRuns(lanes: LaneColumn, sheet: SheetOutline): Generator<FormulaRun> {
  const { row, column, tags, numbers } = lanes;
  for (let from = 0; from < tags.length;) {
    const index = numbers[from] ?? 0;
    let to = from + 1;
    if (tags[from] === cellTag.formula) {
      while (to < tags.length && tags[to] === cellTag.formula && numbers[to] === index) to++;
      yield { sheet, row: row + from, column, count: to - from, index };
    }
    from = to;
  }
}

/** Returns the smallest rectangle around filled cells. */
export function filledBounds(lanes: readonly LaneColumn[]): Range | undefined {
  let bounds: Range | undefined;
  for (const { row, column, tags } of lanes) {
    const first = tags.findIndex((tag) => tag !== cellTag.blank);
    if (first < 0) continue;
    const last = tags.findLastIndex((tag) => tag !== cellTag.blank);
    bounds = {
      row0: Math.min(bounds?.row0 ?? Infinity, row + first),
      row1: Math.max(bounds?.row1 ?? 0, row + last),
      column0: Math.min(bounds?.column0 ?? Infinity, column),
      column1: Math.max(bounds?.column1 ?? 0, column),
    };
  }
  return bounds;
}

/** Number of filled cells, and of formatted cells. */
export interface LaneCount {
  readonly values: number;
  readonly formats: number;
}

export function countLanes(lanes: readonly LaneColumn[]): LaneCount {
  let values = 0;
  let formats = 0;
  for (const column of lanes) {
    for (const tag of column.tags) if (tag !== cellTag.blank) values++;
    for (const format of column.formats) if (format !== 0) formats++;
  }
  return { values, formats };
}

/** Returns the cells with row `rows[n]` in place n. */
export function permuted(lanes: LaneColumn, rows: Uint32Array): LaneColumn {
  const moved = emptyLanes(lanes.row, lanes.column, rows.length);
  for (const [place, row] of rows.entries()) {
    moved.tags[place] = lanes.tags[row] ?? cellTag.blank;
    moved.numbers[place] = lanes.numbers[row] ?? 0;
    moved.formats[place] = lanes.formats[row] ?? 0;
  }
  return moved;
}
