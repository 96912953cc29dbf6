import { FormulaAssist } from '../formula/assist.ts';
import type { Vocabulary } from '../formula/completion.ts';
import type { NamedRange } from '../formula/references.ts';
import { arrows, mirroredKey } from './keys.ts';
import { pressedOf, typeInto, type Pressed } from './typed-key.ts';

/** Box of the active cell in pixels of the grid. */
export interface EditorBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Step = readonly [down: number, right: number];

interface EditorEvents {
  /** Called with an entered text; the step says where the selection goes. */
  readonly onCommit: (text: string, step: Step, isByArrow: boolean) => void;
  /** Called with a text that was entered for the whole selection. */
  readonly onCommitAll: (text: string) => void;
  /** Called when the menu key is pressed, with the place of the active cell in the window. */
  readonly onContext?: (at: { readonly x: number; readonly y: number }) => void;
  /** Called when a typed text is cancelled. */
  readonly onCancel: () => void;
  /** Called for a key while nothing is being typed; returns whether it is a command. */
  readonly onKey: (pressed: Pressed) => boolean;
  /** Holds a key back that has to wait for an earlier one. */
  readonly holds: (pressed: Pressed) => boolean;
  readonly lockedBecause: () => string | undefined;
  readonly vocabulary: (onMore: () => void) => Vocabulary;
  /** Called with the typed text and its references; undefined when typing ends. */
  readonly onText: (typed: Typed | undefined) => void;
  /** Called when an arrow key points at another cell for the formula. */
  readonly onPoint: (arrow: Step, isExtending: boolean) => void;
}

export interface Typed {
  readonly text: string;
  readonly references: readonly NamedRange[];
}

/**
 * Field over the active cell. It always has the focus, and is invisible until something is typed,
 * so that input methods compose from the first key and phones show their keyboard.
 */
export class CellEditor {
  readonly element: HTMLTextAreaElement;
  readonly assist: FormulaAssist;
  /** True where columns run from right to left, and so do arrows. */
  isMirrored = false;
  readonly #events: EditorEvents;
  #isOpen = false;
  #isPlain = false;
  /**
   * True when typing has opened the field, so that arrow keys leave the cell and do not move the
   * caret.
   */
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

  /** Enters the typed text without moving on; does nothing if nothing was typed. */
  commit(): void {
    if (this.#isOpen) this.#finish([0, 0]);
  }

  /** Closes the field, and returns what was typed. */
  take(): string {
    const { value } = this.element;
    this.#show(false);
    return value;
  }

  /** Returns whether the next paste is one of values only; resets that. */
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

  /**
   * Restores the caret: a closing dialog returns the focus without it, and letters would be lost.
   */
  #takeCaret(): void {
    if (!this.#isOpen) this.element.setSelectionRange(0, 0);
  }

  #onInput(): void {
    // A text that is being typed when a role is revoked stays until it is entered or cancelled.
    if (this.#isOpen) return;
    this.#isEntering = true;
    if (this.#events.lockedBecause() === undefined) this.#show(true);
    else this.element.value = '';
  }

  #onKey(event: KeyboardEvent): void {
    // A key for an input method is no command.
    if (event.isComposing) return;
    const pressed = pressedOf(event);
    const isCommand = pressed.ctrlKey || pressed.metaKey;
    this.#isPlain ||= isCommand && pressed.shiftKey && pressed.key.toLowerCase() === 'v';
    if (this.#events.holds(pressed) || this.press(pressed)) event.preventDefault();
  }

  /** Handles a key; returns false if the browser should do it. */
  press(pressed: Pressed): boolean {
    const led = this.isMirrored ? mirroredKey(pressed) : pressed;
    if (!this.#isOpen) return this.#events.onKey(led);
    if (this.assist.press(pressed) || this.#leads(led)) return true;
    return this.#ends(pressed);
  }

  /** Handles keys that enter or cancel the text, or break its line. */
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

  /**
   * Handles arrow keys, which enter a text and move on, or point at cells for a formula; after F2
   * they move the caret.
   */
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
