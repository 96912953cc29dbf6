import { KIND_BOOLEAN, KIND_NUMBER, KIND_STRING, TEXT_LENGTH_LIMIT } from '../abi';
import { TEXT_HEADER, lengthOf, newText, setUnit } from '../memory/text';
import { shortestText } from '../values/number-text';
import { parseLiteral, parseTyped } from '../values/typed-number';
import { bytesIn, extend, pushUnit } from './buffer';
import { isEntered, keepsDigits } from './entry-rule';
import {
  NOTATION_A1,
  addToken,
  constants,
  isDigit,
  moveTo,
  notation,
  peek,
  position,
  refuse,
  source,
  unitCount,
  units,
} from './lexer';
import { lexRowRange } from './lexer-reference';
import { MARK_CONSTANT, TOKEN_CONSTANT } from './token';

/** Characters of a text that a person may enter in a formula. Source: Excel specifications. */
const ENTERED_TEXT_LIMIT: u32 = 255;

/** A minus before a number inside an array literal, to be folded into the number. */
let negateNext: bool = false;

export function openLiterals(): void {
  negateNext = false;
}

export function negateNumber(): void {
  negateNext = !negateNext;
}

/** Adds a literal and its mark. */
export function addConstant(kind: u32, payload: u64, offset: u32): void {
  if (negateNext) refuse('only a number can have a sign in an array', offset);
  const slot = extend(constants, 16);
  store<u64>(slot, payload);
  store<u32>(slot, kind, 8);
  const index = bytesIn(constants) / 16 - 1;
  pushUnit(source, MARK_CONSTANT);
  pushUnit(source, index);
  addToken(TOKEN_CONSTANT, index, 0, offset);
}

/** TRUE and FALSE inside an array literal are constants like the rest of it. */
export function addBooleanConstant(value: bool, offset: u32): void {
  addConstant(KIND_BOOLEAN, value ? 1 : 0, offset);
}

export function lexNumber(): void {
  const start = position;
  if (notation == NOTATION_A1 && lexRowRange()) return;
  let end = start;
  while (isDigit(peek(end))) end++;
  if (peek(end) == 46) {
    end++;
    while (isDigit(peek(end))) end++;
  }
  if ((peek(end) | 32) == 101) {
    let digits = end + 1;
    if (peek(digits) == 43 || peek(digits) == 45) digits++;
    if (isDigit(peek(digits))) {
      end = digits;
      while (isDigit(peek(end))) end++;
    }
  }
  let value = readLiteral(units + ((<usize>start) << 1), end - start);
  if (negateNext) value = -value;
  negateNext = false;
  moveTo(end);
  if (value - value != 0) return refuse('a number is too large', start);
  addConstant(KIND_NUMBER, reinterpret<u64>(value), start);
}

export function lexText(): void {
  const start = position;
  let end = start + 1;
  let length: u32 = 0;
  for (;;) {
    if (end >= unitCount) {
      refuse('a text is not closed with a quotation mark', start);
      return;
    }
    if (peek(end) == 34) {
      if (peek(end + 1) != 34) break;
      end++;
    }
    end++;
    length++;
  }
  if (length > <u32>TEXT_LENGTH_LIMIT) return refuse('a text in a formula is too long', start);
  if (isEntered && length > ENTERED_TEXT_LIMIT) {
    return refuse('a text in a formula has at most 255 characters', start);
  }
  const text = newText(length);
  let from = start + 1;
  for (let index: u32 = 0; index < length; index++) {
    const code = peek(from);
    setUnit(text, index, code);
    from += code == 34 ? 2 : 1;
  }
  moveTo(end + 1);
  addConstant(KIND_STRING, text, start);
}

/**
 * Reads a number with 15 digits, as Excel takes one that is entered; a stored text may keep all
 * digits that tell it from other doubles.
 */
function readLiteral(start: usize, count: u32): f64 {
  const typed = parseTyped(start, count);
  if (!keepsDigits) return typed;
  const whole = parseLiteral(start, count);
  const kept = shortestText(whole);
  return parseTyped(kept + TEXT_HEADER, lengthOf(kept)) == typed ? whole : typed;
}
