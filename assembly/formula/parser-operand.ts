import { REFERENCE_SINGLE } from '../abi';
import {
  FUNCTION_PLACE,
  FUNCTION_VOLATILE,
  FunctionRecord,
  findFunction,
} from '../functions/function-record';
import { ensureName } from '../grid/name';
import { at } from '../memory/pointer';
import { textFrom } from '../memory/text';
import {
  OP_ARRAY,
  OP_BOOLEAN,
  OP_CELL,
  OP_CONSTANT,
  OP_ERROR,
  OP_LOCAL,
  OP_NAME,
  OP_REFERENCE,
  OP_UNION,
} from '../vm/opcode';
import { pushWord, startOf } from './buffer';
import { problem, references, refuse } from './lexer';
import {
  advance,
  asReference,
  closeGroup,
  code,
  codeLength,
  emit,
  expect,
  isOperator,
  noteFlags,
  parseExpression,
  setMayBeReference,
  token,
} from './parser';
import { parseCall } from './parser-call';
import { findLocal } from './scope';
import {
  OPERATOR_CLOSE_BRACE,
  OPERATOR_COMMA,
  OPERATOR_OPEN,
  OPERATOR_OPEN_BRACE,
  OPERATOR_SEMICOLON,
  RECORD_AREA,
  RECORD_BYTES,
  RECORD_NAME,
  ReferenceRecord,
  TOKEN_BOOLEAN,
  TOKEN_CONSTANT,
  TOKEN_END,
  TOKEN_ERROR,
  TOKEN_FUNCTION,
  TOKEN_NAME,
  TOKEN_REFERENCE,
  Token,
} from './token';

/** A literal, a reference, a name, a call, a group or an array. */
export function parseOperand(): void {
  const current = token();
  setMayBeReference(false);
  switch (<u32>current.kind) {
    case TOKEN_CONSTANT:
      advance();
      return emit(OP_CONSTANT, current.value);
    case TOKEN_BOOLEAN:
      advance();
      return emit(OP_BOOLEAN, current.value);
    case TOKEN_ERROR:
      advance();
      return emit(OP_ERROR, current.value);
    case TOKEN_REFERENCE:
      advance();
      return parseReference(current.value);
    case TOKEN_NAME:
      advance();
      return parseName(current);
    case TOKEN_FUNCTION:
      return parseCall(current);
    case TOKEN_END:
      return refuse('the formula ends where a value is expected', current.offset);
    default:
      if (current.value == OPERATOR_OPEN) return parseParenthesis();
      if (current.value == OPERATOR_OPEN_BRACE) return parseArray();
      refuse('a value is expected here', current.offset);
  }
}

function parseReference(index: u32): void {
  const record = at<ReferenceRecord>(startOf(references) + <usize>index * RECORD_BYTES);
  if (record.kind == RECORD_NAME) {
    emit(OP_NAME, 0);
    pushWord(code, <u32>ensureName(record.columnName0, record.sheet));
    setMayBeReference(true);
    return;
  }
  if (record.kind == RECORD_AREA && record.flags & REFERENCE_SINGLE && !record.lastSheet) {
    emit(OP_CELL, index);
  } else {
    emit(OP_REFERENCE, index);
    setMayBeReference(true);
  }
}

/** A local name, or a defined one, which need not be there yet. */
export function parseName(current: Token): void {
  setMayBeReference(true);
  const local = findLocal(current.value, current.length);
  if (local >= 0) return emit(OP_LOCAL, <u32>local);
  const text = textFrom(current.value, current.length);
  // A function's bare name is the function as a value, unless someone has defined the name.
  const function_ = findFunction(current.value, current.length);
  if (function_) {
    noteFlags(at<FunctionRecord>(function_).flags & (FUNCTION_VOLATILE | FUNCTION_PLACE));
  }
  emit(OP_NAME, 0);
  pushWord(code, <u32>ensureName(text, 0));
}

/** `(x)`, or a union `(A1,B2:C3)`. */
function parseParenthesis(): void {
  const start = codeLength();
  advance();
  parseExpression(0);
  if (isOperator(OPERATOR_COMMA)) {
    asReference(start);
    while (isOperator(OPERATOR_COMMA) && problem == null) {
      advance();
      const second = codeLength();
      parseExpression(0);
      asReference(second);
      emit(OP_UNION, 0);
    }
    setMayBeReference(true);
  }
  closeGroup();
}

/** `{1,2;3,4}`: its items are constants one after another. */
function parseArray(): void {
  const start = token().offset;
  advance();
  const first = token().value;
  let rows: u32 = 1;
  let columns: u32 = 0;
  let inRow: u32 = 0;
  while (problem == null) {
    if (token().kind != TOKEN_CONSTANT)
      return refuse('an array holds literals only', token().offset);
    advance();
    inRow++;
    const isRowEnd = isOperator(OPERATOR_SEMICOLON);
    if (isOperator(OPERATOR_COMMA)) {
      advance();
      continue;
    }
    if (columns && inRow != columns) return refuse('the rows of an array differ in length', start);
    columns = inRow;
    if (!isRowEnd) break;
    advance();
    rows++;
    inRow = 0;
  }
  expect(OPERATOR_CLOSE_BRACE, 'an array is not closed with }');
  emit(OP_ARRAY, rows);
  pushWord(code, columns);
  pushWord(code, first);
}
