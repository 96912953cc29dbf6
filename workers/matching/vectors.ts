import { packTexts, sharedFloat32, sharedUint32, startOf, startsOf } from './shared-arrays.ts';
import { TermDictionary, type TermNumbers } from './term-dictionary.ts';

/** Sparse vectors of length 1, one for each row; terms of a row go from rarest to most frequent. */
export interface Vectors {
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly weights: Float32Array;
}

export interface VectorPair {
  readonly left: Vectors;
  readonly right: Vectors;
  readonly termCount: number;
}

/** Hash seeds of the two kinds of terms. */
const pieceSeed = 0;
const wordSeed = 1;
const pieceLengthMost = 4;
const space = 32;

/**
 * Builds vectors of both columns from their words and from the pieces of two to four characters of
 * " word ": weight (1 + ln tf) · (ln((1 + N) / (1 + df)) + 1) over the distinct texts of both,
 * normalised to length 1. With `buckets` terms are hashed to that number, each with a sign.
 */
export function buildVectors(
  left: readonly string[],
  right: readonly string[],
  buckets?: number,
): VectorPair {
  const dictionary = new TermDictionary();
  const leftTerms = countTerms(left, dictionary);
  const rightTerms = countTerms(right, dictionary);
  const frequencies = new Uint32Array(dictionary.count);
  for (const { terms } of [leftTerms, rightTerms]) {
    for (const term of terms) frequencies[term] = (frequencies[term] ?? 0) + 1;
  }
  const textCount = left.length + right.length;
  const order = rareFirst(frequencies);
  const rarity = new Float64Array(dictionary.count);
  for (const [term, frequency] of frequencies.entries()) {
    rarity[order[term] ?? 0] = Math.log((1 + textCount) / (1 + frequency)) + 1;
  }
  const exact = { left: weigh(leftTerms, order, rarity), right: weigh(rightTerms, order, rarity) };
  if (buckets === undefined) return { ...exact, termCount: dictionary.count };
  const places = new Int32Array(dictionary.count);
  for (const [term, place] of order.entries()) {
    places[place] = bucketOf(dictionary.hashOf(term), buckets);
  }
  return {
    left: hashed(exact.left, places, buckets),
    right: hashed(exact.right, places, buckets),
    termCount: buckets,
  };
}

/** Returns the bucket of a hash, from 1 on; negative if the term is subtracted. */
export function bucketOf(hash: number, buckets: number): number {
  const bucket = ((hash >>> 1) % buckets) + 1;
  return (hash & 1) === 1 ? -bucket : bucket;
}

export interface TermCounts {
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly counts: Uint16Array;
}

/** Counts the terms of each text. */
export function countTerms(texts: readonly string[], dictionary: TermNumbers): TermCounts {
  const { characters, ends } = packTexts(texts);
  const perText = new Uint32Array(texts.length);
  // A word of n characters has at most 3n pieces, and itself.
  let terms = new Uint32Array(characters.length * 2 + texts.length + 16);
  let counts = new Uint16Array(terms.length);
  const met = new Met();
  const padded = new Uint16Array(longest(ends) + 2);
  let at = 0;
  for (let text = 0; text < texts.length; text++) {
    const start = at;
    const [from, to] = [startOf(ends, text), ends[text] ?? 0];
    const most = at + (to - from) * 4 + 4;
    if (most > terms.length) {
      terms = longer(terms, most);
      counts = longer(counts, most);
    }
    const add = (term: number): void => {
      const place = met.place(term, start, at);
      if (place === at) {
        terms[at] = term;
        counts[at++] = 1;
      } else if ((counts[place] ?? 0) < 0xffff) counts[place] = (counts[place] ?? 0) + 1;
    };
    for (let word = from; word < to;) {
      let end = word;
      while (end < to && characters[end] !== space) end++;
      if (end > word) addWord({ characters, word, end, padded }, dictionary, add);
      word = end + 1;
    }
    perText[text] = at - start;
  }
  return { starts: startsOf(perText), terms: terms.subarray(0, at), counts };
}

interface PlacedWord {
  readonly characters: Uint16Array;
  readonly word: number;
  readonly end: number;
  readonly padded: Uint16Array;
}

function addWord(
  { characters, word, end, padded }: PlacedWord,
  dictionary: TermNumbers,
  add: (term: number) => void,
): void {
  add(dictionary.number(characters, [word, end], wordSeed));
  const length = end - word + 2;
  padded[0] = space;
  for (let at = word; at < end; at++) padded[at - word + 1] = characters[at] ?? 0;
  padded[length - 1] = space;
  for (let size = 2; size <= pieceLengthMost; size++) {
    for (let at = 0; at + size <= length; at++) {
      add(dictionary.number(padded, [at, at + size], pieceSeed));
    }
  }
}

