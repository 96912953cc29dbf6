import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { FormulaAssist, type AssistEvents } from '../formula/assist.ts';
import type { PointingField } from '../grid/grid-events.ts';
import { pressedOf } from '../grid/typed-key.ts';

interface BarParts {
  readonly name: string;
  readonly input: string;
  readonly isLocked: boolean;
  readonly words: AssistEvents;
  readonly onGo: (text: string) => void;
  readonly onEnter: (text: string) => void;
  readonly onLeave: () => void;
  /** This field, while it takes cells that are pointed at. */
  readonly pointing: { current: PointingField | undefined };
}

/** The name of the selection, and the input of its active cell. */
export function FormulaBar(parts: BarParts) {
  const { name, onGo, onLeave } = parts;
  // A selection that moves meanwhile, by others or late, does not write over what is typed.
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

/** A field that is made once and keeps its text: helpers write into it, and so does who types. */
function FormulaInput(parts: BarParts) {
  const { name, input, isLocked } = parts;
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<InputField | undefined>(undefined);
  const latest = useRef(parts);
  latest.current = parts;
  useLayoutEffect(() => {
    made.current = new InputField(latest);
    host.current?.replaceChildren(made.current.assist.element);
  }, []);
  useLayoutEffect(() => made.current?.take(input), [input, name]);
  useLayoutEffect(() => made.current?.lock(isLocked), [isLocked]);
  return <div class="formula-host" ref={host} />;
}

class InputField implements PointingField {
  readonly assist: FormulaAssist;
  readonly #field = document.createElement('textarea');
  readonly #latest: { readonly current: BarParts };
  /** The input of the cell, as it was when nothing was typed yet. */
  #input = '';

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
      this.assist.turn(true);
      latest.current.pointing.current = this;
    });
    field.addEventListener('blur', () => {
      this.assist.turn(false);
      latest.current.pointing.current = undefined;
    });
  }

  get canPoint(): boolean {
    return this.assist.canPoint;
  }

  point(name: string): void {
    this.assist.point(name);
  }

  /** Enters what was typed; does nothing where nothing was. */
  commit(): void {
    const { value } = this.#field;
    if (value === this.#input || this.#field.readOnly) return;
    this.#input = value;
    this.#latest.current.onEnter(value);
  }

  /** Shows the input of a cell, unless another one is being typed over it. */
  take(input: string): void {
    const isTyped = document.activeElement === this.#field && this.#field.value !== this.#input;
    this.#input = input;
    if (isTyped) return;
    this.#field.value = input;
    this.assist.show();
  }

  lock(isLocked: boolean): void {
    this.#field.readOnly = isLocked;
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
        current.onLeave();
      } else return;
    }
    event.preventDefault();
  }
}
