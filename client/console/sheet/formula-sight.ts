import type { Vocabulary } from '../formula/completion.ts';
import type { NamedRange } from '../formula/references.ts';
import type { Service } from '../service.ts';
import { FormulaWords, type WordPlace } from './formula-words.ts';

/** The formula that somebody looks at: that being typed into a cell, else that of the bar. */
export class FormulaSight {
  /** References of the formula in the bar. */
  ofBar: readonly NamedRange[] = [];
  /** References of what is typed into the cell; undefined while nothing is. */
  ofCell: readonly NamedRange[] | undefined;
  readonly #words: FormulaWords;
  /** The sheet for whose cell something is typed. */
  #home: string | undefined;

  constructor(service: Service, place: WordPlace) {
    this.#words = new FormulaWords(service, place);
  }

  get all(): readonly NamedRange[] {
    return this.ofCell ?? this.ofBar;
  }

  /** Hears what is typed into a cell, with the sheet that was shown when it began. */
  hearCell(references: readonly NamedRange[] | undefined, sheet: string | undefined): void {
    if (references === undefined) this.#home = undefined;
    else this.#home ??= sheet;
    this.ofCell = references;
  }

  /** Returns the references to the sheet that is shown. */
  on(sheet: string | undefined): readonly NamedRange[] {
    const home = this.#home ?? sheet;
    return this.all.filter((one) => (one.sheet ?? home) === sheet);
  }

  vocabulary(sheets: readonly string[], onMore: () => void): Vocabulary {
    return this.#words.vocabulary(sheets, onMore);
  }

  /** The next formula asks for the words of the workbook anew. */
  forgetWords(): void {
    this.#words.forget();
  }
}
