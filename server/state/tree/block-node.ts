import { Block, blockLanes, cellTag, type BlockLanes } from '../cells/block.ts';
import type { Dictionary, StoredFormula } from '../cells/dictionary.ts';
import { NodeFault, NodeWriter, type NodeReader } from '../nodes/bytes.ts';
import { openNode, putNode, startNode, type NodeSink, type NodeSource } from '../nodes/nodes.ts';
import { putStructure } from '../nodes/structure-hash.ts';
import { copyStructure, getStructure } from './structure-node.ts';

interface Window {
  readonly low: number;
  readonly high: number;
}

/**
 * The stored form of a block: its lanes, and the texts, formulas and formats that they name, each
 * numbered by its first use, so that equal content has equal bytes. Undefined for a blank block.
 */
export function putBlock(sink: NodeSink, block: Block, dictionary: Dictionary): Buffer | undefined {
  const known = block.digest;
  if (known === null) return undefined;
  if (known && sink.has(known)) return known;
  const { lanes } = block;
  const cells = trimmed(lanes.tags, lanes.low);
  const formats = trimmed(lanes.formats, lanes.formatLow);
  if (cells.low === cells.high && formats.low === formats.high) {
    block.noteDigest(null);
    return undefined;
  }
  const node = startNode('block');
  writeCells(node, lanes, { window: cells, sink, dictionary });
  writeFormats(node, lanes, formats, dictionary);
  const hash = putNode(sink, 'block', node);
  block.noteDigest(hash);
  return hash;
}

function trimmed(values: Uint8Array | Uint16Array, from: number): Window {
  let low = 0;
  let high = values.length;
  while (low < high && values[low] === 0) low++;
  while (low < high && values[high - 1] === 0) high--;
  return low === high ? { low: 0, high: 0 } : { low: from + low, high: from + high };
}

function writeCells(
  node: NodeWriter,
  { low, tags, numbers }: BlockLanes,
  { window, sink, dictionary }: { window: Window; sink: NodeSink; dictionary: Dictionary },
): void {
  const [start, end] = [window.low - low, window.high - low];
  node.count(window.low);
  node.count(window.high);
  node.raw(tags.subarray(start, end));
  const texts = new Ranks();
  const formulas = new FormulaRanks((index) => formulaBytes(sink, dictionary.formula(index)));
  for (let at = start; at < end; at++) {
    const number = numbers[at] ?? 0;
    switch (tags[at]) {
      case cellTag.number:
        node.double(number);
        break;
      case cellTag.text:
        node.count(texts.rank(number));
        break;
      case cellTag.formula:
        node.count(formulas.rank(number));
        break;
      case cellTag.boolean:
      case cellTag.error:
        node.byte(number);
        break;
      default:
    }
  }
  node.count(texts.indexes.length);
  for (const index of texts.indexes) node.text(dictionary.text(index));
  node.count(formulas.texts.length);
  for (const text of formulas.texts) node.raw(text);
}

