import { jaroWinkler, type Units } from './jaro-winkler.ts';
import { isNegativePair, type NegativePairs } from './negative-pairs.ts';
import { startOf } from './shared-arrays.ts';
import type { TokenLists, Tokens } from './tokens.ts';

/** Words of either side that are compared; of longer texts the first ones. */
const wordsMost = 64;
const alikeLeast = 0.85;
const prefixLeast = 3;
const prefixSimilarity = 0.85;
const initialSimilarity = 0.7;
const joinedSimilarity = 0.95;
const cacheSlots = 1 << 16;

/** Relation between the words of two texts. */
export interface Alignment {
  /** Weight of the left words with a similar one on the right, from 0 to 1; and the reverse. */
  leftCoverage: number;
  rightCoverage: number;
  leftWords: number;
  rightWords: number;
  leftUnmatched: number;
  rightUnmatched: number;
  /** Rarity of the rarest left word without a similar one; and the reverse. */
  leftRarest: number;
  rightRarest: number;
  /** Rarity of the rarest such word that the other column has in other rows. */
  leftKnown: number;
  rightKnown: number;
  /** Number of left numbers without an equal one; and the reverse. */
  leftNumbers: number;
  rightNumbers: number;
  /**
   * True when the words that remain keep rows of the reference column apart (negative-pairs.ts).
   */
  negative: boolean;
  /** True when both texts have the same words. */
  isSameWords: boolean;
  isFirstSame: boolean;
  isLastSame: boolean;
}

/** Aligns the words of pairs of texts. Its arrays are reused for each pair. */
export class Aligner {
  readonly #tokens: Tokens;
  readonly #negativePairs: NegativePairs;
  readonly #leftMatch = new Float64Array(wordsMost);
  readonly #rightMatch = new Float64Array(wordsMost);
  readonly #cacheKeys = new Float64Array(cacheSlots).fill(-1);
  readonly #cached = new Float32Array(cacheSlots);
  readonly #a: Units & { start: number; end: number };
  readonly #b: Units & { start: number; end: number };

  constructor(tokens: Tokens, negativePairs: NegativePairs) {
    this.#tokens = tokens;
    this.#negativePairs = negativePairs;
    this.#a = { units: tokens.words.characters, start: 0, end: 0 };
    this.#b = { units: tokens.words.characters, start: 0, end: 0 };
  }

