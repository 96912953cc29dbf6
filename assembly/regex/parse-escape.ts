import {
  ASSERT_LAST_LINE_END,
  ASSERT_NO_WORD_EDGE,
  ASSERT_SEARCH_START,
  ASSERT_TEXT_END,
  ASSERT_TEXT_START,
  ASSERT_WORD_EDGE,
  NODE_ASSERT,
  NODE_ATOMIC,
  NODE_BACK,
  NODE_CHOICE,
  NODE_EMPTY,
  NODE_KEEP,
  NODE_SEQUENCE,
  NODE_SET,
  NODE_UNIT,
  newNode,
} from './node';
import {
  FLAG_FOLDS,
  atEnd,
  codeNode,
  flags,
  groupCount,
  groupOfName,
  isBad,
  isNext,
  peekUnit,
  place,
  readAgain,
  readDigits,
  refusePattern,
  skipUnits,
  unitNode,
} from './reader';
import { addNamedProperty } from './property';
import { addEscapedClass, addRange, newSet } from './set';

/** True when the latest escape stands for something that can be repeated. */
export let isPiece: bool = true;

const OPEN_BRACE: u32 = 123;
const CLOSE_BRACE: u32 = 125;
const LAST_CODE_POINT: u32 = 0x10ffff;
const LETTER_P: u32 = 112;

/** Parses an escape outside of a set, behind its backslash, and returns its node. */
export function parseEscape(): u32 {
  if (atEnd()) return refusePattern();
  isPiece = true;
  const letter = peekUnit();
  skipUnits(1);
  if (letter - 49 < 9) return numbered(letter);
  switch (letter) {
    case 65:
      return asserted(ASSERT_TEXT_START);
    case 90:
      return asserted(ASSERT_LAST_LINE_END);
    case 122:
      return asserted(ASSERT_TEXT_END);
    case 98:
      return asserted(ASSERT_WORD_EDGE);
    case 66:
      return asserted(ASSERT_NO_WORD_EDGE);
    case 71:
      return asserted(ASSERT_SEARCH_START);
    case 75:
      isPiece = false;
      return newNode(NODE_KEEP);
    case 69:
      isPiece = false;
      return newNode(NODE_EMPTY);
    case 81:
      return quoted();
    case 82:
      return lineEnd();
    case 107:
      return namedBack();
    case 103:
      return anyBack();
    default:
      return classOrCode(letter);
  }
}

function asserted(kind: u32): u32 {
  isPiece = false;
  return newNode(NODE_ASSERT, kind);
}

function classOrCode(letter: u32): u32 {
  const set = newSet();
  if ((letter | 32) == LETTER_P) {
    addNamedProperty(set, letter != LETTER_P);
    // Without regard to case, a capital is what a small letter is.
    return newNode(NODE_SET, <u32>set, flags & FLAG_FOLDS);
  }
  if (addEscapedClass(set, letter)) return newNode(NODE_SET, <u32>set);
  const code = escapedCode(letter);
  if (code >= 0) return codeNode(<u32>code);
  return refusePattern();
}

/** The character that a backslash and a letter, which are read, stand for; -1 for none. */
export function escapedCode(letter: u32): i32 {
  switch (letter) {
    case 97:
      return 7;
    case 101:
      return 27;
    case 102:
      return 12;
    case 110:
      return 10;
    case 114:
      return 13;
    case 116:
      return 9;
    case 99:
      return controlCode();
    case 120:
      return hexadecimalCode();
    case 111:
      return bracedCode(8);
    case 48:
      readAgain(place - 1);
      return octalCode();
    default:
      return (letter | 32) - 97 < 26 || letter - 48 < 10 ? -1 : <i32>letter;
  }
}

function controlCode(): i32 {
  const code = peekUnit();
  if (code < 32 || code > 126) return -1;
  skipUnits(1);
  return <i32>((code - 97 < 26 ? code - 32 : code) ^ 64);
}

