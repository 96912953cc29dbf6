import { characterOf, pressedOf, type Pressed } from './typed-key.ts';

/** Keys without a character that mean something in cells. */
const cellKeys = new Set([
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'Backspace',
  'Delete',
  'Enter',
  'F2',
]);
/** Keys that belong to the page until something is typed. */
const pageKeys = new Set(['Tab', 'Escape']);
/** Elements in which keys mean something of their own. */
const fields = 'input, textarea, select, [contenteditable], dialog, [role=dialog], [role=menu]';

/**
 * Keys that are pressed while cells are loaded and no field has the focus. The grid takes them once
 * it is there, in their order.
 */
export class EarlyKeys {
  readonly #abort = new AbortController();
  #pressed: Pressed[] = [];

  constructor(page: Document) {
    const { signal } = this.#abort;
    page.addEventListener('keydown', (event) => this.#note(event, page), { signal });
  }

  /** Ends the noting, and returns the keys. */
  take(): readonly Pressed[] {
    this.#abort.abort();
    return this.#pressed.splice(0);
  }

  #note(event: KeyboardEvent, { activeElement, body }: Document): void {
    if (event.defaultPrevented || event.isComposing || activeElement?.closest(fields)) return;
    const pressed = pressedOf(event);
    // A link or button that was clicked keeps the focus, and its own keys.
    const isOnControl = activeElement !== null && activeElement !== body;
    if (!this.#isForCells(pressed, isOnControl)) return;
    event.preventDefault();
    this.#pressed.push(pressed);
  }

  #isForCells(pressed: Pressed, isOnControl: boolean): boolean {
    const { key, ctrlKey, metaKey, altKey } = pressed;
    const hasBegun = this.#pressed.length > 0;
    if (characterOf(pressed) !== '') return hasBegun || !isOnControl || key !== ' ';
    if (ctrlKey || metaKey || altKey) return false;
    if (cellKeys.has(key)) return hasBegun || !isOnControl;
    return pageKeys.has(key) && hasBegun;
  }
}
