import type { CellStyle, ShownCell } from '../store/block-store.ts';
import { fontPx } from './fonts.ts';
import type { Box, Frame } from './panes.ts';
import { isFromRight } from './writing.ts';

/** Pixels between a text and the edge of its cell. */
export const paddingPx = 4;
/** Pixels of a step of indentation: the width of three blanks in Excel. */
const indentPx = 9;
const lineRatio = 1.3;
export const lineGapPx = 3;
/** Most pixels from the edge of a cell to the middle of a line. */
const middlePx = 12;

/** Side where columns begin, or the other one. */
export type Side = 'start' | 'end' | 'center';

/** Sides of the alignments that name one, in a sheet that runs from left to right. */
const sides: Readonly<Record<string, Side>> = {
  left: 'start',
  right: 'end',
  center: 'center',
  centerContinuous: 'center',
};
const others: Readonly<Record<Side, Side>> = { start: 'end', end: 'start', center: 'center' };

/** Returns the alignment of a text; text read from right to left begins at the right. */
export function alignOf(cell: ShownCell, isMirrored: boolean): Side {
  const { style, kind, text } = cell;
  const { align = 'general' } = style ?? {};
  const side = sides[align] ?? (isFromRight(text) || kind === 'number' ? 'end' : 'start');
  if (align === 'general' && kind !== 'number') return ofKind(cell, isMirrored);
  return isMirrored ? others[side] : side;
}

function ofKind({ kind, text }: ShownCell, isMirrored: boolean): Side {
  if (kind === 'boolean' || kind === 'error') return 'center';
  if (!isFromRight(text)) return 'start';
  return isMirrored ? 'start' : 'end';
}

/** Returns whether the lines of a text are broken to fit its cell. */
export function wraps(style: CellStyle | undefined): boolean {
  const { wrap, align, valign } = style ?? {};
  const broken = ['justify', 'distributed'];
  return wrap === true || broken.includes(align ?? '') || broken.includes(valign ?? '');
}

/** Returns the pixels by which a text is indented. */
export function insetOf(style: CellStyle | undefined): number {
  return (style?.indent ?? 0) * indentPx;
}

/** Returns the part of a cell that its text may take. */
export function roomOf(style: CellStyle | undefined, align: Side, box: Box): Box {
  const inset = align === 'center' ? 0 : insetOf(style);
  const width = Math.max(1, box.width - 2 * paddingPx - inset);
  return { ...box, x: box.x + paddingPx + (align === 'start' ? inset : 0), width };
}

export function linePxOf(style: CellStyle | undefined): number {
  return Math.round(fontPx(style) * lineRatio);
}

/** Returns the middle of a line of a text of several. */
export function lineMiddle(
  style: CellStyle | undefined,
  box: Box,
  { index, count }: { readonly index: number; readonly count: number },
): number {
  const linePx = linePxOf(style);
  const size = (count - 1) * linePx;
  const half = Math.max((linePx + lineGapPx) / 2, Math.min(middlePx, box.height / 2));
  // If there is no room for all lines, the first ones are shown.
  const isTooHigh = count > 1 && size + linePx > box.height;
  const top = box.y + index * linePx;
  if (isTooHigh) return top + (linePx + lineGapPx) / 2;
  const { valign } = style ?? {};
  if (valign === 'top' || valign === 'justify') return top + half;
  if (valign === 'center' || valign === 'distributed') return top + (box.height - size) / 2;
  return top + box.height - half - size;
}

interface Overflow {
  readonly at: readonly [row: number, column: number];
  readonly align: Side;
  /** Pixels that are missing in the cell. */
  readonly missing: number;
}

/** Returns the pixels that blank neighbours before and behind a cell lend to its text. */
export function lentTo(
  { source, columns }: Frame,
  { at: [row, column], align, missing }: Overflow,
): { readonly before: number; readonly behind: number } {
  const lent = (step: 1 | -1, wanted: number) => {
    let px = 0;
    for (let next = column + step; px < wanted && next >= 0 && next < columns.count; next += step) {
      const neighbour = source.cellAt(row, next);
      if (!neighbour || neighbour.kind !== 'blank') break;
      px += columns.sizeOf(next);
    }
    return px;
  };
  if (missing <= 0) return { before: 0, behind: 0 };
  if (align === 'center') return { before: lent(-1, missing / 2), behind: lent(1, missing / 2) };
  return align === 'end'
    ? { before: lent(-1, missing), behind: 0 }
    : { before: 0, behind: lent(1, missing) };
}

/** Returns the box of a text that is centred over the blank cells behind it, aligned likewise. */
export function continuousBox(
  { source, columns }: Frame,
  cell: ShownCell,
  { box, cell: at }: { readonly box: Box; readonly cell?: readonly [number, number] },
): Box {
  if (cell.style?.align !== 'centerContinuous' || !at) return box;
  const [row, column] = at;
  let { width } = box;
  for (let next = column + 1; next < columns.count; next++) {
    const neighbour = source.cellAt(row, next);
    const isOn = neighbour?.kind === 'blank' && neighbour.style?.align === 'centerContinuous';
    if (!isOn) break;
    width += columns.sizeOf(next);
  }
  return { ...box, width };
}
