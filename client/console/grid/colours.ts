import type { CellStyle, Color } from '../store/block-store.ts';

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
  const probe = document.createElement('span');
  // With forced colours the properties name system colours, which are resolved here too.
  probe.style.setProperty('forced-color-adjust', 'none');
  element.append(probe);
  const { style } = probe;
  const computed = getComputedStyle(probe);
  const read = (name: string) => {
    style.color = `var(${name})`;
    return hexOf(computed.color);
  };
  const palette = readWith(read);
  probe.remove();
  return palette;
}

/** Returns `#rrggbb` of a computed colour such as `rgb(29, 35, 33)`. */
function hexOf(computed: string): string {
  const channels = computed.match(/[\d.]+/gu)?.slice(0, 3) ?? [];
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** Calls back whenever the colours of the page change: the system's theme, or the chosen one. */
export function whenRecoloured(signal: AbortSignal, recolour: () => void): void {
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
    window.matchMedia(query).addEventListener('change', recolour, { signal });
  }
  const chosen = new MutationObserver(recolour);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  signal.addEventListener('abort', () => chosen.disconnect());
}

function readWith(read: (name: string) => string): Palette {
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

/** Share of a cell that the lines of a pattern take. */
const patternShares: Readonly<Record<string, number>> = {
  gray0625: 0.0625,
  gray125: 0.125,
  lightGray: 0.25,
  mediumGray: 0.5,
  darkGray: 0.75,
  lightHorizontal: 0.25,
  lightVertical: 0.25,
  lightDown: 0.25,
  lightUp: 0.25,
  lightGrid: 0.375,
  lightTrellis: 0.375,
  darkHorizontal: 0.5,
  darkVertical: 0.5,
  darkDown: 0.5,
  darkUp: 0.5,
  darkGrid: 0.5,
  darkTrellis: 0.75,
};

/**
 * Returns the colour of a cell's fill; undefined if it has none. A pattern is drawn in the colour
 * that it has from afar: that of its lines and of its ground, by their shares.
 */
export function fillOf(
  style: CellStyle | undefined,
  theme: readonly string[],
  { ink, paper }: Pick<Palette, 'ink' | 'paper'>,
): string | undefined {
  const fill = style?.fill;
  if (typeof fill !== 'object' || 'theme' in fill) return cssColour(fill, theme);
  const { fg, bg, pattern = 'solid' } = fill;
  const share = patternShares[pattern];
  if (share === undefined) return cssColour(fg, theme);
  return mixed(cssColour(bg, theme) ?? paper, cssColour(fg, theme) ?? ink, share);
}

/** Returns a colour of a style as CSS; undefined if it has none. */
export function cssColour(color: Color | undefined, theme: readonly string[]): string | undefined {
  if (color === undefined) return undefined;
  if (typeof color === 'string') return color;
  const base = theme[color.theme];
  return base === undefined || color.tint === undefined ? base : tinted(base, color.tint);
}

/** Lightens or darkens a colour by a share, as ECMA-376 18.8.19 describes tints. */
function tinted(hex: string, tint: number): string {
  return mixed(hex, tint < 0 ? '#000000' : '#ffffff', Math.abs(tint));
}

/** Returns the colour between two others that has a share of the second. */
function mixed(one: string, other: string, share: number): string {
  const channel = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  const between = (at: number) => {
    const value = channel(one, at);
    return Math.round(value + (channel(other, at) - value) * share);
  };
  return `#${[1, 3, 5].map((at) => between(at).toString(16).padStart(2, '0')).join('')}`;
}

const leastContrast = 2;

/**
 * Returns whether text of one colour is readable on another, by the contrast of WCAG 2.2: 1 for
 * equal colours, 21 for black on white.
 */
export function isReadable(ink: string, ground: string): boolean {
  return contrast(ink, ground) >= leastContrast;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the relative luminance of `#rrggbb`, from 0 to 1. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
