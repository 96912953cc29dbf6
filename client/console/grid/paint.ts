import { columnName } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { CellStyle, ShownCell } from '../store/block-store.ts';
import { cssColour, isReadable, type Palette } from './colours.ts';
import type { Axis } from './geometry.ts';
import { rangeOfSelection, type Selection } from './selection.ts';
import type { GridSource, Mark, Peer } from './source.ts';

export const rowHeaderPx = 56;
export const columnHeaderPx = 26;
const paddingPx = 4;
const basePx = 13;
const family = 'system-ui, sans-serif';

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
  readonly peers: readonly Peer[];
  readonly palette: Palette;
  readonly hasGridlines: boolean;
}

interface Pane {
  readonly range: Range;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Added to a pixel of the sheet gives one of the canvas. */
  readonly dx: number;
  readonly dy: number;
}

/** Draws a whole frame; answers the cells that are in view and scroll. */
export function paint(context: CanvasRenderingContext2D, frame: Frame): Range {
  const { palette, width, height } = frame;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  const panes = panesOf(frame);
  for (const pane of panes) paintPane(context, frame, pane);
  paintHeaders(context, frame, panes);
  return panes[0]?.range ?? { row0: 0, row1: 0, column0: 0, column1: 0 };
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

function paintPane(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  context.save();
  context.beginPath();
  context.rect(pane.left, pane.top, pane.width, pane.height);
  context.clip();
  context.fillStyle = frame.palette.paper;
  context.fillRect(pane.left, pane.top, pane.width, pane.height);
  paintFills(context, frame, pane);
  if (frame.hasGridlines) paintLines(context, frame, pane);
  paintTexts(context, frame, pane);
  paintSelection(context, frame, pane);
  paintPeers(context, frame, pane);
  context.restore();
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxOf({ rows, columns }: Frame, { dx, dy }: Pane, row: number, column: number): Box {
  return {
    x: columns.startOf(column) + dx,
    y: rows.startOf(row) + dy,
    width: columns.sizeOf(column),
    height: rows.sizeOf(row),
  };
}

function* visibleCells({ rows, columns }: Frame, { range }: Pane): Generator<[number, number]> {
  for (let { row0: row } = range; row <= range.row1; row++) {
    if (rows.sizeOf(row) === 0) continue;
    for (let { column0: column } = range; column <= range.column1; column++) {
      if (columns.sizeOf(column) > 0) yield [row, column];
    }
  }
}

const markAlpha = 0.22;

function paintFills(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, palette } = frame;
  const markColours: Record<Mark, string> = {
    added: palette.plus,
    removed: palette.minus,
    changed: palette.move,
    waiting: palette.quiet,
  };
  for (const [row, column] of visibleCells(frame, pane)) {
    const fill = fillOf(source.cellAt(row, column)?.style);
    const colour = cssColour(fill, source.themeColors);
    const mark = source.markAt(row, column);
    if (colour === undefined && mark === undefined) continue;
    const { x, y, width, height } = boxOf(frame, pane, row, column);
    if (colour !== undefined) {
      context.fillStyle = colour;
      context.fillRect(x, y, width, height);
    }
    if (mark !== undefined) {
      context.globalAlpha = markAlpha;
      context.fillStyle = markColours[mark];
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
    }
  }
}

function fillOf(style: CellStyle | undefined) {
  const fill = style?.fill;
  if (typeof fill === 'object' && !('theme' in fill)) return fill.fg;
  return fill;
}

function paintLines(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { rows, columns, palette } = frame;
  const { range, left, top, width, height, dx, dy } = pane;
  const [right, bottom] = [
    Math.min(left + width, columns.total + dx),
    Math.min(top + height, rows.total + dy),
  ];
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  for (let row = range.row0; row <= range.row1 + 1; row++) {
    const y = Math.round(rows.startOf(row) + dy) - 0.5;
    context.moveTo(left, y);
    context.lineTo(right, y);
  }
  for (let column = range.column0; column <= range.column1 + 1; column++) {
    const x = Math.round(columns.startOf(column) + dx) - 0.5;
    context.moveTo(x, top);
    context.lineTo(x, bottom);
  }
  context.stroke();
}

/** Quiet bars stand where texts are not there yet. */
function paintTexts(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, palette } = frame;
  context.textBaseline = 'middle';
  for (const [row, column] of visibleCells(frame, pane)) {
    const cell = source.cellAt(row, column);
    if (!cell) {
      const { x, y, height } = boxOf(frame, pane, row, column);
      context.fillStyle = palette.soft;
      context.fillRect(x + paddingPx, y + height / 2 - 3, 24, 6);
    } else if (cell.text !== '') paintText(context, { frame, pane, cell }, [row, column]);
  }
}

