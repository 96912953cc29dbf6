import { createHash } from 'node:crypto';

import type { Structure } from './structure.ts';
import { StyleList } from './style-list.ts';

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

/** Texts of cells, their formulas and styles, each stored once and named by an index. */
export class Dictionary {
  readonly #texts: string[] = [];
  readonly #textIndex = new Map<string, number>();
  readonly #textDigests: Buffer[] = [];
  readonly #formulas: StoredFormula[] = [];
  readonly #formulaIndex = new Map<string, number>();
  readonly #formulaDigests: Buffer[] = [];
  /** Structures that formulas name, by digest, so that equal ones make equal formulas. */
  readonly #structures = new Map<string, Structure>();
  /** What the formats of blocks are indexes of; index 0 is a cell nobody formatted. */
  readonly styles = new StyleList();

  textIndex(text: string): number {
    let index = this.#textIndex.get(text);
    if (index === undefined) {
      index = this.#texts.push(text) - 1;
      this.#textIndex.set(text, index);
    }
    return index;
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

  formulaDigest(index: number): Buffer {
    return (this.#formulaDigests[index] ??= sha256(formulaKey(this.formula(index))));
  }

  /** The style with this number format and nothing else. */
  formatIndex(pattern: string): number {
    return this.styles.numberFormatPatch(pattern).apply(0);
  }

  /** The number format of a style. */
  format(index: number): string {
    return this.styles.pattern(index);
  }

  /** The text that stands for a style in stored blocks; empty for the default. */
  formatKey(index: number): string {
    return this.styles.text(index);
  }

  formatFromKey(key: string): number {
    return this.styles.indexOfText(key);
  }

  formatDigest(index: number): Buffer {
    return sha256(this.formatKey(index));
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
