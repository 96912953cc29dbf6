import { rangeName, type Range } from '../../../server/model/range.ts';
import type { ShownCell } from '../store/block-store.ts';
import { markupOf } from './copied-markup.ts';
import { tableIn, type PastedLook } from './pasted-looks.ts';
import { joined, piecesOf, type Pieces } from './pieces.ts';
import type { GridSource } from './source.ts';

/** A block of cells from the clipboard. */
export interface Pasted {
  readonly text: string;
  readonly rows: readonly (readonly string[])[];
  /** Styles of its cells, as far as the clipboard has them. */
  readonly looks: readonly (readonly PastedLook[])[];
  /** Areas of it that are one cell, counted from its first cell. */
  readonly merged: readonly Range[];
  /**
   * Mark by which a grid of this service recognises its cells; undefined for cells from elsewhere.
   */
  readonly mark: string | undefined;
}

export interface Clipping {
  readonly isTyping: () => boolean;
  /** Returns all selected ranges, cut to the used cells. */
  readonly ranges: () => Pieces;
  readonly source: Pick<GridSource, 'cellAt' | 'themeColors'>;
  /** Returns the mark for copied cells; empty if they are copied as texts only. */
  readonly markOf: (pieces: Pieces, isCut: boolean) => string;
  /** Called with the text of the copied cells in the clipboard. */
  readonly onText: (text: string) => void;
  readonly onTell: (sentence: string) => void;
  /** Loads texts of cells that are not in memory. */
  readonly load: (range: Range) => Promise<readonly (readonly string[])[]>;
  /** Delays an act until earlier keys are done; returns false if it can be done at once. */
  readonly later: (act: () => void) => boolean;
  readonly onPaste: (pasted: Pasted) => void;
}

const markType = 'application/vnd.quire.range+json';

/** Handles the clipboard events of the focused field, which need no permission. */
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
  // These events let commands of a menu copy without a selected text.
  for (const name of ['beforecopy', 'beforecut']) {
    field.addEventListener(name, (event) => clipping.isTyping() || event.preventDefault(), {
      signal,
    });
  }
  // A copy while earlier keys are still being handled is repeated after them.
  const copyLater = (name: string) => clipping.later(() => void document.execCommand(name));
  listen('copy', (event) => copyLater('copy') || copier.copy(event, false));
  listen('cut', (event) => copyLater('cut') || copier.copy(event, true));
  listen('paste', ({ clipboardData }) => {
    const text = clipboardData?.getData('text/plain') ?? '';
    const mark = clipboardData?.getData(markType) || undefined;
    if (text === '' && mark === undefined) return;
    const { looks, merged } = tableIn(clipboardData?.getData('text/html') ?? '');
    const paste = () => clipping.onPaste({ text, rows: readFields(text), looks, merged, mark });
    if (!clipping.later(paste)) paste();
  });
}

/** Copies cells into the clipboard, after loading the missing ones. */
class Copier {
  readonly #clipping: Clipping;
  #loaded: { readonly name: string; readonly text: string } | undefined;

  constructor(clipping: Clipping) {
    this.#clipping = clipping;
  }

  copy(event: ClipboardEvent, isCut: boolean): void {
    const { ranges, onTell } = this.#clipping;
    const pieces = piecesOf(ranges());
    if (isCut && pieces?.[1]) onTell('One range at a time is cut: copy them, or cut one by one.');
    else if (pieces) this.#copyPieces(pieces, event, isCut);
    else onTell('Ranges are copied together if they are of the same rows or the same columns.');
  }

  #copyPieces(pieces: Pieces, { clipboardData }: ClipboardEvent, isCut: boolean): void {
    const { source, markOf, onText } = this.#clipping;
    clipboardData?.setData(markType, markOf(pieces, isCut));
    const rows = cellsOf(pieces, source);
    const isLoaded = rows.every((row) => row.every((cell) => cell !== undefined));
    const isKept = this.#loaded?.name === nameOf(pieces);
    const text = isLoaded ? fieldsOf(rows) : isKept ? (this.#loaded?.text ?? '') : '';
    clipboardData?.setData('text/plain', text);
    if (isLoaded) clipboardData?.setData('text/html', markupOf(rows, source.themeColors));
    this.#loaded = undefined;
    if (isLoaded || isKept) onText(text);
    else void this.#copyLoaded(pieces);
  }

  async #copyLoaded(pieces: Pieces): Promise<void> {
    const { load, onText, onTell } = this.#clipping;
    onTell('The cells that you copied are being loaded…');
    try {
      const rows = joined(pieces, await Promise.all(pieces.map(load)));
      const text = rows.map((row) => row.map(quotedField).join('\t')).join('\n');
      this.#loaded = { name: nameOf(pieces), text };
      await navigator.clipboard.writeText(text);
      onText(text);
      onTell('The cells are copied.');
    } catch {
      // Without permission to write to the clipboard, the next copy event does it.
      const isLoaded = this.#loaded !== undefined;
      onTell(
        isLoaded
          ? 'The cells are loaded: press Ctrl+C once more to copy them.'
          : 'The cells could not be loaded: copy them once more, or fewer at once.',
      );
    }
  }
}

function nameOf(pieces: Pieces): string {
  return pieces.map(rangeName).join(',');
}

type Cells = readonly (readonly (ShownCell | undefined)[])[];

/** Returns the cells of pieces row by row; undefined for cells that are not loaded. */
function cellsOf(pieces: Pieces, source: Pick<GridSource, 'cellAt'>): Cells {
  const blockOf = ({ row0, row1, column0, column1 }: Range) =>
    Array.from({ length: row1 - row0 + 1 }, (_, down) =>
      Array.from({ length: column1 - column0 + 1 }, (__, right) =>
        source.cellAt(row0 + down, column0 + right),
      ),
    );
  return joined(pieces, pieces.map(blockOf));
}

/** Returns a range without the unused parts of whole rows and columns. */
export function clippedTo(range: Range, used: Range): Range {
  return {
    ...range,
    row1: Math.min(range.row1, Math.max(range.row0, used.row1)),
    column1: Math.min(range.column1, Math.max(range.column0, used.column1)),
  };
}

/** Returns cells as they are shown, as tab-separated text. */
function fieldsOf(rows: Cells): string {
  return rows.map((row) => row.map((cell) => quotedField(cell?.text ?? '')).join('\t')).join('\n');
}

/** Returns a field of tab-separated text, quoted if it has a tab, a line break or a quote. */
function quotedField(text: string): string {
  return /[\t\n"]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reads tab-separated text, as spreadsheets put it into the clipboard. */
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
