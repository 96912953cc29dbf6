import type { Address } from '../../../server/model/address.ts';
import { element } from './element.ts';
import type { Box } from './panes.ts';

/** The note of the cell under the pointer, beside it. */
export class NoteCard {
  readonly element = element('div', 'note-card');
  #shown = '';

  constructor() {
    this.element.hidden = true;
    this.element.setAttribute('role', 'tooltip');
    this.element.dir = 'auto';
  }

  hide(): void {
    this.#shown = '';
    this.element.hidden = true;
  }

  /** Shows the note of a cell, or hides the card. */
  show(cell: Address | undefined, text: string, boxOf: (cell: Address) => Box): void {
    const name = cell && text !== '' ? `${cell.row}:${cell.column}:${text}` : '';
    if (name === this.#shown) return;
    this.#shown = name;
    this.element.hidden = name === '';
    this.element.textContent = text;
    if (!cell || name === '') return;
    const { x, y, width } = boxOf(cell);
    this.element.style.insetInlineStart = `${x + width + gapPx}px`;
    this.element.style.top = `${y}px`;
  }
}

const gapPx = 6;
