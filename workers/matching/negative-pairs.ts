import { sharedUint32 } from './shared-arrays.ts';
import { mixed } from './term-dictionary.ts';
import type { TokenLists } from './tokens.ts';

/**
 * Pairs of words that are the only difference between two rows of the reference column, such as
 * 2007 and 2008, or men and women: they tell things apart. A hash set of tokens that any thread can
 * read.
 */
export interface NegativePairs {
  /** Pairs of words by slot, the smaller first, each plus one; 0 for an empty slot. */
  readonly slots: Uint32Array;
  readonly mask: number;
}

/** Number of rows alike but for one word that are compared with each other. */
const groupMost = 40;
/** Longer rows hardly ever differ in one word. */
const wordsMost = 24;

export function findNegativePairs({ starts, tokens }: TokenLists): NegativePairs {
  const rowCount = starts.length - 1;
  const signatures: number[] = [];
  const words: number[] = [];
  for (let row = 0; row < rowCount; row++) {
    const [from, to] = [starts[row] ?? 0, starts[row + 1] ?? 0];
    if (to - from < 2 || to - from > wordsMost) continue;
    const own = tokens.subarray(from, to);
    let high = 0;
    let low = 0;
    for (const token of own) {
      high = (high + highOf(token)) >>> 0;
      low = (low + lowOf(token)) >>> 0;
    }
    for (const token of own) {
      const rest = [(high - highOf(token)) >>> 0, (low - lowOf(token)) >>> 0] as const;
      signatures.push(signatureOf(...rest, own.length - 1));
      words.push(token);
    }
  }
  return pairsOf(signatures, words);
}

function highOf(token: number): number {
  return mixed(token + 1);
}

function lowOf(token: number): number {
  return mixed(token ^ 0x5bd1e995);
}

/** Returns a signature of 53 bits for words in any order, with their number. */
function signatureOf(high: number, low: number, count: number): number {
  return (high & 0x1fffff) * 2 ** 32 + ((low ^ count) >>> 0);
}

export function isNegativePair({ slots, mask }: NegativePairs, a: number, b: number): boolean {
  const [low, high] = a < b ? [a, b] : [b, a];
  for (let slot = slotOf(low, high) & mask; ; slot = (slot + 1) & mask) {
    const found = slots[slot * 2] ?? 0;
    if (found === 0) return false;
    if (found === low + 1 && slots[slot * 2 + 1] === high + 1) return true;
  }
}

function pairsOf(signatures: readonly number[], words: readonly number[]): NegativePairs {
  const order = Float64Array.from(signatures, (_, index) => index);
  order.sort(
    (a, b) => (signatures[a] ?? 0) - (signatures[b] ?? 0) || (words[a] ?? 0) - (words[b] ?? 0),
  );
  const pairs: [number, number][] = [];
  for (let from = 0; from < order.length;) {
    const signature = signatures[order[from] ?? 0];
    let to = from + 1;
    while (to < order.length && signatures[order[to] ?? 0] === signature) to++;
    const group = [...new Set(Array.from(order.subarray(from, to), (at) => words[at] ?? 0))];
    from = to;
    for (const [index, word] of group.slice(0, groupMost).entries()) {
      for (const other of group.slice(index + 1, groupMost)) pairs.push([word, other]);
    }
  }
  return setOf(pairs);
}

function setOf(pairs: readonly (readonly [number, number])[]): NegativePairs {
  const size = 2 ** Math.ceil(Math.log2(pairs.length * 2 + 16));
  const set = { slots: sharedUint32(size * 2), mask: size - 1 };
  for (const [a, b] of pairs) {
    if (isNegativePair(set, a, b)) continue;
    const [low, high] = a < b ? [a, b] : [b, a];
    let slot = slotOf(low, high) & set.mask;
    while (set.slots[slot * 2] !== 0) slot = (slot + 1) & set.mask;
    set.slots[slot * 2] = low + 1;
    set.slots[slot * 2 + 1] = high + 1;
  }
  return set;
}

function slotOf(low: number, high: number): number {
  return mixed((Math.imul(low, 0x9e3779b1) ^ high) >>> 0);
}
