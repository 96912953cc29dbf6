import { ERROR_REFERENCE, FORMULA_LENGTH_LIMIT, KIND_ERROR } from '../abi';
import { errorNumber } from '../values/error-text';
import { bytesIn, emptyBuffer, extend, newBuffer, pushUnit, pushUnits, startOf } from './buffer';
import { addConstant, lexNumber, lexText, negateNumber, openLiterals } from './lexer-literal';
import { lexWord } from './lexer-word';
import { openWords } from './record-text';
import { isEntered } from './entry-rule';
import { emptyRowSpots, openRowSpots } from './row-spot';
import { lexDeletedTail, lexQuoted } from './lexer-reference';
import {
  OPERATOR_ADD,
  OPERATOR_AT,
  OPERATOR_CLOSE,
  OPERATOR_CLOSE_BRACE,
  OPERATOR_COMMA,
  OPERATOR_CONCATENATE,
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_GREATER,
  OPERATOR_GREATER_EQUAL,
  OPERATOR_LESS,
  OPERATOR_LESS_EQUAL,
  OPERATOR_MULTIPLY,
  OPERATOR_NOT_EQUAL,
  OPERATOR_OPEN,
  OPERATOR_OPEN_BRACE,
  OPERATOR_PERCENT,
  OPERATOR_POWER,
  OPERATOR_RANGE,
  OPERATOR_SEMICOLON,
  OPERATOR_SPILL,
  OPERATOR_SUBTRACT,
  RECORD_BYTES,
  TOKEN_BYTES,
  TOKEN_END,
  TOKEN_ERROR,
  TOKEN_NAME,
  TOKEN_OPERATOR,
  TOKEN_REFERENCE,
  Token,
  isMark,
} from './token';
import { at, unitsOf } from '../memory/pointer';

/**
 * The lexer goes once over a formula's text and fills four lists: tokens; the source text with
 * references and literals replaced by marks (the template's key, and what the formula is written
 * back from); reference records relative to the cell; and the literals as slots. Cells filled
 * down give equal keys, so only the first of them is ever parsed.
 */
export let units: usize = 0;
export let unitCount: u32 = 0;
/** Offset of the unit looked at. */
export let position: u32 = 0;
export let homeRow: i32 = 0;
export let homeColumn: i32 = 0;

let tokens: usize = 0;
export let source: usize = 0;
export let references: usize = 0;
export let constants: usize = 0;
/** A name is used, so the key must hold the sheet it was looked up from. */
export let usesNames: bool = false;

/** Why the text is no formula, or null; and where. */
export let problem: string | null = null;
export let problemAt: u32 = 0;

/** Units of a text that was a formula of 8,192 before its sheets got longer names. */
const KEPT_LENGTH_LIMIT: u32 = 1 << 20;

/** How the addresses of the text are written. */
export const NOTATION_A1: u32 = 0;
/** As people write `R[-1]C2`. */
export const NOTATION_R1C1: u32 = 1;
/**
 * As unparse writes R1C1: R and C are capitals, a line is there as a range only, and a name that
 * looks like a cell has quotes. So no word can be read in two ways.
 */
export const NOTATION_STORED: u32 = 2;
export let notation: u32 = NOTATION_A1;

let braceDepth: i32 = 0;
let spacePending: bool = false;

/** Makes the lists; once for a call of the kernel, in scratch. */
export function openLexer(): void {
  tokens = newBuffer(64 * TOKEN_BYTES);
  source = newBuffer(512);
  references = newBuffer(16 * RECORD_BYTES);
  constants = newBuffer(16 * 16);
  openWords();
  openRowSpots();
}

export function setHome(row: i32, column: i32): void {
  homeRow = row;
  homeColumn = column;
}

export function setNotation(wanted: u32): void {
  notation = wanted;
}

export function moveTo(offset: u32): void {
  position = offset;
}

