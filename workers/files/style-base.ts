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

/** Font of a workbook whose Normal style has none. */
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
 * Converts styles: a file gives each cell its whole style, the model keeps the differences from the
 * named style.
 */
export class StyleBase {
  readonly #named = new Map<string, CellStyle>();
  /** Style of unformatted cells, with a font and without defaults. */
  readonly normal: CellStyle;

  constructor(styles: readonly NamedStyle[]) {
    const normal = styles.find(({ id }) => id === normalStyle)?.style ?? plainStyle;
    this.normal = over(usualFont, normal);
    for (const { id, style } of styles) {
      if (id !== normalStyle) this.#named.set(foldName(id), over(this.normal, style));
    }
  }

  /** Returns the whole look of a named style; an unknown one is Normal. */
  of(id: string | undefined): CellStyle {
    return (id === undefined ? undefined : this.#named.get(foldName(id))) ?? this.normal;
  }

  /** Returns all properties of a style, with a font and without defaults. */
  full({ named, ...style }: CellStyle): CellStyle {
    return over(this.of(named), style);
  }

  /** Returns the style of a cell with these properties over a named style. */
  style(full: CellStyle, named: string | undefined): CellStyle {
    const difference = differenceOf(full, this.of(named));
    const isNormal = named === undefined || named === normalStyle;
    if (!isNormal) return orderedStyle({ ...difference, named });
    // A default that overrides a property of Normal is only kept together with a name.
    const hides = Object.entries(difference).some(([key, value]) =>
      isDefault(key as StyleKey, value),
    );
    return hides ? orderedStyle({ ...difference, named: normalStyle }) : difference;
  }
}

/** Returns the properties to set over `base` so that the result looks like `full`. */
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

/** Puts one style over another, without defaults. */
function over(base: CellStyle, style: CellStyle): CellStyle {
  const both: Readonly<Record<string, unknown>> = { ...base, ...style };
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(both)) {
    if (!isDefault(key as StyleKey, value)) result[key] = value;
  }
  return orderedStyle(result);
}
