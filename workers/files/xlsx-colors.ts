import type { StyleColor } from '../../server/model/payload-rules.ts';
import type { XmlAttributes } from './xml-reader.ts';

/** Colors that files name by number: ECMA-376 part 1, 18.8.27; 0 to 7 stand twice. */
const palette = (
  '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF ' +
  '000000 FFFFFF FF0000 00FF00 0000FF FFFF00 FF00FF 00FFFF ' +
  '800000 008000 000080 808000 800080 008080 C0C0C0 808080 ' +
  '9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF ' +
  '000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF ' +
  '00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 ' +
  '3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696 ' +
  '003366 339966 003300 333300 993300 993366 333399 333333'
).split(' ');

/** Undefined for an automatic color, or one that cannot be told. */
export function readColor(attributes: XmlAttributes = {}): StyleColor | undefined {
  const { rgb, theme, tint, indexed } = attributes;
  if (rgb !== undefined) return hexColor(rgb);
  if (theme !== undefined) return themeColor(Number(theme), Number(tint ?? 0));
  return indexed === undefined ? undefined : hexColor(palette[Number(indexed)] ?? '');
}

/** With or without the opacity, which is not looked at. */
function hexColor(text: string): StyleColor | undefined {
  const digits = /^(?:[0-9A-Fa-f]{2})?([0-9A-Fa-f]{6})$/u.exec(text)?.[1];
  return digits === undefined ? undefined : `#${digits.toUpperCase()}`;
}

function themeColor(theme: number, tint: number): StyleColor | undefined {
  if (!(Number.isInteger(theme) && theme >= 0 && theme <= 11)) return undefined;
  return Math.abs(tint) <= 1 && tint !== 0 ? { theme, tint } : { theme };
}

export function colorAttributes(color: StyleColor): string {
  if (typeof color === 'string') return `rgb="FF${color.slice(1)}"`;
  const tint = color.tint === undefined ? '' : ` tint="${color.tint}"`;
  return `theme="${color.theme}"${tint}`;
}
