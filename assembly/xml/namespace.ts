import { bytesIn, cutBuffer, newBuffer, pushUnits, pushWord, wordAt } from '../formula/buffer';
import { startOf } from '../formula/buffer';
import { unitsOf } from '../memory/pointer';
import { TEXT_HEADER, lengthOf, textFrom } from '../memory/text';
import { isConstant } from './character';
import { pay } from './payment';
import { refuse } from './source';
import { NODE_NAMESPACE, nameNode, newNode, setValue, unitsIn, values } from './tree';

/** Every declaration of the document: the prefix, how long, the namespace, its place in the values. */
let declarations: usize = 0;
const DECLARATION_WORDS: u32 = 5;
/** Which of them hold where the reader is, the innermost last. */
let scope: usize = 0;
/** Texts of the namespaces: equal ones are one, so that addresses can be compared. */
let uris: usize = 0;

const XML_URI: string = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_URI: string = 'http://www.w3.org/2000/xmlns/';
const XML_PREFIX: string = 'xml';

/** The namespace of the prefix `xml`. */
export let xmlUri: u32 = 0;

export function openNamespaces(): void {
  declarations = newBuffer(64);
  scope = newBuffer(64);
  uris = newBuffer(64);
  const start = unitsIn(values);
  pushUnits(values, unitsOf(XML_URI), XML_URI.length);
  xmlUri = internUri(start, unitsIn(values));
  pushDeclaration(unitsOf(XML_PREFIX), XML_PREFIX.length, start, unitsIn(values));
}

function internUri(start: u32, finish: u32): u32 {
  const length = finish - start;
  const units = startOf(values) + ((<usize>start) << 1);
  const count = bytesIn(uris) >> 2;
  for (let index: u32 = 0; index < count && length; index++) {
    const known = wordAt(uris, index);
    pay(1 + (length >> 4));
    if (lengthOf(known) != length) continue;
    if (!memory.compare(<usize>known + TEXT_HEADER, units, (<usize>length) << 1)) return known;
  }
  if (!length) return 0;
  const text = <u32>textFrom(units, length);
  pushWord(uris, text);
  return text;
}

function pushDeclaration(prefix: usize, length: u32, start: u32, finish: u32): void {
  pushWord(scope, (bytesIn(declarations) >> 2) / DECLARATION_WORDS);
  pushWord(declarations, <u32>prefix);
  pushWord(declarations, length);
  pushWord(declarations, internUri(start, finish));
  pushWord(declarations, start);
  pushWord(declarations, finish);
}

/** Declares a prefix (none: the namespace of names without one) with a part of the values. */
export function declare(prefix: usize, length: u32, start: u32, finish: u32): void {
  const units = startOf(values) + ((<usize>start) << 1);
  const isXml = isConstant(units, finish - start, XML_URI);
  if (isConstant(prefix, length, XML_PREFIX) != isXml) return refuse();
  if (isConstant(prefix, length, 'xmlns')) return refuse();
  if (isConstant(units, finish - start, XMLNS_URI)) return refuse();
  if (length && start == finish) return refuse();
  pushDeclaration(prefix, length, start, finish);
}

/** How many declarations hold; what comes later ends with `leaveScope`. */
export function scopeSize(): u32 {
  return bytesIn(scope);
}

export function leaveScope(size: u32): void {
  cutBuffer(scope, size);
}

function wordOfDeclaration(declaration: u32, word: u32): u32 {
  return wordAt(declarations, declaration * DECLARATION_WORDS + word);
}

function declares(declaration: u32, prefix: usize, length: u32): bool {
  pay(1 + (length >> 4));
  if (wordOfDeclaration(declaration, 1) != length) return false;
  return !memory.compare(wordOfDeclaration(declaration, 0), prefix, (<usize>length) << 1);
}

/** The namespace of a prefix where the reader is; refuses one that is not declared. */
export function uriInScope(prefix: usize, length: u32): u32 {
  for (let index = bytesIn(scope) >> 2; index > 0; index--) {
    const declaration = wordAt(scope, index - 1);
    if (declares(declaration, prefix, length)) return wordOfDeclaration(declaration, 2);
  }
  if (length) refuse();
  return 0;
}

/** The namespace that the document first gives a prefix; 0 if it gives none. */
export function firstUri(prefix: usize, length: u32): u32 {
  const count = (bytesIn(declarations) >> 2) / DECLARATION_WORDS;
  for (let declaration: u32 = 0; declaration < count; declaration++) {
    if (declares(declaration, prefix, length)) return wordOfDeclaration(declaration, 2);
  }
  return 0;
}

/** Makes nodes of the namespaces that hold for an element. */
export function addNamespaceNodes(element: u32): void {
  const count = bytesIn(scope) >> 2;
  for (let index: u32 = 0; index < count; index++) {
    const declaration = wordAt(scope, index);
    const prefix = <usize>wordOfDeclaration(declaration, 0);
    const length = wordOfDeclaration(declaration, 1);
    if (!wordOfDeclaration(declaration, 2)) continue;
    if (isHidden(index, prefix, length)) continue;
    if (!pay(NODE_QUARTERS)) return;
    const node = newNode(NODE_NAMESPACE, element);
    nameNode(node, prefix, length, length);
    setValue(node, wordOfDeclaration(declaration, 3), wordOfDeclaration(declaration, 4));
  }
}

/** There may be as many as elements times namespaces: they are paid for by their memory. */
const NODE_QUARTERS: u32 = 64;

function isHidden(index: u32, prefix: usize, length: u32): bool {
  const count = bytesIn(scope) >> 2;
  for (let later = index + 1; later < count; later++) {
    if (declares(wordAt(scope, later), prefix, length)) return true;
  }
  return false;
}
