import { bytesIn, newBuffer, pushWord, setWordAt, wordAt } from '../formula/buffer';

/**
 * An expression as a tree: eight words a node, in scratch memory, named by their number. Number 0
 * is none. What the words of a kind mean stands beside it.
 */
/** The number's lower and upper half. */
export const NODE_NUMBER: u32 = 1;
/** Address of the units; how many. */
export const NODE_LITERAL: u32 = 2;
/** First operand; first link. All its operators bind alike. */
export const NODE_CHAIN: u32 = 3;
/** Operator; operand behind it; next link. */
export const NODE_LINK: u32 = 4;
/** The negated expression. */
export const NODE_NEGATION: u32 = 5;
/** Number of the function; first argument; how many. */
export const NODE_CALL: u32 = 6;
/** Expression; next argument. Predicates hang together in the same way. */
export const NODE_ITEM: u32 = 7;
/**
 * Expression that it starts from, or 0 for the context node; first step; 1 if it starts from the
 * root.
 */
export const NODE_PATH: u32 = 8;
/** AXIS_*, TEST_*, the name's units, how many, address of the namespace, first predicate, next. */
export const NODE_STEP: u32 = 9;
/** Filtered expression; first predicate. */
export const NODE_FILTER: u32 = 10;
/** The step that it belongs to; the prefix's units; how many. */
export const NODE_PREFIX: u32 = 11;

export const AXIS_ANCESTOR: u32 = 0;
export const AXIS_ANCESTOR_OR_SELF: u32 = 1;
export const AXIS_ATTRIBUTE: u32 = 2;
export const AXIS_CHILD: u32 = 3;
export const AXIS_DESCENDANT: u32 = 4;
export const AXIS_DESCENDANT_OR_SELF: u32 = 5;
export const AXIS_FOLLOWING: u32 = 6;
export const AXIS_FOLLOWING_SIBLING: u32 = 7;
export const AXIS_NAMESPACE: u32 = 8;
export const AXIS_PARENT: u32 = 9;
export const AXIS_PRECEDING: u32 = 10;
export const AXIS_PRECEDING_SIBLING: u32 = 11;
export const AXIS_SELF: u32 = 12;

/** `node()` */
export const TEST_NODE: u32 = 0;
export const TEST_TEXT: u32 = 1;
export const TEST_COMMENT: u32 = 2;
/** With any target, or the one whose units the step has. */
export const TEST_INSTRUCTION: u32 = 3;
/** `*` */
export const TEST_ANY: u32 = 4;
/** `prefix:*` */
export const TEST_NAMESPACE: u32 = 5;
export const TEST_NAME: u32 = 6;

export const STEP_AXIS: u32 = 0;
export const STEP_TEST: u32 = 1;
export const STEP_NAME: u32 = 2;
export const STEP_NAME_LENGTH: u32 = 3;
export const STEP_URI: u32 = 4;
export const STEP_PREDICATE: u32 = 5;
export const STEP_NEXT: u32 = 6;

const NODE_WORDS: u32 = 8;
let nodes: usize = 0;

export function openExpressions(): void {
  nodes = newBuffer(512);
  newExpression(0);
}

export function newExpression(kind: u32, a: u32 = 0, b: u32 = 0, c: u32 = 0): u32 {
  const node = expressionCount();
  pushWord(nodes, kind);
  pushWord(nodes, a);
  pushWord(nodes, b);
  pushWord(nodes, c);
  for (let word: u32 = 4; word < NODE_WORDS; word++) pushWord(nodes, 0);
  return node;
}

export function expressionCount(): u32 {
  return (bytesIn(nodes) >> 2) / NODE_WORDS;
}

export function kindOfExpression(node: u32): u32 {
  return wordAt(nodes, node * NODE_WORDS);
}

export function wordOf(node: u32, index: u32): u32 {
  return wordAt(nodes, node * NODE_WORDS + 1 + index);
}

export function setWordOf(node: u32, index: u32, word: u32): void {
  setWordAt(nodes, node * NODE_WORDS + 1 + index, word);
}

export function newNumber(value: f64): u32 {
  const bits = reinterpret<u64>(value);
  return newExpression(NODE_NUMBER, <u32>bits, <u32>(bits >> 32));
}

export function numberOf(node: u32): f64 {
  return reinterpret<f64>(<u64>wordOf(node, 0) | ((<u64>wordOf(node, 1)) << 32));
}