interface PaintedCell {
  readonly frame: Frame;
  readonly pane: Pane;
  readonly cell: ShownCell;
}

function paintText(
  context: CanvasRenderingContext2D,
  { frame, pane, cell }: PaintedCell,
  at: readonly [row: number, column: number],
): void {
  const { style, text, kind } = cell;
  const box = boxOf(frame, pane, ...at);
  const align = alignOf(cell);
  context.font = fontOf(style);
  context.fillStyle = inkOf(cell, frame);
  context.globalAlpha = cell.isStale ? 0.55 : 1;
  const full = context.measureText(text).width;
  const isTooWide = kind === 'number' && full > box.width - 2 * paddingPx;
  const shown = isTooWide ? '#'.repeat(Math.max(1, Math.floor((box.width - 8) / 8))) : text;
  const measured = isTooWide ? context.measureText(shown).width : full;
  const overflows = kind === 'text' && align === 'left';
  const room = overflows ? roomFor(frame, at, measured) : box.width;
  clipped(context, { ...box, width: room }, () => {
    const x = textStart({ align, box, measured });
    const middle = box.y + box.height / 2;
    context.fillText(shown.replaceAll('\n', ' '), x, middle);
    for (const y of lineOffsets(style)) context.fillRect(x, middle + y, measured, 1);
  });
  context.globalAlpha = 1;
}

const white = '#ffffff';

/** Returns the colour of a text: its own, or one that can be read on its fill or on our paper. */
function inkOf({ style, kind }: ShownCell, { palette, source }: Frame): string {
  if (kind === 'error') return palette.minus;
  const own = cssColour(style?.color, source.themeColors);
  const fill = cssColour(fillOf(style), source.themeColors);
  // What cannot be read on white paper either is meant to be hidden.
  if (own !== undefined && (fill !== undefined || !isReadable(own, white))) return own;
  const inks = [...(own === undefined ? [] : [own]), palette.ink, palette.paper];
  return inks.find((ink) => isReadable(ink, fill ?? palette.paper)) ?? palette.ink;
}

/** Returns where lines go through or under a text, in pixels from its middle. */
function lineOffsets(style: CellStyle | undefined): number[] {
  const isUnderlined = style?.underline !== undefined && style.underline !== 'none';
  return [...(style?.strike === true ? [0] : []), ...(isUnderlined ? [basePx / 2] : [])];
}

interface Placing {
  readonly align: 'left' | 'right' | 'center';
  readonly box: Box;
  readonly measured: number;
}

function textStart({ align, box, measured }: Placing): number {
  if (align === 'left') return box.x + paddingPx;
  if (align === 'right') return box.x + box.width - paddingPx - measured;
  return box.x + (box.width - measured) / 2;
}

/** Returns the width that a text may take: blank neighbours to the right lend theirs. */
function roomFor(
  { source, columns }: Frame,
  [row, column]: readonly [number, number],
  measured: number,
): number {
  let room = columns.sizeOf(column);
  for (let next = column + 1; room < measured + 2 * paddingPx && next < columns.count; next++) {
    const neighbour = source.cellAt(row, next);
    if (!neighbour || neighbour.kind !== 'blank') break;
    room += columns.sizeOf(next);
  }
  return room;
}

function fontOf(style: CellStyle | undefined): string {
  const weight = style?.bold === true ? '600 ' : '';
  const slant = style?.italic === true ? 'italic ' : '';
  const px = style?.size === undefined ? basePx : Math.round((style.size * basePx) / 11);
  return `${slant}${weight}${px}px ${family}`;
}

