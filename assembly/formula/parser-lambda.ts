import { at } from '../memory/pointer';
import { TEXT_HEADER, lengthOf } from '../memory/text';
import { OP_END, OP_LAMBDA, OP_SET_LOCAL } from '../vm/opcode';
import { PARAMETER_BITS } from '../vm/lambda';
import { pushWord, setWordAt, startOf } from './buffer';
import { isEntered } from './entry-rule';
import { problem, references, refuse, tokenAt } from './lexer';
import {
  advance,
  asReference,
  code,
  codeLength,
  emit,
  expect,
  isOperator,
  next,
  parseExpression,
  setMayBeReference,
  token,
} from './parser';
import {
  captureCount,
  captureSource,
  captureTarget,
  declareLocal,
  dropLocals,
  enterFrame,
  isDeclaredSince,
  leaveFrame,
  markLocals,
  slotCount,
} from './scope';
import {
  OPERATOR_CLOSE,
  OPERATOR_COMMA,
  RECORD_BYTES,
  RECORD_STRUCTURED,
  ReferenceRecord,
  TABLE_DATA,
  TOKEN_NAME,
  TOKEN_OPERATOR,
  TOKEN_REFERENCE,
  Token,
} from './token';

/** LET(name, value, …, result): each value is computed once, into a local. */
export function parseLet(name: Token): void {
  const mark = markLocals();
  let pairs = 0;
  while (problem == null && isPairNext()) {
    const local = token();
    refuseTwice(mark, local.value, local.length, local.offset);
    advance();
    advance();
    const start = codeLength();
    parseExpression(0);
    asReference(start);
    const slot = declareLocal(local.value, local.length);
    if (slot < 0) return refuse('too many names in one formula', local.offset);
    emit(OP_SET_LOCAL, <u32>slot);
    pairs++;
    expect(OPERATOR_COMMA, 'LET needs a result after its names');
  }
  if (problem == null && pairs == 0) refuse('LET needs a name, a value and a result', name.offset);
  if (problem == null) parseExpression(0);
  expect(OPERATOR_CLOSE, 'a comma or a closing parenthesis is expected');
  dropLocals(mark);
  setMayBeReference(true);
}

/** `name ,` comes next and more than a result follows: a name with its value. */
function isPairNext(): bool {
  if (token().kind != TOKEN_NAME) return false;
  const following = tokenAt(next + 1);
  return following.kind == TOKEN_OPERATOR && following.value == OPERATOR_COMMA;
}

/** `[name] ,` comes next: a parameter that need not be given. It reads like part of a table. */
function isOptionalNext(): bool {
  if (token().kind != TOKEN_REFERENCE) return false;
  const following = tokenAt(next + 1);
  if (following.kind != TOKEN_OPERATOR || following.value != OPERATOR_COMMA) return false;
  const record = bracketed(token().value);
  if (record.kind != RECORD_STRUCTURED || record.table) return false;
  return record.parts == TABLE_DATA && record.columnName0 != 0 && !record.columnName1;
}

function bracketed(index: u32): ReferenceRecord {
  return at<ReferenceRecord>(startOf(references) + <usize>index * RECORD_BYTES);
}

function declareOptional(index: u32): i32 {
  const name = bracketed(index).columnName0;
  return declareLocal(name + <u32>TEXT_HEADER, lengthOf(name));
}

function refuseOptionalTwice(mark: u32, parameter: Token): void {
  const name = bracketed(parameter.value).columnName0;
  refuseTwice(mark, name + <u32>TEXT_HEADER, lengthOf(name), parameter.offset);
}

/** Excel does not let one LET or LAMBDA be entered that gives a name twice. */
function refuseTwice(mark: u32, units: u32, length: u32, offset: u32): void {
  if (isEntered && isDeclaredSince(mark, units, length)) {
    refuse('a name is given twice in one LET or LAMBDA', offset);
  }
}

/** LAMBDA(parameter, [optional], …, body): code of its own inside the formula's. */
export function parseLambda(name: Token): void {
  const mark = markLocals();
  if (!enterFrame()) return refuse('lambdas are nested too deeply', name.offset);
  let parameters: u32 = 0;
  let required: u32 = 0;
  while (problem == null && (isPairNext() || isOptionalNext())) {
    const parameter = token();
    const isOptional = parameter.kind != TOKEN_NAME;
    if (isOptional) refuseOptionalTwice(mark, parameter);
    else refuseTwice(mark, parameter.value, parameter.length, parameter.offset);
    const declared = isOptional
      ? declareOptional(parameter.value)
      : declareLocal(parameter.value, parameter.length);
    if (declared < 0) return refuse('too many parameters', parameter.offset);
    parameters++;
    if (!isOptional) required = parameters;
    advance();
    advance();
  }
  // The head's length depends on the captures, which only the body tells: they go behind it.
  const head = codeLength();
  emit(OP_LAMBDA, parameters | (required << PARAMETER_BITS));
  pushWord(code, 0);
  pushWord(code, 0);
  pushWord(code, 0);
  pushWord(code, 0);
  if (problem == null && isOperator(OPERATOR_CLOSE)) refuse('LAMBDA needs a body', name.offset);
  const start = codeLength();
  if (problem == null) parseExpression(0);
  asReference(start);
  emit(OP_END, 0);
  expect(OPERATOR_CLOSE, 'a comma or a closing parenthesis is expected');
  setWordAt(code, head + 1, captureCount());
  setWordAt(code, head + 2, slotCount());
  setWordAt(code, head + 3, codeLength());
  for (let index: u32 = 0; index < captureCount(); index++) {
    pushWord(code, captureSource(index));
    pushWord(code, captureTarget(index));
  }
  setWordAt(code, head + 4, codeLength());
  leaveFrame();
  dropLocals(mark);
  setMayBeReference(true);
}
