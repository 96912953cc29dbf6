import { pay } from '../xml/payment';
import {
  NODE_ATTRIBUTE,
  NODE_COMMENT,
  NODE_ELEMENT,
  NODE_INSTRUCTION,
  NODE_NAMESPACE,
  NODE_TEXT,
  contentOf,
  endOf,
  isBeside,
  kindOfNode,
  localLengthOf,
  localNameOf,
  nodeCount,
  parentOf,
  previousOf,
  uriOf,
} from '../xml/tree';
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
  STEP_AXIS,
  STEP_NAME,
  STEP_NAME_LENGTH,
  STEP_TEST,
  STEP_URI,
  TEST_ANY,
  TEST_COMMENT,
  TEST_INSTRUCTION,
  TEST_NAMESPACE,
  TEST_NODE,
  TEST_TEXT,
  wordOf,
} from './expression';
import { addNode } from './node-set';

/** The step under way: what it looks for, and where it puts what it finds. */
let test: u32 = 0;
let nameUnits: usize = 0;
let nameLength: u32 = 0;
let uri: u32 = 0;
/** The kind of nodes that have names along the axis. */
let principal: u32 = 0;
let found: usize = 0;
let seen: u32 = 0;
/** Cost of a step beside the nodes it looks at, in quarters of a step of fuel. */
const STEP_QUARTERS: u32 = 4;

/** Returns whether an axis goes backwards, so that positions count from the node. */
export function isReverse(axis: u32): bool {
  if (axis == AXIS_ANCESTOR || axis == AXIS_ANCESTOR_OR_SELF) return true;
  return axis == AXIS_PRECEDING || axis == AXIS_PRECEDING_SIBLING;
}

/** Adds the nodes along a step's axis that meet its test to a set, in the order of the axis. */
export function collect(step: u32, node: u32, set: usize): void {
  const axis = wordOf(step, STEP_AXIS);
  test = wordOf(step, STEP_TEST);
  nameUnits = wordOf(step, STEP_NAME);
  nameLength = wordOf(step, STEP_NAME_LENGTH);
  uri = wordOf(step, STEP_URI);
  principal = NODE_ELEMENT;
  if (axis == AXIS_ATTRIBUTE) principal = NODE_ATTRIBUTE;
  if (axis == AXIS_NAMESPACE) principal = NODE_NAMESPACE;
  found = set;
  seen = STEP_QUARTERS;
  walk(axis, node);
  pay(seen);
}

function walk(axis: u32, node: u32): void {
  switch (axis) {
    case AXIS_CHILD:
      return visitSiblings(contentOf(node), endOf(node));
    case AXIS_DESCENDANT:
      return visitRange(contentOf(node), endOf(node));
    case AXIS_DESCENDANT_OR_SELF:
      visit(node);
      return visitRange(contentOf(node), endOf(node));
    case AXIS_ATTRIBUTE:
    case AXIS_NAMESPACE:
      return visitBeside(node);
    case AXIS_PARENT:
      if (node) visit(parentOf(node));
      return;
    case AXIS_SELF:
      return visit(node);
    default:
      return walkFar(axis, node);
  }
}

function walkFar(axis: u32, node: u32): void {
  switch (axis) {
    case AXIS_ANCESTOR_OR_SELF:
      visit(node);
      return visitAncestors(node);
    case AXIS_ANCESTOR:
      return visitAncestors(node);
    case AXIS_FOLLOWING_SIBLING:
      if (node && !isBeside(node)) visitSiblings(endOf(node), endOf(parentOf(node)));
      return;
    case AXIS_PRECEDING_SIBLING:
      for (let sibling = previousOf(node); sibling; sibling = previousOf(sibling)) visit(sibling);
      return;
    case AXIS_FOLLOWING:
      // The content of the element comes behind its attributes.
      return visitRange(isBeside(node) ? contentOf(parentOf(node)) : endOf(node), nodeCount);
    default:
      return visitPreceding(node);
  }
}

function visitBeside(element: u32): void {
  const end = contentOf(element);
  for (let node = element + 1; node < end; node++) {
    if (kindOfNode(node) == principal) visit(node);
    else seen++;
  }
}

function visitSiblings(first: u32, end: u32): void {
  for (let node = first; node < end; node = endOf(node)) visit(node);
}

/** Nodes from a number to before another, without those beside elements. */
function visitRange(first: u32, end: u32): void {
  for (let node = first; node < end; node = contentOf(node)) visit(node);
}

function visitAncestors(node: u32): void {
  for (let above = node; above;) {
    above = parentOf(above);
    visit(above);
  }
}

function visitPreceding(node: u32): void {
  for (let before = node; before > 1;) {
    before--;
    if (endOf(before) <= node && !isBeside(before)) visit(before);
    else seen++;
  }
}

function visit(node: u32): void {
  seen++;
  if (isWanted(node)) addNode(found, node);
}

function isWanted(node: u32): bool {
  if (test == TEST_NODE) return true;
  const kind = kindOfNode(node);
  switch (test) {
    case TEST_TEXT:
      return kind == NODE_TEXT;
    case TEST_COMMENT:
      return kind == NODE_COMMENT;
    case TEST_INSTRUCTION:
      return kind == NODE_INSTRUCTION && (!nameUnits || isNamed(node));
    default:
      return kind == principal && hasName(node);
  }
}

function hasName(node: u32): bool {
  if (test == TEST_ANY) return true;
  return uriOf(node) == uri && (test == TEST_NAMESPACE || isNamed(node));
}

function isNamed(node: u32): bool {
  if (localLengthOf(node) != nameLength) return false;
  seen += nameLength >> 4;
  return !memory.compare(localNameOf(node), nameUnits, (<usize>nameLength) << 1);
}
