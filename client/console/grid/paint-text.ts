import type { CellStyle, ShownCell } from '../store/block-store.ts';
import { cssColour, fillOf, isReadable } from './colours.ts';
import { basePx, fontOf, fontPx, isScript, oneLine, widthOf, wrapped } from './fonts.ts';
import { clipped, type Box, type Frame } from './panes.ts';
import {
  alignOf,
  continuousBox,
  lentTo,
  lineGapPx,
  lineMiddle,
  linePxOf,
  roomOf,
  wraps,
  type Side,
} from './placing.ts';
import { isTurned, paintTurned, turnedSize } from './rotated.ts';
import { write } from './writing.ts';

interface TextPlace {
  /** Box of the cell, or of its merged area. */
  readonly box: Box;
  /** Cell whose blank neighbours the text may run into; undefined if it may not. */
  readonly cell?: readonly [row: number, column: number];
}

/** Draws the text of a cell into a box, which is that of the cell or of its merged area. */
export function paintText(
  context: CanvasRenderingContext2D,
  frame: Frame,
  cell: ShownCell,
  at: TextPlace,
): void {
  const { style } = cell;
  const align = alignOf(cell, frame.isMirrored === true);
  const box = continuousBox(frame, cell, at);
  context.font = fontOf(style);
  context.fillStyle = inkOf(cell, frame);
  context.globalAlpha = cell.isStale ? 0.55 : 1;
  if (isTurned(style)) {
    const text = oneLine(cell.text);
    clipped(context, box, () => paintTurned(context, frame, { text, style, align, box }));
  } else paintLines(context, frame, cell, { ...at, box, align });
  context.globalAlpha = 1;
}

function paintLines(
  context: CanvasRenderingContext2D,
  frame: Frame,
  cell: ShownCell,
  { box, cell: at, align }: TextPlace & { readonly align: Side },
): void {
  const { style, kind } = cell;
  const room = roomOf(style, align, box);
  const lines = linesIn(context, cell, room.width);
  const missing = lines.length === 1 ? widthOf(context, lines[0] ?? '') - room.width : 0;
  const overflows = kind === 'text' && style?.align !== 'fill' && at;
  const lent = overflows ? lentTo(frame, { at, align, missing }) : { before: 0, behind: 0 };
  const seen = { ...box, x: box.x - lent.before, width: box.width + lent.before + lent.behind };
  clipped(context, seen, () => {
    for (const [index, line] of lines.entries()) {
      const width = widthOf(context, line);
      const x = startIn(room, align, width);
      const middle = lineMiddle(style, box, { index, count: lines.length }) + shiftOf(style);
      write(context, frame, { text: line, x, y: middle, width });
      for (const y of lineOffsets(style)) context.fillRect(x, middle + y, width, 1);
    }
  });
}

function startIn(room: Box, align: Side, width: number): number {
  if (align === 'start') return room.x;
  return room.x + (room.width - width) / (align === 'center' ? 2 : 1);
}

/** Returns the lines of a text; sets a smaller font for one that shrinks. */
function linesIn(context: CanvasRenderingContext2D, cell: ShownCell, room: number): string[] {
  const { style, text, kind } = cell;
  if (wraps(style) && kind !== 'number') return wrapped(context, text, room);
  const line = oneLine(text);
  const width = widthOf(context, line);
  if (style?.align === 'fill') {
    return [line.repeat(Math.max(1, Math.floor(room / Math.max(1, width))))];
  }
  if (width <= room) return [line];
  if (style?.shrink === true) {
    context.font = fontOf(style, room / width);
    return [line];
  }
  const isCut = kind === 'number';
  return [isCut ? '#'.repeat(Math.max(1, Math.floor(room / widthOf(context, '#')))) : line];
}

/** Returns the height of a row that shows a cell fully; undefined if one usual line does. */
export function neededPx(
  context: CanvasRenderingContext2D,
  cell: ShownCell,
  box: Box,
): number | undefined {
  const { style } = cell;
  const isWrapped = wraps(style) && cell.kind !== 'number';
  if (!isWrapped && !isTurned(style) && fontPx(style) <= basePx) return undefined;
  context.font = fontOf(style);
  if (isTurned(style)) {
    return Math.ceil(turnedSize(context, oneLine(cell.text), style).height) + 2 * lineGapPx;
  }
  const room = roomOf(style, alignOf(cell, false), box).width;
  const count = isWrapped ? wrapped(context, cell.text, room).length : 1;
  if (count === 1 && fontPx(style) <= basePx) return undefined;
  return count * linePxOf(style) + lineGapPx;
}

const white = '#ffffff';

/** Returns the colour of a text: its own, or one that is readable on its fill or on the page. */
function inkOf({ style, kind }: ShownCell, { palette, source }: Frame): string {
  if (kind === 'error') return palette.minus;
  const own = cssColour(style?.color, source.themeColors);
  const fill = fillOf(style, source.themeColors, palette);
  // A text that is unreadable on white paper too is meant to be hidden.
  if (own !== undefined && (fill !== undefined || !isReadable(own, white))) return own;
  const inks = [...(own === undefined ? [] : [own]), palette.ink, palette.paper];
  return inks.find((ink) => isReadable(ink, fill ?? palette.paper)) ?? palette.ink;
}

/** Returns by how much a raised or lowered text leaves its line. */
function shiftOf(style: CellStyle | undefined): number {
  if (!isScript(style)) return 0;
  return (style?.script === 'super' ? -0.25 : 0.25) * fontPx(style);
}

/** Returns where lines go through or under a text, in pixels from its middle. */
function lineOffsets(style: CellStyle | undefined): number[] {
  const { underline = 'none', strike } = style ?? {};
  const below = Math.round(fontPx(style) / 2);
  const under = underline.startsWith('double') ? [below, below + 2] : [below];
  return [...(strike === true ? [0] : []), ...(underline === 'none' ? [] : under)];
}