function digitOf(code: u32): u32 {
  if (code - 48 < 10) return code - 48;
  const letter = (code | 32) - 97;
  return letter < 6 ? letter + 10 : 99;
}

function digitsCode(base: u32, mostDigits: u32): i32 {
  let value: u32 = 0;
  for (let count: u32 = 0; count < mostDigits && !atEnd(); count++) {
    const digit = digitOf(peekUnit());
    if (digit >= base) break;
    value = min(value * base + digit, LAST_CODE_POINT + 1);
    skipUnits(1);
  }
  return value > LAST_CODE_POINT ? -1 : <i32>value;
}

function bracedCode(base: u32): i32 {
  if (!isNext(OPEN_BRACE)) return -1;
  skipUnits(1);
  const start = place;
  const value = digitsCode(base, 10);
  if (place == start || !isNext(CLOSE_BRACE)) return -1;
  skipUnits(1);
  return value;
}

function hexadecimalCode(): i32 {
  return isNext(OPEN_BRACE) ? bracedCode(16) : digitsCode(16, 2);
}

/** Up to three octal digits. */
export function octalCode(): i32 {
  return digitsCode(8, 3);
}

/** `\1` to `\9`, and further numbers of groups there are; else it is an octal code. */
function numbered(first: u32): u32 {
  readAgain(place - 1);
  const start = place;
  const number = readDigits();
  if (number < 10 || number <= <i32>groupCount) return backReference(<u32>number);
  readAgain(start);
  if (first > 55) return refusePattern();
  return codeNode(octalCode());
}

/**
 * Returns a node that matches the same text as group `number`; refuses the pattern if there is no
 * such group so far.
 */
export function backReference(number: u32): u32 {
  if (number == 0 || number > groupCount || isBad) return refusePattern();
  return newNode(NODE_BACK, number, flags & FLAG_FOLDS);
}

/** `\k<name>`, `\k'name'` and `\k{name}` */
function namedBack(): u32 {
  const open = peekUnit();
  skipUnits(1);
  if (open == 60) return backReference(groupOfName(62));
  if (open == 39) return backReference(groupOfName(39));
  return open == OPEN_BRACE ? backReference(groupOfName(CLOSE_BRACE)) : refusePattern();
}

/** `\g1`, `\g{1}`, `\g{-1}` and `\g{name}` */
function anyBack(): u32 {
  const isBraced = isNext(OPEN_BRACE);
  if (isBraced) skipUnits(1);
  const isBefore = isNext(45);
  if (isBefore) skipUnits(1);
  const number = readDigits();
  if (number < 0) {
    return isBraced && !isBefore ? backReference(groupOfName(CLOSE_BRACE)) : refusePattern();
  }
  if (isBraced) {
    if (!isNext(CLOSE_BRACE)) return refusePattern();
    skipUnits(1);
  }
  return backReference(isBefore ? groupCount + 1 - <u32>number : <u32>number);
}

/** Up to `\E`, every unit stands for itself. */
function quoted(): u32 {
  let node = newNode(NODE_EMPTY);
  isPiece = false;
  while (!atEnd()) {
    const code = peekUnit();
    skipUnits(1);
    if (code == 92 && isNext(69)) {
      skipUnits(1);
      break;
    }
    node = newNode(NODE_SEQUENCE, node, unitNode(code));
  }
  return node;
}

/** `\R`: a line's end, of one or two units. */
function lineEnd(): u32 {
  const set = newSet();
  addRange(set, 10, 13);
  addRange(set, 0x85, 0x85);
  addRange(set, 0x2028, 0x2029);
  const both = newNode(NODE_SEQUENCE, newNode(NODE_UNIT, 13), newNode(NODE_UNIT, 10));
  return newNode(NODE_ATOMIC, newNode(NODE_CHOICE, both, newNode(NODE_SET, <u32>set)));
}
