import { cutText } from '../../server/model/cut-text.ts';
import {
  alignments,
  borderStyles,
  canonicalPattern,
  fillPatterns,
  isDefault,
  normalStyle,
  orderedStyle,
  plainStyle,
  underlines,
  verticalAlignments,
  type CellStyle,
  type Color,
} from '../../server/model/cell-style.ts';
import { operationLimits as limits } from '../../server/model/operation-limits.ts';
import type { NamedStyle } from '../../server/state/structure/looks.ts';
import { builtInFormat } from './number-formats.ts';
import { differenceOf, StyleBase, usualFont } from './style-base.ts';
import { FilePalette } from './xlsx-colors.ts';
import { decodeEscapes } from './xml-text.ts';
import { isTrue, readXml, type XmlAttributes, type XmlConsumer } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

export interface FileStyles {
  /** Returns the style with an index, as the model keeps it. Files have many that no cell uses. */
  readonly cellStyle: (index: number) => CellStyle;
  readonly named: readonly NamedStyle[];
  /** Number of gradients, of which the first colour is kept. */
  readonly gradientCount: number;
  /** Number of named styles beyond the limit of a workbook. */
  readonly surplusCount: number;
}

type Draft = Record<string, unknown>;

/** An `xf`: indexes into the lists of the part, and its own properties. */
interface Format {
  readonly attributes: XmlAttributes;
  readonly own: Draft;
}

export function readStyles(zip: ZipEntries, part: string): FileStyles {
  const reader = new StylesReader(readPalette(zip, part));
  readXml(zip, part, reader);
  return reader.finish();
}

/** Reads the file's colours first: a part defines them behind their uses. */
function readPalette(zip: ZipEntries, part: string): FilePalette {
  const colors: string[] = [];
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes): void {
      if (name === 'rgbColor') colors.push(attributes['rgb'] ?? '');
    },
  });
  return new FilePalette(colors);
}

class StylesReader implements XmlConsumer {
  readonly #palette: FilePalette;
  readonly #numberFormats = new Map<string, string>();
  readonly #fonts: Draft[] = [];
  readonly #fills: Draft[] = [];
  readonly #borders: Draft[] = [];
  readonly #baseFormats: Format[] = [];
  readonly #cellFormats: Format[] = [];
  readonly #styleElements: XmlAttributes[] = [];
  #section = '';
  /** Item of the current section, and its element whose children are being read. */
  #item: Draft = {};
  #side = '';
  #gradientCount = 0;

  constructor(palette: FilePalette) {
    this.#palette = palette;
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 2) this.#section = name;
    else if (depth === 3) this.#openItem(name, attributes);
    else if (this.#section === 'fonts') readFontPart(this.#item, name, attributes, this.#palette);
    else if (this.#section === 'fills') this.#readFillPart(name, attributes, depth);
    else if (this.#section === 'borders') this.#readBorderPart(name, attributes, depth);
    else if (name === 'alignment') readAlignment(this.#item, attributes);
    else if (name === 'protection') readProtection(this.#item, attributes);
  }

  finish(): FileStyles {
    const { named, byFormat, surplusCount } = this.#namedStyles();
    const base = new StyleBase(named);
    const cellStyle = (index: number): CellStyle => {
      const format = this.#cellFormats[index];
      if (format === undefined) return plainStyle;
      return base.style(this.#full(format), byFormat.get(format.attributes['xfId'] ?? '0'));
    };
    return { cellStyle, named, gradientCount: this.#gradientCount, surplusCount };
  }

  #openItem(name: string, attributes: XmlAttributes): void {
    const item: Draft = {};
    this.#item = item;
    this.#side = '';
    switch (this.#section) {
      case 'fonts':
        this.#fonts.push(item);
        return;
      case 'fills':
        this.#fills.push(item);
        return;
      case 'borders':
        return this.#openBorder(item, attributes);
      case 'cellXfs':
        this.#cellFormats.push({ attributes, own: item });
        return;
      case 'cellStyleXfs':
        this.#baseFormats.push({ attributes, own: item });
        return;
      default:
        this.#openListed(name, attributes);
    }
  }

  #openListed(name: string, attributes: XmlAttributes): void {
    if (name === 'cellStyle') this.#styleElements.push(attributes);
    if (name !== 'numFmt' || this.#section !== 'numFmts') return;
    const code = decodeEscapes(attributes['formatCode'] ?? 'General');
    this.#numberFormats.set(attributes['numFmtId'] ?? '', code);
  }

  #openBorder(item: Draft, attributes: XmlAttributes): void {
    item['isUp'] = isTrue(attributes['diagonalUp']);
    item['isDown'] = isTrue(attributes['diagonalDown']);
    this.#borders.push(item);
  }

  #readFillPart(name: string, attributes: XmlAttributes, depth: number): void {
    const item = this.#item;
    if (name === 'patternFill') {
      const pattern = attributes['patternType'] ?? 'none';
      item['pattern'] = isOneOf(fillPatterns, pattern) ? pattern : 'none';
    } else if (name === 'gradientFill') {
      this.#gradientCount++;
      item['pattern'] = 'solid';
    } else if (depth > 4) this.#readFillColor(item, name, attributes);
  }

  #readFillColor(item: Draft, name: string, attributes: XmlAttributes): void {
    if (name === 'bgColor') item['bg'] = this.#palette.read(attributes);
    else if (name === 'fgColor' || (name === 'color' && item['fg'] === undefined)) {
      item['fg'] = this.#palette.read(attributes);
    }
  }

  #readBorderPart(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 4) {
      this.#side = name === 'start' ? 'left' : name === 'end' ? 'right' : name;
      const style = attributes['style'] ?? 'none';
      const isLine = style !== 'none' && isOneOf(borderStyles, style);
      if (isLine) this.#item[this.#side] = { style };
      return;
    }
    const line = this.#item[this.#side];
    const color = name === 'color' ? this.#palette.read(attributes) : undefined;
    if (color !== undefined && typeof line === 'object') {
      this.#item[this.#side] = { color, ...line };
    }
  }