function alignOf({ style, kind }: ShownCell): Placing['align'] {
  const { align } = style ?? {};
  if (align === 'left' || align === 'right' || align === 'center') return align;
  if (kind === 'number') return 'right';
  return kind === 'boolean' || kind === 'error' ? 'center' : 'left';
}

function paintSelection(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { rows, columns, selection, palette } = frame;
  const range = rangeOfSelection(selection);
  const [x, y] = [columns.startOf(range.column0) + pane.dx, rows.startOf(range.row0) + pane.dy];
  const width = columns.startOf(range.column1 + 1) + pane.dx - x;
  const height = rows.startOf(range.row1 + 1) + pane.dy - y;
  context.globalAlpha = 0.1;
  context.fillStyle = palette.accent;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 1;
  context.strokeRect(x - 0.5, y - 0.5, width, height);
  const active = boxOf(frame, pane, selection.active.row, selection.active.column);
  context.lineWidth = 2;
  context.strokeRect(active.x, active.y, active.width - 1, active.height - 1);
}

function paintPeers(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  for (const { row, column, colour, name } of frame.peers) {
    const { range } = pane;
    if (row < range.row0 || row > range.row1 || column < range.column0 || column > range.column1) {
      continue;
    }
    const box = boxOf(frame, pane, row, column);
    const ink = frame.palette.peers[colour % frame.palette.peers.length] ?? frame.palette.accent;
    context.strokeStyle = ink;
    context.lineWidth = 2;
    context.strokeRect(box.x, box.y, box.width - 1, box.height - 1);
    context.font = `11px ${family}`;
    const width = context.measureText(name).width + 8;
    context.fillStyle = ink;
    context.fillRect(box.x, box.y - 14, width, 14);
    context.fillStyle = frame.palette.paper;
    context.textBaseline = 'middle';
    context.fillText(name, box.x + 4, box.y - 7);
  }
}

function paintHeaders(
  context: CanvasRenderingContext2D,
  frame: Frame,
  panes: readonly Pane[],
): void {
  const { palette, width, height, rows, columns, selection } = frame;
  const range = rangeOfSelection(selection);
  context.font = `12px ${family}`;
  context.textBaseline = 'middle';
  const header = (box: Box, text: string, isSelected: boolean) => {
    context.fillStyle = isSelected ? palette.line : palette.soft;
    context.fillRect(box.x, box.y, box.width, box.height);
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.strokeRect(box.x - 0.5, box.y - 0.5, box.width, box.height);
    context.fillStyle = palette.ink;
    const measured = context.measureText(text).width;
    context.fillText(text, box.x + (box.width - measured) / 2, box.y + box.height / 2);
  };
  for (const pane of panes) {
    clipped(context, { x: pane.left, y: 0, width: pane.width, height: columnHeaderPx }, () => {
      for (let { column0: at } = pane.range; at <= pane.range.column1; at++) {
        if (columns.sizeOf(at) === 0) continue;
        const box = {
          x: columns.startOf(at) + pane.dx,
          y: 0,
          width: columns.sizeOf(at),
          height: columnHeaderPx,
        };
        header(box, columnName(at), at >= range.column0 && at <= range.column1);
      }
    });
    clipped(context, { x: 0, y: pane.top, width: rowHeaderPx, height: pane.height }, () => {
      for (let { row0: at } = pane.range; at <= pane.range.row1; at++) {
        if (rows.sizeOf(at) === 0) continue;
        const box = {
          x: 0,
          y: rows.startOf(at) + pane.dy,
          width: rowHeaderPx,
          height: rows.sizeOf(at),
        };
        header(box, String(at + 1), at >= range.row0 && at <= range.row1);
      }
    });
  }
  context.fillStyle = palette.soft;
  context.fillRect(0, 0, rowHeaderPx, columnHeaderPx);
  context.strokeStyle = palette.line;
  context.strokeRect(-0.5, -0.5, rowHeaderPx, columnHeaderPx);
  context.strokeRect(-0.5, -0.5, width, height);
}

function clipped(context: CanvasRenderingContext2D, box: Box, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  draw();
  context.restore();
}
