import type { FormatStyle, StyleColor } from '../../server/model/payload-rules.ts';
import { canonicalObject, type JsonObject } from '../../server/model/plain-json.ts';
import { firstCustomFormatId } from './number-formats.ts';
import { colorAttributes, readColor } from './xlsx-colors.ts';
import { isTrue } from './xml-reader.ts';
import { readXml } from './xml-reader.ts';
import { encodeText } from './xml-text.ts';
import { childOf, ElementCollector, textAttribute, type XmlElement } from './xml-tree.ts';
import type { ZipEntries } from './zip-entries.ts';

/** Reads the styles of conditional formats, by number. */
export function readFormatStyles(zip: ZipEntries, part: string): FormatStyle[] {
  const styles: FormatStyle[] = [];
  const take = (element: XmlElement) => styles.push(readFormatStyle(element));
  readXml(zip, part, new ElementCollector(new Set(['dxf']), take));
  return styles;
}

export function readFormatStyle(dxf: XmlElement): FormatStyle {
  const font = childOf(dxf, 'font');
  const numberFormat = childOf(dxf, 'numFmt');
  const border = childOf(dxf, 'border');
  const style = {
    ...(font && readFont(font)),
    ...readFill(childOf(dxf, 'fill')),
    numberFormat: numberFormat && textAttribute(numberFormat, 'formatCode')?.slice(0, 255),
    border: border && readBorder(border),
  };
  return canonicalObject(style);
}

function readFont(font: XmlElement): FormatStyle {
  const flag = (name: string) => {
    const element = childOf(font, name);
    return element && isTrue(element.attributes['val'] ?? '1');
  };
  const underline = childOf(font, 'u')?.attributes['val'] ?? (childOf(font, 'u') && 'single');
  return {
    bold: flag('b'),
    italic: flag('i'),
    strike: flag('strike'),
    underline: underline === undefined ? undefined : underlineOf(underline),
    color: readColor(childOf(font, 'color')?.attributes),
  };
}

function underlineOf(name: string): 'single' | 'double' | 'none' {
  if (name === 'none') return 'none';
  return name.startsWith('double') ? 'double' : 'single';
}

/** Reads a fill: in these styles the background is the colour of a solid fill. */
function readFill(fill: XmlElement | undefined): FormatStyle {
  const pattern = fill && childOf(fill, 'patternFill');
  if (!pattern) return {};
  const style = pattern.attributes['patternType'] ?? 'solid';
  const lines = readColor(childOf(pattern, 'fgColor')?.attributes);
  const back = readColor(childOf(pattern, 'bgColor')?.attributes);
  if (style === 'solid') return { fill: back ?? lines };
  return { fill: back, pattern: edgeOf(style, lines) };
}

function readBorder(border: XmlElement): FormatStyle['border'] {
  const side = (name: string) => {
    const element = childOf(border, name);
    const style = element?.attributes['style'];
    return element && style && edgeOf(style, readColor(childOf(element, 'color')?.attributes));
  };
  const sides = canonicalObject({
    left: side('left') || undefined,
    right: side('right') || undefined,
    top: side('top') || undefined,
    bottom: side('bottom') || undefined,
  });
  return Object.keys(sides).length === 0 ? undefined : sides;
}

function edgeOf(style: string, color: StyleColor | undefined) {
  return color === undefined ? { style: style.slice(0, 32) } : { style: style.slice(0, 32), color };
}

/** Styles so far; a rule refers to its style by index. */
export class FormatStyleList {
  readonly #indexes = new Map<string, number>();
  readonly elements: string[] = [];

  /** Returns the index of a style; undefined for a rule that changes nothing. */
  indexOf(style: FormatStyle | undefined): number | undefined {
    if (!style) return undefined;
    const parts = styleParts(style, firstCustomFormatId + 1_000 + this.elements.length);
    const key = JSON.stringify(canonicalObject(style));
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.elements.push(`<dxf>${parts}</dxf>`) - 1;
    this.#indexes.set(key, index);
    return index;
  }

  /** Returns the `dxfs` element; empty if there are no styles. */
  element(): string {
    const { elements } = this;
    if (elements.length === 0) return '';
    return `<dxfs count="${elements.length}">${elements.join('')}</dxfs>`;
  }
}

/** Returns the style of a rule that only newer programs read, which has it within itself. */
export function ownStyleElement(style: FormatStyle | undefined): string {
  return style ? `<x14:dxf>${styleParts(style, firstCustomFormatId + 1_000)}</x14:dxf>` : '';
}

function styleParts(style: FormatStyle, formatId: number): string {
  const { numberFormat } = style;
  const code =
    numberFormat === undefined
      ? ''
      : `<numFmt numFmtId="${formatId}" formatCode="${encodeText(numberFormat)}"/>`;
  return `${fontElement(style)}${code}${fillElement(style)}${borderElement(style)}`;
}

function fontElement({ bold, italic, strike, underline, color }: FormatStyle): string {
  const flag = (name: string, value: boolean | undefined) =>
    value === undefined ? '' : `<${name}${value ? '' : ' val="0"'}/>`;
  const line = underline === undefined ? '' : `<u val="${underline}"/>`;
  const paint = color === undefined ? '' : `<color ${colorAttributes(color)}/>`;
  const inner = flag('b', bold) + flag('i', italic) + flag('strike', strike) + line + paint;
  return inner === '' ? '' : `<font>${inner}</font>`;
}

function fillElement({ fill, pattern }: FormatStyle): string {
  if (fill === undefined && pattern === undefined) return '';
  const lines = pattern?.color ? `<fgColor ${colorAttributes(pattern.color)}/>` : '';
  const back = fill === undefined ? '' : `<bgColor ${colorAttributes(fill)}/>`;
  const type = pattern === undefined ? 'solid' : encodeText(pattern.style);
  return `<fill><patternFill patternType="${type}">${lines}${back}</patternFill></fill>`;
}

function borderElement({ border }: FormatStyle): string {
  if (!border) return '';
  const sides = (['left', 'right', 'top', 'bottom'] as const).map((name) => {
    const side = border[name];
    if (!side) return '';
    const color = side.color === undefined ? '' : `<color ${colorAttributes(side.color)}/>`;
    return `<${name} style="${encodeText(side.style)}">${color}</${name}>`;
  });
  return `<border>${sides.join('')}</border>`;
}

/** Returns the style of a rule's value, as its schema has it. */
export function styleOf({ style }: JsonObject): FormatStyle | undefined {
  return typeof style === 'object' && style !== null ? (style as FormatStyle) : undefined;
}
