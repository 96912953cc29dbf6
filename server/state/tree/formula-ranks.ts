import type { Dictionary, StoredFormula } from '../cells/dictionary.ts';
import { blockLanes, type Block } from '../cells/block.ts';
import { identityOf } from '../cells/formula-identity.ts';
import type { BlockPlace } from '../cells/held-block.ts';
import type { LineId } from '../ids/order.ts';
import { NodeWriter } from '../nodes/bytes.ts';
import type { NodeSink } from '../nodes/nodes.ts';
import type { FormulaForm, IdentityForm } from '../structure/section.ts';
import { putStructure } from '../nodes/structure-hash.ts';
import { copyStructure } from './structure-node.ts';

/** The cells of a block by identity. */
export interface BlockHome {
  readonly sheetId: string;
  readonly column: LineId;
}

/** The number of a formula, which it has in the lanes up to `to`. */
interface Rank {
  readonly rank: number;
  readonly to: number;
}

/** Numbers the formulas of one block by first use; those that are stored alike are one. */
export interface FormulaRanks {
  rank(index: number, lane: number): Rank;
  write(node: NodeWriter): void;
}

interface RankedBlock {
  readonly block: Block;
  readonly home: BlockHome;
  readonly dictionary: Dictionary;
  readonly sink: NodeSink;
}

export function formulaRanks(form: FormulaForm, ranked: RankedBlock): FormulaRanks {
  return form === 'former' ? new FormerRanks(ranked) : new IdentityRanks(ranked, form);
}

interface RankedLanes extends Rank {
  readonly from: number;
}

class IdentityRanks implements FormulaRanks {
  readonly #dictionary: Dictionary;
  readonly #form: IdentityForm;
  readonly #home: BlockHome;
  readonly #place: BlockPlace;
  readonly #byIndex = new Map<number, RankedLanes>();
  readonly #byText = new Map<string, number>();

  constructor({ block, home, dictionary }: RankedBlock, form: IdentityForm) {
    this.#dictionary = dictionary;
    this.#form = form;
    this.#home = home;
    this.#place = block;
  }

  rank(index: number, lane: number): Rank {
    const { branch, sequence, index: blockIndex } = this.#place;
    const known = this.#byIndex.get(index);
    if (known && lane >= known.from && lane < known.to) return known;
    const stored = this.#dictionary.formula(index);
    const first = blockIndex * blockLanes;
    const row = { branch, sequence, offset: first + lane };
    const { text, from, to } = identityOf(stored, { ...this.#home, row }, this.#form);
    const key = (stored.legacy ? '1' : '0') + text;
    let rank = this.#byText.get(key);
    if (rank === undefined) this.#byText.set(key, (rank = this.#byText.size));
    const ranked = { rank, from: from - first, to: to - first };
    this.#byIndex.set(index, ranked);
    return ranked;
  }

  write(node: NodeWriter): void {
    node.count(this.#byText.size);
    for (const key of this.#byText.keys()) {
      node.byte(key.startsWith('1') ? 1 : 0);
      node.text(key.slice(1));
    }
  }
}

/** Each with the hash of the structure that it was written in. */
class FormerRanks implements FormulaRanks {
  readonly #texts: Buffer[] = [];
  readonly #write: (index: number) => Buffer;
  readonly #byIndex = new Map<number, Rank>();
  readonly #byText = new Map<string, number>();

  constructor({ sink, dictionary }: RankedBlock) {
    this.#write = (index) => formerBytes(sink, dictionary.formula(index));
  }

  rank(index: number): Rank {
    const known = this.#byIndex.get(index);
    if (known !== undefined) return known;
    const text = this.#write(index);
    const key = text.toString('latin1');
    const rank = this.#byText.get(key) ?? this.#texts.push(text) - 1;
    this.#byText.set(key, rank);
    const ranked = { rank, to: blockLanes };
    this.#byIndex.set(index, ranked);
    return ranked;
  }

  write(node: NodeWriter): void {
    node.count(this.#texts.length);
    for (const text of this.#texts) node.raw(text);
  }
}

function formerBytes(sink: NodeSink, formula: StoredFormula): Buffer {
  const node = new NodeWriter();
  const { r1c1, array, legacy, unread } = formula;
  node.hash(unread ? copyStructure(sink, unread) : putStructure(sink, formula.structure));
  node.byte((legacy ? 1 : 0) | (array ? 2 : 0));
  if (array) {
    node.count(array.rowCount);
    node.count(array.columnCount);
  }
  node.text(r1c1);
  return node.bytes();
}
