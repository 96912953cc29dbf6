import { pay } from '../xml/payment';
import { evaluateCall } from './call';
import { compareValues } from './compare';
import {
  NODE_CALL,
  NODE_CHAIN,
  NODE_LITERAL,
  NODE_NEGATION,
  NODE_NUMBER,
  NODE_PATH,
  kindOfExpression,
  numberOf,
  wordOf,
} from './expression';
import { dropSet, unite } from './node-set';
import {
  OPERATOR_ADD,
  OPERATOR_AND,
  OPERATOR_DIVIDE,
  OPERATOR_GREATER_EQUAL,
  OPERATOR_MULTIPLY,
  OPERATOR_OR,
  OPERATOR_SUBTRACT,
  OPERATOR_UNION,
} from './operator';
import { runFilter, runPath } from './path';
import { popBoolean, popNumber, popSet, pushBoolean, pushNumber, pushSet, pushText } from './value';

/** Cost of one expression beside the nodes it looks at, in quarters of a step of fuel. */
const EXPRESSION_QUARTERS: u32 = 4;

/**
 * Evaluates an expression for the context node; its value is the latest of the stack. Loops end
 * when the fuel is used up, and then values of the right kind come to nothing.
 */
export function evaluate(node: u32): void {
  pay(EXPRESSION_QUARTERS);
  switch (kindOfExpression(node)) {
    case NODE_NUMBER:
      return pushNumber(numberOf(node));
    case NODE_LITERAL:
      return pushText(wordOf(node, 0), wordOf(node, 1));
    case NODE_CHAIN:
      return evaluateChain(node);
    case NODE_NEGATION:
      evaluate(wordOf(node, 0));
      return pushNumber(-popNumber());
    case NODE_CALL:
      return evaluateCall(node);
    case NODE_PATH:
      return pushSet(runPath(node));
    default:
      return pushSet(runFilter(node));
  }
}

/** Operators that bind alike, from left to right. */
function evaluateChain(node: u32): void {
  evaluate(wordOf(node, 0));
  for (let link = wordOf(node, 1); link; link = wordOf(link, 2)) {
    const operator = wordOf(link, 0);
    if (operator <= OPERATOR_AND) {
      // The left side decides, so the right one is not evaluated.
      if (popBoolean() == (operator == OPERATOR_OR)) return pushBoolean(operator == OPERATOR_OR);
      evaluate(wordOf(link, 1));
      pushBoolean(popBoolean());
      continue;
    }
    evaluate(wordOf(link, 1));
    if (operator <= OPERATOR_GREATER_EQUAL) compareValues(operator);
    else if (operator == OPERATOR_UNION) joinSets();
    else calculate(operator);
  }
}

function joinSets(): void {
  const right = popSet();
  const left = popSet();
  pushSet(unite(left, right));
  dropSet(left);
  dropSet(right);
}

function calculate(operator: u32): void {
  const right = popNumber();
  const left = popNumber();
  switch (operator) {
    case OPERATOR_ADD:
      return pushNumber(left + right);
    case OPERATOR_SUBTRACT:
      return pushNumber(left - right);
    case OPERATOR_MULTIPLY:
      return pushNumber(left * right);
    case OPERATOR_DIVIDE:
      return pushNumber(left / right);
    default:
      return pushNumber(remainder(left, right));
  }
}

/** The rest of a division is found bit by bit. */
function remainder(left: f64, right: f64): f64 {
  const bits = exponentOf(left) - exponentOf(right);
  if (bits > 0) pay(<u32>bits >> 2);
  return left % right;
}

function exponentOf(value: f64): i32 {
  return <i32>((reinterpret<u64>(value) >> 52) & 0x7ff);
}
