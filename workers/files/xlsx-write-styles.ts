import {
  normalStyle,
  plainStyle,
  type BorderLine,
  type CellStyle,
} from '../../server/model/cell-style.ts';
import { foldName } from '../../server/model/names.ts';
import type { NamedStyle } from '../../server/state/structure/looks.ts';
import { builtInFormatId, firstCustomFormatId } from './number-formats.ts';
import { differenceOf, StyleBase } from './style-base.ts';
import { colorElement } from './xlsx-colors.ts';
import { encodeText } from './xml-text.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Numbers of the styles that Excel has in every workbook, by name. */
const builtInStyles: ReadonlyMap<string, number> = new Map([
  ['Normal', 0],
  ['Comma', 3],
  ['Currency', 4],
  ['Percent', 5],
  ['Comma [0]', 6],
  ['Currency [0]', 7],
  ['Hyperlink', 8],
  ['Followed Hyperlink', 9],
  ['Note', 10],
  ['Warning Text', 11],
  ['Title', 15],
  ['Heading 1', 16],
  ['Heading 2', 17],
  ['Heading 3', 18],
  ['Heading 4', 19],
  ['Input', 20],
  ['Output', 21],
  ['Calculation', 22],
  ['Check Cell', 23],
  ['Linked Cell', 24],
  ['Total', 25],
  ['Good', 26],
  ['Bad', 27],
  ['Neutral', 28],
  ['Explanatory Text', 53],
]);

/** Distinct texts of one list of the part. */
class ElementList {
  readonly texts: string[];
  readonly #indexes = new Map<string, number>();

  constructor(first: readonly string[]) {
    this.texts = [...first];
    for (const [index, text] of first.entries()) this.#indexes.set(text, index);
  }

  indexOf(text: string): number {
    let index = this.#indexes.get(text);
    if (index === undefined) {
      index = this.texts.push(text) - 1;
      this.#indexes.set(text, index);
    }
    return index;
  }
}

