import type { Color } from '../store/block-store.ts';

/** Colours of a theme, read from the custom properties of the page. */
export interface Palette {
  readonly ink: string;
  readonly paper: string;
  readonly soft: string;
  readonly line: string;
  readonly quiet: string;
  readonly accent: string;
  readonly plus: string;
  readonly minus: string;
  readonly move: string;
  readonly peers: readonly string[];
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: read('--ink'),
    paper: read('--paper'),
    soft: read('--soft'),
    line: read('--line'),
    quiet: read('--quiet'),
    accent: read('--accent'),
    plus: read('--plus'),
    minus: read('--minus'),
    move: read('--move'),
    peers: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => read(`--peer-${number}`)),
  };
}

/** Returns a colour of a style as CSS; undefined where it names none. */
export function cssColour(color: Color | undefined, theme: readonly string[]): string | undefined {
  if (color === undefined) return undefined;
  if (typeof color === 'string') return color;
  const base = theme[color.theme];
  return base === undefined || color.tint === undefined ? base : tinted(base, color.tint);
}

/** Lightens or darkens a colour by a share, as ECMA-376 18.8.19 describes tints. */
function tinted(hex: string, tint: number): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const mixed = channels.map((value) => {
    const target = tint < 0 ? 0 : 255;
    return Math.round(value + (target - value) * Math.abs(tint));
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
