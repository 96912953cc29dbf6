import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { Axis } from './geometry.ts';
import { filterButtonPx, handlePx } from './paint-over.ts';
import { groupAt, type LineGroup } from './outline.ts';
import { signPx } from './paint-outline.ts';
import { columnHeaderPx, rowHeaderPx } from './panes.ts';

/** Place of the grid under the pointer. */
export type Spot =
  | { readonly kind: 'cell'; readonly row: number; readonly column: number }
  /** Button of a filter in a header cell. */
  | { readonly kind: 'filter'; readonly row: number; readonly column: number }
  | { readonly kind: 'fill' }
  /** Sign of a group of lines. */
  | { readonly kind: 'group'; readonly lines: 'rows' | 'columns'; readonly group: LineGroup }
  | { readonly kind: 'all' }
  /** A header; with `isEdge` the draggable line after it. */
  | {
      readonly kind: 'rows' | 'columns';
      readonly index: number;
      readonly isEdge: boolean;
    };

export interface HitFrame {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly scrollX: number;
  readonly scrollY: number;
  readonly selected: Range;
  readonly isFillable: boolean;
  readonly filters: readonly Address[];
  /** Groups of the outline. */
  readonly groups?: Readonly<Record<'rows' | 'columns', readonly LineGroup[]>>;
}

const edgePx = 4;
/** Handles for a finger measure 44 pixels, most of them outside of the selection. */
const [insidePx, outsidePx] = [10, 34];

/** Returns the corner of the selection whose handle is at a pixel of the grid. */
export function cornerAt(frame: HitFrame, x: number, y: number): 'first' | 'last' | undefined {
  const { rows, columns, selected } = frame;
  const { row0, row1, column0, column1 } = selected;
  const isFrozen = { row: row1 < frame.frozenRows, column: column1 < frame.frozenColumns };
  const across = x - rowHeaderPx + (isFrozen.column ? 0 : frame.scrollX);
  const down = y - columnHeaderPx + (isFrozen.row ? 0 : frame.scrollY);
  const right = across - columns.startOf(column1 + 1);
  const below = down - rows.startOf(row1 + 1);
  if (isOnCorner(right) && isOnCorner(below)) return 'last';
  const left = columns.startOf(column0) - across;
  const above = rows.startOf(row0) - down;
  return isOnCorner(left) && isOnCorner(above) ? 'first' : undefined;
}

function isOnCorner(px: number): boolean {
  return px > -insidePx && px < outsidePx;
}

/** Returns the place at a pixel of the grid. */
export function spotAt(frame: HitFrame, x: number, y: number): Spot {
  const { rows, columns, frozenRows, frozenColumns, scrollX, scrollY } = frame;
  const [left, top] = [x - rowHeaderPx, y - columnHeaderPx];
  if (left < 0 && top < 0) return { kind: 'all' };
  const across = left + (left < columns.startOf(frozenColumns) ? 0 : scrollX);
  const down = top + (top < rows.startOf(frozenRows) ? 0 : scrollY);
  if (top < 0) return headerAt(frame, 'columns', across);
  if (left < 0) return headerAt(frame, 'rows', down, x);
  if (frame.isFillable && isOnHandle(frame, across, down)) return { kind: 'fill' };
  const cell = { row: rows.indexAt(down), column: columns.indexAt(across) };
  const isOnButton =
    columns.startOf(cell.column + 1) - across <= filterButtonPx &&
    frame.filters.some(({ row, column }) => row === cell.row && column === cell.column);
  return { kind: isOnButton ? 'filter' : 'cell', ...cell };
}

/** Returns the cell at a pixel; beyond an edge of the grid the next one out of view. */
export function cellNear(frame: HitFrame, x: number, y: number): Address {
  const { rows, columns, frozenRows, frozenColumns, scrollX, scrollY } = frame;
  const [left, top] = [x - rowHeaderPx, y - columnHeaderPx];
  return {
    row: rows.indexAt(alongAxis(top, rows.startOf(frozenRows), scrollY)),
    column: columns.indexAt(alongAxis(left, columns.startOf(frozenColumns), scrollX)),
  };
}

function alongAxis(px: number, frozenPx: number, scrolledPx: number): number {
  if (px < 0) return frozenPx + scrolledPx + px;
  return px < frozenPx ? px : px + scrolledPx;
}

function isOnHandle({ rows, columns, selected }: HitFrame, x: number, y: number): boolean {
  const [right, bottom] = [columns.startOf(selected.column1 + 1), rows.startOf(selected.row1 + 1)];
  return Math.abs(x - right) < handlePx && Math.abs(y - bottom) < handlePx;
}

/** Returns the header at a pixel of its lines, or the sign of a group that it has there. */
function headerAt(
  frame: HitFrame,
  lines: 'rows' | 'columns',
  px: number,
  across = px - frame[lines].startOf(frame[lines].indexAt(px)),
): Spot {
  const line = lineAt(frame[lines], px);
  const isOnSign = across >= signPx.from && across < signPx.from + signPx.size;
  const group = isOnSign && !line.isEdge && groupAt(frame.groups?.[lines] ?? [], line.index);
  return group ? { kind: 'group', lines, group } : { kind: lines, ...line };
}

/**
 * Returns the line at a pixel, and whether the pixel is at its edge, which extends a little beyond
 * it.
 */
function lineAt(axis: Axis, px: number): { readonly index: number; readonly isEdge: boolean } {
  const index = axis.indexAt(px);
  if (px - axis.startOf(index) < edgePx && index > 0) return { index: index - 1, isEdge: true };
  return { index, isEdge: axis.startOf(index + 1) - px < edgePx };
}

/** Returns the range that a fill reaches: the source, extended along one axis to a cell. */
export function filledTo(
  source: Range,
  { row, column }: { readonly row: number; readonly column: number },
): Range {
  const down = Math.max(row - source.row1, source.row0 - row, 0);
  const across = Math.max(column - source.column1, source.column0 - column, 0);
  if (down >= across) {
    return { ...source, row0: Math.min(source.row0, row), row1: Math.max(source.row1, row) };
  }
  return {
    ...source,
    column0: Math.min(source.column0, column),
    column1: Math.max(source.column1, column),
  };
}
