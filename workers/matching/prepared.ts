import { noRow } from './candidates.ts';
import { buildCorpus, type Corpus } from './corpus.ts';
import { normalise, trimmed } from './normalise.ts';
import { sharedUint32, startOf, startsOf, type PackedTexts } from './shared-arrays.ts';

/** Columns as they were read: a text for each row, empty where there is nothing. */
export interface PrepareTask {
  readonly left: PackedTexts;
  readonly right: PackedTexts;
  readonly aliases?: { readonly from: PackedTexts; readonly to: PackedTexts } | undefined;
  readonly normalise: 'default' | 'none';
  readonly dim?: number | undefined;
}

/** Rows of a column by its distinct normalised texts. */
export interface Side {
  /** Number of the text of each row, or `noRow`. */
  readonly textOf: Uint32Array;
  /** Rows of each text, in ascending order. */
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  /** 1 for rows whose text an alias has changed. */
  readonly isAliased: Uint8Array;
  readonly emptyCount: number;
}

export interface PreparedMatch {
  readonly corpus: Corpus;
  readonly left: Side;
  readonly right: Side;
  /** The right text that is equal to each left one, or `noRow`. */
  readonly equal: Uint32Array;
}

export function prepareMatch(task: PrepareTask): PreparedMatch {
  const rewrite = rewriter(task);
  const left = sideOf(task.left, rewrite);
  const right = sideOf(task.right, rewrite);
  const places = new Map(right.texts.map((text, place) => [text, place]));
  const equal = sharedUint32(left.texts.length).fill(noRow);
  for (const [text, value] of left.texts.entries()) equal[text] = places.get(value) ?? noRow;
  return {
    corpus: buildCorpus(left.texts, right.texts, task.dim),
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

function sideOf(packed: PackedTexts, rewrite: Rewrite): { texts: string[]; side: Side } {
  const rowCount = packed.ends.length;
  const textOf = sharedUint32(rowCount).fill(noRow);
  const isAliased = new Uint8Array(new SharedArrayBuffer(rowCount));
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  const counts: number[] = [];
  let emptyCount = 0;
  for (let row = 0; row < rowCount; row++) {
    const { text, isAliased: isChanged } = rewrite(textAt(packed, row));
    if (text === '') {
      emptyCount++;
      continue;
    }
    if (isChanged) isAliased[row] = 1;
    const number = numbers.get(text) ?? texts.length;
    if (number === texts.length) {
      numbers.set(text, number);
      texts.push(text);
      counts.push(0);
    }
    counts[number] = (counts[number] ?? 0) + 1;
    textOf[row] = number;
  }
  return { texts, side: { textOf, isAliased, emptyCount, ...rowsOf(textOf, counts) } };
}

function rowsOf(textOf: Uint32Array, counts: readonly number[]) {
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
  // A decoder does not take memory that is shared.
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

/** The longest run of words that stands for something else is replaced, from left to right. */
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
