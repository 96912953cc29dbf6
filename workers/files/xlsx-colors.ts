import type { Color } from '../../server/model/cell-style.ts';
import { readXml, type XmlAttributes } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

/** Colours that files name by number unless they define their own: ECMA-376 part 1, 18.8.27. */
const indexedColors = (
  '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF ' +
  '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF ' +
  '800000 008000 000080 808000 800080 008080 C0C0C0 808080 ' +
  '9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF ' +
  '000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF ' +
  '00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 ' +
  '3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696 ' +
  '003366 339966 003300 333300 993300 993366 333399 333333'
).split(' ');

const themeColorCount = 12;
/**
 * Names in the order of their numbers; a theme part has the first two, and the second two, swapped.
 */
const themeNames =
  'lt1 dk1 lt2 dk2 accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink'.split(' ');

/** Colours of one file. */
export class FilePalette {
  readonly #indexed: readonly string[];

  /** Takes the `rgb` texts of the file's own numbered colours. */
  constructor(colors: readonly string[]) {
    this.#indexed = indexedColors.map((known, index) => hexOf(colors[index]) ?? known);
  }

  /** Reads a colour; undefined for the automatic one and for an invalid one. */
  read(attributes: XmlAttributes): Color | undefined {
    const { theme, rgb, indexed } = attributes;
    if (rgb !== undefined) {
      const hex = hexOf(rgb);
      return hex === undefined ? undefined : `#${hex}`;
    }
    if (theme !== undefined) return themeColor(Number(theme), Number(attributes['tint'] ?? 0));
    const hex = indexed === undefined ? undefined : this.#indexed[Number(indexed)];
    return hex === undefined ? undefined : `#${hex}`;
  }
}

const usualPalette = new FilePalette([]);

/**
 * Reads a colour in a part without numbered colours of its own; undefined for the automatic one.
 */
export function readColor(attributes: XmlAttributes = {}): Color | undefined {
  return usualPalette.read(attributes);
}

function themeColor(theme: number, tint: number): Color | undefined {
  if (!Number.isInteger(theme) || theme < 0 || theme >= themeColorCount) return undefined;
  const isTinted = tint !== 0 && Math.abs(tint) <= 1;
  return isTinted ? { theme, tint } : { theme };
}

/** Returns the last six digits of a colour; the digits before are its opacity. */
function hexOf(rgb: string | undefined): string | undefined {
  return /^(?:[0-9A-Fa-f]{2})?([0-9A-Fa-f]{6})$/u.exec(rgb ?? '')?.[1]?.toUpperCase();
}

export function colorElement(name: string, color: Color | undefined): string {
  return color === undefined ? '' : `<${name} ${colorAttributes(color)}/>`;
}

export function colorAttributes(color: Color): string {
  if (typeof color === 'string') return `rgb="FF${color.slice(1)}"`;
  const { theme, tint = 0 } = color;
  return `theme="${theme}"${tint === 0 ? '' : ` tint="${tint}"`}`;
}

/**
 * Reads the colours of a theme part as the setting theme.colors has them; undefined unless all are
 * there.
 */
export function readThemeColors(zip: ZipEntries, part: string): string | undefined {
  const found = new Map<string, string>();
  let open: string | undefined;
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes): void {
      if (themeNames.includes(name)) open = name;
      const hex = hexOf(name === 'sysClr' ? attributes['lastClr'] : attributes['val']);
      if (open === undefined || hex === undefined) return;
      if ((name === 'srgbClr' || name === 'sysClr') && !found.has(open)) found.set(open, hex);
    },
    close(name: string): void {
      if (name === open) open = undefined;
    },
  });
  const colors = themeNames.flatMap((name) => found.get(name) ?? []);
  return colors.length === themeColorCount ? colors.join(' ') : undefined;
}

/** Returns the smallest theme part that programs accept, with these colours. */
export function themePart(colors: string): string {
  const hexes = colors.split(' ');
  const order = ['dk1', 'lt1', 'dk2', 'lt2', ...themeNames.slice(4)];
  const scheme = order.map((name) => {
    return `<a:${name}><a:srgbClr val="${hexes[themeNames.indexOf(name)] ?? '000000'}"/></a:${name}>`;
  });
  const font = (name: string) =>
    `<a:latin typeface="${name}"/><a:ea typeface=""/><a:cs typeface=""/>`;
  const fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>';
  const line = `<a:ln w="6350">${fill}</a:ln>`;
  const effect = '<a:effectStyle><a:effectLst/></a:effectStyle>';
  const thrice = (text: string) => text.repeat(3);
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Office">' +
    `<a:themeElements><a:clrScheme name="Office">${scheme.join('')}</a:clrScheme>` +
    `<a:fontScheme name="Office"><a:majorFont>${font('Calibri Light')}</a:majorFont>` +
    `<a:minorFont>${font('Calibri')}</a:minorFont></a:fontScheme>` +
    `<a:fmtScheme name="Office"><a:fillStyleLst>${thrice(fill)}</a:fillStyleLst>` +
    `<a:lnStyleLst>${thrice(line)}</a:lnStyleLst>` +
    `<a:effectStyleLst>${thrice(effect)}</a:effectStyleLst>` +
    `<a:bgFillStyleLst>${thrice(fill)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
  );
}