  /** Returns the named styles, and the name of each base format. */
  #namedStyles() {
    const named: NamedStyle[] = [];
    const byFormat = new Map<string, string>();
    const normalFormat = this.#styleElements.find(isNormal)?.['xfId'] ?? '0';
    const normal = this.#full(this.#baseFormats[Number(normalFormat)]);
    const own = differenceOf(normal, usualFont);
    if (Object.keys(own).length > 0) named.push({ id: normalStyle, style: own });
    let surplusCount = 0;
    const taken = new Set([normalStyle.toLowerCase()]);
    for (const element of this.#styleElements) {
      const { xfId = '0' } = element;
      const id = cutText(decodeEscapes(element['name'] ?? ''), limits.styleIdLength);
      const format = this.#baseFormats[Number(xfId)];
      if (isNormal(element) || id === '' || byFormat.has(xfId) || taken.has(id.toLowerCase())) {
        continue;
      }
      if (named.length >= limits.styleCount) {
        surplusCount++;
        continue;
      }
      taken.add(id.toLowerCase());
      byFormat.set(xfId, id);
      named.push({ id, style: this.#namedStyle(format, normal) });
    }
    return { named, byFormat, surplusCount };
  }

  /** Returns the properties in which a base format differs from Normal. */
  #namedStyle(format: Format | undefined, normal: CellStyle): CellStyle {
    const difference = Object.entries(differenceOf(this.#full(format), normal));
    const counts = (key: string) => format?.attributes[groupOf(key)] !== '0';
    return orderedStyle(Object.fromEntries(difference.filter(([key]) => counts(key))));
  }

  /** Returns all properties of a format. */
  #full(format: Format | undefined): CellStyle {
    const { attributes = {}, own = {} } = format ?? {};
    const { numFmtId = '0', fontId = '0', fillId = '0', borderId = '0' } = attributes;
    const code = this.#numberFormats.get(numFmtId) ?? builtInFormat(Number(numFmtId));
    const numberFormat = canonicalPattern(code.slice(0, limits.numberFormatLength));
    return orderedStyle({
      ...usualFont,
      ...this.#fonts[Number(fontId)],
      ...fillOf(this.#fills[Number(fillId)]),
      ...borderOf(this.#borders[Number(borderId)]),
      ...own,
      ...(numberFormat !== 'General' && { numberFormat }),
    });
  }
}

/** Returns the attribute of a base format that says whether a property counts. */
function groupOf(key: string): string {
  if (key.startsWith('border.')) return 'applyBorder';
  return groups[key] ?? 'applyFont';
}

const groups: Readonly<Record<string, string>> = {
  fill: 'applyFill',
  align: 'applyAlignment',
  valign: 'applyAlignment',
  wrap: 'applyAlignment',
  shrink: 'applyAlignment',
  rotation: 'applyAlignment',
  indent: 'applyAlignment',
  locked: 'applyProtection',
  hidden: 'applyProtection',
  numberFormat: 'applyNumberFormat',
};

function isNormal({ builtinId, name }: XmlAttributes): boolean {
  return builtinId === '0' || (builtinId === undefined && name?.toLowerCase() === 'normal');
}

function isOneOf(known: readonly string[], value: string): boolean {
  return known.includes(value);
}

function fillOf(fill: Draft | undefined): Draft {
  if (fill === undefined || (fill['pattern'] ?? 'none') === 'none') return {};
  const { bg, fg, pattern } = fill;
  // Nothing is visible behind a solid fill.
  const behind = pattern === 'solid' || bg === undefined ? {} : { bg };
  return { fill: { ...behind, ...(fg !== undefined && { fg }), pattern } };
}

function borderOf(border: Draft | undefined): Draft {
  const { isUp, isDown, diagonal, top, bottom, left, right } = border ?? {};
  return {
    'border.top': top,
    'border.bottom': bottom,
    'border.left': left,
    'border.right': right,
    ...(isUp === true && { 'border.diagonalUp': diagonal }),
    ...(isDown === true && { 'border.diagonalDown': diagonal }),
  };
}

function readFontPart(
  font: Draft,
  name: string,
  attributes: XmlAttributes,
  palette: FilePalette,
): void {
  if (name === 'color') setIf(font, 'color', fontColor(attributes, palette));
  else if (Object.hasOwn(fontParts, name)) fontParts[name]?.(font, attributes['val']);
}

type FontPart = (font: Draft, val: string | undefined) => void;

const isOn = (val: string | undefined) => val === undefined || isTrue(val);
const scriptNames: Readonly<Record<string, string>> = { superscript: 'super', subscript: 'sub' };

const fontParts: Readonly<Record<string, FontPart>> = {
  b: (font, val) => setIf(font, 'bold', isOn(val)),
  i: (font, val) => setIf(font, 'italic', isOn(val)),
  strike: (font, val) => setIf(font, 'strike', isOn(val)),
  u: (font, val = 'single') => setIf(font, 'underline', isOneOf(underlines, val) && val),
  vertAlign: (font, val = '') => setIf(font, 'script', scriptNames[val]),
  sz: (font, val) => setIf(font, 'size', Number(val) >= 1 && Number(val) <= 409 && Number(val)),
  name: (font, val = '') => setIf(font, 'font', cutText(decodeEscapes(val), limits.fontNameLength)),
};

/** Returns the colour of a font; undefined for the default one. */
function fontColor(attributes: XmlAttributes, palette: FilePalette): Color | undefined {
  const color = palette.read(attributes);
  return color !== undefined && isDefault('color', color) ? undefined : color;
}

/** Sets a property unless it is false, none or empty. */
function setIf(draft: Draft, key: string, value: unknown): void {
  if (value !== undefined && value !== false && value !== 'none' && value !== '') {
    draft[key] = value;
  }
}

function readAlignment(draft: Draft, attributes: XmlAttributes): void {
  const { horizontal = 'general', vertical = 'bottom' } = attributes;
  setIf(draft, 'align', horizontal !== 'general' && isOneOf(alignments, horizontal) && horizontal);
  const isOther = vertical !== 'bottom' && isOneOf(verticalAlignments, vertical);
  setIf(draft, 'valign', isOther && vertical);
  setIf(draft, 'wrap', isTrue(attributes['wrapText']));
  setIf(draft, 'shrink', isTrue(attributes['shrinkToFit']));
  setIf(draft, 'rotation', rotationOf(Number(attributes['textRotation'] ?? 0)));
  const indent = Number(attributes['indent'] ?? 0);
  setIf(draft, 'indent', Number.isInteger(indent) && indent > 0 && Math.min(indent, 250));
}

/** Converts a rotation: files count from 0 to 90 upwards and from 91 to 180 downwards. */
function rotationOf(rotation: number): number | undefined {
  if (!Number.isInteger(rotation) || rotation <= 0) return undefined;
  if (rotation === 255 || rotation <= 90) return rotation;
  return rotation <= 180 ? 90 - rotation : undefined;
}

function readProtection(draft: Draft, attributes: XmlAttributes): void {
  if (attributes['locked'] !== undefined && !isTrue(attributes['locked'])) draft['locked'] = false;
  setIf(draft, 'hidden', isTrue(attributes['hidden']));
}
