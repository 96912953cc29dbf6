import type { Range } from '../../../server/model/range.ts';
import type { CellStyle, ShownCell } from '../store/block-store.ts';
import { cssColour, fillOf, isReadable } from './colours.ts';
import { paintHeaders } from './paint-headers.ts';
import { paintMarks, paintPeers, paintSelection } from './paint-over.ts';
import { boxOf, clipped, family, panesOf, type Box, type Frame, type Pane } from './panes.ts';
import { paintBorders } from './paint-borders.ts';
import { paintIcon } from './paint-icons.ts';
import { areaAt } from './merged.ts';
import { paintMerged } from './paint-merged.ts';
import type { Mark } from './source.ts';
import { isFromRight, mirror, write } from './writing.ts';

const paddingPx = 4;
const basePx = 13;

/** Draws a whole frame; returns the visible cells of the scrolling part. */
export function paint(context: CanvasRenderingContext2D, frame: Frame): Range {
  const { palette, width, height } = frame;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  if (frame.isMirrored === true) mirror(context, width);
  const panes = panesOf(frame);
  for (const pane of panes) paintPane(context, frame, pane);
  paintHeaders(context, frame, panes);
  return panes[0]?.range ?? { row0: 0, row1: 0, column0: 0, column1: 0 };
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
  paintBorders(context, frame, pane);
  paintMerged(context, frame, pane, paintText);
  paintMarks(context, frame, pane);
  paintSelection(context, frame, pane);
  paintPeers(context, frame, pane);
  context.restore();
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
    moved: palette.move,
    waiting: palette.quiet,
  };
  for (const [row, column] of visibleCells(frame, pane)) {
    const cell = source.cellAt(row, column);
    const fill = fillOf(cell?.style);
    const colour = cssColour(fill, source.themeColors);
    const mark = source.markAt(row, column);
    if (colour === undefined && mark === undefined && !cell?.bar) continue;
    const { x, y, width, height } = boxOf(frame, pane, row, column);
    if (colour !== undefined) {
      context.fillStyle = colour;
      context.fillRect(x, y, width, height);
    }
    if (cell?.bar) {
      context.fillStyle = cssColour(cell.bar.color, source.themeColors) ?? palette.accent;
      context.fillRect(x + 1, y + 2, (width - 3) * cell.bar.share, height - 5);
    }
    if (mark !== undefined) {
      context.globalAlpha = markAlpha;
      context.fillStyle = markColours[mark];
      context.fillRect(x, y, width, height);
      context.globalAlpha = 1;
    }
  }
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

/** Draws the texts of cells, and bars for texts that are not loaded. */
function paintTexts(context: CanvasRenderingContext2D, frame: Frame, pane: Pane): void {
  const { source, palette } = frame;
  context.textBaseline = 'middle';
  for (const [row, column] of visibleCells(frame, pane)) {
    const cell = source.cellAt(row, column);
    if (!cell) {
      const { x, y, height } = boxOf(frame, pane, row, column);
      context.fillStyle = palette.soft;
      context.fillRect(x + paddingPx, y + height / 2 - 3, 24, 6);
      continue;
    }
    const isShown = cell.text !== '' && !areaAt(source.records?.merged, { row, column });
    const box = boxOf(frame, pane, row, column);
    frame.onNeed(row, column, isShown ? neededPx(context, cell, box.width) : undefined);
    if (isShown) paintText(context, frame, cell, { box, cell: [row, column] });
    if (cell.icon) paintIcon(context, palette, { icon: cell.icon, box });
  }
}

/** Draws the text of a cell into a box, which is that of the cell or of its merged area. */
export function paintText(
  context: CanvasRenderingContext2D,
  frame: Frame,
  cell: ShownCell,
  at: TextPlace,
): void {
  const { style, text, kind } = cell;
  const { box } = at;
  const align = alignOf(cell, frame.isMirrored === true);
  context.font = fontOf(style);
  context.fillStyle = inkOf(cell, frame);
  context.globalAlpha = cell.isStale ? 0.55 : 1;
  const full = widthOf(context, text);
  const isTooWide = kind === 'number' && full > box.width - 2 * paddingPx;
  const shown = isTooWide ? '#'.repeat(Math.max(1, Math.floor((box.width - 8) / 8))) : text;
  const lines = style?.wrap === true ? wrapped(context, shown, box.width) : [oneLine(shown)];
  const measured = isTooWide ? widthOf(context, shown) : full;
  const overflows = kind === 'text' && align !== 'center' && lines.length === 1 && at.cell;
  const lent = overflows ? lentTo(frame, { at: overflows, align, measured }) : 0;
  const room = { ...box, x: align === 'end' ? box.x - lent : box.x, width: box.width + lent };
  clipped(context, room, () => {
    for (const [index, line] of lines.entries()) {
      const wide = lines.length === 1 ? measured : widthOf(context, line);
      const x = textStart({ align, box, measured: wide });
      const middle = lineMiddle(style, box, { index, count: lines.length });
      write(context, frame, { text: line, x, y: middle, width: wide });
      for (const y of lineOffsets(style)) context.fillRect(x, middle + y, wide, 1);
    }
  });
  context.globalAlpha = 1;
}

