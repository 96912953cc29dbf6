import { columnLimit, rowLimit } from '../../model/address.ts';
import { blockLanes, type Block } from './block.ts';
import { columnIds } from '../ids/id-span.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import { SpanSet } from '../ids/span-set.ts';
import type { SheetCells, Stretch } from './sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';

/**
 * Cells (rows in columns) whose formats change in the same way; 0 stands for no format of its own.
 */
export interface FormatPiece {
  readonly rows: readonly IdSpan[];
  readonly columns: readonly IdSpan[];
  readonly change: (format: number) => number;
}

/**
 * Changes the formats of a piece. When cells without a format keep none, only existing blocks are
 * visited.
 */
export function* mapFormats(
  cells: SheetCells,
  { rows, columns, change }: FormatPiece,
): Generator<void, void> {
  if (change(0) !== 0) {
    for (const id of columnIds(columns)) {
      for (const stretch of cells.stretchesForWrite(rows, id)) mapLanes(stretch, change);
      yield;
    }
    return;
  }
  for (const id of columnsAmong(cells, columns)) {
    const stretches = [...cells.stretches(rows, id)];
    for (const { block, from, to, skipped } of stretches) {
      if (keepsLanes({ block, from, to, skipped }, change)) continue;
      const { branch, sequence, index } = block;
      const first = { branch, sequence, offset: index * blockLanes + from };
      const written = cells.blockForWrite(first, id);
      mapLanes({ block: written, from, to, skipped }, change);
      // Clearing unwritten lanes drops an empty block.
      if (written.isEmpty) yield* clearLanes(cells, { ...first, length: to - from }, id);
    }
    yield;
  }
}

function clearLanes(cells: SheetCells, rows: IdSpan, column: LineId): Generator<void, void> {
  return cells.clear([rows], [{ ...column, length: 1 }], { values: false, formats: true });
}

function mapLanes({ block, from, to }: Stretch, change: (format: number) => number): void {
  for (let at = from; at < to;) {
    const end = runEnd(block, at, to);
    const format = block.formatAt(at);
    const changed = change(format);
    if (changed !== format) block.fillFormat(at, end, changed);
    at = end;
  }
}

/** Returns the first lane behind `from` with another format. */
function runEnd(block: Block, from: number, to: number): number {
  const format = block.formatAt(from);
  let end = from + 1;
  while (end < to && block.formatAt(end) === format) end++;
  return end;
}

/** Yields stretches of lanes with the same format. */
export function* formatRuns({ block, from, to }: Pick<Stretch, 'block' | 'from' | 'to'>) {
  for (let at = from; at < to;) {
    const end = runEnd(block, at, to);
    yield { from: at, to: end, format: block.formatAt(at) };
    at = end;
  }
}

/** Returns whether `mapFormats` would change no lane. */
export function keepsFormats(cells: SheetCells, { rows, columns, change }: FormatPiece): boolean {
  const isBareKept = change(0) === 0;
  const rowTotal = rows.reduce((sum, { length }) => sum + length, 0);
  for (const id of isBareKept ? columnsAmong(cells, columns) : columnIds(columns)) {
    let covered = 0;
    for (const stretch of cells.stretches(rows, id)) {
      if (!keepsLanes(stretch, change)) return false;
      covered += stretch.to - stretch.from;
    }
    if (!isBareKept && covered < rowTotal) return false;
  }
  return true;
}

function keepsLanes({ block, from, to }: Stretch, change: (format: number) => number): boolean {
  let last = -1;
  for (let lane = from; lane < to; lane++) {
    const format = block.formatAt(lane);
    if (format === last) continue;
    if (change(format) !== format) return false;
    last = format;
  }
  return true;
}

/** Returns the formats among rows and columns, without 0. */
export function formatsIn(
  cells: SheetCells,
  { rows, columns }: Pick<FormatPiece, 'rows' | 'columns'>,
): Set<number> {
  const found = new Set<number>();
  for (const id of columnsAmong(cells, columns)) {
    for (const { block, from, to } of cells.stretches(rows, id)) {
      for (let lane = from; lane < to; lane++) found.add(block.formatAt(lane));
    }
  }
  found.delete(0);
  return found;
}

/** Returns the last row and the last column with a formatted cell. */
export function lastFormatted(
  cells: SheetCells,
  { rows, columns }: SheetOutline,
): { row: number; column: number } {
  const last = { row: 0, column: 0 };
  const spans = rows.spansAt(0, rowLimit);
  for (const id of cells.columnIds()) {
    const column = columns.positionOf(id.branch, id.sequence, id.offset) ?? columnLimit;
    if (column >= columnLimit) continue;
    for (const { block, from, to, skipped } of cells.stretches(spans, id)) {
      let lane = to - 1;
      while (lane >= from && block.formatAt(lane) === 0) lane--;
      if (lane < from) continue;
      last.row = Math.max(last.row, skipped + lane - from);
      last.column = Math.max(last.column, column);
    }
  }
  return last;
}

/** Returns the columns of the spans that have blocks. */
function columnsAmong(cells: SheetCells, spans: readonly IdSpan[]): LineId[] {
  const wanted = new SpanSet(spans);
  return [...cells.columnIds()].filter((id) => wanted.has(id));
}
