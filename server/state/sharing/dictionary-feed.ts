import type { Dictionary, StoredFormula } from '../cells/dictionary.ts';
import { putStructure } from '../nodes/structure-hash.ts';
import type { Structure } from '../structure/structure.ts';
import { copyStructure } from '../tree/structure-node.ts';
import { NodeList, type SentNode } from './node-list.ts';
import { toShared } from './shared-value.ts';

/** Entries that a dictionary has gained, in the order of their indexes. */
export interface DictionaryPiece {
  readonly texts: readonly string[];
  readonly styles: readonly string[];
  readonly formulas: readonly SentFormula[];
  /** Hashes of structures that these formulas are the first to be written in. */
  readonly structures: readonly Uint8Array[];
  readonly nodes: readonly SentNode[];
}

export interface SentFormula extends Pick<StoredFormula, 'r1c1' | 'array' | 'legacy'> {
  /** Number of its structure, in the order in which they were sent. */
  readonly structure: number;
}

/** Entries of one piece, and characters of texts. */
const pieceEntries = 2_048;
const pieceCharacters = 1 << 18;

/** A dictionary in shared memory, for threads that follow it: it grows as the dictionary does. */
export class DictionaryFeed {
  readonly pieces: SharedArrayBuffer[] = [];
  readonly #dictionary: Dictionary;
  readonly #nodes = new NodeList();
  /** Number of each structure, by the sheets that make it out. */
  readonly #structures = new Map<Structure['sheets'] | string, number>();
  #textCount = 0;
  #styleCount = 0;
  #formulaCount = 0;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** Adds what the dictionary has gained. Several callers may do so at once. */
  *catchUp(): Generator<void, void> {
    while (this.#isBehind) {
      this.pieces.push(toShared(this.#next()));
      yield;
    }
  }

  get #isBehind(): boolean {
    const { textCount, formulaCount, styles } = this.#dictionary;
    if (this.#textCount < textCount || this.#styleCount < styles.size) return true;
    return this.#formulaCount < formulaCount;
  }

  #next(): DictionaryPiece {
    const texts: string[] = [];
    let characters = 0;
    const { textCount, formulaCount, styles } = this.#dictionary;
    while (this.#textCount < textCount && texts.length < pieceEntries) {
      const text = this.#dictionary.text(this.#textCount++);
      texts.push(text);
      characters += text.length;
      if (characters > pieceCharacters) break;
    }
    const styleTexts: string[] = [];
    while (this.#styleCount < styles.size && styleTexts.length < pieceEntries) {
      styleTexts.push(styles.text(this.#styleCount++));
    }
    const structures: Uint8Array[] = [];
    const formulas: SentFormula[] = [];
    while (this.#formulaCount < formulaCount && formulas.length < pieceEntries) {
      formulas.push(this.#sent(this.#dictionary.formula(this.#formulaCount++), structures));
    }
    return { texts, styles: styleTexts, formulas, structures, nodes: this.#nodes.takeNew() };
  }

  #sent(formula: StoredFormula, structures: Uint8Array[]): SentFormula {
    const { r1c1, array, legacy, unread } = formula;
    const key = unread ? unread.hash.toString('hex') : formula.structure.sheets;
    let structure = this.#structures.get(key);
    if (structure === undefined) {
      structure = this.#structures.size;
      this.#structures.set(key, structure);
      const hash = unread
        ? copyStructure(this.#nodes, unread)
        : putStructure(this.#nodes, formula.structure);
      structures.push(hash);
    }
    return { r1c1, array, legacy, structure };
  }
}
