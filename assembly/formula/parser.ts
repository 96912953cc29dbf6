import { ERROR_NAME, ERROR_REFERENCE } from '../abi';
import { FUNCTION_PLACE } from '../functions/function-record';
import {
  OP_BINARY,
  OP_BINARY_SNAP,
  OP_CELL,
  OP_END,
  OP_ERROR,
  OP_IMPLICIT,
  OP_INTERSECT,
  OP_INVOKE,
  OP_NEGATE,
  OP_PERCENT,
  OP_PLUS,
  OP_RANGE,
  OP_REFERENCE,
  OP_SPILLED,
} from '../vm/opcode';
import { bytesIn, emptyBuffer, newBuffer, pushWord, setWordAt, wordAt } from './buffer';
import { markFixedArea } from './fixed-call';
import { problem, references, refuse, tokenAt } from './lexer';
import { openCalls, parseArguments } from './parser-call';
import { parseOperand } from './parser-operand';
import { closeScopes, openScopes } from './scope';
import {
  OPERATOR_ADD,
  OPERATOR_AT,
  OPERATOR_CLOSE,
  OPERATOR_CONCATENATE,
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_GREATER_EQUAL,
  OPERATOR_MULTIPLY,
  OPERATOR_OPEN,
  OPERATOR_PERCENT,
  OPERATOR_POWER,
  OPERATOR_RANGE,
  OPERATOR_SPILL,
  OPERATOR_SUBTRACT,
  TOKEN_END,
  TOKEN_ERROR,
  TOKEN_FUNCTION,
  TOKEN_NAME,
  TOKEN_OPERATOR,
  TOKEN_REFERENCE,
  Token,
} from './token';

/**
 * Recursive descent over the token list, with code written as it goes (operands before operators).
 * Precedence from loose to tight: comparison, &, + −, × ÷, ^, %, prefix signs, reference operators
 * (Excel: a sign binds tighter than ^, and ^ goes from left to right).
 */
export let code: usize = 0;
/** FUNCTION_* flags of all functions met. */
export let metFlags: u32 = 0;
export let next: u32 = 0;

/** Signs, operators and parentheses within each other: what the machine's own stack bears. */
const DEPTH_LIMIT: i32 = 400;

let legacy: bool = false;
/** Above zero where ranges stay arrays even in a legacy formula. */
let arrayDepth: i32 = 0;
let depth: i32 = 0;
/** True while the operand parsed last may be a reference. */
let mayBeReference: bool = false;
/** Where the code ended when a parenthesis was closed last. */
let closedAt: u32 = 0;

export function openParser(): void {
  code = newBuffer(256);
  openScopes();
}

/** Parses the tokens; returns false when `problem` of the lexer says why not. */
export function parse(legacyScalar: bool): bool {
  emptyBuffer(code);
  metFlags = 0;
  next = 0;
  legacy = legacyScalar;
  arrayDepth = 0;
  depth = 0;
  closedAt = 0;
  openCalls();
  closeScopes();
  if (token().kind == TOKEN_END) {
    refuse('the formula is empty', 0);
    return false;
  }
  parseExpression(0);
  if (problem == null && token().kind != TOKEN_END)
    refuse('this part is not expected', token().offset);
  if (problem != null) return false;
  intersectIfLegacy();
  const last = codeLength() - 1;
  const word = wordAt(code, last);
  const operator = word >> 8;
  const isSum = operator == OPERATOR_ADD || operator == OPERATOR_SUBTRACT;
  if ((word & 255) == OP_BINARY && isSum && closedAt != last + 1) {
    setWordAt(code, last, (operator << 8) | OP_BINARY_SNAP);
  }
  emit(OP_END, 0);
  return true;
}

/** Code for a text that is no formula. */
export function parseNothing(): void {
  emptyBuffer(code);
  metFlags = 0;
  closeScopes();
  emit(OP_ERROR, ERROR_NAME);
  emit(OP_END, 0);
}

export function token(): Token {
  return tokenAt(next);
}

export function advance(): void {
  next++;
}

export function emit(operation: u32, operand: u32): void {
  pushWord(code, operation | (operand << 8));
}

/** Words of code so far. */
export function codeLength(): u32 {
  return bytesIn(code) >> 2;
}

export function isOperator(operator: u32): bool {
  const current = token();
  return current.kind == TOKEN_OPERATOR && current.value == operator;
}

/** Steps over an operator, or refuses. */
export function expect(operator: u32, message: string): void {
  if (isOperator(operator)) next++;
  else refuse(message, token().offset);
}

/** A legacy formula takes one cell of a range where it wants one value. */
export function intersectIfLegacy(): void {
  if (legacy && arrayDepth == 0 && mayBeReference) emitImplicit();
  mayBeReference = false;
}

/** Which cell is taken depends on where the formula stands. */
export function emitImplicit(): void {
  emit(OP_IMPLICIT, 0);
  metFlags |= FUNCTION_PLACE;
}

/** Adds FUNCTION_* flags of a function that the formula uses. */
export function noteFlags(flags: u32): void {
  metFlags |= flags;
}

/** Ranges stay arrays inside, even in a legacy formula, until the change is undone. */
export function changeArrayDepth(by: i32): void {
  arrayDepth += by;
}

