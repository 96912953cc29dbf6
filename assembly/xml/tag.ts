import { bytesIn, emptyBuffer, newBuffer, pushWord, wordAt } from '../formula/buffer';
import { readLiteral, unitAddress } from './character-data';
import { isConstant } from './character';
import { addNamespaceNodes, declare, uriInScope, xmlUri } from './namespace';
import { pay } from './payment';
import { isOver, localLength, nameLength, nameUnits, peek, refuse, skipSpaces } from './source';
import { takeName, want } from './source';
import {
  NODE_ATTRIBUTE,
  NODE_ELEMENT,
  localLengthOf,
  localNameOf,
  nameLengthOf,
  nameNode,
  nameOf,
  newNode,
  nodeCount,
  openContent,
  setPreserves,
  setUri,
  setValue,
  unitsIn,
  uriOf,
  valueLength,
  values,
  valueStart,
} from './tree';

/** Attributes of a tag as they stand there: name, its length, without a prefix, start and finish. */
let attributes: usize = 0;
const ATTRIBUTE_WORDS: u32 = 5;

/** Nodes of namespaces are only made when somebody asks for them. */
let keepsNamespaces: bool = false;

export function openTags(namespaceNodes: bool): void {
  attributes = newBuffer(64);
  keepsNamespaces = namespaceNodes;
}

/** Reads a tag from its name to what closes it; the element. */
export function readTag(parent: u32): u32 {
  takeName();
  const element = newNode(NODE_ELEMENT, parent);
  nameNode(element, nameUnits, nameLength, localLength);
  emptyBuffer(attributes);
  while (!isOver()) {
    const isApart = skipSpaces();
    const code = peek();
    if (code == 62 || code == 47) break;
    if (!isApart) refuse();
    else readAttribute();
  }
  const count = (bytesIn(attributes) >> 2) / ATTRIBUTE_WORDS;
  for (let index: u32 = 0; index < count; index++) declareAttribute(index);
  setUri(element, uriOfName(element));
  if (isOver()) return element;
  if (keepsNamespaces) addNamespaceNodes(element);
  const first = openAttributes(element, count);
  checkNames(first);
  openContent(element);
  return element;
}

function readAttribute(): void {
  takeName();
  pushWord(attributes, <u32>nameUnits);
  pushWord(attributes, nameLength);
  pushWord(attributes, localLength);
  skipSpaces();
  want('=');
  skipSpaces();
  pushWord(attributes, unitsIn(values));
  if (!isOver()) readLiteral(values);
  pushWord(attributes, unitsIn(values));
}

function attributeWord(index: u32, word: u32): u32 {
  return wordAt(attributes, index * ATTRIBUTE_WORDS + word);
}

/** Units of an attribute's prefix, with no colon. */
function prefixLength(index: u32): u32 {
  const length = attributeWord(index, 1);
  const local = attributeWord(index, 2);
  return length > local ? length - local - 1 : 0;
}

/** Returns whether the attribute is `xmlns` or `xmlns:prefix`. */
function isDeclaration(index: u32): bool {
  const prefixed = prefixLength(index);
  const length = prefixed ? prefixed : attributeWord(index, 2);
  return isConstant(attributeWord(index, 0), length, 'xmlns');
}

function declareAttribute(index: u32): void {
  if (isOver() || !isDeclaration(index)) return;
  const start = attributeWord(index, 3);
  const finish = attributeWord(index, 4);
  const local = prefixLength(index) ? attributeWord(index, 2) : 0;
  const units = attributeWord(index, 0) + (prefixLength(index) ? 12 : 0);
  for (let other: u32 = 0; other < index; other++) {
    if (isSameAttribute(other, index)) return refuse();
  }
  declare(units, local, start, finish);
}

function isSameAttribute(one: u32, other: u32): bool {
  pay(1);
  const length = attributeWord(one, 1);
  if (attributeWord(other, 1) != length) return false;
  return !memory.compare(attributeWord(one, 0), attributeWord(other, 0), (<usize>length) << 1);
}

/** The namespace of an element by its prefix. */
function uriOfName(node: u32): u32 {
  const length = nameLengthOf(node);
  const local = localLengthOf(node);
  return uriInScope(nameOf(node), length > local ? length - local - 1 : 0);
}

/** Makes nodes of the attributes that declare nothing; the number of the first. */
function openAttributes(element: u32, count: u32): u32 {
  let first: u32 = 0;
  for (let index: u32 = 0; index < count && !isOver(); index++) {
    if (isDeclaration(index)) continue;
    const node = newNode(NODE_ATTRIBUTE, element);
    if (!first) first = node;
    nameNode(node, attributeWord(index, 0), attributeWord(index, 1), attributeWord(index, 2));
    setValue(node, attributeWord(index, 3), attributeWord(index, 4));
    if (!prefixLength(index)) continue;
    setUri(node, uriOfName(node));
    if (uriOf(node) == xmlUri) readSpace(node, element);
  }
  return first;
}

/** `xml:space` says what becomes of white space inside. */
function readSpace(node: u32, element: u32): void {
  if (!isConstant(localNameOf(node), localLengthOf(node), 'space')) return;
  const units = unitAddress(values, valueStart(node));
  if (isConstant(units, valueLength(node), 'preserve')) setPreserves(element, true);
  if (isConstant(units, valueLength(node), 'default')) setPreserves(element, false);
}

/** Refuses two attributes of one name, also when their prefixes only stand for the same. */
function checkNames(first: u32): void {
  if (!first) return;
  for (let one = first + 1; one < nodeCount; one++) {
    for (let other = first; other < one; other++) {
      if (!pay(1)) return;
      if (isSameName(one, other)) return refuse();
    }
  }
}

function isSameName(one: u32, other: u32): bool {
  const length = localLengthOf(one);
  if (localLengthOf(other) != length || uriOf(one) != uriOf(other)) return false;
  return !memory.compare(localNameOf(one), localNameOf(other), (<usize>length) << 1);
}
