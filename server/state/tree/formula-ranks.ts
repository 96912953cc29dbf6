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

/** The column and rows of a block. */
export interface BlockHome {
  readonly sheetId: string;
  readonly column: LineId;
}

/** The rank of a formula, valid for lanes up to `to`. */
interface Rank {
  readonly rank: number;
  readonly to: number;
}

/** Numbers the formulas of a block by first use; formulas with equal stored text share a number. */
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

/** The text of a formula in ids, valid for rows up to `to`. */
interface FormulaText {
  readonly text: string;
  readonly isLegacy: boolean;
  readonly from: number;
  readonly to: number;
}

/** A cached text, with the formula that it belongs to. */
interface RecentText extends FormulaText {
  /** Number of the dictionary. */
  readonly owner: number;
  readonly index: number;
  readonly sheetId: string;
  readonly branch: number;
  readonly sequence: number;
  readonly column: LineId;
}

const recentMost = 65_536;

/** Odd, so that dictionaries begin at distant places. */
const ownerStride = 4_099;

/**
 * A cache of formula texts for all dictionaries, by index: a state that is hashed again mostly has
 * the same formulas.
 */
class RecentTexts {
  readonly #owners = new WeakMap<Dictionary, number>();
  readonly #texts: (RecentText | undefined)[] = Array.from({ length: recentMost });
  #ownerCount = 0;

  ownerOf(dictionary: Dictionary): number {
    const known = this.#owners.get(dictionary) ?? this.#ownerCount++;
    this.#owners.set(dictionary, known);
    return known;
  }

  at(owner: number, index: number): RecentText | undefined {
    const recent = this.#texts[placeOf(owner, index)];
    return recent?.owner === owner && recent.index === index ? recent : undefined;
  }

  keep(text: RecentText): void {
    this.#texts[placeOf(text.owner, text.index)] = text;
  }
}

function placeOf(owner: number, index: number): number {
  return (index + owner * ownerStride) % recentMost;
}

const recentTexts = new RecentTexts();

/** Writes the formulas of one block in ids. */
class BlockTexts {
  /** Offset of the first row in its run. */
  readonly first: number;
  readonly #dictionary: Dictionary;
  readonly #owner: number;
  readonly #form: IdentityForm;
  readonly #home: BlockHome;
  readonly #place: BlockPlace;

  constructor({ block, home, dictionary }: RankedBlock, form: IdentityForm) {
    this.#dictionary = dictionary;
    this.#owner = recentTexts.ownerOf(dictionary);
    this.#form = form;
    this.#home = home;
    this.#place = block;
    this.first = block.index * blockLanes;
  }

  textOf(index: number, lane: number): FormulaText {
    const offset = this.first + lane;
    if (this.#form !== 'ids') return this.#written(index, offset);
    const owner = this.#owner;
    const recent = recentTexts.at(owner, index);
    if (recent && this.#holds(recent, offset)) return recent;
    const { branch, sequence } = this.#place;
    const { sheetId, column } = this.#home;
    const place = { owner, index, sheetId, branch, sequence, column };
    const written = { ...this.#written(index, offset), ...place };
    recentTexts.keep(written);
    return written;
  }

  #holds(recent: RecentText, offset: number): boolean {
    const { sheetId, column } = this.#home;
    return (
      offset >= recent.from &&
      offset < recent.to &&
      recent.branch === this.#place.branch &&
      recent.sequence === this.#place.sequence &&
      recent.sheetId === sheetId &&
      (recent.column === column || isSameLine(recent.column, column))
    );
  }

  #written(index: number, offset: number): FormulaText {
    const stored = this.#dictionary.formula(index);
    const { branch, sequence } = this.#place;
    const { sheetId, column } = this.#home;
    const home = { sheetId, column, row: { branch, sequence, offset } };
    const { text, from, to } = identityOf(stored, home, this.#form);
    return { text, isLegacy: stored.legacy, from, to };
  }
}

function isSameLine(a: LineId, b: LineId): boolean {
  return a.branch === b.branch && a.sequence === b.sequence && a.offset === b.offset;
}

class IdentityRanks implements FormulaRanks {
  readonly #texts: BlockTexts;
  readonly #byIndex = new Map<number, RankedLanes>();
  readonly #byText = new Map<string, number>();
  /** Undefined until there is a legacy array formula. */
  #byLegacyText: Map<string, number> | undefined;
  readonly #written: FormulaText[] = [];

  constructor(ranked: RankedBlock, form: IdentityForm) {
    this.#texts = new BlockTexts(ranked, form);
  }

  rank(index: number, lane: number): Rank {
    const known = this.#byIndex.get(index);
    if (known && lane >= known.from && lane < known.to) return known;
    const found = this.#texts.textOf(index, lane);
    const { text, isLegacy } = found;
    const ranks = isLegacy ? (this.#byLegacyText ??= new Map<string, number>()) : this.#byText;
    let rank = ranks.get(text);
    if (rank === undefined) {
      rank = this.#written.push(found) - 1;
      ranks.set(text, rank);
    }
    const ranked = { rank, from: found.from - this.#texts.first, to: found.to - this.#texts.first };
    this.#byIndex.set(index, ranked);
    return ranked;
  }

  write(node: NodeWriter): void {
    node.count(this.#written.length);
    for (const { text, isLegacy } of this.#written) {
      node.byte(isLegacy ? 1 : 0);
      node.text(text);
    }
  }
}

/** Formulas with the hash of their structure, as former versions stored them. */
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
