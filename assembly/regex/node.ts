import { newBuffer, pushWord, wordAt } from '../formula/buffer';

/**
 * A pattern as a tree: five words a node, in scratch memory, named by their number. What the words
 * of a kind mean stands beside it.
 */
/** Nothing, which always matches. */
export const NODE_EMPTY: u32 = 0;
/** One UTF-16 unit (in lower case when folded); whether it is folded. */
export const NODE_UNIT: u32 = 1;
/** Address of a set (set.ts); whether case is folded. */
export const NODE_SET: u32 = 2;
/** Any character; whether line feeds are among them. */
export const NODE_ANY: u32 = 3;
/** First and second part. */
export const NODE_SEQUENCE: u32 = 4;
/** First and second alternative. */
export const NODE_CHOICE: u32 = 5;
/** Inner node; number of the group. */
export const NODE_GROUP: u32 = 6;
/** Repeated node; fewest times; most times; REPEAT_* mode. */
export const NODE_REPEAT: u32 = 7;
/** ASSERT_* kind. */
export const NODE_ASSERT: u32 = 8;
/** Inner node; LOOK_* bits. */
export const NODE_LOOK: u32 = 9;
/** Inner node, which is not tried in another way once it has matched. */
export const NODE_ATOMIC: u32 = 10;
/** Number of a group; whether case is folded. */
export const NODE_BACK: u32 = 11;
/** `\K`: the match begins here. */
export const NODE_KEEP: u32 = 12;
/** Number of a group; what follows if it took part; what follows if not. */
export const NODE_CONDITION: u32 = 13;

export const UNLIMITED: u32 = 0xffffffff;

export const REPEAT_GREEDY: u32 = 0;
export const REPEAT_LAZY: u32 = 1;

export const LOOK_BEHIND: u32 = 1;
export const LOOK_NEGATIVE: u32 = 2;

export const ASSERT_TEXT_START: u32 = 0;
export const ASSERT_TEXT_END: u32 = 1;
/** The end, or before a line feed that ends the text. */
export const ASSERT_LAST_LINE_END: u32 = 2;
export const ASSERT_LINE_START: u32 = 3;
export const ASSERT_LINE_END: u32 = 4;
export const ASSERT_WORD_EDGE: u32 = 5;
export const ASSERT_NO_WORD_EDGE: u32 = 6;
export const ASSERT_SEARCH_START: u32 = 7;

const NODE_WORDS: u32 = 5;
let nodes: usize = 0;
let nodeCount: u32 = 0;

export function openNodes(): void {
  nodes = newBuffer(1024);
  nodeCount = 0;
}

export function newNode(kind: u32, a: u32 = 0, b: u32 = 0, c: u32 = 0, d: u32 = 0): u32 {
  pushWord(nodes, kind);
  pushWord(nodes, a);
  pushWord(nodes, b);
  pushWord(nodes, c);
  pushWord(nodes, d);
  return nodeCount++;
}

export function kindOfNode(node: u32): u32 {
  return wordAt(nodes, node * NODE_WORDS);
}

export function nodeWord(node: u32, index: u32): u32 {
  return wordAt(nodes, node * NODE_WORDS + 1 + index);
}

function added(a: u32, b: u32): u32 {
  return a > UNLIMITED - b ? UNLIMITED : a + b;
}

function times(a: u32, b: u32): u32 {
  if (!a || !b) return 0;
  return a > UNLIMITED / b ? UNLIMITED : a * b;
}

/** Fewest units that a node matches. */
export function leastUnits(node: u32): u32 {
  const a = nodeWord(node, 0);
  switch (kindOfNode(node)) {
    case NODE_UNIT:
    case NODE_SET:
    case NODE_ANY:
      return 1;
    case NODE_SEQUENCE:
      return added(leastUnits(a), leastUnits(nodeWord(node, 1)));
    case NODE_CHOICE:
      return min(leastUnits(a), leastUnits(nodeWord(node, 1)));
    case NODE_GROUP:
    case NODE_ATOMIC:
      return leastUnits(a);
    case NODE_REPEAT:
      return times(leastUnits(a), nodeWord(node, 1));
    case NODE_CONDITION:
      return min(leastUnits(nodeWord(node, 1)), leastUnits(nodeWord(node, 2)));
    default:
      return 0;
  }
}

/** Most units that a node matches. */
export function mostUnits(node: u32): u32 {
  const a = nodeWord(node, 0);
  switch (kindOfNode(node)) {
    case NODE_UNIT:
      return 1;
    case NODE_SET:
    case NODE_ANY:
      return 2;
    case NODE_SEQUENCE:
      return added(mostUnits(a), mostUnits(nodeWord(node, 1)));
    case NODE_CHOICE:
      return max(mostUnits(a), mostUnits(nodeWord(node, 1)));
    case NODE_GROUP:
    case NODE_ATOMIC:
      return mostUnits(a);
    case NODE_REPEAT:
      return times(mostUnits(a), nodeWord(node, 2));
    case NODE_BACK:
      return UNLIMITED;
    case NODE_CONDITION:
      return max(mostUnits(nodeWord(node, 1)), mostUnits(nodeWord(node, 2)));
    default:
      return 0;
  }
}
