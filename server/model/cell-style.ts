/** `#RRGGBB`, or a colour of the workbook's theme, lighter (tint above 0) or darker. */
export type Color = string | { readonly theme: number; readonly tint?: number | undefined };

export const underlines = [
  'none',
  'single',
  'double',
  'singleAccounting',
  'doubleAccounting',
] as const;
export const scripts = ['none', 'super', 'sub'] as const;
export const alignments = [
  'general',
  'left',
  'center',
  'right',
  'fill',
  'justify',
  'centerContinuous',
  'distributed',
] as const;
export const verticalAlignments = ['top', 'center', 'bottom', 'justify', 'distributed'] as const;
export const fillPatterns = [
  'none',
  'solid',
  'darkGray',
  'mediumGray',
  'lightGray',
  'gray125',
  'gray0625',
  'darkHorizontal',
  'darkVertical',
  'darkDown',
  'darkUp',
  'darkGrid',
  'darkTrellis',
  'lightHorizontal',
  'lightVertical',
  'lightDown',
  'lightUp',
  'lightGrid',
  'lightTrellis',
] as const;
export const borderStyles = [
  'none',
  'thin',
  'medium',
  'thick',
  'dashed',
  'dotted',
  'double',
  'hair',
  'mediumDashed',
  'dashDot',
  'mediumDashDot',
  'dashDotDot',
  'mediumDashDotDot',
  'slantDashDot',
] as const;
export const borderSides = [
  'top',
  'bottom',
  'left',
  'right',
  'diagonalUp',
  'diagonalDown',
] as const;

export type BorderSide = (typeof borderSides)[number];

export interface Fill {
  readonly bg?: Color | undefined;
  /** Colour of the pattern; for a solid fill, the colour itself. */
  readonly fg?: Color | undefined;
  readonly pattern: string;
}

export interface BorderLine {
  readonly color?: Color | undefined;
  readonly style: string;
}

/**
 * The looks of a cell, with one member for each property that is written on its own: operations,
 * merges and states know styles in this form. An absent member is as the named style says, or as
 * Normal.
 */
export interface CellStyle {
  readonly align?: string;
  readonly bold?: boolean;
  readonly 'border.bottom'?: BorderLine;
  readonly 'border.diagonalDown'?: BorderLine;
  readonly 'border.diagonalUp'?: BorderLine;
  readonly 'border.left'?: BorderLine;
  readonly 'border.right'?: BorderLine;
  readonly 'border.top'?: BorderLine;
  readonly color?: Color;
  readonly fill?: Fill;
  readonly font?: string;
  /** The formula is not shown while the sheet is protected. */
  readonly hidden?: boolean;
  readonly indent?: number;
  readonly italic?: boolean;
  readonly locked?: boolean;
  /** Id of the named style below. */
  readonly named?: string;
  readonly numberFormat?: string;
  /** Degrees counter-clockwise, from -90 to 90; 255 is letters below one another. */
  readonly rotation?: number;
  readonly script?: string;
  readonly shrink?: boolean;
  /** Points. */
  readonly size?: number;
  readonly strike?: boolean;
  readonly underline?: string;
  readonly valign?: string;
  readonly wrap?: boolean;
}

export type StyleKey = keyof CellStyle;

/** A change of style: null clears a property, and a missing one stays. */
export type StylePatch = { readonly [Key in StyleKey]?: CellStyle[Key] | null };

/** Keys in the order of code units: the order of members in a canonical style. */
const styleKeys = [
  'align',
  'bold',
  'border.bottom',
  'border.diagonalDown',
  'border.diagonalUp',
  'border.left',
  'border.right',
  'border.top',
  'color',
  'fill',
  'font',
  'hidden',
  'indent',
  'italic',
  'locked',
  'named',
  'numberFormat',
  'rotation',
  'script',
  'shrink',
  'size',
  'strike',
  'underline',
  'valign',
  'wrap',
] as const satisfies readonly StyleKey[];

/** The base style of all others, with its id in any case. */
export const normalStyle = 'Normal';

/** Defaults of properties; font and size have the workbook's. */
const defaults: Readonly<Record<string, string | number | boolean>> = {
  align: 'general',
  bold: false,
  hidden: false,
  indent: 0,
  italic: false,
  locked: true,
  numberFormat: 'General',
  rotation: 0,
  script: 'none',
  shrink: false,
  strike: false,
  underline: 'none',
  valign: 'bottom',
  wrap: false,
};

export const plainStyle: CellStyle = {};

/** The style with the patch on top, or, when it replaces, of the patch alone. */
export function patchStyle(style: CellStyle, patch: StylePatch, replaces: boolean): CellStyle {
  const base: Readonly<Record<string, unknown>> = replaces ? {} : { ...style };
  const written: Readonly<Record<string, unknown>> = { ...patch };
  const named = patch.named === undefined ? base['named'] : patch.named;
  const isOverNamed = named !== undefined && named !== null;
  const result: Record<string, unknown> = {};
  for (const key of styleKeys) {
    const value = written[key] === undefined ? base[key] : written[key];
    if (value === undefined || value === null) continue;
    // Over a named style a default is kept, as it overrides that style.
    if (isOverNamed || !isDefault(key, value)) result[key] = value;
  }
  return result;
}

