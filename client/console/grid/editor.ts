import { FormulaAssist } from '../formula/assist.ts';
import type { Vocabulary } from '../formula/completion.ts';
import type { NamedRange } from '../formula/references.ts';
import { arrows, mirroredKey } from './keys.ts';
import { typeInto, type Pressed } from './typed-key.ts';

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
  readonly onCommit: (text: string, step: Step, isByArrow: boolean) => void;
  /** A text was entered for all that is selected. */
  readonly onCommitAll: (text: string) => void;
  /** The key for menus asks for one at the active cell, at a place of the window. */
  readonly onContext?: (at: { readonly x: number; readonly y: number }) => void;
  /** A typed text was given up. */
  readonly onCancel: () => void;
  /** A key while nothing is being typed; returns whether it is a command. */
  readonly onKey: (pressed: Pressed) => boolean;
  /** Keeps a key that has to wait for one before it. */
  readonly holds: (event: KeyboardEvent) => boolean;
  readonly lockedBecause: () => string | undefined;
  readonly vocabulary: (onMore: () => void) => Vocabulary;
  /** The text being typed, with its references; undefined when nothing is any more. */
  readonly onText: (typed: Typed | undefined) => void;
  /** An arrow points at another cell for the formula. */
  readonly onPoint: (arrow: Step, isExtending: boolean) => void;
}

export interface Typed {
  readonly text: string;
  readonly references: readonly NamedRange[];
}

/**
 * The field over the active cell. It always has the focus, invisible until something is typed, so
 * that input methods compose from the first key and phones show their keyboard.
 */
export class CellEditor {
  readonly element: HTMLTextAreaElement;
  readonly assist: FormulaAssist;
  /** True where columns run from right to left, and so do arrows. */
  isMirrored = false;
  readonly #events: EditorEvents;
  #isOpen = false;
  #isPlain = false;
  /** True where typing has opened the field: arrows lead on, and do not move the caret. */
  #isEntering = false;

  constructor(events: EditorEvents) {
    this.#events = events;
    const field = document.createElement('textarea');
    field.className = 'grid-editor';
    field.setAttribute('aria-label', 'Cell input');
    field.spellcheck = false;
    field.autocapitalize = 'off';
    field.rows = 1;
    this.element = field;
    this.assist = new FormulaAssist(field, {
      vocabulary: (onMore) => events.vocabulary(onMore),
      onReferences: (references) =>
        events.onText(this.#isOpen ? { text: field.value, references } : undefined),
    });
    field.addEventListener('pointerdown', () => {
      this.#isEntering = false;
    });
    field.addEventListener('keydown', (event) => this.#onKey(event));
    field.addEventListener('input', () => this.#onInput());
    field.addEventListener('focus', () => this.#takeCaret());
    field.addEventListener('contextmenu', (event) => this.#askMenu(event));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  focus(): void {
    this.element.focus({ preventScroll: true });
    this.#takeCaret();
  }

  open(text: string): void {
    if (this.#events.lockedBecause() !== undefined) return;
    this.element.value = text;
    this.#isEntering = false;
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

  /** Answers, once, whether the paste that comes is one of values alone. */
  takePlain(): boolean {
    const isPlain = this.#isPlain;
    this.#isPlain = false;
    return isPlain;
  }

  place({ x, y, width, height }: EditorBox): void {
    const { style: around } = this.assist.element;
    around.insetInlineStart = `${x}px`;
    around.top = `${y}px`;
    const { style } = this.element;
    style.minWidth = `${width}px`;
    style.minHeight = `${height}px`;
  }

  /** A dialog that closes gives the focus back without the caret, and letters would go nowhere. */
  #takeCaret(): void {
    if (!this.#isOpen) this.element.setSelectionRange(0, 0);
  }

  #onInput(): void {
    // A text being typed when a role is taken away stays until it is entered or given up.
    if (this.#isOpen) return;
    this.#isEntering = true;
    if (this.#events.lockedBecause() === undefined) this.#show(true);
    else this.element.value = '';
  }

  #onKey(event: KeyboardEvent): void {
    // A key that an input method takes is no command.
    if (event.isComposing) return;
    const isCommand = event.ctrlKey || event.metaKey;
    this.#isPlain ||= isCommand && event.shiftKey && event.key.toLowerCase() === 'v';
    if (this.#events.holds(event) || this.press(event)) event.preventDefault();
  }

  /** Does what a key asks for; returns false where it is for the browser to do. */
  press(pressed: Pressed): boolean {
    const led = this.isMirrored ? mirroredKey(pressed) : pressed;
    if (!this.#isOpen) return this.#events.onKey(led);
    if (this.assist.press(pressed) || this.#leads(led)) return true;
    return this.#ends(pressed);
  }

  /** Enters or leaves what is being typed, or breaks its line. */
  #ends({ key, altKey, ctrlKey, metaKey, shiftKey }: Pressed): boolean {
    const back = shiftKey ? -1 : 1;
    if (key === 'Tab') this.#finish([0, back]);
    else if (key === 'Escape') this.#cancel();
    else if (key !== 'Enter') return false;
    else if (altKey) this.#breakLine();
    else if (ctrlKey || metaKey) this.#events.onCommitAll(this.take());
    else this.#finish([back, 0]);
    return true;
  }

  /** Arrows enter a text and lead on, or point at cells for a formula; F2 gives them to the caret. */
  #leads({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed): boolean {
    if (key === 'F2') {
      this.#isEntering = !this.#isEntering;
      return true;
    }
    const arrow = arrows[key];
    if (!arrow || !this.#isEntering || ctrlKey || metaKey || altKey) return false;
    const isFormula = this.element.value.startsWith('=');
    if (this.assist.canPoint) this.#events.onPoint(arrow, shiftKey);
    else if (isFormula || shiftKey) return false;
    else this.#finish(arrow, true);
    return true;
  }

  #askMenu(event: MouseEvent): void {
    if (this.#isOpen || !this.#events.onContext) return;
    event.preventDefault();
    const { left, bottom } = this.element.getBoundingClientRect();
    this.#events.onContext({ x: left, y: bottom });
  }

  #cancel(): void {
    this.#show(false);
    this.#events.onCancel();
  }

  #breakLine(): void {
    typeInto(this.element, { ...plainKey, key: '\n' });
  }

  #finish(step: Step, isByArrow = false): void {
    this.#events.onCommit(this.take(), step, isByArrow);
  }

  #show(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.assist.element.classList.toggle('is-open', isOpen);
    if (!isOpen) this.element.value = '';
    this.assist.turn(isOpen);
  }
}

const plainKey = { code: '', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
