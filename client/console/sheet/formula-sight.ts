import type { Vocabulary } from '../formula/completion.ts';
import type { NamedRange } from '../formula/references.ts';
import type { Service } from '../service.ts';
import { FormulaWords, type WordPlace } from './formula-words.ts';

/** The formula whose references are shown: the one being typed, else that of the bar. */
export class FormulaSight {
  /** References of the formula in the bar. */
  ofBar: readonly NamedRange[] = [];
  /** References of the formula typed into the cell; undefined if there is none. */
  ofCell: readonly NamedRange[] | undefined;
  readonly #words: FormulaWords;
  /** Sheet of the typed formula. */
  #home: string | undefined;

  constructor(service: Service, place: WordPlace) {
    this.#words = new FormulaWords(service, place);
  }

  get all(): readonly NamedRange[] {
    return this.ofCell ?? this.ofBar;
  }

  /** Takes the references of a typed formula, with the sheet where typing began. */
  hearCell(references: readonly NamedRange[] | undefined, sheet: string | undefined): void {
    if (references === undefined) this.#home = undefined;
    else this.#home ??= sheet;
    this.ofCell = references;
  }

  /** Returns the references to the shown sheet. */
  on(sheet: string | undefined): readonly NamedRange[] {
    const home = this.#home ?? sheet;
    return this.all.filter((one) => (one.sheet ?? home) === sheet);
  }

  vocabulary(sheets: readonly string[], onMore: () => void): Vocabulary {
    return this.#words.vocabulary(sheets, onMore);
  }

  /** Makes the next formula load the words again. */
  forgetWords(): void {
    this.#words.forget();
  }
}
