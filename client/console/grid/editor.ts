import type { Pressed } from './typed-key.ts';

/** Where the active cell is, in pixels of the grid. */
export interface EditorBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Step = readonly [down: number, right: number];

interface EditorEvents {
  /** A text was entered; the step says where the selection goes. */
  readonly onCommit: (text: string, step: Step) => void;
  /** A text was entered for all that is selected. */
  readonly onCommitAll: (text: string) => void;
  /** A key while nothing is being typed; answers whether it is a command. */
  readonly onKey: (pressed: Pressed) => boolean;
  /** Keeps a key that has to wait for one before it. */
  readonly holds: (event: KeyboardEvent) => boolean;
  readonly lockedBecause: () => string | undefined;
}

/**
 * The field over the active cell. It always has the focus, invisible until something is typed, so
 * that input methods compose from the first key and phones show their keyboard.
 */
export class CellEditor {
  readonly element: HTMLTextAreaElement;
  readonly #events: EditorEvents;
  #isOpen = false;

  constructor(events: EditorEvents) {
    this.#events = events;
    const field = document.createElement('textarea');
    field.className = 'grid-editor';
    field.setAttribute('aria-label', 'Cell input');
    field.spellcheck = false;
    field.autocapitalize = 'off';
    field.rows = 1;
    this.element = field;
    field.addEventListener('keydown', (event) => this.#onKey(event));
    field.addEventListener('input', () => this.#onInput());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  focus(): void {
    this.element.focus({ preventScroll: true });
  }

  open(text: string): void {
    if (this.#events.lockedBecause() !== undefined) return;
    this.element.value = text;
    this.#show(true);
    this.focus();
    this.element.setSelectionRange(text.length, text.length);
  }

  /** Enters what was typed without moving on; does nothing where nothing was. */
  commit(): void {
    if (this.#isOpen) this.#finish([0, 0]);
  }

  /** Closes the field, and returns what was typed. */
  take(): string {
    const { value } = this.element;
    this.#show(false);
    return value;
  }

  place({ x, y, width, height }: EditorBox): void {
    const { style } = this.element;
    style.transform = `translate(${x}px, ${y}px)`;
    style.minWidth = `${width}px`;
    style.height = `${height}px`;
  }

  #onInput(): void {
    // A text being typed when a role is taken away stays until it is entered or given up.
    if (this.#isOpen) return;
    if (this.#events.lockedBecause() === undefined) this.#show(true);
    else this.element.value = '';
  }

  #onKey(event: KeyboardEvent): void {
    // A key that an input method takes is no command.
    if (event.isComposing) return;
    if (this.#events.holds(event) || this.press(event)) event.preventDefault();
  }

  /** Does what a key asks for; answers false where it is for the browser to do. */
  press(pressed: Pressed): boolean {
    if (!this.#isOpen) return this.#events.onKey(pressed);
    const { selectionStart, selectionEnd } = this.element;
    const back = pressed.shiftKey ? -1 : 1;
    if (pressed.key === 'Enter' && pressed.altKey)
      this.element.setRangeText('\n', selectionStart, selectionEnd, 'end');
    else if (pressed.key === 'Enter' && (pressed.ctrlKey || pressed.metaKey))
      this.#events.onCommitAll(this.take());
    else if (pressed.key === 'Enter') this.#finish([back, 0]);
    else if (pressed.key === 'Tab') this.#finish([0, back]);
    else if (pressed.key === 'Escape') this.#show(false);
    else return false;
    return true;
  }

  #finish(step: Step): void {
    this.#events.onCommit(this.take(), step);
  }

  #show(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.element.classList.toggle('is-open', isOpen);
    if (!isOpen) this.element.value = '';
  }
}
