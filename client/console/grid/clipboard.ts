import { rangeName, type Range } from '../../../server/model/range.ts';
import type { GridSource } from './source.ts';

/** A block of cells that comes out of the clipboard. */
export interface Pasted {
  readonly text: string;
  readonly rows: readonly (readonly string[])[];
  /** The mark by which a grid of this service knows its cells; undefined where others copied them. */
  readonly mark: string | undefined;
}

interface Clipping {
  readonly isTyping: () => boolean;
  /** Returns the cells to copy; undefined where several ranges are selected. */
  readonly range: () => Range | undefined;
  readonly source: Pick<GridSource, 'cellAt'>;
  /** Says what is copied to those who paste it into a grid; empty where cells are texts alone. */
  readonly markOf: (range: Range, isCut: boolean) => string;
  /** Hears the text under which the last copied cells lie in the clipboard. */
  readonly onText: (text: string) => void;
  readonly onTell: (sentence: string) => void;
  /** Asks for texts of cells that are not loaded. */
  readonly load: (range: Range) => Promise<readonly (readonly string[])[]>;
  /** Lets an act wait for keys before it; false where it can be done at once. */
  readonly later: (act: () => void) => boolean;
  readonly onPaste: (pasted: Pasted) => void;
}

const markType = 'application/vnd.quire.range+json';

/** Answers the clipboard events of the field that has the focus: no permission is needed. */
export function listenToClipboard(
  field: HTMLElement,
  clipping: Clipping,
  signal: AbortSignal,
): void {
  const listen = (name: 'copy' | 'cut' | 'paste', take: (event: ClipboardEvent) => void) =>
    field.addEventListener(
      name,
      (event) => {
        if (clipping.isTyping()) return;
        event.preventDefault();
        take(event);
      },
      { signal },
    );
  const copier = new Copier(clipping);
  // Commands of a menu copy without a selected text.
  for (const name of ['beforecopy', 'beforecut']) {
    field.addEventListener(name, (event) => clipping.isTyping() || event.preventDefault(), {
      signal,
    });
  }
  // A copy that comes while keys are on their way is asked for again when they are done.
  const copyLater = (name: string) => clipping.later(() => void document.execCommand(name));
  listen('copy', (event) => copyLater('copy') || copier.copy(event, false));
  listen('cut', (event) => copyLater('cut') || copier.copy(event, true));
  listen('paste', ({ clipboardData }) => {
    const text = clipboardData?.getData('text/plain') ?? '';
    const mark = clipboardData?.getData(markType) || undefined;
    if (text === '' && mark === undefined) return;
    const paste = () => clipping.onPaste({ text, rows: readFields(text), mark });
    if (!clipping.later(paste)) paste();
  });
}

/** Puts cells into the clipboard; those that are not loaded are asked for first. */
class Copier {
  readonly #clipping: Clipping;
  #loaded: { readonly range: Range; readonly text: string } | undefined;

  constructor(clipping: Clipping) {
    this.#clipping = clipping;
  }

  copy(event: ClipboardEvent, isCut: boolean): void {
    const { range, onTell } = this.#clipping;
    const copied = range();
    if (copied) this.#copyRange(copied, event, isCut);
    else onTell('Several ranges are not copied at once: select one of them, and copy that.');
  }

  #copyRange(range: Range, { clipboardData }: ClipboardEvent, isCut: boolean): void {
    const { source, markOf, onText } = this.#clipping;
    clipboardData?.setData(markType, markOf(range, isCut));
    const isLoaded = isLoadedWhole(range, source);
    const isKept = this.#loaded !== undefined && rangeName(this.#loaded.range) === rangeName(range);
    const text = isLoaded ? fieldsOf(range, source) : isKept ? (this.#loaded?.text ?? '') : '';
    clipboardData?.setData('text/plain', text);
    if (isLoaded) clipboardData?.setData('text/html', markupOf(range, source));
    this.#loaded = undefined;
    if (isLoaded || isKept) onText(text);
    else void this.#copyLoaded(range);
  }

  async #copyLoaded(range: Range): Promise<void> {
    const { load, onText, onTell } = this.#clipping;
    onTell('The cells that you copied are being loaded…');
    try {
      const rows = await load(range);
      const text = rows.map((row) => row.map(quotedField).join('\t')).join('\n');
      this.#loaded = { range, text };
      await navigator.clipboard.writeText(text);
      onText(text);
      onTell('The cells are copied.');
    } catch {
      // Without the permission to write by oneself, the next copy event can.
      const isLoaded = this.#loaded !== undefined;
      onTell(
        isLoaded
          ? 'The cells are loaded: press Ctrl+C once more to copy them.'
          : 'The cells could not be loaded: copy them once more, or fewer at once.',
      );
    }
  }
}

function isLoadedWhole(range: Range, source: Pick<GridSource, 'cellAt'>): boolean {
  for (let { row0: row } = range; row <= range.row1; row++) {
    for (let { column0: column } = range; column <= range.column1; column++) {
      if (source.cellAt(row, column) === undefined) return false;
    }
  }
  return true;
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
  for (let { row0: row } = range; row <= range.row1; row++) {
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

/** Returns the cells of a range as they are shown, as tab-separated text. */
function fieldsOf(range: Range, source: Pick<GridSource, 'cellAt'>): string {
  const lines: string[] = [];
  for (let { row0: row } = range; row <= range.row1; row++) {
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
