import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { FormulaAssist, type AssistEvents } from '../formula/assist.ts';
import type { Address } from '../../../server/model/address.ts';
import type { PointingField, ShownSheet } from '../grid/grid-events.ts';
import { pressedOf } from '../grid/typed-key.ts';

/** A cell for which an input is typed. */
interface TypedPlace {
  readonly sheet: ShownSheet | undefined;
  readonly cell: Address;
}

interface BarParts {
  readonly name: string;
  readonly input: string;
  readonly isLocked: boolean;
  /** False until the input of the cell is loaded, before which nothing can be typed. */
  readonly isKnown: boolean;
  readonly words: AssistEvents;
  readonly onGo: (text: string) => void;
  /** The active cell, and its sheet. */
  readonly place: TypedPlace;
  readonly onEnter: (text: string, at: TypedPlace) => void;
  readonly onLeave: () => void;
  /** This field while it takes references by pointing. */
  readonly pointing: { current: PointingField | undefined };
}

/** Name of the selection, and the input of its active cell. */
export function FormulaBar(parts: BarParts) {
  const { name, onGo, onLeave } = parts;
  // A typed text is kept when the selection moves meanwhile.
  const [typed, setTyped] = useState<string>();
  const go = (event: Event) => {
    event.preventDefault();
    setTyped(undefined);
    onGo(typed ?? name);
  };
  return (
    <div class="formula-bar">
      <form onSubmit={go}>
        <input
          class="name-box"
          aria-label="Go to cell"
          value={typed ?? name}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onBlur={() => setTyped(undefined)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onLeave();
          }}
        />
      </form>
      <FormulaInput {...parts} />
    </div>
  );
}

/** Field that is made once and keeps its text, because helpers write into it too. */
function FormulaInput(parts: BarParts) {
  const { name, input, isLocked, isKnown } = parts;
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<InputField | undefined>(undefined);
  const latest = useRef(parts);
  latest.current = parts;
  useLayoutEffect(() => {
    made.current = new InputField(latest);
    host.current?.replaceChildren(made.current.assist.element);
  }, []);
  useLayoutEffect(() => made.current?.take(input), [input, name]);
  useLayoutEffect(() => made.current?.lock(), [isLocked, isKnown]);
  return <div class="formula-host" ref={host} />;
}

class InputField implements PointingField {
  readonly assist: FormulaAssist;
  readonly #field = document.createElement('textarea');
  readonly #latest: { readonly current: BarParts };
  /** Input of the cell before typing began. */
  #input = '';
  /** Cell for which the field is used; undefined if it is not. */
  #typedFor: TypedPlace | undefined;

  constructor(latest: { readonly current: BarParts }) {
    const field = this.#field;
    this.#latest = latest;
    field.setAttribute('aria-label', 'Formula');
    field.spellcheck = false;
    field.rows = 1;
    this.assist = new FormulaAssist(field, {
      vocabulary: (onMore) => latest.current.words.vocabulary(onMore),
      onReferences: (references) => latest.current.words.onReferences(references),
    });
    field.addEventListener('keydown', (event) => this.#onKey(event));
    field.addEventListener('focus', () => {
      this.#typedFor ??= this.#place;
      this.assist.turn(true);
      latest.current.pointing.current = this;
    });
    field.addEventListener('blur', () => this.#leave());
    field.addEventListener('input', () => {
      this.#typedFor = this.#place;
    });
  }

  get canPoint(): boolean {
    return this.assist.canPoint;
  }

  get sheet(): ShownSheet | undefined {
    return this.#place.sheet;
  }

  /**
   * Cell of the text. Lines may move while somebody types, so on its own sheet it is the active
   * cell.
   */
  get #place(): TypedPlace {
    const { place } = this.#latest.current;
    const isAway = this.#typedFor && this.#typedFor.sheet?.id !== place.sheet?.id;
    return (isAway ? this.#typedFor : undefined) ?? place;
  }

  get #isTyped(): boolean {
    return this.#typedFor !== undefined && this.#field.value !== this.#input;
  }

  focus(): void {
    this.#field.focus();
  }

  point(name: string): void {
    this.assist.point(name);
  }

  /** Enters the typed text; does nothing if nothing was typed. */
  commit(): void {
    const { value } = this.#field;
    const place = this.#place;
    this.#rest();
    if (value === this.#input || this.#latest.current.isLocked) return;
    this.#input = value;
    this.#latest.current.onEnter(value, place);
  }

  /**
   * Handles the loss of focus: a formula may wait for pointing on another sheet, other texts are
   * entered.
   */
  #leave(): void {
    if (this.#isTyped && this.assist.canPoint) return;
    this.commit();
    this.assist.turn(false);
  }

  #rest(): void {
    this.#typedFor = undefined;
    this.#latest.current.pointing.current = undefined;
  }

  /** Shows the input of a cell, unless another one is being typed. */
  take(input: string): void {
    const isTyped = this.#isTyped;
    const isHere = this.#typedFor?.sheet?.id === this.#latest.current.place.sheet?.id;
    if (isHere || !isTyped) this.#input = input;
    if (isTyped) return;
    this.#field.value = input;
    this.assist.show();
  }

  /** Keeps the field closed to typing, unless a text is being typed. */
  lock(): void {
    const { isLocked, isKnown } = this.#latest.current;
    this.#field.readOnly = isLocked || (!isKnown && !this.#isTyped);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const { current } = this.#latest;
    if (!this.assist.press(pressedOf(event))) {
      if (event.key === 'Enter' && !event.altKey) {
        this.commit();
        current.onLeave();
      } else if (event.key === 'Escape') {
        this.#field.value = this.#input;
        this.#rest();
        current.onLeave();
      } else return;
    }
    event.preventDefault();
  }
}
