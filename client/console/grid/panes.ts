import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { Palette } from './colours.ts';
import type { Axis } from './geometry.ts';
import { areaAt } from './merged.ts';
import type { LineGroup } from './outline.ts';
import type { Selection } from './selection.ts';
import type { TaggedPeer } from './peer-tags.ts';
import type { GridSource } from './source.ts';

export const rowHeaderPx = 56;
export const columnHeaderPx = 26;
export const family = 'system-ui, sans-serif';

/** Everything that one frame is drawn from. */
export interface Frame {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  /** Pixel of the sheet at the top left of the scrolling part. */
  readonly scrollX: number;
  readonly scrollY: number;
  readonly width: number;
  readonly height: number;
  readonly source: GridSource;
  readonly selection: Selection;
  readonly peers: readonly TaggedPeer[];
  readonly palette: Palette;
  readonly hasGridlines: boolean;
  /** True where columns run from right to left: the whole frame is drawn the other way round. */
  readonly isMirrored?: boolean;
  /** Groups of the outline. */
  readonly groups?: Readonly<Record<'rows' | 'columns', readonly LineGroup[]>>;
  /** True where the selection can be dragged on to fill more cells. */
  readonly isFillable: boolean;
  /** Called with the height that a cell needs; undefined if one usual line is enough. */
  readonly onNeed: (row: number, column: number, px: number | undefined) => void;
  /** True where a finger drags the corners of the selection. */
  readonly hasHandles: boolean;
}

export interface Pane {
  readonly range: Range;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Difference between a pixel of the canvas and one of the sheet. */
  readonly dx: number;
  readonly dy: number;
}

type Frozen = Pick<Frame, 'frozenRows' | 'frozenColumns'>;

/** Returns the row and column of a cell that are not frozen any more; undefined if neither was. */
export function freedLines(
  { row, column }: Address,
  before: Frozen,
  now: Frozen,
): Partial<Address> | undefined {
  const isRowFreed = row < before.frozenRows && row >= now.frozenRows;
  const isColumnFreed = column < before.frozenColumns && column >= now.frozenColumns;
  if (!isRowFreed && !isColumnFreed) return undefined;
  return { ...(isRowFreed && { row }), ...(isColumnFreed && { column }) };
}

/** Returns the scrolling part, and then the frozen ones over it. */
export function panesOf(frame: Frame): Pane[] {
  const { rows, columns, frozenRows, frozenColumns, scrollX, scrollY, width, height } = frame;
  const [frozenX, frozenY] = [columns.startOf(frozenColumns), rows.startOf(frozenRows)];
  const across = {
    frozen: { from: 0, left: rowHeaderPx, size: frozenX, shift: rowHeaderPx },
    body: {
      from: frozenX + scrollX,
      left: rowHeaderPx + frozenX,
      size: width - rowHeaderPx - frozenX,
      shift: rowHeaderPx - scrollX,
    },
  };
  const down = {
    frozen: { from: 0, left: columnHeaderPx, size: frozenY, shift: columnHeaderPx },
    body: {
      from: frozenY + scrollY,
      left: columnHeaderPx + frozenY,
      size: height - columnHeaderPx - frozenY,
      shift: columnHeaderPx - scrollY,
    },
  };
  const panes: Pane[] = [];
  for (const vertical of [down.body, down.frozen]) {
    for (const horizontal of [across.body, across.frozen]) {
      if (horizontal.size <= 0 || vertical.size <= 0) continue;
      panes.push({
        range: {
          row0: rows.indexAt(vertical.from),
          row1: rows.indexAt(vertical.from + vertical.size - 1),
          column0: columns.indexAt(horizontal.from),
          column1: columns.indexAt(horizontal.from + horizontal.size - 1),
        },
        left: horizontal.left,
        top: vertical.left,
        width: horizontal.size,
        height: vertical.size,
        dx: horizontal.shift,
        dy: vertical.shift,
      });
    }
  }
  return panes;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function boxOf(
  { rows, columns }: Frame,
  { dx, dy }: Pane,
  row: number,
  column: number,
): Box {
  return {
    x: columns.startOf(column) + dx,
    y: rows.startOf(row) + dy,
    width: columns.sizeOf(column),
    height: rows.sizeOf(row),
  };
}

/** Returns the box of a cell, or of the merged area that it is in. */
export function shownBoxOf(
  { rows, columns }: Pick<Frame, 'rows' | 'columns'>,
  { dx, dy, merged }: Pick<Pane, 'dx' | 'dy'> & { readonly merged: readonly Range[] | undefined },
  cell: Address,
): Box {
  const own = { row0: cell.row, row1: cell.row, column0: cell.column, column1: cell.column };
  const { row0, row1, column0, column1 } = areaAt(merged, cell) ?? own;
  const [x, y] = [columns.startOf(column0), rows.startOf(row0)];
  const width = columns.startOf(column1 + 1) - x;
  return { x: x + dx, y: y + dy, width, height: rows.startOf(row1 + 1) - y };
}

export function clipped(context: CanvasRenderingContext2D, box: Box, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  draw();
  context.restore();
}