export function refuse(message: string, offset: u32): void {
  if (problem != null) return;
  problem = message;
  problemAt = offset;
}

export function peek(offset: u32): u32 {
  return offset < unitCount ? <u32>load<u16>(units + ((<usize>offset) << 1)) : 0;
}

export function noteName(): void {
  usesNames = true;
}

export function addToken(kind: u32, value: u32, length: u32, offset: u32): void {
  const token = at<Token>(extend(tokens, TOKEN_BYTES));
  token.kind = <u8>kind;
  token.spaceBefore = spacePending;
  token.length = <u16>length;
  token.value = value;
  token.offset = offset;
  spacePending = false;
}

/** Makes the last token begin earlier, with its sheet prefix. */
export function relabelLast(offset: u32): void {
  const token = tokenAt(tokenCount() - 1);
  token.offset = offset;
  token.length = <u16>(position - offset);
}

export function tokenCount(): u32 {
  return bytesIn(tokens) / TOKEN_BYTES;
}

export function tokenAt(index: u32): Token {
  return at<Token>(startOf(tokens) + <usize>index * TOKEN_BYTES);
}

/**
 * A stored formula may be longer than the entered one: addresses grow where a formula is filled to.
 */
function lengthLimit(): u32 {
  return isEntered ? FORMULA_LENGTH_LIMIT : KEPT_LENGTH_LIMIT;
}

/** Empties the lists. */
export function lexNothing(): void {
  position = 0;
  problem = null;
  usesNames = false;
  braceDepth = 0;
  openLiterals();
  spacePending = false;
  emptyBuffer(tokens);
  emptyBuffer(source);
  emptyBuffer(references);
  emptyBuffer(constants);
  emptyRowSpots();
}

/** Lexes `count` units (without the leading `=`); returns false when `problem` says why not. */
export function lex(start: usize, count: u32): bool {
  units = start;
  unitCount = count;
  lexNothing();
  if (count > lengthLimit()) {
    refuse('a formula has at most 8,192 characters', FORMULA_LENGTH_LIMIT);
    return false;
  }
  while (position < unitCount && problem == null) lexOne();
  addToken(TOKEN_END, 0, 0, count);
  return problem == null;
}

function lexOne(): void {
  const code = peek(position);
  if (code == 32 || (code >= 9 && code <= 13) || code == 0xa0) {
    pushUnit(source, code);
    spacePending = true;
    position++;
    return;
  }
  if (isDigit(code) || (code == 46 && isDigit(peek(position + 1)))) return lexNumber();
  if (code == 34) return lexText();
  if (code == 35) return lexHash();
  if (code == 39) return lexQuoted();
  if (isWordStart(code)) return lexWord();
  lexOperator(code);
}

export function isDigit(code: u32): bool {
  return code - 48 < 10;
}

export function isLetter(code: u32): bool {
  return (code | 32) - 97 < 26;
}

/** Letters, `_`, `\`, `$`, `[` (structured references) and everything beyond ASCII. */
export function isWordStart(code: u32): bool {
  if (isLetter(code) || code == 95 || code == 92 || code == 36 || code == 91) return true;
  return code >= 0xa1 && !isMark(code);
}

/** `#` begins an error literal, or follows a reference to a spilled range. */
function lexHash(): void {
  const start = position;
  const previous = tokenCount();
  let end = start + 1;
  while (isErrorUnit(peek(end))) end++;
  // `A1#` with nothing error-like behind it; longest match first for `#N/A` and its like.
  while (end > start + 1) {
    const code = errorNumber(units + ((<usize>start) << 1), end - start);
    if (code >= 0) return addError(<u32>code, start, end);
    end--;
  }
  if (previous && !spacePending && endsOperand(tokenAt(previous - 1))) {
    pushUnit(source, 35);
    position = start + 1;
    addToken(TOKEN_OPERATOR, OPERATOR_SPILL, 0, start);
    return;
  }
  refuse('an error literal is not known', start);
}