/** Index of each term in the list of the current text. */
class Met {
  #places = new Uint32Array(1 << 16);

  /**
   * Returns the index of a term in the list that begins at `start`, or `next` if it is new, and
   * remembers it.
   */
  place(term: number, start: number, next: number): number {
    if (term >= this.#places.length) this.#places = longer(this.#places, term + 1);
    const place = (this.#places[term] ?? 0) - 1;
    if (place >= start && place < next) return place;
    this.#places[term] = next + 1;
    return next;
  }
}

/** Returns new numbers of terms, by which rarer terms are smaller. */
export function rareFirst(frequencies: Uint32Array): Uint32Array {
  let most = 0;
  for (const frequency of frequencies) most = Math.max(most, frequency);
  const nextOf = new Uint32Array(most + 2);
  for (const frequency of frequencies) nextOf[frequency + 1] = (nextOf[frequency + 1] ?? 0) + 1;
  for (let at = 1; at < nextOf.length; at++) nextOf[at] = (nextOf[at] ?? 0) + (nextOf[at - 1] ?? 0);
  return frequencies.map((frequency) => {
    const place = nextOf[frequency] ?? 0;
    nextOf[frequency] = place + 1;
    return place;
  });
}

export function weigh(
  { starts, terms, counts }: TermCounts,
  order: Uint32Array,
  rarity: Float64Array,
): Vectors {
  const ordered = sharedUint32(terms.length);
  const weights = sharedFloat32(terms.length);
  // Sorted as one number each: the rank, and the index of its count.
  const keys = new Float64Array(terms.length);
  for (let at = 0; at < terms.length; at++) {
    keys[at] = (order[terms[at] ?? 0] ?? 0) * 65_536 + (counts[at] ?? 0);
  }
  for (let row = 0; row + 1 < starts.length; row++) {
    const [from, to] = [starts[row] ?? 0, starts[row + 1] ?? 0];
    const own = keys.subarray(from, to).sort();
    weighRow(own, rarity, {
      terms: ordered.subarray(from, to),
      weights: weights.subarray(from, to),
    });
  }
  return { starts, terms: ordered, weights };
}

function weighRow(
  keys: Float64Array,
  rarity: Float64Array,
  { terms, weights }: Pick<Vectors, 'terms' | 'weights'>,
): void {
  let squares = 0;
  for (const [at, key] of keys.entries()) {
    const term = Math.floor(key / 65_536);
    const weight = (1 + Math.log(key - term * 65_536)) * (rarity[term] ?? 0);
    terms[at] = term;
    weights[at] = weight;
    squares += weight * weight;
  }
  const length = Math.sqrt(squares);
  for (const [at, weight] of weights.entries()) weights[at] = weight / length;
}

/** Adds up the terms of each bucket, and normalises the result to length 1. */
function hashed({ starts, terms, weights }: Vectors, places: Int32Array, buckets: number): Vectors {
  const sums = new Float64Array(buckets);
  const perRow = new Uint32Array(starts.length - 1);
  const rows: { term: number; weight: number }[][] = [];
  for (let row = 0; row < perRow.length; row++) {
    sums.fill(0);
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) {
      const place = places[terms[at] ?? 0] ?? 0;
      const bucket = Math.abs(place) - 1;
      sums[bucket] = (sums[bucket] ?? 0) + Math.sign(place) * (weights[at] ?? 0);
    }
    const length = Math.sqrt(sums.reduce((sum, weight) => sum + weight * weight, 0));
    const kept: { term: number; weight: number }[] = [];
    for (const [term, weight] of sums.entries()) {
      if (weight !== 0) kept.push({ term, weight: weight / length });
    }
    rows.push(kept);
    perRow[row] = kept.length;
  }
  const all = rows.flat();
  const [ordered, lengths] = [sharedUint32(all.length), sharedFloat32(all.length)];
  for (const [at, { term, weight }] of all.entries()) {
    ordered[at] = term;
    lengths[at] = weight;
  }
  return { starts: startsOf(perRow), terms: ordered, weights: lengths };
}

function longest(ends: Uint32Array): number {
  let most = 0;
  for (let text = 0; text < ends.length; text++) {
    most = Math.max(most, (ends[text] ?? 0) - startOf(ends, text));
  }
  return most;
}

function longer<Lanes extends Uint16Array | Uint32Array>(lanes: Lanes, length: number): Lanes {
  const made = new (lanes.constructor as new (length: number) => Lanes)(
    Math.max(length, lanes.length * 2),
  );
  made.set(lanes);
  return made;
}
