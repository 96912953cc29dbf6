import { isExhausted } from '../xml/payment';
import { endOf, isBeside } from '../xml/tree';
import { collect, isReverse } from './axis';
import { evaluate } from './evaluate';
import {
  AXIS_DESCENDANT,
  AXIS_DESCENDANT_OR_SELF,
  NODE_NUMBER,
  STEP_AXIS,
  STEP_NEXT,
  STEP_PREDICATE,
  kindOfExpression,
  numberOf,
  wordOf,
} from './expression';
import {
  addNode,
  appendSet,
  cutSet,
  dropSet,
  isAscending,
  isLoose,
  newSet,
  nodeAt,
  setNodeAt,
  sizeOf,
  sortSet,
} from './node-set';
import { VALUE_NUMBER, kindOfValue, popBoolean, popNumber, popSet } from './value';

/** Context node, its position in the set that it was found in, and the size of that set. */
export let contextNode: u32 = 0;
export let contextPosition: u32 = 1;
export let contextSize: u32 = 1;

/** Looks at the root alone. */
export function openContext(): void {
  contextNode = 0;
  contextPosition = 1;
  contextSize = 1;
}

/** The nodes of a path, as a set that the caller drops. */
export function runPath(path: u32): usize {
  const from = wordOf(path, 0);
  let set: usize = 0;
  if (from) {
    evaluate(from);
    set = popSet();
  } else {
    set = newSet();
    addNode(set, wordOf(path, 2) ? 0 : contextNode);
  }
  for (let step = wordOf(path, 1); step; step = wordOf(step, STEP_NEXT)) {
    const next = runStep(step, set);
    dropSet(set);
    set = next;
  }
  return set;
}

/** Nodes that meet predicates; their positions are in document order. */
export function runFilter(node: u32): usize {
  evaluate(wordOf(node, 0));
  const set = popSet();
  keepWanted(set, wordOf(node, 1));
  return set;
}

function runStep(step: u32, from: usize): usize {
  const predicate = wordOf(step, STEP_PREDICATE);
  const isTurned = isReverse(wordOf(step, STEP_AXIS));
  if (!predicate && !isTurned) return runPlainStep(step, from);
  const result = newSet();
  const count = sizeOf(from);
  let isOrdered: bool = true;
  for (let index: u32 = 0; index < count && !isExhausted; index++) {
    const found = newSet();
    collect(step, nodeAt(from, index), found);
    keepWanted(found, predicate);
    if (!appendSet(result, found, isTurned)) isOrdered = false;
    dropSet(found);
    isOrdered = tidy(result, isOrdered);
  }
  if (!isOrdered) sortSet(result);
  return result;
}

/** Puts nodes in order before they get too many; whether they are in order then. */
function tidy(set: usize, isOrdered: bool): bool {
  if (isOrdered || !isLoose(set)) return isOrdered;
  sortSet(set);
  return true;
}

/** A step forward without predicates: where it finds a node from does not matter. */
function runPlainStep(step: u32, from: usize): usize {
  const axis = wordOf(step, STEP_AXIS);
  const goesDown = axis == AXIS_DESCENDANT || axis == AXIS_DESCENDANT_OR_SELF;
  const result = newSet();
  const count = sizeOf(from);
  let isOrdered: bool = true;
  let covered: u32 = 0;
  for (let index: u32 = 0; index < count && !isExhausted; index++) {
    const node = nodeAt(from, index);
    if (goesDown && node < covered && !isBeside(node)) continue;
    covered = max(covered, endOf(node));
    const before = sizeOf(result);
    collect(step, node, result);
    if (!isAscending(result, before)) isOrdered = false;
    isOrdered = tidy(result, isOrdered);
  }
  if (!isOrdered) sortSet(result);
  return result;
}

/** Keeps the nodes of a set that meet all predicates of a list. */
function keepWanted(set: usize, first: u32): void {
  if (!first) return;
  const outerNode = contextNode;
  const outerPosition = contextPosition;
  const outerSize = contextSize;
  for (let predicate = first; predicate; predicate = wordOf(predicate, 1)) {
    const expression = wordOf(predicate, 0);
    if (kindOfExpression(expression) == NODE_NUMBER) keepOne(set, numberOf(expression));
    else keepByExpression(set, expression);
  }
  contextNode = outerNode;
  contextPosition = outerPosition;
  contextSize = outerSize;
}

function keepOne(set: usize, position: f64): void {
  const isThere = position >= 1 && position <= <f64>sizeOf(set) && floor(position) == position;
  if (isThere) setNodeAt(set, 0, nodeAt(set, <u32>position - 1));
  cutSet(set, isThere ? 1 : 0);
}

function keepByExpression(set: usize, expression: u32): void {
  const count = sizeOf(set);
  let kept: u32 = 0;
  for (let index: u32 = 0; index < count && !isExhausted; index++) {
    const node = nodeAt(set, index);
    contextNode = node;
    contextPosition = index + 1;
    contextSize = count;
    evaluate(expression);
    const isWanted = kindOfValue() == VALUE_NUMBER ? popNumber() == <f64>(index + 1) : popBoolean();
    if (isWanted) setNodeAt(set, kept++, node);
  }
  cutSet(set, kept);
}
