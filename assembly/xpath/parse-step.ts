import { isConstant } from '../xml/character';
import { firstUri } from '../xml/namespace';
import {
  AXIS_ANCESTOR,
  AXIS_ANCESTOR_OR_SELF,
  AXIS_ATTRIBUTE,
  AXIS_CHILD,
  AXIS_DESCENDANT,
  AXIS_DESCENDANT_OR_SELF,
  AXIS_FOLLOWING,
  AXIS_FOLLOWING_SIBLING,
  AXIS_NAMESPACE,
  AXIS_PARENT,
  AXIS_PRECEDING,
  AXIS_PRECEDING_SIBLING,
  AXIS_SELF,
  NODE_PREFIX,
  NODE_STEP,
  STEP_NAME,
  STEP_NAME_LENGTH,
  STEP_NEXT,
  STEP_PREDICATE,
  STEP_TEST,
  STEP_URI,
  TEST_ANY,
  TEST_COMMENT,
  TEST_INSTRUCTION,
  TEST_NAME,
  TEST_NAMESPACE,
  TEST_NODE,
  TEST_TEXT,
  expressionCount,
  kindOfExpression,
  newExpression,
  setWordOf,
  wordOf,
} from './expression';
import { parsePredicates } from './parse';
import {
  isBad,
  lookBehindName,
  peek,
  readLength,
  readUnits,
  refuse,
  secondBehindName,
  skipSpaces,
  skipUnit,
  take,
  takeLiteral,
  takeName,
  unitBehindName,
  want,
} from './reader';

/** True when a step goes along the axis of namespaces. */
export let usesNamespaces: bool = false;

export function openSteps(): void {
  usesNamespaces = false;
}

/** Returns whether a step is next: a name that is no call, `*`, `@`, `.` or `..`. */
export function startsStep(): bool {
  const code = peek();
  if (code == 42 || code == 64) return true;
  if (code == 46) return peek(1) - 48 >= 10;
  return lookBehindName() && (unitBehindName != 40 || typeTest() >= 0);
}

/** Steps with slashes between them; `//` stands before the first one if it is `isAbbreviated`. */
export function parseSteps(isAbbreviated: bool): u32 {
  let first = isAbbreviated ? anywhereStep() : 0;
  let last = first;
  while (!isBad) {
    const step = parseStep();
    if (last) setWordOf(last, STEP_NEXT, step);
    else first = step;
    last = step;
    if (take('//')) {
      const between = anywhereStep();
      setWordOf(last, STEP_NEXT, between);
      last = between;
    } else if (!take('/')) break;
  }
  return first;
}

/** Returns the step that `//` is short for. */
function anywhereStep(): u32 {
  return newExpression(NODE_STEP, AXIS_DESCENDANT_OR_SELF, TEST_NODE);
}

function parseStep(): u32 {
  if (take('..')) return newExpression(NODE_STEP, AXIS_PARENT, TEST_NODE);
  if (take('.')) return newExpression(NODE_STEP, AXIS_SELF, TEST_NODE);
  const step = newExpression(NODE_STEP, parseAxis());
  if (isBad) return 0;
  parseTest(step);
  const predicates = parsePredicates();
  setWordOf(step, STEP_PREDICATE, predicates);
  return step;
}

function parseAxis(): u32 {
  if (take('@')) return AXIS_ATTRIBUTE;
  if (!lookBehindName() || unitBehindName != 58 || secondBehindName != 58) return AXIS_CHILD;
  const axis = axisOfName();
  if (axis < 0) return refuse();
  takeName();
  skipSpaces();
  take('::');
  if (axis == AXIS_NAMESPACE) usesNamespaces = true;
  return axis;
}

function isRead(constant: string): bool {
  return isConstant(readUnits, readLength, constant);
}

/** The axis of the name that was looked over, or -1. */
function axisOfName(): i32 {
  if (isRead('child')) return AXIS_CHILD;
  if (isRead('descendant')) return AXIS_DESCENDANT;
  if (isRead('descendant-or-self')) return AXIS_DESCENDANT_OR_SELF;
  if (isRead('parent')) return AXIS_PARENT;
  if (isRead('self')) return AXIS_SELF;
  if (isRead('attribute')) return AXIS_ATTRIBUTE;
  return rareAxis();
}

function rareAxis(): i32 {
  if (isRead('ancestor')) return AXIS_ANCESTOR;
  if (isRead('ancestor-or-self')) return AXIS_ANCESTOR_OR_SELF;
  if (isRead('following')) return AXIS_FOLLOWING;
  if (isRead('following-sibling')) return AXIS_FOLLOWING_SIBLING;
  if (isRead('preceding')) return AXIS_PRECEDING;
  if (isRead('preceding-sibling')) return AXIS_PRECEDING_SIBLING;
  return isRead('namespace') ? AXIS_NAMESPACE : -1;
}

/** The test of the kind of node that was looked over, or -1. */
function typeTest(): i32 {
  if (isRead('node')) return TEST_NODE;
  if (isRead('text')) return TEST_TEXT;
  if (isRead('comment')) return TEST_COMMENT;
  return isRead('processing-instruction') ? TEST_INSTRUCTION : -1;
}

function parseTest(step: u32): void {
  if (take('*')) return setWordOf(step, STEP_TEST, TEST_ANY);
  if (lookBehindName() && unitBehindName == 40) return parseType(step);
  if (!takeName()) {
    refuse();
    return;
  }
  setWordOf(step, STEP_TEST, TEST_NAME);
  if (peek() == 58 && peek(1) != 58) {
    // Their namespaces are known once the document is.
    newExpression(NODE_PREFIX, step, <u32>readUnits, readLength);
    skipUnit();
    if (peek() == 42) {
      take('*');
      return setWordOf(step, STEP_TEST, TEST_NAMESPACE);
    }
    if (!takeName()) refuse();
  }
  setWordOf(step, STEP_NAME, <u32>readUnits);
  setWordOf(step, STEP_NAME_LENGTH, readLength);
  skipSpaces();
}

function parseType(step: u32): void {
  const test = typeTest();
  if (test < 0) {
    refuse();
    return;
  }
  setWordOf(step, STEP_TEST, test);
  takeName();
  skipSpaces();
  want('(');
  if (test == TEST_INSTRUCTION && takeLiteral()) {
    setWordOf(step, STEP_NAME, <u32>readUnits);
    setWordOf(step, STEP_NAME_LENGTH, readLength);
  }
  want(')');
}

/**
 * Gives the steps with prefixes the namespaces that these have in the document; returns false if
 * none.
 */
export function resolvePrefixes(): bool {
  const count = expressionCount();
  for (let node: u32 = 0; node < count; node++) {
    if (kindOfExpression(node) != NODE_PREFIX) continue;
    const uri = firstUri(wordOf(node, 1), wordOf(node, 2));
    if (!uri) return false;
    setWordOf(wordOf(node, 0), STEP_URI, uri);
  }
  return true;
}
