import { noRow } from './candidates.ts';
import { buildCorpus, type Corpus } from './corpus.ts';
import { joinVectors } from './joined-vectors.ts';
import { normalise, trimmed } from './normalise.ts';
import { sharedUint32, startOf, startsOf, type PackedTexts } from './shared-arrays.ts';
import { buildVectors } from './vectors.ts';

/** Columns as they were read: a text for each row, empty if the cell is. */
export interface PrepareTask {
  readonly left: TaskSide;
  readonly right: TaskSide;
  /** Weights of the pairs of columns; 1 for each by default. */
  readonly weights?: readonly number[] | undefined;
  readonly aliases?: { readonly from: PackedTexts; readonly to: PackedTexts } | undefined;
  readonly normalise: 'default' | 'none';
  readonly dim?: number | undefined;
}

export interface TaskSide {
  readonly columns: readonly PackedTexts[];
  /** Columns whose contents have to be equal on both sides of a pair. */
  readonly blocking?: readonly PackedTexts[] | undefined;
}

/** Rows of a column by distinct normalised text. */
export interface Side {
  /** Index of the text of each row, or `noRow`. */
  readonly textOf: Uint32Array;
  /** Rows of each text in ascending order. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  /** 1 for rows whose text an alias has changed. */
  readonly isAliased: Uint8Array;
  readonly emptyCount: number;
  /** Block of each text: only rows of one block are compared. Undefined if there are no blocks. */
  readonly blocks?: Uint32Array | undefined;
}

export interface PreparedMatch {
  readonly corpus: Corpus;
  readonly left: Side;
  readonly right: Side;
  /** The right text that equals each left text, or `noRow`. */
  readonly equal: Uint32Array;
}

export function prepareMatch(task: PrepareTask): PreparedMatch {
  const rewrite = rewriter(task);
  const numbers = new Map<string, number>();
  const left = sideOf(task.left, rewrite, { numbers, none: noRow });
  const right = sideOf(task.right, rewrite, { numbers, none: noRow - 1 });
  const equal = sharedUint32(left.texts.length).fill(noRow);
  for (const [key, text] of left.places) equal[text] = right.places.get(key) ?? noRow;
  const pairs = left.parts.map((part, column) =>
    buildVectors(part, right.parts[column] ?? [], task.dim),
  );
  const vectors = joinVectors(pairs, task.weights ?? pairs.map(() => 1));
  return {
    corpus: buildCorpus(left.texts, right.texts, vectors),
    left: left.side,
    right: right.side,
    equal,
  };
}

interface Rewritten {
  readonly text: string;
  readonly isAliased: boolean;
}

type Rewrite = (text: string) => Rewritten;

interface Distinct {
  /** Texts of the columns together, and of each one. */
  readonly texts: string[];
  readonly parts: readonly string[][];
  readonly places: ReadonlyMap<string, number>;
  readonly side: Side;
}

interface Blocks {
  /** Blocks of both sides, by their texts. */
  readonly numbers: Map<string, number>;
  /**
   * Block of rows with an empty blocking column, which match no row; it differs between the sides.
   */
  readonly none: number;
}

const separator = '\u001F';

function sideOf(given: TaskSide, rewrite: Rewrite, blocks: Blocks): Distinct {
  const { columns } = given;
  const rowCount = columns[0]?.ends.length ?? 0;
  const textOf = sharedUint32(rowCount).fill(noRow);
  const isAliased = new Uint8Array(new SharedArrayBuffer(rowCount));
  const places = new Map<string, number>();
  const texts: string[] = [];
  const parts = columns.map((): string[] => []);
  const blockOf: number[] = [];
  const counts: number[] = [];
  let emptyCount = 0;
  for (let row = 0; row < rowCount; row++) {
    const { own, block, key, isChanged } = readRow(given, row, rewrite, blocks);
    const filled = own.filter((text) => text !== '');
    if (filled.length === 0) {
      emptyCount++;
      continue;
    }
    isAliased[row] = Number(isChanged);
    const number = places.get(key) ?? texts.length;
    if (number === texts.length) {
      places.set(key, number);
      texts.push(filled.join(' '));
      for (const [column, text] of own.entries()) parts[column]?.push(text);
      blockOf.push(block);
      counts.push(0);
    }
    counts[number] = (counts[number] ?? 0) + 1;
    textOf[row] = number;
  }
  const numbered = given.blocking && sharedOf(blockOf);
  const side = { textOf, isAliased, emptyCount, blocks: numbered, ...rowsOf(textOf, counts) };
  return { texts, parts, places, side };
}

