import type { Range } from '../../../server/model/range.ts';
import type { GridSource } from './source.ts';

/** Rows that are copied at most. */
const rowsMost = 250_000;

/** Returns the cells of a range as they are shown, as tab-separated text. */
export function fieldsOf(range: Range, source: Pick<GridSource, 'cellAt'>): string {
  const lines: string[] = [];
  for (let { row0: row } = range; row <= range.row1 && lines.length < rowsMost; row++) {
    const cells: string[] = [];
    for (let { column0: column } = range; column <= range.column1; column++) {
      cells.push(quotedField(source.cellAt(row, column)?.text ?? ''));
    }
    lines.push(cells.join('\t'));
  }
  return lines.join('\n');
}

/** A field of tab-separated text: with quotes where it holds a tab, a line break or a quote. */
function quotedField(text: string): string {
  return /[\t\n"]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reads tab-separated text as spreadsheets put it on the clipboard. */
export function readFields(text: string): string[][] {
  const rows: string[][] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/gu;
  let row: string[] = [];
  for (const match of text.matchAll(pattern)) {
    const [whole, quoted, plain = '', end] = match;
    if (whole === '' && match.index >= text.length && row.length === 0) break;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\t') continue;
    rows.push(row);
    row = [];
    if (end === '') break;
  }
  return rows;
}