/** A style of these values, with its members in the one order. */
export function orderedStyle(values: Readonly<Record<string, unknown>>): CellStyle {
  const style: Record<string, unknown> = {};
  for (const key of styleKeys) {
    if (values[key] !== undefined && values[key] !== null) style[key] = values[key];
  }
  return style;
}

export function isDefault(key: StyleKey, value: unknown): boolean {
  if (key in defaults) return defaults[key] === value;
  if (typeof value !== 'object' || value === null) return false;
  if (key === 'fill') return 'pattern' in value && value.pattern === 'none';
  if (key === 'color') return 'theme' in value && value.theme === 1 && !('tint' in value);
  return 'style' in value && value.style === 'none';
}

/** Returns a text that is equal for equal styles; empty for the plain one. */
export function styleText(style: CellStyle): string {
  const text = JSON.stringify(style);
  return text === '{}' ? '' : text;
}

export function styleOfText(text: string): CellStyle {
  return text === '' ? plainStyle : (JSON.parse(text) as CellStyle);
}

interface WireFill {
  readonly pattern?: string | undefined;
  readonly fg?: Color | undefined;
  readonly bg?: Color | undefined;
}

/** A style as operations spell it: sides of the border below one member. */
export interface WireStyle {
  readonly numberFormat?: string | null | undefined;
  readonly bold?: boolean | null | undefined;
  readonly italic?: boolean | null | undefined;
  readonly underline?: boolean | string | null | undefined;
  readonly strike?: boolean | null | undefined;
  readonly script?: string | null | undefined;
  readonly font?: string | null | undefined;
  readonly size?: number | null | undefined;
  readonly color?: Color | null | undefined;
  readonly fill?: Color | WireFill | null | undefined;
  readonly align?: string | null | undefined;
  readonly valign?: string | null | undefined;
  readonly wrap?: boolean | null | undefined;
  readonly shrink?: boolean | null | undefined;
  readonly rotation?: number | 'vertical' | null | undefined;
  readonly indent?: number | null | undefined;
  readonly border?:
    | { readonly [Side in BorderSide]?: BorderLine | null | undefined }
    | null
    | undefined;
  readonly locked?: boolean | null | undefined;
  readonly hidden?: boolean | null | undefined;
  readonly named?: string | null | undefined;
}

/** Turns a wire style into a patch, property by property, each value spelled in one way only. */
export function readStyle({ border, ...wire }: WireStyle): StylePatch {
  const patch: Record<string, unknown> = {};
  for (const key of styleKeys) {
    const value: unknown = key.startsWith('border.') ? undefined : wire[key as keyof typeof wire];
    if (value !== undefined) patch[key] = value === null ? null : canonicalValue(key, value);
  }
  if (border === undefined) return patch;
  for (const side of borderSides) {
    const line = border === null ? null : border[side];
    if (line !== undefined) patch[`border.${side}`] = line === null ? null : readLine(line);
  }
  return patch;
}

/** Makes a pattern canonical: without a code, or with its name in any case, it is General. */
export function canonicalPattern(pattern: string): string {
  return pattern === '' || /^general$/iu.test(pattern) ? 'General' : pattern;
}

function canonicalValue(key: StyleKey, value: unknown): unknown {
  switch (key) {
    case 'numberFormat':
      return canonicalPattern(value as string);
    case 'underline':
      return typeof value === 'boolean' ? (value ? 'single' : 'none') : value;
    case 'rotation':
      return value === 'vertical' ? 255 : value;
    case 'color':
      return readColor(value as Color);
    case 'fill':
      return readFill(value as Color | WireFill);
    default:
      return value === 0 ? 0 : value;
  }
}

export function readColor(color: Color): Color {
  if (typeof color === 'string') return color.toUpperCase();
  const { theme, tint = 0 } = color;
  return tint === 0 ? { theme } : { theme, tint };
}

/** A colour alone is a solid fill with it. */
function readFill(fill: Color | WireFill): Fill {
  if (typeof fill === 'string' || 'theme' in fill) {
    return { fg: readColor(fill), pattern: 'solid' };
  }
  const { bg, fg, pattern = 'solid' } = fill;
  if (pattern === 'none') return { pattern };
  return {
    ...(bg !== undefined && { bg: readColor(bg) }),
    ...(fg !== undefined && { fg: readColor(fg) }),
    pattern,
  };
}

function readLine({ color, style }: BorderLine): BorderLine {
  if (color === undefined || style === 'none') return { style };
  return { color: readColor(color), style };
}

/** The wire style that reads back as this one. */
export function writeStyle(style: CellStyle): WireStyle {
  const wire: Record<string, unknown> = {};
  const border: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(style) as [StyleKey, unknown][]) {
    if (key.startsWith('border.')) border[key.slice('border.'.length)] = value;
    else wire[key] = key === 'rotation' && value === 255 ? 'vertical' : value;
  }
  return Object.keys(border).length === 0 ? wire : { ...wire, border };
}
