import type { Address } from '../../../server/model/address.ts';
import { element } from './element.ts';
import type { Box } from './panes.ts';

interface NoteParts {
  /** Returns the note of a cell; a blank text if it has none. */
  readonly noteOf: (cell: Address) => string;
  readonly boxOf: (cell: Address) => Box;
}

/** The note of the cell under the pointer, beside it. */
export class NoteCard {
  readonly element = element('div', 'note-card');
  readonly #parts: NoteParts;
  #cell: Address | undefined;
  #shown = '';

  constructor(parts: NoteParts) {
    this.#parts = parts;
    this.element.hidden = true;
    this.element.setAttribute('role', 'tooltip');
    this.element.dir = 'auto';
  }

  /** Shows the note of a cell; undefined hides it. */
  follow(cell: Address | undefined): void {
    this.#cell = cell;
    this.refresh();
  }

  /** Shows the note that the cell has by now. */
  refresh(): void {
    const cell = this.#cell;
    const text = cell ? this.#parts.noteOf(cell) : '';
    const name = cell && text !== '' ? `${cell.row}:${cell.column}:${text}` : '';
    if (name === this.#shown) return;
    this.#shown = name;
    this.element.hidden = name === '';
    this.element.textContent = text;
    if (!cell || name === '') return;
    const { x, y, width } = this.#parts.boxOf(cell);
    this.element.style.insetInlineStart = `${x + width + gapPx}px`;
    this.element.style.top = `${y}px`;
  }
}

const gapPx = 6;
