import {
  isDefault,
  normalStyle,
  orderedStyle,
  plainStyle,
  type CellStyle,
  type StyleKey,
} from '../../server/model/cell-style.ts';
import { foldName } from '../../server/model/names.ts';
import type { NamedStyle } from '../../server/state/structure/looks.ts';

/** The font of a workbook whose Normal says nothing of it. */
export const usualFont = { font: 'Calibri', size: 11 } as const;

/** Defaults of properties, which files leave out. */
const absent: Readonly<Partial<Record<StyleKey, unknown>>> = {
  align: 'general',
  bold: false,
  'border.bottom': { style: 'none' },
  'border.diagonalDown': { style: 'none' },
  'border.diagonalUp': { style: 'none' },
  'border.left': { style: 'none' },
  'border.right': { style: 'none' },
  'border.top': { style: 'none' },
  color: { theme: 1 },
  fill: { pattern: 'none' },
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

/**
 * Converts styles: files give each cell its whole look, the model keeps the differences from the
 * named style below.
 */
export class StyleBase {
  readonly #named = new Map<string, CellStyle>();
  /** How a cell looks that nobody formatted: with a font, and without defaults. */
  readonly normal: CellStyle;

  constructor(styles: readonly NamedStyle[]) {
    const normal = styles.find(({ id }) => id === normalStyle)?.style ?? plainStyle;
    this.normal = over(usualFont, normal);
    for (const { id, style } of styles) {
      if (id !== normalStyle) this.#named.set(foldName(id), over(this.normal, style));
    }
  }

  /** How a named style looks by itself; an unknown one like Normal. */
  of(id: string | undefined): CellStyle {
    return (id === undefined ? undefined : this.#named.get(foldName(id))) ?? this.normal;
  }

  /** All that a style looks like: with a font, and without defaults. */
  full({ named, ...style }: CellStyle): CellStyle {
    return over(this.of(named), style);
  }

  /** The style of a cell that looks like this and has the named style below. */
  style(full: CellStyle, named: string | undefined): CellStyle {
    const difference = differenceOf(full, this.of(named));
    const isNormal = named === undefined || named === normalStyle;
    if (!isNormal) return orderedStyle({ ...difference, named });
    // A default that has to hide what Normal says would be dropped without a name.
    const hides = Object.entries(difference).some(([key, value]) =>
      isDefault(key as StyleKey, value),
    );
    return hides ? orderedStyle({ ...difference, named: normalStyle }) : difference;
  }
}

/** Returns the properties that have to be set over the base so that it looks like `full`. */
export function differenceOf(full: CellStyle, base: CellStyle): CellStyle {
  const difference: Record<string, unknown> = {};
  const [wanted, known] = [valuesOf(full), valuesOf(base)];
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(known)])) {
    const value = wanted[key] ?? absent[key as StyleKey];
    const below = known[key] ?? absent[key as StyleKey];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(below)) continue;
    difference[key] = value;
  }
  return orderedStyle(difference);
}

function valuesOf(style: CellStyle): Readonly<Record<string, unknown>> {
  return { ...style };
}

/** One style over another, without what is default anyway. */
function over(base: CellStyle, style: CellStyle): CellStyle {
  const both: Readonly<Record<string, unknown>> = { ...base, ...style };
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(both)) {
    if (!isDefault(key as StyleKey, value)) result[key] = value;
  }
  return orderedStyle(result);
}
