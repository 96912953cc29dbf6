import type { BlockLanes } from '../cells/block-lanes.ts';
import { Block, blockLanes, cellTag } from '../cells/block.ts';
import type { Dictionary } from '../cells/dictionary.ts';
import { arrayMark } from '../cells/formula-identity.ts';
import type { BlockPlace } from '../cells/held-block.ts';
import { IdentityReader, type SheetNaming } from '../cells/identity-reader.ts';
import { NodeFault, NodeReader, type NodeWriter } from '../nodes/bytes.ts';
import {
  nodeKind,
  openNode,
  putNode,
  startNode,
  type NodeSink,
  type NodeSource,
} from '../nodes/nodes.ts';
import type { FormulaForm } from '../structure/section.ts';
import { formulaRanks, type BlockHome, type FormulaRanks } from './formula-ranks.ts';
import { getStructure } from './structure-node.ts';

interface Window {
  readonly low: number;
  readonly high: number;
}

export interface BlockWriting {
  readonly form: FormulaForm;
  readonly home: BlockHome;
  readonly dictionary: Dictionary;
}

const kinds = { ids: 'block', early: 'block', former: 'formerBlock' } as const;

/**
 * Writes the stored form of a block: its lanes, with the texts, formulas and formats in them
 * numbered by first use, so that equal content has equal bytes. Returns undefined for a blank
 * block.
 */
export function putBlock(
  sink: NodeSink,
  block: Block,
  { form, home, dictionary }: BlockWriting,
): Buffer | undefined {
  const known = form === 'ids' ? block.digest : undefined;
  if (known === null) return undefined;
  if (known && sink.has(known)) return known;
  const lanes = block.passingLanes;
  const cells = trimmed(lanes.tags, lanes.low);
  const formats = trimmed(lanes.formats, lanes.formatLow);
  if (cells.low === cells.high && formats.low === formats.high) {
    block.noteDigest(null);
    return undefined;
  }
  const node = startNode(kinds[form]);
  if (!writeNumbers(node, lanes, cells)) {
    const formulas = formulaRanks(form, { block, home, dictionary, sink });
    writeCells(node, lanes, { window: cells, formulas, dictionary });
  }
  writeFormats(node, lanes, formats, dictionary);
  const hash = putNode(sink, kinds[form], node);
  if (form === 'ids') block.noteDigest(hash);
  return hash;
}

function trimmed(values: Uint8Array | Uint16Array, from: number): Window {
  let low = 0;
  let high = values.length;
  while (low < high && values[low] === 0) low++;
  while (low < high && values[high - 1] === 0) high--;
  return low === high ? { low: 0, high: 0 } : { low: from + low, high: from + high };
}

/** Writes the cells of a block that holds nothing but numbers; returns false for any other. */
function writeNumbers(
  node: NodeWriter,
  { low, tags, numbers }: BlockLanes,
  window: Window,
): boolean {
  const [start, end] = [window.low - low, window.high - low];
  if (start === end || lastNumber(tags, start, end) !== end - 1) return false;
  if (tags[start] !== cellTag.number) return false;
  writeTags(node, tags.subarray(start, end), window);
  node.doubles(numbers.subarray(start, end));
  // It has no texts and no formulas.
  node.count(0);
  node.count(0);
  return true;
}

function writeTags(node: NodeWriter, tags: Uint8Array, { low, high }: Window): void {
  node.count(low);
  node.count(high);
  node.raw(tags);
}

interface WritingCells {
  readonly window: Window;
  readonly formulas: FormulaRanks;
  readonly dictionary: Dictionary;
}

function writeCells(
  node: NodeWriter,
  { low, tags, numbers }: BlockLanes,
  { window, formulas, dictionary }: WritingCells,
): void {
  const [start, end] = [window.low - low, window.high - low];
  writeTags(node, tags.subarray(start, end), window);
  const texts = new Ranks();
  for (let at = start; at < end; at++) {
    const number = numbers[at] ?? 0;
    switch (tags[at]) {
      case cellTag.number: {
        const first = at;
        at = lastNumber(tags, at, end);
        node.doubles(numbers.subarray(first, at + 1));
        break;
      }
      case cellTag.text:
        node.count(texts.rank(number));
        break;
      case cellTag.formula: {
        const first = at;
        const { rank, to } = formulas.rank(number, low + at);
        at = lastAlike({ tags, numbers }, at, Math.min(end, to - low));
        node.counts(rank, at + 1 - first);
        break;
      }
      case cellTag.boolean:
      case cellTag.error:
        node.byte(number);
        break;
      default:
    }
  }
  node.count(texts.indexes.length);
  for (const index of texts.indexes) node.text(dictionary.text(index));
  formulas.write(node);
}

/** Tags of a block full of numbers, the most common kind. */
const numberTags = Buffer.alloc(blockLanes, cellTag.number);

