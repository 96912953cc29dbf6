import { parseLiteral } from '../values/typed-number';
import { CALL_ID, coreFunction, takesCount, wantsNodes } from './core-function';
import {
  NODE_CALL,
  NODE_CHAIN,
  NODE_FILTER,
  NODE_ITEM,
  NODE_LINK,
  NODE_LITERAL,
  NODE_NEGATION,
  NODE_PATH,
  kindOfExpression,
  newExpression,
  newNumber,
  openExpressions,
  setWordOf,
  wordOf,
} from './expression';
import {
  OPERATOR_ADD,
  OPERATOR_AND,
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_GREATER,
  OPERATOR_GREATER_EQUAL,
  OPERATOR_LESS,
  OPERATOR_LESS_EQUAL,
  OPERATOR_MODULO,
  OPERATOR_MULTIPLY,
  OPERATOR_NOT_EQUAL,
  OPERATOR_OR,
  OPERATOR_SUBTRACT,
  OPERATOR_UNION,
} from './operator';
import { openSteps, parseSteps, startsStep } from './parse-step';
import {
  atEnd,
  isBad,
  lookBehindName,
  openReader,
  peek,
  readLength,
  readUnits,
  refuse,
  skipSpaces,
  take,
  takeDigits,
  takeLiteral,
  takeName,
  takeWord,
  unitBehindName,
  want,
} from './reader';

/** XPath 1.0 as W3C has it. What only goes for nodes is refused with anything else here. */
/** As many levels of parentheses, predicates and calls may lie in one another. */
const DEPTH_LIMIT: u32 = 64;
let depth: u32 = 0;

/** Levels of operators, those that bind least first; products are 5, and signs come behind. */
const LEVEL_OR: u32 = 0;
const LEVEL_AND: u32 = 1;
const LEVEL_EQUALITY: u32 = 2;
const LEVEL_ORDER: u32 = 3;
const LEVEL_SUM: u32 = 4;
const LEVEL_SIGN: u32 = 6;

/** Reads an XPath; the node of the whole, unless `isBad` says that it is none. */
export function parseXpath(units: usize, length: u32): u32 {
  openReader(units, length);
  openExpressions();
  openSteps();
  depth = 0;
  const root = parseExpression();
  if (!atEnd()) refuse();
  return root;
}

/** An expression up to what is none of it. */
export function parseExpression(): u32 {
  if (++depth > DEPTH_LIMIT) return refuse();
  const node = parseLevel(LEVEL_OR);
  depth--;
  return node;
}

/** Returns whether the expression gives nodes. */
function givesNodes(node: u32): bool {
  const kind = kindOfExpression(node);
  if (kind == NODE_CALL) return wordOf(node, 0) == CALL_ID;
  if (kind == NODE_CHAIN) return wordOf(wordOf(node, 1), 0) == OPERATOR_UNION;
  return kind == NODE_PATH || kind == NODE_FILTER;
}

function takeOperator(level: u32): u32 {
  switch (level) {
    case LEVEL_OR:
      return takeWord('or') ? OPERATOR_OR : 0;
    case LEVEL_AND:
      return takeWord('and') ? OPERATOR_AND : 0;
    case LEVEL_EQUALITY:
      if (take('=')) return OPERATOR_EQUAL;
      return take('!=') ? OPERATOR_NOT_EQUAL : 0;
    case LEVEL_ORDER:
      return takeOrder();
    case LEVEL_SUM:
      if (take('+')) return OPERATOR_ADD;
      return take('-') ? OPERATOR_SUBTRACT : 0;
    default:
      return takeProduct();
  }
}

function takeOrder(): u32 {
  if (take('<=')) return OPERATOR_LESS_EQUAL;
  if (take('<')) return OPERATOR_LESS;
  if (take('>=')) return OPERATOR_GREATER_EQUAL;
  return take('>') ? OPERATOR_GREATER : 0;
}

function takeProduct(): u32 {
  if (take('*')) return OPERATOR_MULTIPLY;
  if (takeWord('div')) return OPERATOR_DIVIDE;
  return takeWord('mod') ? OPERATOR_MODULO : 0;
}

