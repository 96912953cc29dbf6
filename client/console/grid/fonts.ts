import type { CellStyle } from '../store/block-store.ts';
import { family } from './panes.ts';

/** Size of texts in pixels where a style says nothing, which stands for 11 points. */
export const basePx = 13;
const basePoints = 11;
/** Raised and lowered texts are so much smaller. */
const scriptRatio = 0.7;
const leastPx = 4;

/** Returns the size of a text in pixels. */
export function fontPx(style: CellStyle | undefined): number {
  return style?.size === undefined ? basePx : Math.round((style.size * basePx) / basePoints);
}

export function isScript(style: CellStyle | undefined): boolean {
  return style?.script === 'super' || style?.script === 'sub';
}

/** Returns the font of a style, smaller by a factor for texts that shrink. */
export function fontOf(style: CellStyle | undefined, factor = 1): string {
  const weight = style?.bold === true ? '600 ' : '';
  const slant = style?.italic === true ? 'italic ' : '';
  const px = fontPx(style) * factor * (isScript(style) ? scriptRatio : 1);
  return `${slant}${weight}${Math.max(leastPx, px)}px ${familyOf(style)}`;
}

/** Returns the named font, if the system has it, before that of the page. */
function familyOf(style: CellStyle | undefined): string {
  const name = style?.font?.replaceAll(/["\\\n]/gu, '') ?? '';
  return name === '' ? family : `"${name}", ${family}`;
}

const longestText = 2_000;

/** Returns as much of a text as the widest cell could show, in one line. */
export function oneLine(text: string): string {
  return text.slice(0, longestText).replaceAll('\n', ' ');
}

const widths = new Map<string, number>();
const widthsMost = 20_000;

/** Returns the width of a text; texts are measured once in a font, the latest 20,000. */
export function widthOf(context: CanvasRenderingContext2D, text: string): number {
  const shown = oneLine(text);
  const key = `${context.font} ${shown}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size >= widthsMost) widths.clear();
  const { width } = context.measureText(shown);
  widths.set(key, width);
  return width;
}

/** Breaks a text into lines that fit a width, at spaces where there are any. */
export function wrapped(context: CanvasRenderingContext2D, text: string, room: number): string[] {
  const lines: string[] = [];
  for (const part of text.slice(0, longestText).split('\n')) {
    let line = '';
    for (const word of part.split(/(?<= )/u)) {
      const isFull = line !== '' && widthOf(context, line + word) > room;
      if (isFull) lines.push(line);
      line = isFull ? word : line + word;
    }
    lines.push(line);
  }
  return lines;
}
