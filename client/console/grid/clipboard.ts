import type { Range } from '../../../server/model/range.ts';
import type { GridSource } from './source.ts';

interface Clipping {
  readonly isTyping: () => boolean;
  readonly copied: () => { readonly range: Range; readonly source: Pick<GridSource, 'cellAt'> };
  readonly onCut: () => void;
  readonly onPaste: (rows: string[][]) => void;
}

/** Answers the clipboard events of the field that has the focus: no permission is needed. */
export function listenToClipboard(
  field: HTMLElement,
  { isTyping, copied, onCut, onPaste }: Clipping,
  signal: AbortSignal,
): void {
  const copy = (event: ClipboardEvent) => {
    const { range, source } = copied();
    event.clipboardData?.setData('text/plain', fieldsOf(range, source));
    event.clipboardData?.setData('text/html', markupOf(range, source));
  };
  const listen = (name: 'copy' | 'cut' | 'paste', take: (event: ClipboardEvent) => void) =>
    field.addEventListener(
      name,
      (event) => {
        if (isTyping()) return;
        event.preventDefault();
        take(event);
      },
      { signal },
    );
  listen('copy', copy);
  listen('cut', (event) => {
    copy(event);
    onCut();
  });
  listen('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text !== '') onPaste(readFields(text));
  });
}

/** Whole rows and columns are copied as far as the sheet holds anything. */
export function clippedTo(range: Range, used: Range): Range {
  return {
    ...range,
    row1: Math.min(range.row1, Math.max(range.row0, used.row1)),
    column1: Math.min(range.column1, Math.max(range.column0, used.column1)),
  };
}

/** Returns the cells of a range as a table of HTML, with their bold and italic texts. */
function markupOf(range: Range, source: Pick<GridSource, 'cellAt'>): string {
  const lines: string[] = [];
  for (let { row0: row } = range; row <= range.row1 && lines.length < rowsMost; row++) {
    const cells: string[] = [];
    for (let { column0: column } = range; column <= range.column1; column++) {
      const cell = source.cellAt(row, column);
      const text = escaped(cell?.text ?? '');
      const strong = cell?.style?.bold === true ? `<b>${text}</b>` : text;
      cells.push(`<td>${cell?.style?.italic === true ? `<i>${strong}</i>` : strong}</td>`);
    }
    lines.push(`<tr>${cells.join('')}</tr>`);
  }
  return `<table>${lines.join('')}</table>`;
}

function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return text.replaceAll(/[&<>]/gu, (sign) => signs[sign] ?? sign);
}

/** Rows that are copied at most. */
const rowsMost = 250_000;

/** Returns the cells of a range as they are shown, as tab-separated text. */
function fieldsOf(range: Range, source: Pick<GridSource, 'cellAt'>): string {
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
function readFields(text: string): string[][] {
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