function formulaBytes(sink: NodeSink, formula: StoredFormula): Buffer {
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

/** Runs of equal formats: rank 0 is the default. */
function writeFormats(
  node: NodeWriter,
  { formatLow, formats }: BlockLanes,
  { low, high }: Window,
  dictionary: Dictionary,
): void {
  const ranks = new Ranks();
  node.count(low);
  node.count(high);
  for (let at = low - formatLow; at < high - formatLow;) {
    const format = formats[at] ?? 0;
    let end = at + 1;
    while (end < high - formatLow && formats[end] === format) end++;
    node.count(format === 0 ? 0 : ranks.rank(format) + 1);
    node.count(end - at);
    at = end;
  }
  node.count(ranks.indexes.length);
  for (const index of ranks.indexes) node.text(dictionary.formatKey(index));
}

/** Numbers dictionary indexes by first use within one block. */
class Ranks {
  readonly indexes: number[] = [];
  readonly #ranks = new Map<number, number>();
  #lastIndex = -1;
  #lastRank = -1;

  rank(index: number): number {
    if (index === this.#lastIndex) return this.#lastRank;
    let rank = this.#ranks.get(index);
    if (rank === undefined) {
      rank = this.indexes.push(index) - 1;
      this.#ranks.set(index, rank);
    }
    this.#lastIndex = index;
    this.#lastRank = rank;
    return rank;
  }
}

/** Numbers formulas by first use; those that are stored as equal bytes are one. */
class FormulaRanks {
  readonly texts: Buffer[] = [];
  readonly #write: (index: number) => Buffer;
  readonly #byIndex = new Map<number, number>();
  readonly #byText = new Map<string, number>();

  constructor(write: (index: number) => Buffer) {
    this.#write = write;
  }

  rank(index: number): number {
    const known = this.#byIndex.get(index);
    if (known !== undefined) return known;
    const text = this.#write(index);
    const key = text.toString('latin1');
    const rank = this.#byText.get(key) ?? this.texts.push(text) - 1;
    this.#byText.set(key, rank);
    this.#byIndex.set(index, rank);
    return rank;
  }
}

export function getBlock(
  source: NodeSource,
  hash: Buffer,
  at: {
    readonly place: { branch: number; sequence: number; index: number };
    readonly dictionary: Dictionary;
  },
): Block {
  const node = openNode(source, 'block', hash);
  const cells = readCells(node, source, at.dictionary);
  const formats = readFormats(node, at.dictionary);
  node.end();
  return Block.from(at.place, { ...cells, ...formats }, hash);
}

function readWindow(node: NodeReader): Window {
  const [low, high] = [node.count(), node.count()];
  if (low > high || high > blockLanes) throw new NodeFault('a block has lanes it cannot have');
  return { low, high };
}

function readCells(node: NodeReader, source: NodeSource, dictionary: Dictionary) {
  const { low, high } = readWindow(node);
  const tags = new Uint8Array(node.raw(high - low));
  const numbers = new Float64Array(high - low);
  for (let at = 0; at < tags.length; at++) {
    const tag = tags[at];
    switch (tag) {
      case cellTag.blank:
        break;
      case cellTag.number:
        numbers[at] = node.double();
        break;
      case cellTag.text:
      case cellTag.formula:
        numbers[at] = node.count();
        break;
      case cellTag.boolean:
      case cellTag.error:
        numbers[at] = node.byte();
        break;
      default:
        throw new NodeFault(`a block has a cell of kind ${String(tag)}`);
    }
  }
  const texts = readMany(node, () => dictionary.textIndex(node.text()));
  const formulas = readMany(node, () => readFormula(node, source, dictionary));
  for (let at = 0; at < tags.length; at++) {
    const tag = tags[at];
    if (tag === cellTag.text) numbers[at] = named(texts, numbers[at]);
    else if (tag === cellTag.formula) numbers[at] = named(formulas, numbers[at]);
  }
  return { low, tags, numbers };
}

function readFormula(node: NodeReader, source: NodeSource, dictionary: Dictionary): number {
  const hash = Buffer.from(node.hash());
  const flags = node.byte();
  const array =
    (flags & 2) === 0 ? undefined : { rowCount: node.count(), columnCount: node.count() };
  const text = { r1c1: node.text(), array, legacy: (flags & 1) !== 0 };
  const read = () => getStructure(source, hash, dictionary);
  return dictionary.storedFormulaIndex(text, { hash, source }, read);
}

function readFormats(node: NodeReader, dictionary: Dictionary) {
  const { low: formatLow, high } = readWindow(node);
  const formats = new Uint16Array(high - formatLow);
  for (let at = 0; at < formats.length;) {
    const [rank, length] = [node.count(), node.count()];
    if (length === 0 || at + length > formats.length) {
      throw new NodeFault('the formats of a block do not fit it');
    }
    formats.fill(rank, at, at + length);
    at += length;
  }
  const indexes = readMany(node, () => dictionary.formatFromKey(node.text()));
  for (let at = 0; at < formats.length; at++) {
    const rank = formats[at];
    if (rank !== 0) formats[at] = named(indexes, (rank ?? 0) - 1);
  }
  return { formatLow, formats };
}

function readMany<Item>(node: NodeReader, read: () => Item): Item[] {
  return Array.from({ length: node.count() }, read);
}

function named(indexes: readonly number[], rank: number | undefined): number {
  const index = indexes[rank ?? -1];
  if (index === undefined) throw new NodeFault('a block names what it does not have');
  return index;
}
