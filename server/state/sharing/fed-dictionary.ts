import { CellCoding } from '../cells/cell-coding.ts';
import type { FormulaService } from '../../model/formula-service.ts';
import type { Structure } from '../structure/structure.ts';
import { getStructure } from '../tree/structure-node.ts';
import type { DictionaryPiece } from './dictionary-feed.ts';
import { NodeList } from './node-list.ts';
import { fromShared } from './shared-value.ts';

/**
 * A dictionary of this thread that knows all entries of one in another thread. Its own indexes are
 * others, as it gains entries of its own.
 */
export class FedDictionary {
  readonly coding: CellCoding;
  /** Own indexes, by those of the other dictionary. */
  readonly texts: number[] = [];
  readonly styles: number[] = [];
  readonly formulas: number[] = [];
  readonly #structures: Structure[] = [];
  readonly #nodes = new NodeList();
  #taken = 0;

  constructor(formulas: FormulaService) {
    this.coding = new CellCoding(formulas);
  }

  /** Takes over the entries of pieces that it has not taken yet. */
  take(pieces: readonly SharedArrayBuffer[]): void {
    for (; this.#taken < pieces.length; this.#taken++) {
      const shared = pieces[this.#taken];
      if (shared) this.#add(fromShared(shared) as DictionaryPiece);
    }
  }

  #add({ texts, styles, formulas, structures, nodes }: DictionaryPiece): void {
    const { dictionary } = this.coding;
    this.#nodes.add(nodes);
    for (const hash of structures) {
      const structure = getStructure(this.#nodes, Buffer.from(hash), dictionary);
      dictionary.nameStructure(structure, structure.digest);
      this.#structures.push(structure);
    }
    for (const text of texts) this.texts.push(dictionary.textIndex(text));
    for (const text of styles) this.styles.push(dictionary.styles.indexOfText(text));
    for (const { r1c1, array, legacy, structure } of formulas) {
      const written = this.#structures[structure];
      if (!written) throw new RangeError(`there is no structure ${structure}`);
      this.formulas.push(dictionary.formulaIndex({ r1c1, array, legacy, structure: written }));
    }
  }
}