function isErrorUnit(code: u32): bool {
  return isLetter(code) || isDigit(code) || code == 47 || code == 33 || code == 63 || code == 95;
}

function endsOperand(token: Token): bool {
  if (token.kind == TOKEN_REFERENCE || token.kind == TOKEN_NAME) return true;
  if (token.kind == TOKEN_ERROR) return token.value == ERROR_REFERENCE;
  return token.kind == TOKEN_OPERATOR && token.value == OPERATOR_CLOSE;
}

function addError(code: u32, start: u32, end: u32): void {
  position = end;
  if (braceDepth) {
    addConstant(KIND_ERROR, code, start);
    return;
  }
  if (code == ERROR_REFERENCE && !spacePending && (isLetter(peek(end)) || peek(end) == 36)) {
    lexDeletedTail();
    return addDeleted(start);
  }
  pushUnits(source, units + ((<usize>start) << 1), end - start);
  addToken(TOKEN_ERROR, code, end - start, start);
}

/** `Sheet!#REF!` and `#REF!A1` are the error and nothing more: the rest is of what is gone. */
export function addDeleted(start: u32): void {
  pushUnits(source, unitsOf('#REF!'), 5);
  addToken(TOKEN_ERROR, ERROR_REFERENCE, position - start, start);
}

export function insideBraces(): bool {
  return braceDepth > 0;
}

/** The operator that a character begins, or 0. */
function operatorOf(code: u32, following: u32): u32 {
  if (code == 60) {
    if (following == 61) return OPERATOR_LESS_EQUAL;
    return following == 62 ? OPERATOR_NOT_EQUAL : OPERATOR_LESS;
  }
  if (code == 62) return following == 61 ? OPERATOR_GREATER_EQUAL : OPERATOR_GREATER;
  switch (code) {
    case 43:
      return OPERATOR_ADD;
    case 45:
      return OPERATOR_SUBTRACT;
    case 42:
      return OPERATOR_MULTIPLY;
    case 47:
      return OPERATOR_DIVIDE;
    case 94:
      return OPERATOR_POWER;
    case 38:
      return OPERATOR_CONCATENATE;
    case 61:
      return OPERATOR_EQUAL;
    case 37:
      return OPERATOR_PERCENT;
    case 44:
      return OPERATOR_COMMA;
    case 59:
      return OPERATOR_SEMICOLON;
    default:
      return bracketOf(code);
  }
}

function bracketOf(code: u32): u32 {
  switch (code) {
    case 40:
      return OPERATOR_OPEN;
    case 41:
      return OPERATOR_CLOSE;
    case 123:
      return OPERATOR_OPEN_BRACE;
    case 125:
      return OPERATOR_CLOSE_BRACE;
    case 58:
      return OPERATOR_RANGE;
    case 64:
      return OPERATOR_AT;
    default:
      return 0;
  }
}

function lexOperator(code: u32): void {
  const start = position;
  const operator = operatorOf(code, peek(start + 1));
  if (!operator) return refuse('a character is not expected here', start);
  const isDouble =
    operator == OPERATOR_LESS_EQUAL ||
    operator == OPERATOR_NOT_EQUAL ||
    operator == OPERATOR_GREATER_EQUAL;
  const length: u32 = isDouble ? 2 : 1;
  if (operator == OPERATOR_OPEN_BRACE) braceDepth++;
  if (operator == OPERATOR_CLOSE_BRACE) braceDepth--;
  position = start + length;
  if (braceDepth > 0 && (operator == OPERATOR_SUBTRACT || operator == OPERATOR_ADD)) {
    // The sign becomes part of the constant that follows.
    if (operator == OPERATOR_SUBTRACT) negateNumber();
    return;
  }
  pushUnits(source, units + ((<usize>start) << 1), length);
  addToken(TOKEN_OPERATOR, operator, 0, start);
}
