import { bytesIn, extend, newBuffer, pushWord, startOf, wordAt } from '../formula/buffer';

/**
 * A document as nodes in scratch memory, numbered in document order: the root is 0, an element is
 * followed by its namespaces, its attributes and what is inside. Texts lie in one piece, so that
 * what an element says is a part of it.
 */
export const NODE_ROOT: u32 = 0;
export const NODE_ELEMENT: u32 = 1;
export const NODE_ATTRIBUTE: u32 = 2;
export const NODE_NAMESPACE: u32 = 3;
export const NODE_TEXT: u32 = 4;
export const NODE_COMMENT: u32 = 5;
export const NODE_INSTRUCTION: u32 = 6;

const KIND: u32 = 0;
const PARENT: u32 = 1;
/** The first node behind this one and all that is inside. */
const END: u32 = 2;
/** The sibling before; 0 if there is none. */
const PREVIOUS: u32 = 3;
/** The first node behind this one, its namespaces and its attributes. */
const CONTENT: u32 = 4;
/** The last child so far. */
const LAST: u32 = 5;
/** Address of the name's units, how many, and how many without a prefix. */
const NAME: u32 = 6;
const NAME_LENGTH: u32 = 7;
const LOCAL_LENGTH: u32 = 8;
/** Address of the namespace's text, one for equal ones; 0 for none. */
const URI: u32 = 9;
/** The part of the texts (of the other values for what is no text) that the node says. */
const START: u32 = 10;
const FINISH: u32 = 11;
/** 1 if white space inside stays. */
const PRESERVES: u32 = 12;
const NODE_WORDS: u32 = 13;

let nodes: usize = 0;
/** Where the nodes start now. */
let base: usize = 0;
export let nodeCount: u32 = 0;
/** Units of all texts, in order. */
export let texts: usize = 0;
/** Units of attributes, namespaces, comments and instructions. */
export let values: usize = 0;
/** Where in the texts white space between tags was left out. */
export let gaps: usize = 0;

export function openTree(): void {
  nodes = newBuffer(1024);
  texts = newBuffer(256);
  values = newBuffer(256);
  gaps = newBuffer(64);
  nodeCount = 0;
  newNode(NODE_ROOT, 0);
}

export function unitsIn(buffer: usize): u32 {
  return bytesIn(buffer) >> 1;
}

function wordOf(node: u32, word: u32): u32 {
  return load<u32>(base + ((<usize>(node * NODE_WORDS + word)) << 2));
}

function setWordOf(node: u32, word: u32, value: u32): void {
  store<u32>(base + ((<usize>(node * NODE_WORDS + word)) << 2), value);
}

/** A node at the end; its text begins where the texts end. */
export function newNode(kind: u32, parent: u32): u32 {
  const node = nodeCount++;
  memory.fill(extend(nodes, NODE_WORDS << 2), 0, NODE_WORDS << 2);
  base = startOf(nodes);
  setWordOf(node, KIND, kind);
  setWordOf(node, PARENT, parent);
  setWordOf(node, END, nodeCount);
  setWordOf(node, CONTENT, nodeCount);
  if (node) setWordOf(node, PRESERVES, wordOf(parent, PRESERVES));
  setWordOf(node, START, unitsIn(texts));
  if (!node || kind == NODE_ATTRIBUTE || kind == NODE_NAMESPACE) return node;
  setWordOf(node, PREVIOUS, wordOf(parent, LAST));
  setWordOf(parent, LAST, node);
  return node;
}

export function nameNode(node: u32, units: usize, length: u32, local: u32): void {
  setWordOf(node, NAME, <u32>units);
  setWordOf(node, NAME_LENGTH, length);
  setWordOf(node, LOCAL_LENGTH, local);
}

export function setUri(node: u32, uri: u32): void {
  setWordOf(node, URI, uri);
}

/** Says which part of the texts or values the node says. */
export function setValue(node: u32, start: u32, finish: u32): void {
  setWordOf(node, START, start);
  setWordOf(node, FINISH, finish);
}

export function setPreserves(node: u32, preserves: bool): void {
  setWordOf(node, PRESERVES, preserves ? 1 : 0);
}

/** Ends the attributes of the element: nodes added from now on are its content. */
export function openContent(node: u32): void {
  setWordOf(node, CONTENT, nodeCount);
}

/** Nothing more comes inside of the node. */
export function closeNode(node: u32): void {
  setWordOf(node, END, nodeCount);
  setWordOf(node, FINISH, unitsIn(texts));
}

/** Notes white space that was left out here. */
export function noteGap(): void {
  const count = bytesIn(gaps) >> 2;
  const at = unitsIn(texts);
  if (!count || wordAt(gaps, count - 1) != at) pushWord(gaps, at);
}

export function kindOfNode(node: u32): u32 {
  return wordOf(node, KIND);
}

export function parentOf(node: u32): u32 {
  return wordOf(node, PARENT);
}

export function endOf(node: u32): u32 {
  return wordOf(node, END);
}

export function previousOf(node: u32): u32 {
  return wordOf(node, PREVIOUS);
}

export function contentOf(node: u32): u32 {
  return wordOf(node, CONTENT);
}

export function nameOf(node: u32): usize {
  return wordOf(node, NAME);
}

export function nameLengthOf(node: u32): u32 {
  return wordOf(node, NAME_LENGTH);
}

export function localLengthOf(node: u32): u32 {
  return wordOf(node, LOCAL_LENGTH);
}

/** The units of the name behind the prefix. */
export function localNameOf(node: u32): usize {
  return nameOf(node) + ((<usize>(nameLengthOf(node) - localLengthOf(node))) << 1);
}

export function uriOf(node: u32): u32 {
  return wordOf(node, URI);
}

export function preservesSpace(node: u32): bool {
  return wordOf(node, PRESERVES) != 0;
}

/** Attributes and namespaces, which are no children. */
export function isBeside(node: u32): bool {
  const kind = wordOf(node, KIND);
  return kind == NODE_ATTRIBUTE || kind == NODE_NAMESPACE;
}

/** Returns whether the node's text is a piece of the document's texts, as an attribute's is not. */
export function saysText(node: u32): bool {
  const kind = wordOf(node, KIND);
  return kind == NODE_ROOT || kind == NODE_ELEMENT || kind == NODE_TEXT;
}

export function valueStart(node: u32): u32 {
  return wordOf(node, START);
}

/** How many units the node says. */
export function valueLength(node: u32): u32 {
  return wordOf(node, FINISH) - wordOf(node, START);
}

/** The units that the node says; good once the whole document was read. */
export function valueUnits(node: u32): usize {
  return startOf(saysText(node) ? texts : values) + ((<usize>wordOf(node, START)) << 1);
}
