import type { Candidate, Hint } from './completion.ts';

let made = 0;

/** Completions and arguments, in a box below the field of a formula. */
export class FormulaPopup {
  readonly element: HTMLElement;
  readonly #field: HTMLElement;
  readonly #hint: HTMLElement;
  readonly #list: HTMLElement;
  readonly #onTake: (candidate: Candidate) => void;
  readonly #id = `formula-list-${made++}`;
  #candidates: readonly Candidate[] = [];
  #at = -1;

  constructor(field: HTMLElement, onTake: (candidate: Candidate) => void) {
    this.#field = field;
    this.#onTake = onTake;
    this.element = document.createElement('div');
    this.element.className = 'formula-popup';
    this.element.dir = 'ltr';
    this.element.hidden = true;
    this.#hint = document.createElement('p');
    this.#hint.setAttribute('role', 'status');
    this.#list = document.createElement('ul');
    this.#list.id = this.#id;
    this.#list.setAttribute('role', 'listbox');
    this.#list.setAttribute('aria-label', 'Words that go on');
    this.element.append(this.#hint, this.#list);
    field.setAttribute('aria-autocomplete', 'list');
  }

  /** True while words are offered. */
  get isOpen(): boolean {
    return !this.element.hidden && this.#candidates.length > 0;
  }

  get picked(): Candidate | undefined {
    return this.#candidates[this.#at];
  }

  show(candidates: readonly Candidate[], hint: Hint | undefined): void {
    this.#candidates = candidates;
    this.#at = -1;
    this.#hint.replaceChildren(...hintNodes(hint));
    this.#hint.hidden = hint === undefined;
    this.#list.hidden = candidates.length === 0;
    this.#list.replaceChildren(...candidates.map((one, index) => this.#line(one, index)));
    this.element.hidden = candidates.length === 0 && hint === undefined;
    this.#mark();
    this.#place();
  }

  close(): void {
    this.show([], undefined);
  }

  closeList(): void {
    this.#candidates = [];
    this.#list.hidden = true;
    this.element.hidden = this.#hint.hidden;
    this.#mark();
  }

  pick(step: number): void {
    const count = this.#candidates.length;
    this.#at = this.#at < 0 && step < 0 ? count - 1 : (this.#at + step + count) % count;
    this.#mark();
  }

  #mark(): void {
    const lines = [...this.#list.children];
    for (const [index, line] of lines.entries()) {
      line.setAttribute('aria-selected', String(index === this.#at));
    }
    const picked = lines[this.#at];
    if (picked) this.#field.setAttribute('aria-activedescendant', picked.id);
    else this.#field.removeAttribute('aria-activedescendant');
    if (this.isOpen) this.#field.setAttribute('aria-controls', this.#id);
    else this.#field.removeAttribute('aria-controls');
  }

  /** Places the box above the field, or further left, if there is no room elsewhere. */
  #place(): void {
    const { classList, style } = this.element;
    classList.remove('is-above');
    const grid = this.element.closest('.grid')?.getBoundingClientRect();
    const room = grid ?? document.documentElement.getBoundingClientRect();
    // Boxes are in pixels of the window, lengths of a style in those of cells, which may be zoomed.
    const zoom = this.element.getBoundingClientRect().width / this.element.offsetWidth || 1;
    style.left = '0px';
    style.maxWidth = `${room.width / zoom}px`;
    const { bottom, left, right } = this.element.getBoundingClientRect();
    if (grid && bottom > grid.bottom) classList.add('is-above');
    // The beginning of words is never cut off.
    const shiftPx = Math.max(room.left - left, Math.min(0, room.right - right));
    style.left = `${shiftPx / zoom}px`;
  }

  #line({ kind, label, hint }: Candidate, index: number): HTMLElement {
    const line = document.createElement('li');
    line.id = `${this.#id}-${index}`;
    line.setAttribute('role', 'option');
    const name = document.createElement('span');
    name.textContent = label;
    const told = document.createElement('span');
    told.className = 'quiet';
    told.textContent = hint ?? kind;
    line.append(name, ' ', told);
    // The field keeps the focus.
    line.addEventListener('pointerdown', (event) => event.preventDefault());
    line.addEventListener('mousedown', (event) => event.preventDefault());
    line.addEventListener('click', () => {
      const candidate = this.#candidates[index];
      if (candidate) this.#onTake(candidate);
    });
    return line;
  }
}

function hintNodes(hint: Hint | undefined): readonly (Node | string)[] {
  if (!hint) return [];
  const names = hint.arguments.flatMap((name, index) => {
    const piece = document.createElement(index === hint.current ? 'strong' : 'span');
    piece.textContent = name;
    return index === 0 ? [piece] : [', ', piece];
  });
  return [`${hint.name}(`, ...names, ')'];
}
