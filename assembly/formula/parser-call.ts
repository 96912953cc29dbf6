import { ARGUMENT_LIMIT, NESTING_LIMIT } from '../abi';
import {
  FAMILY_LAZY,
  FUNCTION_PLACE,
  FUNCTION_ARRAY,
  FUNCTION_REMEMBERED,
  FUNCTION_SUBTOTAL,
  FUNCTION_VOLATILE,
  FunctionRecord,
  findFunction,
  kindOfParameter,
} from '../functions/function-record';
import { at } from '../memory/pointer';
import {
  OP_CALL,
  OP_END,
  OP_INVOKE,
  OP_LAZY,
  OP_MISCALL,
  OP_OMITTED,
  OP_SPILLED,
} from '../vm/opcode';
import { pushWord, setWordAt } from './buffer';
import { countsStrictly } from './entry-rule';
import { markFixed, markFixedArea } from './fixed-call';
import { problem, references, refuse, tokenAt, tokenCount, units } from './lexer';
import { spells } from './lexer-word';
import {
  advance,
  asReference,
  changeArrayDepth,
  code,
  codeLength,
  emit,
  emitImplicit,
  expect,
  intersectIfLegacy,
  isOperator,
  next,
  noteFlags,
  parseExpression,
  setMayBeReference,
} from './parser';
import { parseLambda, parseLet } from './parser-lambda';
import { parseName } from './parser-operand';
import { findLocal } from './scope';
import {
  OPERATOR_CLOSE,
  OPERATOR_CLOSE_BRACE,
  OPERATOR_COMMA,
  OPERATOR_OPEN,
  OPERATOR_OPEN_BRACE,
  TOKEN_OPERATOR,
  Token,
} from './token';

// Letters of parameter kinds (functions/function-record.ts).
const KIND_ANY: u32 = 114;
const KIND_ANY_ARRAY: u32 = 97;
const KIND_VALUE: u32 = 118;
const KIND_REPEAT: u32 = 43;

/** Functions within functions. */
let callDepth: i32 = 0;

/** Forgets calls that a refused formula left open. */
export function openCalls(): void {
  callDepth = 0;
}

/** A function, a lambda held by a name, or something unknown. */
export function parseCall(name: Token): void {
  advance();
  advance();
  if (++callDepth > NESTING_LIMIT) refuse('functions are nested too deeply', name.offset);
  if (problem != null) return;
  const isLocal = findLocal(name.value, name.length) >= 0;
  const function_: usize = isLocal ? 0 : findFunction(name.value, name.length);
  if (!function_) parseNamedCall(name, isLocal);
  else {
    const record = at<FunctionRecord>(function_);
    if (record.id >> 16 == FAMILY_LAZY) parseLazy(function_, name);
    else parsePlainCall(function_, name);
  }
  callDepth--;
}

function parsePlainCall(function_: usize, name: Token): void {
  const record = at<FunctionRecord>(function_);
  const head = codeLength();
  const count = parseArguments(function_);
  if (!checkCount(record, count, name)) return emitMiscall(count);
  noteFlags(record.flags & (FUNCTION_VOLATILE | FUNCTION_PLACE | FUNCTION_SUBTOTAL));
  emit(OP_CALL, count);
  pushWord(code, <u32>function_);
  const isRemembered = (record.flags & FUNCTION_REMEMBERED) != 0;
  if (problem != null) return;
  if (isRemembered) markFixed(code, references, head);
  else if (takesValues(record)) markFixedArea(code, references, head);
  setMayBeReference((record.flags & FUNCTION_ARRAY) == 0);
}

/** Returns whether a function takes nothing but single values, and lifts over areas. */
function takesValues(record: FunctionRecord): bool {
  for (let index: u32 = 0; index < record.kindCount; index++) {
    const kind = load<u16>(<usize>record.kinds + ((<usize>index) << 1));
    if (kind != KIND_VALUE && kind != KIND_REPEAT) return false;
  }
  return true;
}

function checkCount(record: FunctionRecord, count: u32, name: Token): bool {
  const isEnough = count >= record.fewest || (count == 0 && isAggregate(record));
  if (isEnough && count <= record.most && !countsStrictly) return true;
  if (!countsStrictly) return false;
  if (count < record.fewest) refuse('too few arguments', name.offset);
  if (count > record.most) refuse('too many arguments', name.offset);
  return true;
}

/**
 * Returns whether a function takes any number of ranges: such a call without any, as a file may
 * have it, is evaluated.
 */
function isAggregate(record: FunctionRecord): bool {
  if (record.fewest > 1 || record.repeatFrom != 0) return false;
  return kindOfParameter(changetype<usize>(record), 0) == KIND_ANY;
}

