import type { Order } from './order.ts';
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

/** An entry with its place in the list and in the index; characters and sheets come on top. */
const entryBytes = { dictionary: 1_500, text: 120, formula: 400, structure: 1_000, sheet: 400 };

/** Texts of cells, their formulas and styles, each stored once and named by an index. */
export class Dictionary {
  readonly #texts: string[] = [];
  readonly #textIndex = new Map<string, number>();
  readonly #formulas: StoredFormula[] = [];
  readonly #formulaIndex = new Map<string, number>();
  /** Structures that formulas name, by digest, so that equal ones make equal formulas. */
  readonly #structures = new Map<string, Structure>();
  /** Orders of structures that were loaded, by hash. */
  readonly #orders = new Map<string, Order>();
  /** What the formats of blocks are indexes of; index 0 is a cell nobody formatted. */
  readonly styles = new StyleList();

  #byteCount = entryBytes.dictionary;

  /** What it takes in memory, about. It only grows, and goes with the last state that uses it. */
  get byteCount(): number {
    return this.#byteCount + this.styles.size * entryBytes.formula;
  }

  textIndex(text: string): number {
    let index = this.#textIndex.get(text);
    if (index === undefined) {
      index = this.#texts.push(text) - 1;
      this.#textIndex.set(text, index);
      this.#byteCount += entryBytes.text + text.length * 2;
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

  formulaIndex(formula: StoredFormula): number {
    const key = formulaKey(formula);
    let index = this.#formulaIndex.get(key);
    if (index === undefined) {
      const structure = this.keepStructure(formula.structure);
      index = this.#formulas.push({ ...formula, structure }) - 1;
      this.#formulaIndex.set(key, index);
      this.#byteCount += entryBytes.formula + formula.r1c1.length * 2 + key.length;
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

  structure(digest: string): Structure | undefined {
    return this.#structures.get(digest);
  }

  /** The one that stands for all structures equal to it. */
  keepStructure(structure: Structure): Structure {
    const known = this.#structures.get(structure.digest);
    if (known) return known;
    this.#structures.set(structure.digest, structure);
    this.#byteCount += entryBytes.structure + structure.sheets.length * entryBytes.sheet;
    return structure;
  }

  order(hash: Buffer): Order | undefined {
    return this.#orders.get(hash.toString('hex'));
  }

  keepOrder(hash: Buffer, order: Order): Order {
    this.#orders.set(hash.toString('hex'), order);
    return order;
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
}

function formulaKey({ r1c1, structure, array, legacy }: StoredFormula): string {
  const extent = array ? `${array.rowCount}x${array.columnCount}` : '';
  return `${structure.digest}\n${extent}\n${legacy ? 'legacy' : ''}\n${r1c1}`;
}

function entry<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`the dictionary has no entry ${index}`);
  return item;
}
