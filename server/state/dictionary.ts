import { createHash } from 'node:crypto';

import type { Structure } from './structure.ts';

/**
 * A formula as cells keep it: relative text and the structure it was written in. Cells filled down
 * share one; rows that move around it later change nothing here.
 */
export interface StoredFormula {
  readonly r1c1: string;
  readonly structure: Structure;
  /** Size of a legacy array formula's range, which starts at the cell. */
  readonly array: { readonly rowCount: number; readonly columnCount: number } | undefined;
  readonly legacy: boolean;
}

/** Texts of cells, their formulas and number formats, each stored once and named by an index. */
export class Dictionary {
  readonly #texts: string[] = [];
  readonly #textIndex = new Map<string, number>();
  readonly #textDigests: Buffer[] = [];
  readonly #formulas: StoredFormula[] = [];
  readonly #formulaIndex = new Map<string, number>();
  readonly #formulaDigests: Buffer[] = [];
  /** Structures that formulas name, by digest, so that equal ones make equal formulas. */
  readonly #structures = new Map<string, Structure>();
  /** Index 0 is General. */
  readonly #formats: string[] = ['General'];
  readonly #formatIndex = new Map<string, number>([['General', 0]]);

  textIndex(text: string): number {
    let index = this.#textIndex.get(text);
    if (index === undefined) {
      index = this.#texts.push(text) - 1;
      this.#textIndex.set(text, index);
    }
    return index;
  }

  /** Undefined for a text that no cell ever held. */
  knownText(text: string): number | undefined {
    return this.#textIndex.get(text);
  }

  text(index: number): string {
    return entry(this.#texts, index);
  }

  textDigest(index: number): Buffer {
    return (this.#textDigests[index] ??= sha256(this.text(index)));
  }

  formulaIndex(formula: StoredFormula): number {
    const key = formulaKey(formula);
    let index = this.#formulaIndex.get(key);
    if (index === undefined) {
      const structure = this.#structures.get(formula.structure.digest) ?? formula.structure;
      this.#structures.set(structure.digest, structure);
      index = this.#formulas.push({ ...formula, structure }) - 1;
      this.#formulaIndex.set(key, index);
    }
    return index;
  }

  formula(index: number): StoredFormula {
    return entry(this.#formulas, index);
  }

  /** All formulas that cells ever held, each once; the index is the place. */
  get formulaCount(): number {
    return this.#formulas.length;
  }

  formulaDigest(index: number): Buffer {
    return (this.#formulaDigests[index] ??= sha256(formulaKey(this.formula(index))));
  }

  formatIndex(pattern: string): number {
    const known = pattern === '' ? 0 : this.#formatIndex.get(pattern);
    if (known !== undefined) return known;
    const index = this.#formats.push(pattern) - 1;
    if (index > 65_535) throw new RangeError('a workbook holds at most 65,536 number formats');
    this.#formatIndex.set(pattern, index);
    return index;
  }

  format(index: number): string {
    return entry(this.#formats, index);
  }

  formatDigest(index: number): Buffer {
    return sha256(this.format(index));
  }
}

function formulaKey({ r1c1, structure, array, legacy }: StoredFormula): string {
  const extent = array ? `${array.rowCount}x${array.columnCount}` : '';
  return `${structure.digest}\n${extent}\n${legacy ? 'legacy' : ''}\n${r1c1}`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function entry<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`the dictionary has no entry ${index}`);
  return item;
}
