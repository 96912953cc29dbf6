import { noVocabulary, type Vocabulary } from '../formula/completion.ts';
import { loadFunctions } from '../formula/functions.ts';
import type { Service } from '../service.ts';
import type { TableView } from '../tables/table.ts';

export interface WordPlace {
  readonly workbookId: string;
  readonly branch: string;
}

/** Words for formulas, loaded when the first formula is typed. */
export class FormulaWords {
  readonly #service: Service;
  readonly #place: WordPlace;
  #isAsked = false;
  #known: Vocabulary = noVocabulary;

  constructor(service: Service, place: WordPlace) {
    this.#service = service;
    this.#place = place;
  }

  /** Returns the loaded words, with the current names of sheets. */
  vocabulary(sheets: readonly string[], onMore: () => void): Vocabulary {
    if (!this.#isAsked) void this.#load(onMore);
    return { ...this.#known, sheets };
  }

  forget(): void {
    this.#isAsked = false;
  }

  async #load(onMore: () => void): Promise<void> {
    this.#isAsked = true;
    try {
      this.#known = await this.#ask();
      onMore();
    } catch {
      // Typing works without words; the next key loads them again.
      this.#isAsked = false;
    }
  }

  async #ask(): Promise<Vocabulary> {
    const { workbookId, branch } = this.#place;
    const at = encodeURIComponent(branch);
    const path = `/v1/workbooks/${workbookId}`;
    const [functions, { tables }, { names }] = await Promise.all([
      loadFunctions(),
      this.#service.ask<{ tables: readonly TableView[] }>(`${path}/tables?ref=${at}`),
      this.#service.ask<{ names: readonly { name: string }[] }>(`${path}/branches/${at}/state`),
    ]);
    return {
      functions,
      names: names.map(({ name }) => name),
      tables: tables.map(({ name, schema }) => ({
        name,
        columns: schema.columns.map((column) => column.name),
      })),
      sheets: [],
    };
  }
}