/** Styles so far, with the indexes that cells of a file use. */
export class StyleSheet {
  readonly #base: StyleBase;
  readonly #named: readonly NamedStyle[];
  /** Index of the base format of each named style, by its folded name. */
  readonly #places = new Map<string, number>();
  /** Index of each style object, so that most cells take one look-up. */
  readonly #byObject = new Map<CellStyle, number>();
  readonly #cells: ElementList;
  readonly #baseFormats: string[];
  readonly #fonts: ElementList;
  readonly #fills = new ElementList([
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
  ]);
  readonly #borders = new ElementList([
    '<border><left/><right/><top/><bottom/><diagonal/></border>',
  ]);
  readonly #numberFormats = new ElementList([]);

  constructor(named: readonly NamedStyle[]) {
    this.#named = named.filter(({ id }) => id !== normalStyle);
    this.#base = new StyleBase(named);
    const { normal } = this.#base;
    this.#fonts = new ElementList([fontElement(normal)]);
    this.#baseFormats = [this.#format(normal, { isCell: false, says: () => true })];
    for (const { id, style } of this.#named) {
      const says = (key: string) => key in style;
      const format = this.#format(this.#base.of(id), { isCell: false, says });
      this.#places.set(foldName(id), this.#baseFormats.push(format) - 1);
    }
    this.#cells = new ElementList([]);
    this.indexOf(plainStyle);
  }

  /** Returns the value of `s` for a cell. */
  indexOf(style: CellStyle): number {
    let index = this.#byObject.get(style);
    if (index === undefined) {
      index = this.#cells.indexOf(this.#cellFormat(style));
      this.#byObject.set(style, index);
    }
    return index;
  }

  /** Returns the part; `dxfs` is the element of the styles of conditional formats. */
  part(dxfs: string): string {
    const names = [normalStyle, ...this.#named.map(({ id }) => id)];
    const styles = names.map((name, index) => {
      const builtIn = builtInStyles.get(name);
      const number = builtIn === undefined ? '' : ` builtinId="${builtIn}"`;
      return `<cellStyle name="${encodeText(name)}" xfId="${index}"${number}/>`;
    });
    const custom = this.#numberFormats.texts.map((code, index) => {
      const id = firstCustomFormatId + index;
      return `<numFmt numFmtId="${id}" formatCode="${encodeText(code)}"/>`;
    });
    return (
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
      `<styleSheet xmlns="${main}">${custom.length === 0 ? '' : section('numFmts', custom)}` +
      section('fonts', this.#fonts.texts) +
      section('fills', this.#fills.texts) +
      section('borders', this.#borders.texts) +
      section('cellStyleXfs', this.#baseFormats) +
      section('cellXfs', this.#cells.texts) +
      `${section('cellStyles', styles)}${dxfs}</styleSheet>`
    );
  }

  #cellFormat(style: CellStyle): string {
    const full = this.#base.full(style);
    const place = this.#places.get(foldName(style.named ?? normalStyle)) ?? 0;
    const own = differenceOf(full, this.#base.of(style.named));
    const says = (key: string) => key in own;
    return this.#format(full, { isCell: true, says, base: place });
  }

  /** Adds an `xf`; `says` returns whether a property is its own. */
  #format(
    full: CellStyle,
    { isCell, says, base = 0 }: { isCell: boolean; says: Says; base?: number },
  ): string {
    const numberFormat = this.#numberFormatId(full.numberFormat ?? 'General');
    const font = this.#fonts.indexOf(fontElement(full));
    const fill = this.#fills.indexOf(fillElement(full));
    const border = this.#borders.indexOf(borderElement(full));
    const ids = `numFmtId="${numberFormat}" fontId="${font}" fillId="${fill}" borderId="${border}"`;
    const flags = Object.entries(groups).map(([group, keys]) => {
      const isOwn = keys.some(says);
      // A flag of a cell marks the groups that it sets; a flag of a base format those that it
      // leaves out.
      if (isCell) return isOwn ? ` apply${group}="1"` : '';
      return isOwn ? '' : ` apply${group}="0"`;
    });
    const content = alignmentElement(full) + protectionElement(full);
    const start = `<xf ${ids}${isCell ? ` xfId="${base}"` : ''}${flags.join('')}`;
    return content === '' ? `${start}/>` : `${start}>${content}</xf>`;
  }

  #numberFormatId(code: string): number {
    const known = builtInFormatId(code);
    return known ?? firstCustomFormatId + this.#numberFormats.indexOf(code);
  }
}

type Says = (key: string) => boolean;

const groups: Readonly<Record<string, readonly string[]>> = {
  NumberFormat: ['numberFormat'],
  Font: ['font', 'size', 'bold', 'italic', 'underline', 'strike', 'script', 'color'],
  Fill: ['fill'],
  Border: ['top', 'bottom', 'left', 'right', 'diagonalUp', 'diagonalDown'].map(
    (side) => `border.${side}`,
  ),
  Alignment: ['align', 'valign', 'wrap', 'shrink', 'rotation', 'indent'],
  Protection: ['locked', 'hidden'],
};

function section(name: string, elements: readonly string[]): string {
  return `<${name} count="${elements.length}">${elements.join('')}</${name}>`;
}

function fontElement(style: CellStyle): string {
  const { bold, italic, strike, underline, script, size = 11, color, font = 'Calibri' } = style;
  const line = underline === undefined ? '' : `<u val="${underline}"/>`;
  const place = script === undefined ? '' : `<vertAlign val="${script}script"/>`;
  return (
    `<font>${bold === true ? '<b/>' : ''}${italic === true ? '<i/>' : ''}` +
    `${strike === true ? '<strike/>' : ''}${line}${place}<sz val="${size}"/>` +
    `${colorElement('color', color ?? { theme: 1 })}<name val="${encodeText(font)}"/></font>`
  );
}

function fillElement({ fill }: CellStyle): string {
  if (fill === undefined) return '<fill><patternFill patternType="none"/></fill>';
  const colors = colorElement('fgColor', fill.fg) + colorElement('bgColor', fill.bg);
  const start = `<fill><patternFill patternType="${fill.pattern}"`;
  return colors === '' ? `${start}/></fill>` : `${start}>${colors}</patternFill></fill>`;
}

function borderElement(style: CellStyle): string {
  const [up, down] = [style['border.diagonalUp'], style['border.diagonalDown']];
  const flags = `${up ? ' diagonalUp="1"' : ''}${down ? ' diagonalDown="1"' : ''}`;
  const sides = ['left', 'right', 'top', 'bottom'] as const;
  const lines = sides.map((side) => lineElement(side, style[`border.${side}`]));
  // A file has one style for both diagonals.
  return `<border${flags}>${lines.join('')}${lineElement('diagonal', up ?? down)}</border>`;
}

function lineElement(side: string, line: BorderLine | undefined): string {
  if (line === undefined) return `<${side}/>`;
  const color = colorElement('color', line.color);
  const start = `<${side} style="${line.style}"`;
  return color === '' ? `${start}/>` : `${start}>${color}</${side}>`;
}

function alignmentElement(style: CellStyle): string {
  const { align, valign, wrap, shrink, rotation = 0, indent } = style;
  const turned = rotation < 0 ? 90 - rotation : rotation;
  const attributes =
    (align === undefined ? '' : ` horizontal="${align}"`) +
    (valign === undefined ? '' : ` vertical="${valign}"`) +
    (turned === 0 ? '' : ` textRotation="${turned}"`) +
    (wrap === true ? ' wrapText="1"' : '') +
    (indent === undefined ? '' : ` indent="${indent}"`) +
    (shrink === true ? ' shrinkToFit="1"' : '');
  return attributes === '' ? '' : `<alignment${attributes}/>`;
}

function protectionElement({ locked, hidden }: CellStyle): string {
  const attributes =
    (locked === false ? ' locked="0"' : '') + (hidden === true ? ' hidden="1"' : '');
  return attributes === '' ? '' : `<protection${attributes}/>`;
}