function parseLevel(level: u32): u32 {
  if (level == LEVEL_SIGN) return parseSign();
  const first = parseLevel(level + 1);
  let chain: u32 = 0;
  let last: u32 = 0;
  while (!isBad) {
    const operator = takeOperator(level);
    if (!operator) break;
    const link = newExpression(NODE_LINK, operator, parseLevel(level + 1));
    if (last) setWordOf(last, 2, link);
    else chain = newExpression(NODE_CHAIN, first, link);
    last = link;
  }
  return chain ? chain : first;
}

function parseSign(): u32 {
  let isNegated = false;
  let hasSign = false;
  while (take('-')) {
    isNegated = !isNegated;
    hasSign = true;
  }
  const node = parseUnion();
  if (!hasSign) return node;
  const negated = newExpression(NODE_NEGATION, node);
  return isNegated ? negated : newExpression(NODE_NEGATION, negated);
}

function parseUnion(): u32 {
  const first = parsePath();
  let chain: u32 = 0;
  let last: u32 = 0;
  while (take('|')) {
    const operand = parsePath();
    if (!givesNodes(first) || !givesNodes(operand)) return refuse();
    const link = newExpression(NODE_LINK, OPERATOR_UNION, operand);
    if (last) setWordOf(last, 2, link);
    else chain = newExpression(NODE_CHAIN, first, link);
    last = link;
  }
  return chain ? chain : first;
}

/** A path, or a primary expression with predicates and steps behind it. */
function parsePath(): u32 {
  if (isBad) return 0;
  const isAbbreviated = take('//');
  if (isAbbreviated || take('/')) {
    const first = isAbbreviated || startsStep() ? parseSteps(isAbbreviated) : 0;
    return newExpression(NODE_PATH, 0, first, 1);
  }
  if (!startsPrimary()) return newExpression(NODE_PATH, 0, parseSteps(false));
  const node = parseFiltered();
  const goesDown = take('//');
  if (!goesDown && !take('/')) return node;
  if (!givesNodes(node)) return refuse();
  return newExpression(NODE_PATH, node, parseSteps(goesDown));
}

/** A primary expression with predicates perhaps. */
function parseFiltered(): u32 {
  const node = parsePrimary();
  const predicates = isBad ? 0 : parsePredicates();
  if (!predicates) return node;
  return givesNodes(node) ? newExpression(NODE_FILTER, node, predicates) : refuse();
}

/** Returns whether a literal, a number, a call, a variable or parentheses are next, and no step. */
function startsPrimary(): bool {
  const code = peek();
  if (code == 40 || code == 34 || code == 39 || code == 36 || code - 48 < 10) return true;
  if (code == 46) return peek(1) - 48 < 10;
  return lookBehindName() && unitBehindName == 40 && !startsStep();
}

function parsePrimary(): u32 {
  if (take('(')) {
    const node = parseExpression();
    want(')');
    return node;
  }
  if (takeLiteral()) return newExpression(NODE_LITERAL, <u32>readUnits, readLength);
  if (takeDigits()) return newNumber(parseLiteral(readUnits, readLength));
  return takeName() ? parseCall() : refuse();
}

/** A call whose name was just read. */
function parseCall(): u32 {
  const call = coreFunction(readUnits, readLength);
  if (call < 0) return refuse();
  skipSpaces();
  want('(');
  let first: u32 = 0;
  let last: u32 = 0;
  let count: u32 = 0;
  if (!take(')')) {
    do {
      const item = newExpression(NODE_ITEM, parseExpression());
      if (last) setWordOf(last, 1, item);
      else first = item;
      last = item;
      count++;
    } while (take(','));
    want(')');
  }
  if (isBad || !takesCount(call, count)) return refuse();
  if (count && wantsNodes(call) && !givesNodes(wordOf(first, 0))) return refuse();
  return newExpression(NODE_CALL, call, first, count);
}

/** Predicates that are next, as a list; 0 if there are none. */
export function parsePredicates(): u32 {
  let first: u32 = 0;
  let last: u32 = 0;
  while (take('[')) {
    const item = newExpression(NODE_ITEM, parseExpression());
    want(']');
    if (last) setWordOf(last, 1, item);
    else first = item;
    last = item;
  }
  return first;
}
