import { packTexts, sharedFloat32, sharedUint32, startOf, startsOf } from './shared-arrays.ts';
import type { PackedTexts } from './shared-arrays.ts';
import { TermDictionary } from './term-dictionary.ts';

/** Words of texts, each once, with its letters and its weight. */
export interface Tokens {
  readonly words: PackedTexts;
  /** Rarity: 0 for a word in every text, up to 1 for a word in one text. */
  readonly rarity: Float32Array;
  /**
   * Number that a word writes in digits, as a roman number or by name, plus one; 0 if it is none.
   */
  readonly values: Uint32Array;
  /** Number of texts of a side that have the word. */
  readonly leftFrequencies: Uint32Array;
  readonly rightFrequencies: Uint32Array;
  readonly left: TokenLists;
  readonly right: TokenLists;
}

export interface TokenLists {
  readonly starts: Uint32Array;
  readonly tokens: Uint32Array;
}

const space = 32;

export function listTokens(left: readonly string[], right: readonly string[]): Tokens {
  const dictionary = new TermDictionary();
  const lists = { left: split(left, dictionary), right: split(right, dictionary) };
  const leftFrequencies = countRows(lists.left, dictionary.count);
  const rightFrequencies = countRows(lists.right, dictionary.count);
  const rarity = sharedFloat32(dictionary.count);
  const texts = left.length + right.length;
  for (const [token, frequency] of leftFrequencies.entries()) {
    const all = frequency + (rightFrequencies[token] ?? 0);
    rarity[token] = Math.max(0.02, Math.log((1 + texts) / all) / Math.log(1 + texts));
  }
  const spelled = Array.from({ length: dictionary.count }, (_, token) =>
    String.fromCharCode(...dictionary.unitsOf(token)),
  );
  const values = sharedUint32(dictionary.count);
  for (const [token, word] of spelled.entries()) values[token] = numberOf(word) + 1;
  const frequencies = { leftFrequencies, rightFrequencies };
  return { words: packTexts(spelled), rarity, values, ...frequencies, ...lists };
}

function countRows({ starts, tokens }: TokenLists, tokenCount: number): Uint32Array {
  const counts = sharedUint32(tokenCount);
  const seenIn = new Int32Array(tokenCount).fill(-1);
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) {
      const token = tokens[at] ?? 0;
      if (seenIn[token] === row) continue;
      seenIn[token] = row;
      counts[token] = (counts[token] ?? 0) + 1;
    }
  }
  return counts;
}

function split(texts: readonly string[], dictionary: TermDictionary): TokenLists {
  const { characters, ends } = packTexts(texts);
  const perText = new Uint32Array(texts.length);
  const all: number[] = [];
  for (let text = 0; text < texts.length; text++) {
    const to = ends[text] ?? 0;
    for (let word = startOf(ends, text); word < to;) {
      let end = word;
      while (end < to && characters[end] !== space) end++;
      if (end > word) {
        all.push(dictionary.number(characters, [word, end], 0));
        perText[text] = (perText[text] ?? 0) + 1;
      }
      word = end + 1;
    }
  }
  const tokens = sharedUint32(all.length);
  tokens.set(all);
  return { starts: startsOf(perText), tokens };
}

const names = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const romans = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'];
const moreRomans = ['xiii', 'xiv', 'xv', 'xvi', 'xvii', 'xviii', 'xix', 'xx', 'xxi', 'xxii'];
const longestNumber = 9;

const spelledNumbers: ReadonlyMap<string, number> = new Map([
  ...[...romans, ...moreRomans].map((word, value) => [word, value] as const).slice(1),
  ...names.map((word, value) => [word, value] as const),
  ...ordinals.map((word, value) => [word, value] as const).slice(1),
]);

/** Returns the number that a word writes; -1 if it is none. */
function numberOf(word: string): number {
  const digits = /^(\d+)(?:st|nd|rd|th)?$/.exec(word)?.[1];
  if (digits !== undefined) return digits.length <= longestNumber ? Number(digits) : -1;
  return spelledNumbers.get(word) ?? -1;
}