  align(leftRow: number, rightRow: number): Alignment {
    const left = listOf(this.#tokens.left, leftRow);
    const right = listOf(this.#tokens.right, rightRow);
    this.#leftMatch.fill(0, 0, left.length);
    this.#rightMatch.fill(0, 0, right.length);
    const isSame = this.#matchEqual(left, right);
    if (!isSame) {
      this.#matchAlike(left, right);
      this.#matchJoined(left, this.#leftMatch, right, this.#rightMatch);
      this.#matchJoined(right, this.#rightMatch, left, this.#leftMatch);
    }
    const { leftFrequencies, rightFrequencies } = this.#tokens;
    const ofLeft = this.#summary(left, this.#leftMatch, rightFrequencies);
    const ofRight = this.#summary(right, this.#rightMatch, leftFrequencies);
    return {
      leftCoverage: ofLeft.coverage,
      rightCoverage: ofRight.coverage,
      leftWords: left.length,
      rightWords: right.length,
      leftUnmatched: ofLeft.unmatched,
      rightUnmatched: ofRight.unmatched,
      leftRarest: ofLeft.rarest,
      rightRarest: ofRight.rarest,
      leftKnown: ofLeft.known,
      rightKnown: ofRight.known,
      leftNumbers: ofLeft.numbers,
      rightNumbers: ofRight.numbers,
      negative: this.#isApart(left, right),
      isSameWords: isSame,
      isFirstSame: left.length > 0 && left[0] === right[0],
      isLastSame: left.length > 0 && left.at(-1) === right.at(-1),
    };
  }

  /** Matches equal words; returns whether those were all. */
  #matchEqual(left: Uint32Array, right: Uint32Array): boolean {
    let matched = 0;
    for (let at = 0; at < left.length; at++) {
      for (let other = 0; other < right.length; other++) {
        if (right[other] !== left[at] || this.#rightMatch[other] !== 0) continue;
        this.#leftMatch[at] = 1;
        this.#rightMatch[other] = 1;
        matched++;
        break;
      }
    }
    return matched === left.length && matched === right.length;
  }

  #matchAlike(left: Uint32Array, right: Uint32Array): void {
    for (let at = 0; at < left.length; at++) {
      if (this.#leftMatch[at] !== 0) continue;
      let best = -1;
      let bestSimilarity = 0;
      for (let other = 0; other < right.length; other++) {
        if (this.#rightMatch[other] !== 0) continue;
        const similarity = this.#similarity(left[at] ?? 0, right[other] ?? 0);
        if (similarity <= bestSimilarity) continue;
        best = other;
        bestSimilarity = similarity;
      }
      if (best < 0) continue;
      this.#leftMatch[at] = bestSimilarity;
      this.#rightMatch[best] = bestSimilarity;
    }
  }

  /** Matches words that the other side writes as one: foot ball and football. */
  #matchJoined(
    list: Uint32Array,
    match: Float64Array,
    others: Uint32Array,
    otherMatch: Float64Array,
  ): void {
    for (let at = 0; at + 1 < list.length; at++) {
      if (match[at] !== 0 || match[at + 1] !== 0) continue;
      for (let other = 0; other < others.length; other++) {
        if (otherMatch[other] !== 0) continue;
        if (!this.#isJoined(list[at] ?? 0, list[at + 1] ?? 0, others[other] ?? 0)) continue;
        match[at] = joinedSimilarity;
        match[at + 1] = joinedSimilarity;
        otherMatch[other] = joinedSimilarity;
        break;
      }
    }
  }

  #isJoined(first: number, second: number, whole: number): boolean {
    const { characters, ends } = this.#tokens.words;
    const starts = [first, second, whole].map((token) => startOf(ends, token));
    const [a = 0, b = 0, c = 0] = starts;
    const [lengthA, lengthB] = [(ends[first] ?? 0) - a, (ends[second] ?? 0) - b];
    if (lengthA + lengthB !== (ends[whole] ?? 0) - c) return false;
    return isPrefix(characters, a, c, lengthA) && isPrefix(characters, b, c + lengthA, lengthB);
  }

  /** Returns the similarity of two words; 0 if they are not alike. */
  #similarity(a: number, b: number): number {
    const key = a * 2 ** 26 + b;
    const slot = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) & (cacheSlots - 1);
    if (this.#cacheKeys[slot] === key) return this.#cached[slot] ?? 0;
    const similarity = isNegativePair(this.#negativePairs, a, b) ? 0 : this.#compare(a, b);
    this.#cacheKeys[slot] = key;
    this.#cached[slot] = similarity;
    return similarity;
  }

  #compare(a: number, b: number): number {
    const { values, words } = this.#tokens;
    const [valueA, valueB] = [values[a] ?? 0, values[b] ?? 0];
    if (valueA > 0 && valueB > 0) return valueA === valueB ? 1 : 0;
    const [first, second] = [this.#a, this.#b];
    first.start = startOf(words.ends, a);
    first.end = words.ends[a] ?? 0;
    second.start = startOf(words.ends, b);
    second.end = words.ends[b] ?? 0;
    const beginning = alikeInBeginning(first, second);
    if (beginning > 0) return beginning;
    if (valueA > 0 || valueB > 0) return 0;
    const similarity = jaroWinkler(first, second);
    return similarity > alikeLeast ? similarity : 0;
  }

  #summary(list: Uint32Array, match: Float64Array, frequencies: Uint32Array) {
    const { rarity, values } = this.#tokens;
    let [sum, covered, unmatched, rarest, known, numbers] = [0, 0, 0, 0, 0, 0];
    for (const [at, token] of list.entries()) {
      const weight = rarity[token] ?? 0;
      sum += weight;
      const similarity = match[at] ?? 0;
      covered += weight * similarity;
      if (similarity !== 0) continue;
      unmatched++;
      rarest = Math.max(rarest, weight);
      if (weight > known && (frequencies[token] ?? 0) > 0) known = weight;
      if ((values[token] ?? 0) > 0) numbers++;
    }
    return { coverage: sum > 0 ? covered / sum : 0, unmatched, rarest, known, numbers };
  }

  #isApart(left: Uint32Array, right: Uint32Array): boolean {
    for (let at = 0; at < left.length; at++) {
      if (this.#leftMatch[at] !== 0) continue;
      for (let other = 0; other < right.length; other++) {
        if (this.#rightMatch[other] !== 0) continue;
        if (isNegativePair(this.#negativePairs, left[at] ?? 0, right[other] ?? 0)) return true;
      }
    }
    return false;
  }
}

/** Returns the similarity of words of which one begins with the other. */
function alikeInBeginning(a: Units, b: Units): number {
  const shorter = Math.min(a.end - a.start, b.end - b.start);
  if (!isPrefix(a.units, a.start, b.start, shorter)) return 0;
  if (shorter >= prefixLeast) return prefixSimilarity;
  return shorter === 1 ? initialSimilarity : 0;
}

function listOf({ starts, tokens }: TokenLists, row: number): Uint32Array {
  const start = starts[row] ?? 0;
  return tokens.subarray(start, Math.min(starts[row + 1] ?? 0, start + wordsMost));
}

function isPrefix(units: Uint16Array, a: number, b: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (units[a + at] !== units[b + at]) return false;
  return true;
}