function emitMiscall(count: u32): void {
  emit(OP_MISCALL, count);
  setMayBeReference(false);
}

/** The call of a lambda that a local or defined name holds; nothing of that name is #NAME?. */
function parseNamedCall(name: Token, isLocal: bool): void {
  if (!isLocal && parseFileOperator(name)) return;
  parseName(name);
  const count = parseArguments(0);
  emit(OP_INVOKE, count);
  setMayBeReference(true);
}

/**
 * Compiles the calls that files write for `@x` and `A1#`: `_xlfn.SINGLE(x)` and
 * `_xlfn.ANCHORARRAY(A1)`. Returns false for any other name.
 */
function parseFileOperator(name: Token): bool {
  // The name's units lie in the formula's text, behind any prefix.
  const offset = (name.value - <u32>units) >> 1;
  const isSingle = spells(offset, offset + name.length, 'SINGLE');
  if (!isSingle && !spells(offset, offset + name.length, 'ANCHORARRAY')) return false;
  const count = parseArguments(0);
  if (count != 1) refuse('too many arguments', name.offset);
  if (isSingle) emitImplicit();
  else emit(OP_SPILLED, 0);
  setMayBeReference(true);
  return true;
}

/** Arguments up to the closing parenthesis; returns their number. */
export function parseArguments(function_: usize): u32 {
  let count: u32 = 0;
  if (isOperator(OPERATOR_CLOSE)) {
    advance();
    return 0;
  }
  while (problem == null) {
    parseArgument(function_ ? kindOfParameter(function_, count) : KIND_ANY);
    count++;
    if (count > <u32>ARGUMENT_LIMIT) {
      refuse('a function takes at most 255 arguments', tokenAt(next).offset);
    }
    if (!isOperator(OPERATOR_COMMA)) break;
    advance();
  }
  expect(OPERATOR_CLOSE, 'a comma or a closing parenthesis is expected');
  return count;
}

/** One argument; kinds are the letters of functions/function-record.ts. */
function parseArgument(kind: u32): void {
  if (isOperator(OPERATOR_COMMA) || isOperator(OPERATOR_CLOSE)) {
    setMayBeReference(false);
    return emit(OP_OMITTED, 0);
  }
  const start = codeLength();
  // Inside a parameter that takes a reference, an operator still makes scalars in legacy formulas.
  if (kind == KIND_ANY_ARRAY) changeArrayDepth(1);
  parseExpression(0);
  if (kind == KIND_ANY || kind == KIND_ANY_ARRAY) asReference(start);
  else intersectIfLegacy();
  setMayBeReference(false);
  if (kind == KIND_ANY_ARRAY) changeArrayDepth(-1);
}

/** LET and LAMBDA, and functions that run their arguments only when needed. */
function parseLazy(function_: usize, name: Token): void {
  const record = at<FunctionRecord>(function_);
  if ((record.id & 0xffff) == 0) return parseLet(name);
  if ((record.id & 0xffff) == 1) return parseLambda(name);
  const head = codeLength();
  let count: u32 = 0;
  // The offsets stand before the arguments' code, so their number must be known first.
  const argumentCount = countArguments();
  if (!checkCount(record, argumentCount, name)) return emitMiscall(parseArguments(0));
  emit(OP_LAZY, argumentCount);
  pushWord(code, <u32>record.id);
  pushWord(code, 0);
  for (let index: u32 = 0; index < argumentCount; index++) pushWord(code, 0);
  while (problem == null) {
    setWordAt(code, head + 3 + count, codeLength());
    parseArgument(kindOfParameter(function_, count));
    emit(OP_END, 0);
    count++;
    if (!isOperator(OPERATOR_COMMA)) break;
    advance();
  }
  expect(OPERATOR_CLOSE, 'a comma or a closing parenthesis is expected');
  setWordAt(code, head + 2, codeLength());
  setMayBeReference(true);
}

/** Counts the arguments of the call whose first argument is next, without parsing them. */
function countArguments(): u32 {
  let open = 0;
  let count: u32 = 1;
  for (let index = next; index < tokenCount(); index++) {
    const current = tokenAt(index);
    if (current.kind != TOKEN_OPERATOR) continue;
    const operator = current.value;
    if (operator == OPERATOR_OPEN || operator == OPERATOR_OPEN_BRACE) open++;
    else if (operator == OPERATOR_CLOSE_BRACE) open--;
    else if (operator == OPERATOR_CLOSE && --open < 0) return count;
    else if (operator == OPERATOR_COMMA && open == 0) count++;
  }
  return count;
}
