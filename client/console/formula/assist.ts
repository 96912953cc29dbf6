import { typeInto, type Pressed } from '../grid/typed-key.ts';
import {
  completionAt,
  hintAt,
  type Candidate,
  type Completion,
  type Vocabulary,
} from './completion.ts';
import { FormulaPopup } from './popup.ts';
import { cycled, pointingPlace, referencesOf, type Edited, type NamedRange } from './references.ts';
import { tokensOf } from './tokens.ts';

export interface AssistEvents {
  /** Returns the words that are loaded, and calls back once when there are more. */
  readonly vocabulary: (onMore: () => void) => Vocabulary;
  /** Called with the references of the formula in the field. */
  readonly onReferences: (references: readonly NamedRange[]) => void;
}

/**
 * Assists in typing a formula: coloured references, completion of words, arguments of the function
 * at the caret, and references by pointing at cells.
 */
export class FormulaAssist {
  /** The field with what lies around it. */
  readonly element: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #layer: HTMLElement;
  readonly #popup: FormulaPopup;
  readonly #events: AssistEvents;
  #isOn = false;
  #completion: Completion | undefined;
  /** Caret for which words are offered. */
  #suggestedAt = -1;
  /** Reference from the last pointing, until something else is typed. */
  #pointed: Edited | undefined;

  constructor(field: HTMLTextAreaElement, events: AssistEvents) {
    this.#field = field;
    this.#events = events;
    this.element = document.createElement('div');
    this.element.className = 'formula-field';
    this.#layer = document.createElement('div');
    this.#layer.className = 'formula-layer';
    this.#layer.dir = 'ltr';
    this.#layer.setAttribute('aria-hidden', 'true');
    this.#popup = new FormulaPopup(field, (candidate) => this.#take(candidate));
    this.element.append(this.#layer, field, this.#popup.element);
    field.addEventListener('input', () => this.#typed());
    field.addEventListener('scroll', () => this.#follow());
    for (const name of ['keyup', 'pointerup'] as const) {
      field.addEventListener(name, () => this.#suggest(false));
    }
    field.addEventListener('blur', () => this.#popup.close());
  }

  /** True when pointing at a cell inserts its reference. */
  get canPoint(): boolean {
    return this.#isOn && (this.isPointing || pointingPlace(this.#edited) !== undefined);
  }

  get isPointing(): boolean {
    return this.#pointed !== undefined;
  }

  /** Turns assistance on or off with the typing. */
  turn(isOn: boolean): void {
    this.#isOn = isOn;
    this.#pointed = undefined;
    this.#popup.close();
    this.show();
  }

  /** Shows the text of the field, after any change of it. */
  show(): void {
    const { value } = this.#field;
    const tokens = tokensOf(value);
    // A formula is read from left to right, whatever its texts are.
    this.#field.dir = tokens.length > 0 ? 'ltr' : 'auto';
    const references = referencesOf(tokens);
    const colours = new Map(references.map(({ token, colour }) => [token, colour]));
    const pieces = tokens.map((token) => {
      const piece = document.createElement('span');
      const colour = colours.get(token);
      piece.className = colour === undefined ? token.kind : `reference peer-${(colour % 8) + 1}`;
      piece.textContent = token.text;
      return piece;
    });
    this.#layer.replaceChildren(...pieces);
    this.element.classList.toggle('is-coloured', tokens.length > 0);
    this.#events.onReferences(references);
    this.#follow();
  }

  /** Handles a key of the list or of references; returns whether it is one. */
  press(pressed: Pressed): boolean {
    if (pressed.key === 'F4') return this.#cycle();
    if (!this.#popup.isOpen || pressed.ctrlKey || pressed.altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[pressed.key];
    if (step !== undefined) this.#popup.pick(step);
    else if (pressed.key === 'Escape') this.#popup.closeList();
    else if (pressed.key === 'Tab')
      this.#take(this.#popup.picked ?? this.#completion?.candidates[0]);
    else if (pressed.key === 'Enter' && this.#popup.picked) this.#take(this.#popup.picked);
    else return false;
    return true;
  }

  /** Inserts a reference at the caret, or in place of the last pointing. */
  point(name: string): void {
    const { start, end } = this.#pointed ?? pointingPlace(this.#edited) ?? this.#edited;
    this.#field.setRangeText(name, start, end, 'end');
    this.#pointed = { text: name, start, end: start + name.length };
    this.show();
    this.#popup.close();
  }

  get #edited(): Edited {
    const { value: text, selectionStart: start, selectionEnd: end } = this.#field;
    return { text, start, end };
  }

  #typed(): void {
    this.#pointed = undefined;
    this.show();
    this.#suggest(true);
  }

  #cycle(): boolean {
    const next = cycled(this.#edited);
    if (!next) return false;
    this.#field.value = next.text;
    this.#field.setSelectionRange(next.end, next.end);
    this.show();
    return true;
  }

  /** Offers words while somebody types, and arguments wherever the caret is. */
  #suggest(isTyping: boolean): void {
    const { text, start, end } = this.#edited;
    if (!isTyping && start === end && start === this.#suggestedAt) return;
    this.#suggestedAt = -1;
    if (!this.#isOn || !text.startsWith('=') || start !== end) {
      this.#popup.close();
      return;
    }
    this.#suggestedAt = start;
    const known = this.#events.vocabulary(() => this.#suggest(true));
    if (isTyping) this.#completion = completionAt(text, start, known);
    else if (this.#completion?.end !== start) this.#completion = undefined;
    this.#popup.show(this.#completion?.candidates ?? [], hintAt(text, start, known.functions));
  }

  #take(candidate: Candidate | undefined): void {
    const { start, end } = this.#completion ?? this.#edited;
    if (!candidate) return;
    const isOpened = candidate.text.endsWith('(') && this.#field.value[end] === '(';
    const text = isOpened ? candidate.text.slice(0, -1) : candidate.text;
    this.#field.setRangeText(text, start, end, 'end');
    if (isOpened) typeInto(this.#field, { ...arrowRight });
    else this.#typed();
  }

  #follow(): void {
    this.#layer.scrollTop = this.#field.scrollTop;
    this.#layer.scrollLeft = this.#field.scrollLeft;
  }
}

const arrowRight: Pressed = {
  key: 'ArrowRight',
  code: 'ArrowRight',
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
};