function sharedOf(numbers: readonly number[]): Uint32Array {
  const shared = sharedUint32(numbers.length);
  shared.set(numbers);
  return shared;
}

/** Reads the texts and the block of a row; rows with an equal key are the same. */
function readRow(
  { columns, blocking }: TaskSide,
  row: number,
  rewrite: Rewrite,
  blocks: Blocks,
): { own: string[]; block: number; key: string; isChanged: boolean } {
  const rewritten = columns.map((column) => rewrite(textAt(column, row)));
  const own = rewritten.map(({ text }) => text);
  const block = blocking ? blockAt(blocking, row, rewrite, blocks) : 0;
  // A row without a block equals no other row.
  const place = block === blocks.none ? `-${row}` : String(block);
  const key = [...own, place].join(separator);
  return { own, block, key, isChanged: rewritten.some(({ isAliased }) => isAliased) };
}

/** Returns the number of the blocking columns' contents in a row. */
function blockAt(
  blocking: readonly PackedTexts[],
  row: number,
  rewrite: Rewrite,
  { numbers, none }: Blocks,
): number {
  const texts = blocking.map((column) => rewrite(textAt(column, row)).text);
  if (texts.includes('')) return none;
  const key = texts.join(separator);
  const number = numbers.get(key) ?? numbers.size;
  numbers.set(key, number);
  return number;
}

export function rowsOf(textOf: Uint32Array, counts: readonly number[]) {
  const starts = startsOf(Uint32Array.from(counts));
  const next = Uint32Array.from(starts);
  const rows = sharedUint32(starts.at(-1) ?? 0);
  for (const [row, text] of textOf.entries()) {
    if (text === noRow) continue;
    const place = next[text] ?? 0;
    next[text] = place + 1;
    rows[place] = row;
  }
  return { starts, rows };
}

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true });

export function textAt({ characters, ends }: PackedTexts, index: number): string {
  const start = startOf(ends, index);
  const units = characters.subarray(start, ends[index]);
  // A TextDecoder refuses shared memory.
  return decoder.decode(Uint16Array.from(units));
}

function rewriter({ normalise: how, aliases }: PrepareTask): Rewrite {
  const plain = how === 'default' ? normalise : trimmed;
  if (!aliases) return (text) => ({ text: plain(text), isAliased: false });
  const meanings = new Map<string, string>();
  let wordsMost = 1;
  for (let index = 0; index < aliases.from.ends.length; index++) {
    const from = plain(textAt(aliases.from, index));
    const to = plain(textAt(aliases.to, index));
    if (from === '' || to === '' || meanings.has(from)) continue;
    meanings.set(from, to);
    wordsMost = Math.max(wordsMost, from.split(' ').length);
  }
  return (text) => replaceWords(plain(text), meanings, wordsMost);
}

/** Replaces the longest runs of words that have an alias, from left to right. */
function replaceWords(
  text: string,
  meanings: ReadonlyMap<string, string>,
  wordsMost: number,
): Rewritten {
  const words = text.split(' ');
  const written: string[] = [];
  let isAliased = false;
  for (let at = 0; at < words.length;) {
    let count = Math.min(wordsMost, words.length - at);
    let meaning: string | undefined;
    for (; count > 0; count--) {
      meaning = meanings.get(words.slice(at, at + count).join(' '));
      if (meaning !== undefined) break;
    }
    if (meaning === undefined) written.push(words[at++] ?? '');
    else {
      written.push(meaning);
      isAliased = true;
      at += count;
    }
  }
  return { text: written.join(' '), isAliased };
}
