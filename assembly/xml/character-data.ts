import { cutBuffer, pushUnit, startOf } from '../formula/buffer';
import { isCharacter, isConstant, isSpace } from './character';
import { atEnd, isOver, nameLength, nameUnits, peek, place, refuse, skip } from './source';
import { take, takePlainName, takeUnit, want } from './source';
import { NODE_TEXT, newNode, noteGap, preservesSpace, setValue, texts, unitsIn } from './tree';

const AMPERSAND: u32 = 38;
const LESS: u32 = 60;
const HASH: u32 = 35;
const SEMICOLON: u32 = 59;

/**
 * Start, in the texts, of the text node that is being read; and whether it is white space so far.
 */
let start: u32 = 0;
let isBlank: bool = true;

export function openText(): void {
  start = unitsIn(texts);
  isBlank = true;
}

/** Units between tags, up to the next one. */
export function readText(): void {
  while (!atEnd() && peek() != LESS) {
    const code = peek();
    if (code == AMPERSAND) {
      readReference(texts);
      isBlank = false;
    } else {
      if (code == 93 && take(']]>')) return refuse();
      if (!isSpace(code)) isBlank = false;
      pushUnit(texts, takeUnit());
    }
  }
}

/** Reads the text behind `<![CDATA[` up to `]]>`. */
export function readSection(): void {
  while (!take(']]>')) {
    if (atEnd()) return refuse();
    pushUnit(texts, takeUnit());
    isBlank = false;
  }
}

/**
 * Ends the text node. As MSXML has it, white space between tags is none, unless `xml:space` says
 * otherwise or it was written as a CDATA section or by number.
 */
export function closeText(parent: u32): void {
  const finish = unitsIn(texts);
  if (finish > start) {
    if (isBlank && !preservesSpace(parent)) {
      cutBuffer(texts, start << 1);
      noteGap();
    } else setValue(newNode(NODE_TEXT, parent), start, finish);
  }
  openText();
}

/** Reads a reference, to a character or one of the five entities, into a buffer. */
export function readReference(buffer: usize): void {
  skip(1);
  const code = peek() == HASH ? numberedCharacter() : namedCharacter();
  want(';');
  if (isOver()) return;
  if (code >= 0x10000) {
    pushUnit(buffer, 0xd7c0 + (code >> 10));
    pushUnit(buffer, 0xdc00 + (code & 0x3ff));
  } else pushUnit(buffer, code);
}

function numberedCharacter(): u32 {
  skip(1);
  const isHexadecimal = take('x');
  let code: u32 = 0;
  const from = place;
  while (!atEnd() && peek() != SEMICOLON) {
    const digit = digitValue(peek());
    if (digit >= (isHexadecimal ? <u32>16 : <u32>10)) break;
    code = min<u32>(code * (isHexadecimal ? 16 : 10) + digit, 0x110000);
    skip(1);
  }
  if (place == from || !isCharacter(code)) refuse();
  return code;
}

function digitValue(code: u32): u32 {
  if (code - 48 < 10) return code - 48;
  return (code | 32) - 97 < 6 ? (code | 32) - 87 : 16;
}

function namedCharacter(): u32 {
  takePlainName();
  if (isConstant(nameUnits, nameLength, 'lt')) return LESS;
  if (isConstant(nameUnits, nameLength, 'gt')) return 62;
  if (isConstant(nameUnits, nameLength, 'amp')) return AMPERSAND;
  if (isConstant(nameUnits, nameLength, 'apos')) return 39;
  if (isConstant(nameUnits, nameLength, 'quot')) return 34;
  refuse();
  return 0;
}

/** Reads a literal between quotes into a buffer: white space in it is blanks. */
export function readLiteral(buffer: usize): void {
  const quote = peek();
  if (quote != 34 && quote != 39) return refuse();
  skip(1);
  while (peek() != quote) {
    if (atEnd() || peek() == LESS) return refuse();
    if (peek() == AMPERSAND) readReference(buffer);
    else {
      const code = takeUnit();
      pushUnit(buffer, isSpace(code) ? 32 : code);
    }
  }
  skip(1);
}

/** Address of a unit of a buffer. */
export function unitAddress(buffer: usize, index: u32): usize {
  return startOf(buffer) + ((<usize>index) << 1);
}
