import { textPattern } from '../../../server/model/typed-input.ts';
import type { CellStyle, ShownCell } from '../store/block-store.ts';
import { cssColour, fillOf } from './colours.ts';

type Cells = readonly (readonly (ShownCell | undefined)[])[];

/** Ground and lines of a pattern without colours. */
const usual = { ink: '#000000', paper: '#ffffff' };

/** Elements that say how a text looks, for programs that read no styles. */
const marks: readonly (readonly [tag: string, isOn: (style: CellStyle) => boolean])[] = [
  ['s', ({ strike }) => strike === true],
  ['u', ({ underline = 'none' }) => underline !== 'none'],
  ['i', ({ italic }) => italic === true],
  ['b', ({ bold }) => bold === true],
];

/** Returns cells as an HTML table with their looks, as other spreadsheets read it. */
export function markupOf(rows: Cells, theme: readonly string[]): string {
  const lines = rows.map((row) => {
    const cells = row.map((cell) => `<td${attributeOf(cell, theme)}>${contentOf(cell)}</td>`);
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table>${lines.join('')}</table>`;
}

function contentOf(cell: ShownCell | undefined): string {
  const lines = (cell?.text ?? '').split('\n').map(escaped);
  const text = lines.join('<br style="mso-data-placement:same-cell">');
  const style = cell?.style ?? {};
  return marks.reduce((inner, [tag, isOn]) => {
    return isOn(style) ? `<${tag}>${inner}</${tag}>` : inner;
  }, text);
}

function attributeOf(cell: ShownCell | undefined, theme: readonly string[]): string {
  const { style = {}, kind, text = '' } = cell ?? {};
  const { align = '', numberFormat } = style;
  // A text stays one where it looks like something else.
  const isOdd = kind === 'text' && /^(?:[\d=+\-.,@]|true$|false$)/iu.test(text);
  const pattern = numberFormat ?? (isOdd ? textPattern : undefined);
  const declarations = [
    ['color', cssColour(style.color, theme)],
    ['background', fillOf(style, theme, usual)],
    ['text-align', ['left', 'center', 'right'].includes(align) ? align : undefined],
    ['mso-number-format', pattern === undefined ? undefined : `"${patternText(pattern)}"`],
  ] as const;
  const css = declarations.flatMap(([name, value]) => (value ? [`${name}:${value}`] : []));
  return css.length === 0 ? '' : ` style="${escaped(css.join(';'))}"`;
}

/** Returns a number format as Excel reads it: each sign behind a slash. */
function patternText(pattern: string): string {
  return pattern.replaceAll(/[^\w ]/gu, (sign) => `\\${sign}`);
}

function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replaceAll(/[&<>"]/gu, (sign) => signs[sign] ?? sign);
}
