import { bytesIn, cutBuffer, emptyBuffer, extend, newBuffer } from '../formula/buffer';
import { pushWord, setWordAt, startOf, wordAt } from '../formula/buffer';
import { scratch } from '../memory/scratch';
import { pay } from '../xml/payment';
import { nodeCount } from '../xml/tree';

/** Sets of nodes: buffers of their numbers, in document order. Sets that are done are used again. */
let spare: usize = 0;
/** A bit a node, to put nodes in order; all are 0 between two uses. */
let bits: usize = 0;

export function openSets(): void {
  spare = newBuffer(64);
  bits = 0;
}

/** An empty set. */
export function newSet(): usize {
  const count = sizeOf(spare);
  if (!count) return newBuffer(64);
  const set = wordAt(spare, count - 1);
  cutBuffer(spare, (count - 1) << 2);
  emptyBuffer(set);
  return set;
}

/** Nobody needs the set any more. */
export function dropSet(set: usize): void {
  pushWord(spare, <u32>set);
}

export function sizeOf(set: usize): u32 {
  return bytesIn(set) >> 2;
}

/** Brings nodes in any order, perhaps more than once, into document order. */
export function sortSet(set: usize): void {
  const count = sizeOf(set);
  const words = (nodeCount + 31) >> 5;
  pay(count + words);
  if (!bits) {
    bits = scratch(words << 2);
    memory.fill(bits, 0, (<usize>words) << 2);
  }
  for (let index: u32 = 0; index < count; index++) {
    const node = wordAt(set, index);
    const place = bits + ((<usize>(node >> 5)) << 2);
    store<u32>(place, load<u32>(place) | ((<u32>1) << (node & 31)));
  }
  emptyBuffer(set);
  for (let word: u32 = 0; word < words; word++) {
    const place = bits + ((<usize>word) << 2);
    let rest = load<u32>(place);
    store<u32>(place, 0);
    for (; rest; rest &= rest - 1) pushWord(set, (word << 5) + ctz(rest));
  }
}

/** Nodes up to which a set is not sorted early, though the same ones may be found many times. */
const LOOSE_LIMIT: u32 = 65_536;

/** Returns whether a set that is not in order has grown so much that it should be sorted now. */
export function isLoose(set: usize): bool {
  return sizeOf(set) > LOOSE_LIMIT + (nodeCount << 1);
}

/** Adds nodes behind those of a set, turned round perhaps; whether it is in order then. */
export function appendSet(set: usize, other: usize, isReversed: bool): bool {
  const count = sizeOf(other);
  if (!count) return true;
  const before = sizeOf(set);
  const first = wordAt(other, isReversed ? count - 1 : 0);
  const isOrdered = !before || wordAt(set, before - 1) < first;
  pay(count);
  const place = extend(set, count << 2);
  if (!isReversed) memory.copy(place, startOf(other), (<usize>count) << 2);
  else {
    for (let index: u32 = 0; index < count; index++) {
      store<u32>(place + ((<usize>index) << 2), wordAt(other, count - 1 - index));
    }
  }
  return isOrdered;
}

/**
 * Returns whether the nodes added behind the first `size` of a set follow them in document order.
 */
export function isAscending(set: usize, size: u32): bool {
  if (!size || sizeOf(set) == size) return true;
  return wordAt(set, size - 1) < wordAt(set, size);
}

/** All nodes of two sets, as a new one. */
export function unite(left: usize, right: usize): usize {
  const set = newSet();
  const leftSize = sizeOf(left);
  const rightSize = sizeOf(right);
  pay(leftSize + rightSize);
  let one: u32 = 0;
  let other: u32 = 0;
  while (one < leftSize || other < rightSize) {
    const a = one < leftSize ? wordAt(left, one) : u32.MAX_VALUE;
    const b = other < rightSize ? wordAt(right, other) : u32.MAX_VALUE;
    pushWord(set, min(a, b));
    if (a <= b) one++;
    if (b <= a) other++;
  }
  return set;
}

/** Keeps the first nodes of a set only. */
export function cutSet(set: usize, size: u32): void {
  cutBuffer(set, size << 2);
}

export function nodeAt(set: usize, index: u32): u32 {
  return wordAt(set, index);
}

export function setNodeAt(set: usize, index: u32, node: u32): void {
  setWordAt(set, index, node);
}

export function addNode(set: usize, node: u32): void {
  pushWord(set, node);
}
