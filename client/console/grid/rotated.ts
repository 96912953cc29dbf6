import type { CellStyle } from '../store/block-store.ts';
import { widthOf } from './fonts.ts';
import type { Box, Frame } from './panes.ts';
import { lineGapPx, linePxOf, paddingPx, type Side } from './placing.ts';
import { mirror, write } from './writing.ts';

/** A text that is not written from left to right: at an angle, or its letters one below another. */
interface Turned {
  readonly text: string;
  readonly style: CellStyle | undefined;
  readonly align: Side;
  readonly box: Box;
}

export function isTurned(style: CellStyle | undefined): boolean {
  return style?.rotation !== undefined && style.rotation !== 0;
}

/** Returns the size of a turned text, in the font of the context. */
export function turnedSize(
  context: CanvasRenderingContext2D,
  text: string,
  style: CellStyle | undefined,
): { readonly width: number; readonly height: number } {
  const linePx = linePxOf(style);
  if (style?.rotation === 'vertical') {
    const letters = lettersOf(text);
    const width = Math.max(0, ...letters.map((letter) => widthOf(context, letter)));
    return { width, height: letters.length * linePx };
  }
  const angle = angleOf(style);
  const [along, across] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const wide = widthOf(context, text);
  return { width: wide * along + linePx * across, height: wide * across + linePx * along };
}

/** Draws a turned text into its cell, by the alignments of its style. */
export function paintTurned(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { text, style, align, box }: Turned,
): void {
  const size = turnedSize(context, text, style);
  const x = startOf(align, box, size.width);
  const y = topOf(style, box, size.height);
  if (style?.rotation === 'vertical') {
    const linePx = linePxOf(style);
    for (const [index, letter] of lettersOf(text).entries()) {
      const width = widthOf(context, letter);
      const middle = y + (index + 0.5) * linePx;
      write(context, frame, { text: letter, x: x + (size.width - width) / 2, y: middle, width });
    }
    return;
  }
  const width = widthOf(context, text);
  const centre = x + size.width / 2;
  context.save();
  // In a mirrored drawing the text is drawn unmirrored around its centre.
  if (frame.isMirrored === true) mirror(context, 2 * centre);
  context.translate(centre, y + size.height / 2);
  context.rotate(-angleOf(style));
  write(context, { isMirrored: false }, { text, x: -width / 2, y: 0, width });
  context.restore();
}

const segmenter = new Intl.Segmenter();

/** Returns the characters of a text as people see them. */
function lettersOf(text: string): readonly string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Returns the angle in radians, counter-clockwise. */
function angleOf(style: CellStyle | undefined): number {
  const { rotation = 0 } = style ?? {};
  return typeof rotation === 'number' ? (rotation * Math.PI) / 180 : 0;
}

function startOf(align: Side, box: Box, width: number): number {
  if (align === 'center') return box.x + (box.width - width) / 2;
  return align === 'end' ? box.x + box.width - paddingPx - width : box.x + paddingPx;
}

function topOf(style: CellStyle | undefined, box: Box, height: number): number {
  const { valign } = style ?? {};
  if (valign === 'top') return box.y + lineGapPx;
  if (valign === 'center') return box.y + (box.height - height) / 2;
  return box.y + box.height - height - lineGapPx;
}