interface TextPlace {
  readonly box: Box;
  /** Cell whose blank neighbours the text may run into; undefined if it may not. */
  readonly cell?: readonly [row: number, column: number];
}

const longestText = 2_000;

/** Returns as much of a text as the widest cell could show, in one line. */
function oneLine(text: string): string {
  return text.slice(0, longestText).replaceAll('\n', ' ');
}

const widths = new Map<string, number>();
const widthsMost = 20_000;

/** Returns the width of a text; texts are measured once in a font, the latest 20,000. */
function widthOf(context: CanvasRenderingContext2D, text: string): number {
  const shown = oneLine(text);
  const key = `${context.font} ${shown}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size >= widthsMost) widths.clear();
  const { width } = context.measureText(shown);
  widths.set(key, width);
  return width;
}

const lineRatio = 1.3;
const lineGapPx = 3;

/** Returns the height of a row that shows a cell fully; undefined if one usual line does. */
function neededPx(
  context: CanvasRenderingContext2D,
  { style, text }: ShownCell,
  width: number,
): number | undefined {
  if (style?.wrap !== true && fontPx(style) <= basePx) return undefined;
  context.font = fontOf(style);
  const count = style?.wrap === true ? wrapped(context, text, width).length : 1;
  if (count === 1 && fontPx(style) <= basePx) return undefined;
  return count * linePxOf(style) + lineGapPx;
}

function linePxOf(style: CellStyle | undefined): number {
  return Math.round(fontPx(style) * lineRatio);
}

function lineMiddle(
  style: CellStyle | undefined,
  box: Box,
  { index, count }: { readonly index: number; readonly count: number },
): number {
  const linePx = linePxOf(style);
  const size = (count - 1) * linePx;
  // If there is no room for all lines, the first ones are shown.
  const isTooHigh = count > 1 && size + linePx > box.height;
  if (isTooHigh) return box.y + (linePx + lineGapPx) / 2 + index * linePx;
  if (style?.valign === 'top') return box.y + 12 + index * linePx;
  if (style?.valign === 'bottom') return box.y + box.height - 12 - size + index * linePx;
  return box.y + (box.height - size) / 2 + index * linePx;
}

/** Breaks a text into lines that fit a width, at spaces where there are any. */
function wrapped(context: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of text.slice(0, longestText).split('\n')) {
    let line = '';
    for (const word of part.split(/(?<= )/u)) {
      const isFull = line !== '' && widthOf(context, line + word) > width - 2 * paddingPx;
      if (isFull) lines.push(line);
      line = isFull ? word : line + word;
    }
    lines.push(line);
  }
  return lines;
}

const white = '#ffffff';

/** Returns the colour of a text: its own, or one that is readable on its fill or on the page. */
function inkOf({ style, kind }: ShownCell, { palette, source }: Frame): string {
  if (kind === 'error') return palette.minus;
  const own = cssColour(style?.color, source.themeColors);
  const fill = cssColour(fillOf(style), source.themeColors);
  // A text that is unreadable on white paper too is meant to be hidden.
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
  /** Side where columns begin, or the other one. */
  readonly align: 'start' | 'end' | 'center';
  readonly box: Box;
  readonly measured: number;
}

function textStart({ align, box, measured }: Placing): number {
  if (align === 'start') return box.x + paddingPx;
  if (align === 'end') return box.x + box.width - paddingPx - measured;
  return box.x + (box.width - measured) / 2;
}

interface Overflow extends Pick<Placing, 'align' | 'measured'> {
  readonly at: readonly [row: number, column: number];
}

/** Returns the pixels that blank neighbours lend to a text which is wider than its cell. */
function lentTo({ source, columns }: Frame, { at, align, measured }: Overflow): number {
  const [row, column] = at;
  const step = align === 'end' ? -1 : 1;
  const missing = measured + 2 * paddingPx - columns.sizeOf(column);
  let lent = 0;
  for (
    let next = column + step;
    lent < missing && next >= 0 && next < columns.count;
    next += step
  ) {
    const neighbour = source.cellAt(row, next);
    if (!neighbour || neighbour.kind !== 'blank') break;
    lent += columns.sizeOf(next);
  }
  return lent;
}

function fontOf(style: CellStyle | undefined): string {
  const weight = style?.bold === true ? '600 ' : '';
  const slant = style?.italic === true ? 'italic ' : '';
  return `${slant}${weight}${fontPx(style)}px ${family}`;
}

function fontPx(style: CellStyle | undefined): number {
  return style?.size === undefined ? basePx : Math.round((style.size * basePx) / 11);
}

/** Returns the alignment of a text; text read from right to left begins at the right. */
function alignOf({ style, kind, text }: ShownCell, isMirrored: boolean): Placing['align'] {
  const { align } = style ?? {};
  const [left, right] = isMirrored ? (['end', 'start'] as const) : (['start', 'end'] as const);
  if (align === 'center') return align;
  if (align === 'left' || align === 'right') return align === 'left' ? left : right;
  if (kind === 'number') return right;
  if (kind === 'boolean' || kind === 'error') return 'center';
  return isFromRight(text) ? right : 'start';
}