/** Returns the last of contiguous numbers from an index on. */
function lastNumber(tags: Uint8Array, from: number, end: number): number {
  if (numberTags.compare(tags, from, end, 0, end - from) === 0) return end - 1;
  let at = from;
  while (at + 1 < end && tags[at + 1] === cellTag.number) at++;
  return at;
}

/** Returns the last of contiguous cells with the same content. */
function lastAlike(
  { tags, numbers }: Pick<BlockLanes, 'tags' | 'numbers'>,
  from: number,
  end: number,
): number {
  let at = from;
  while (at + 1 < end && tags[at + 1] === tags[from] && numbers[at + 1] === numbers[from]) at++;
  return at;
}

/** Writes runs of equal formats; rank 0 is the default. */
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

export interface BlockReading extends BlockHome {
  readonly form: FormulaForm;
  readonly place: BlockPlace;
  readonly dictionary: Dictionary;
  readonly nameOf: SheetNaming;
}

export function getBlock(source: NodeSource, hash: Buffer, at: BlockReading): Block {
  const { form, place, dictionary } = at;
  const node = openNode(source, kinds[form], hash);
  const cells = readCells(node, source, at);
  const formats = readFormats(node, dictionary);
  node.end();
  return Block.from(place, { ...cells, ...formats }, form === 'ids' ? hash : undefined);
}

/** Bytes that occur in the text of every legacy array formula. */
const arrayBytes = Buffer.from(`${arrayMark}R`);

/**
 * Returns whether a stored block may have a legacy array formula, judged by its bytes; never false
 * for one that has.
 */
export function mayHoldArrays(source: NodeSource, hash: Buffer): boolean {
  return source.hasArrays?.(hash) ?? looksLikeArrays(source.get(hash));
}

/** Returns false for bytes that are no block in ids. */
export function looksLikeArrays(bytes: Uint8Array): boolean {
  if (bytes[0] !== nodeKind.block) return false;
  const node = new NodeReader(bytes.subarray(1));
  const { low, high } = readWindow(node);
  return node.raw(high - low).includes(cellTag.formula) && node.rest.includes(arrayBytes);
}

function readWindow(node: NodeReader): Window {
  const [low, high] = [node.count(), node.count()];
  if (low > high || high > blockLanes) throw new NodeFault('a block has lanes it cannot have');
  return { low, high };
}

function readCells(node: NodeReader, source: NodeSource, at: BlockReading) {
  const { low, high } = readWindow(node);
  const tags = new Uint8Array(node.raw(high - low));
  const numbers = readNumbers(node, tags);
  const texts = readMany(node, () => at.dictionary.textIndex(node.text()));
  const formulas =
    at.form === 'former'
      ? readMany(node, () => readFormerFormula(node, source, at.dictionary))
      : readFormulas(node, { low, tags, numbers }, at);
  for (let lane = 0; lane < tags.length; lane++) {
    const tag = tags[lane];
    if (tag === cellTag.text) numbers[lane] = named(texts, numbers[lane]);
    else if (tag === cellTag.formula) numbers[lane] = named(formulas, numbers[lane]);
  }
  return { low, tags, numbers };
}

function readNumbers(node: NodeReader, tags: Uint8Array): Float64Array<ArrayBuffer> {
  const numbers = new Float64Array(tags.length);
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
  return numbers;
}

interface ReadLanes {
  readonly low: number;
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
}

function readFormulas(node: NodeReader, lanes: ReadLanes, at: BlockReading): number[] {
  const { dictionary, place, sheetId, column } = at;
  const { branch, sequence, index } = place;
  const reader = new IdentityReader(dictionary, at.nameOf);
  const stretches = stretchesOf(lanes);
  const indexes: number[] = [];
  const count = node.count();
  for (let rank = 0; rank < count; rank++) {
    const legacy = node.byte() === 1;
    const [from, to] = stretches[rank] ?? [0, 1];
    const row = { branch, sequence, offset: index * blockLanes + from };
    const homes = { sheetId, column, row, count: to - from };
    const text = node.text();
    const known = reader.isPlain(text, homes)
      ? dictionary.plainIndex({ r1c1: text, legacy }, sheetId)
      : undefined;
    indexes.push(known ?? dictionary.formulaIndex({ ...reader.read(text, homes), legacy }));
  }
  return indexes;
}

/** Returns the first lane and the end of each formula, by rank. */
function stretchesOf({ low, tags, numbers }: ReadLanes): [from: number, to: number][] {
  const stretches: [number, number][] = [];
  for (let at = 0; at < tags.length; at++) {
    if (tags[at] !== cellTag.formula) continue;
    const known = stretches[numbers[at] ?? 0];
    if (known) known[1] = low + at + 1;
    else stretches[numbers[at] ?? 0] = [low + at, low + at + 1];
  }
  return stretches;
}

function readFormerFormula(node: NodeReader, source: NodeSource, dictionary: Dictionary): number {
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
