import { isConstant, isSpace } from './character';
import { closeText, openText, readSection, readText } from './character-data';
import { leaveScope, openNamespaces, scopeSize } from './namespace';
import {
  atEnd,
  isBad,
  isOver,
  nameLength,
  nameUnits,
  openSource,
  peek,
  place,
  refuse,
  skip,
  skipSpaces,
  take,
  takeName,
  takePlainName,
  takeUnit,
  want,
} from './source';
import { pushUnit } from '../formula/buffer';
import { openTags, readTag } from './tag';
import {
  NODE_COMMENT,
  NODE_INSTRUCTION,
  closeNode,
  nameLengthOf,
  nameNode,
  nameOf,
  newNode,
  openTree,
  parentOf,
  setValue,
  unitsIn,
  values,
} from './tree';

/**
 * XML 1.0 with namespaces, as MSXML 6 reads it for FILTERXML: a document with a DOCTYPE is refused,
 * and so is one that is deeper than 256 elements.
 */
const DEPTH_LIMIT: u32 = 256;

/**
 * The open element (0 outside of the first), the number of open elements, and whether there was
 * one.
 */
let open: u32 = 0;
let depth: u32 = 0;
let hasElement: bool = false;
/** Sizes of the scope around the open elements. */
const outerScopes = memory.data(256 * 4);

/** Reads a document into the tree; returns false if it is none. */
export function parseXml(units: usize, length: u32, keepsNamespaces: bool): bool {
  openSource(units, length);
  openTree();
  openNamespaces();
  openTags(keepsNamespaces);
  openText();
  open = 0;
  depth = 0;
  hasElement = false;
  if (peek() == 0xfeff) skip(1);
  if (isConstant(place, min<u32>(length, 5), '<?xml') && isSpace(peek(5))) readDeclaration();
  while (!atEnd() && !isOver()) {
    if (peek() == 60) readMarkup();
    else if (depth) readText();
    else if (!skipSpaces()) refuse();
  }
  if (isBad || depth || !hasElement) return false;
  closeNode(0);
  return true;
}

/** `<?xml version="1.0" encoding="utf-8" standalone="yes"?>`; the text has its encoding. */
function readDeclaration(): void {
  skip(5);
  skipSpaces();
  want('version');
  readEquals();
  const quote = readQuote();
  want('1.');
  const from = place;
  while (peek() - 48 < 10) skip(1);
  if (place == from || peek() != quote) refuse();
  skip(1);
  let isApart = skipSpaces();
  if (isApart && take('encoding')) {
    readEncoding();
    isApart = skipSpaces();
  }
  if (isApart && take('standalone')) {
    readEquals();
    const around = readQuote();
    if (!take('yes')) want('no');
    if (peek() != around) refuse();
    skip(1);
    skipSpaces();
  }
  want('?>');
}

function readEquals(): void {
  skipSpaces();
  want('=');
  skipSpaces();
}

function readQuote(): u32 {
  const quote = peek();
  if (quote != 34 && quote != 39) refuse();
  skip(1);
  return quote;
}

function readEncoding(): void {
  readEquals();
  const quote = readQuote();
  if ((peek() | 32) - 97 >= 26) refuse();
  while (isEncodingUnit(peek())) skip(1);
  if (peek() != quote) refuse();
  skip(1);
}

function isEncodingUnit(code: u32): bool {
  return (code | 32) - 97 < 26 || code - 48 < 10 || code == 45 || code == 46 || code == 95;
}

function readMarkup(): void {
  if (depth && take('<![CDATA[')) return readSection();
  if (depth) closeText(open);
  if (take('</')) readEndTag();
  else if (take('<!--')) readComment();
  else if (take('<?')) readInstruction();
  else readElement();
}

function readElement(): void {
  skip(1);
  if (!depth && hasElement) return refuse();
  const outer = scopeSize();
  const element = readTag(open);
  const isEmpty = take('/');
  want('>');
  if (isOver()) return;
  hasElement = true;
  openText();
  if (isEmpty) {
    leaveScope(outer);
    return closeNode(element);
  }
  if (depth == DEPTH_LIMIT) return refuse();
  store<u32>(outerScopes + ((<usize>depth) << 2), outer);
  depth++;
  open = element;
}

function readEndTag(): void {
  takeName();
  skipSpaces();
  want('>');
  if (!depth || nameLengthOf(open) != nameLength) return refuse();
  if (memory.compare(nameOf(open), nameUnits, (<usize>nameLength) << 1)) return refuse();
  closeNode(open);
  depth--;
  leaveScope(load<u32>(outerScopes + ((<usize>depth) << 2)));
  open = parentOf(open);
  openText();
}

function readComment(): void {
  const start = unitsIn(values);
  while (!take('--')) {
    if (atEnd()) return refuse();
    pushUnit(values, takeUnit());
  }
  want('>');
  setValue(newNode(NODE_COMMENT, open), start, unitsIn(values));
}

function readInstruction(): void {
  takePlainName();
  const units = nameUnits;
  const length = nameLength;
  if (isReserved(units, length)) return refuse();
  const start = unitsIn(values);
  const isApart = skipSpaces();
  while (!take('?>')) {
    if (atEnd() || !isApart) return refuse();
    pushUnit(values, takeUnit());
  }
  const node = newNode(NODE_INSTRUCTION, open);
  nameNode(node, units, length, length);
  setValue(node, start, unitsIn(values));
}

/** `xml` in any case. */
function isReserved(units: usize, length: u32): bool {
  if (length != 3) return false;
  const first = load<u16>(units) | 32;
  return first == 120 && (load<u16>(units, 2) | 32) == 109 && (load<u16>(units, 4) | 32) == 108;
}