/** How tightly a binary operator binds, or 0. */
function precedenceOf(operator: u32): i32 {
  if (operator >= OPERATOR_EQUAL && operator <= OPERATOR_GREATER_EQUAL) return 1;
  if (operator == OPERATOR_CONCATENATE) return 2;
  if (operator == OPERATOR_ADD || operator == OPERATOR_SUBTRACT) return 3;
  if (operator == OPERATOR_MULTIPLY || operator == OPERATOR_DIVIDE) return 4;
  return operator == OPERATOR_POWER ? 5 : 0;
}

export function parseExpression(loosest: i32): void {
  if (++depth > DEPTH_LIMIT) refuse('the formula is nested too deeply', token().offset);
  if (problem != null) return;
  const head = codeLength();
  let isComputed = false;
  parsePercent();
  while (problem == null && token().kind == TOKEN_OPERATOR) {
    const operator = token().value;
    const precedence = precedenceOf(operator);
    if (precedence <= loosest) break;
    intersectIfLegacy();
    next++;
    parseExpression(precedence);
    intersectIfLegacy();
    emit(OP_BINARY, operator);
    isComputed = true;
  }
  // The value of a whole formula is kept in its cells.
  if (isComputed && depth > 1 && problem == null) markFixedArea(code, references, head);
  depth--;
}

function parsePercent(): void {
  parseSigned();
  while (isOperator(OPERATOR_PERCENT) && problem == null) {
    intersectIfLegacy();
    next++;
    emit(OP_PERCENT, 0);
  }
}

function parseSigned(): void {
  if (++depth > DEPTH_LIMIT) return refuse('the formula is nested too deeply', token().offset);
  if (isOperator(OPERATOR_SUBTRACT)) {
    next++;
    parseSigned();
    intersectIfLegacy();
    emit(OP_NEGATE, 0);
  } else if (isOperator(OPERATOR_ADD)) {
    next++;
    parseSigned();
    intersectIfLegacy();
    emit(OP_PLUS, 0);
  } else if (isOperator(OPERATOR_AT)) {
    next++;
    const start = codeLength();
    parseSigned();
    asReference(start);
    emitImplicit();
    mayBeReference = true;
  } else parseReferences();
  depth--;
}

/** Turns the value of one cell, when that is all the code since `start`, into a reference to it. */
export function asReference(start: u32): void {
  if (codeLength() != start + 1) return;
  const word = wordAt(code, start);
  if ((word & 255) == OP_CELL) setWordAt(code, start, (word & ~255) | OP_REFERENCE);
}

/** Operands with the operators that join references: `:` and `#` first, then a space. */
function parseReferences(): void {
  const start = codeLength();
  parseRange();
  // A space between two operands that can be references means intersection.
  while (problem == null && token().spaceBefore && startsReference() && endsReference(start)) {
    asReference(start);
    const second = codeLength();
    parseRange();
    asReference(second);
    emit(OP_INTERSECT, 0);
    mayBeReference = true;
  }
}

/** Operands joined by `:`, with `#` and calls of lambdas behind them. */
function parseRange(): void {
  const start = codeLength();
  parseSuffixed();
  while (isOperator(OPERATOR_RANGE) && problem == null) {
    next++;
    asReference(start);
    const second = codeLength();
    parseSuffixed();
    asReference(second);
    emit(OP_RANGE, 0);
    mayBeReference = true;
  }
}

function parseSuffixed(): void {
  const start = codeLength();
  parseOperand();
  while (problem == null) {
    if (isOperator(OPERATOR_SPILL)) {
      next++;
      asReference(start);
      emit(OP_SPILLED, 0);
      mayBeReference = true;
    } else if (isOperator(OPERATOR_OPEN) && !token().spaceBefore && follows(OPERATOR_CLOSE)) {
      // `LAMBDA(…)(…)`, `name(…)(…)`: only what ends with a parenthesis can be called again.
      next++;
      const count = parseArguments(0);
      emit(OP_INVOKE, count);
      mayBeReference = true;
    } else break;
  }
}

/** Returns whether the token before this one is the given operator. */
function follows(operator: u32): bool {
  const previous = tokenAt(next - 1);
  return previous.kind == TOKEN_OPERATOR && previous.value == operator;
}

function startsReference(): bool {
  const kind = <u32>token().kind;
  if (kind == TOKEN_REFERENCE || kind == TOKEN_NAME || kind == TOKEN_FUNCTION) return true;
  if (kind == TOKEN_ERROR) return token().value == ERROR_REFERENCE;
  return isOperator(OPERATOR_OPEN);
}

/**
 * Returns whether the code since `start` may give a reference; the value of a single cell can still
 * be made one.
 */
function endsReference(start: u32): bool {
  if (mayBeReference) return true;
  if (codeLength() != start + 1) return false;
  const word = wordAt(code, start);
  // A deleted reference still stands where it stood.
  return (word & 255) == OP_CELL || word == (OP_ERROR | (ERROR_REFERENCE << 8));
}

/** Marks a value that must not be taken for a reference. */
export function setMayBeReference(value: bool): void {
  mayBeReference = value;
}

/** Steps over the parenthesis that ends a group: a difference inside it is not rounded to zero. */
export function closeGroup(): void {
  expect(OPERATOR_CLOSE, 'a parenthesis is not closed');
  closedAt = codeLength();
}
