import type { Range } from '../../../server/model/range.ts';
import type { Palette } from './colours.ts';
import type { Axis } from './geometry.ts';
import type { Selection } from './selection.ts';
import type { TaggedPeer } from './peer-tags.ts';
import type { GridSource } from './source.ts';

export const rowHeaderPx = 56;
export const columnHeaderPx = 26;
export const family = 'system-ui, sans-serif';

/** All that one frame is drawn from. */
export interface Frame {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  /** Pixels of the sheet at the top left of what scrolls. */
  readonly scrollX: number;
  readonly scrollY: number;
  readonly width: number;
  readonly height: number;
  readonly source: GridSource;
  readonly selection: Selection;
  readonly peers: readonly TaggedPeer[];
  readonly palette: Palette;
  readonly hasGridlines: boolean;
  /** True where the selection can be dragged on to fill more cells. */
  readonly isFillable: boolean;
  /** True where a finger drags the corners of the selection. */
  readonly hasHandles: boolean;
}

export interface Pane {
  readonly range: Range;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Added to a pixel of the sheet gives one of the canvas. */
  readonly dx: number;
  readonly dy: number;
}

/** The part that scrolls first, then the frozen ones over it. */
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

export function clipped(context: CanvasRenderingContext2D, box: Box, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  draw();
  context.restore();
}
