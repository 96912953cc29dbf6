import type { Frame } from './panes.ts';

/** A text and the box of its line: `x` is the side where columns begin. */
interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const fromRight = /^\P{L}*[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/u;

/** Returns whether the first letter of a text is of a script that is written from right to left. */
export function isFromRight(text: string): boolean {
  return fromRight.test(text);
}

/** Mirrors all further drawing: the first pixel is at the right. */
export function mirror(context: CanvasRenderingContext2D, width: number): void {
  context.translate(width, 0);
  context.scale(-1, 1);
}

/** Draws a text, unmirrored even in a mirrored drawing. */
export function write(
  context: CanvasRenderingContext2D,
  { isMirrored }: Pick<Frame, 'isMirrored'>,
  { text, x, y, width }: Line,
): void {
  context.textAlign = 'left';
  context.direction = isFromRight(text) ? 'rtl' : 'ltr';
  if (isMirrored !== true) {
    context.fillText(text, x, y);
    return;
  }
  context.save();
  mirror(context, 2 * x + width);
  context.fillText(text, x, y);
  context.restore();
}
