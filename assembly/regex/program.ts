import { bytesIn, newBuffer, pushWord, setWordAt, startOf } from '../formula/buffer';
import {
  LOOK_BEHIND,
  NODE_ANY,
  NODE_ASSERT,
  NODE_ATOMIC,
  NODE_BACK,
  NODE_CHOICE,
  NODE_CONDITION,
  NODE_EMPTY,
  NODE_GROUP,
  NODE_KEEP,
  NODE_LOOK,
  NODE_REPEAT,
  NODE_SEQUENCE,
  NODE_SET,
  NODE_UNIT,
  REPEAT_LAZY,
  UNLIMITED,
  kindOfNode,
  leastUnits,
  mostUnits,
  nodeWord,
} from './node';

/**
 * A pattern as instructions for match.ts, each a word with its operands in the words behind it.
 * Repeats of more than one character are written out as often as they are counted.
 */
/** The pattern, or the inside of a look or an atomic group, has matched. */
export const DO_ACCEPT: u32 = 0;
/** Unit; whether it is folded. */
export const DO_UNIT: u32 = 1;
/** Address of a set; whether case is folded. */
export const DO_SET: u32 = 2;
/** 1 if it matches line feeds too; nothing. */
export const DO_ANY: u32 = 3;
/** Where to go on, and where if that fails. */
export const DO_TRY: u32 = 4;
/** Where to go on. */
export const DO_JUMP: u32 = 5;
/** Slot that gets the place. */
export const DO_SAVE: u32 = 6;
/** ASSERT_* kind. */
export const DO_ASSERT: u32 = 7;
/** Group; whether case is folded. */
export const DO_BACK: u32 = 8;
/** LOOK_* bits; where to go on; fewest and most units of the inside, which follows. */
export const DO_LOOK: u32 = 9;
/** Where to go on; the inside follows. */
export const DO_ATOMIC: u32 = 10;
/** Fewest times, most times, whether lazily; then the instruction for one character. */
export const DO_RUN: u32 = 11;
/** Slot with the place where this turn began; where to go on if it matched nothing. */
export const DO_CHECK: u32 = 12;
/** Group; where to go on if it has no part in the match. */
const DO_CONDITION: u32 = 13;

const WORD_LIMIT: u32 = 1 << 17;

let program: usize = 0;
/** Groups take two slots each, and loops whose inside may be empty one. */
export let slotCount: u32 = 0;
export let isTooLong: bool = false;

export function programStart(): usize {
  return startOf(program);
}

/** Writes the program of a tree. */
export function compileTree(root: u32, groups: u32): void {
  program = newBuffer(1024);
  slotCount = (groups + 1) << 1;
  isTooLong = false;
  compile(root);
  pushWord(program, DO_ACCEPT);
}

function here(): u32 {
  return bytesIn(program) >> 2;
}

function push(word: u32): u32 {
  const place = here();
  if (place > WORD_LIMIT) isTooLong = true;
  else pushWord(program, word);
  return place;
}

function settle(place: u32): void {
  if (!isTooLong) setWordAt(program, place, here());
}

function compile(node: u32): void {
  if (isTooLong) return;
  const a = nodeWord(node, 0);
  const b = nodeWord(node, 1);
  switch (kindOfNode(node)) {
    case NODE_EMPTY:
      return;
    case NODE_UNIT:
    case NODE_SET:
    case NODE_ANY:
    case NODE_BACK:
      return compilePlain(node);
    case NODE_SEQUENCE:
      compile(a);
      return compile(b);
    case NODE_CHOICE:
      return compileChoice(a, b);
    case NODE_GROUP:
      pushTwo(DO_SAVE, b << 1);
      compile(a);
      return pushTwo(DO_SAVE, (b << 1) + 1);
    case NODE_REPEAT:
      return isOneCharacter(a) ? compileRun(node) : compileRepeat(node);
    case NODE_ASSERT:
      return pushTwo(DO_ASSERT, a);
    case NODE_LOOK:
      return compileLook(a, b);
    case NODE_ATOMIC:
      return compileAtomic(a);
    case NODE_KEEP:
      return pushTwo(DO_SAVE, 0);
    case NODE_CONDITION:
      return compileCondition(node);
  }
}

function pushTwo(operation: u32, operand: u32): void {
  push(operation);
  push(operand);
}

function instructionOf(kind: u32): u32 {
  if (kind == NODE_UNIT) return DO_UNIT;
  if (kind == NODE_SET) return DO_SET;
  return kind == NODE_ANY ? DO_ANY : DO_BACK;
}

function compilePlain(node: u32): void {
  push(instructionOf(kindOfNode(node)));
  push(nodeWord(node, 0));
  push(nodeWord(node, 1));
}

function isOneCharacter(node: u32): bool {
  const kind = kindOfNode(node);
  return kind == NODE_UNIT || kind == NODE_SET || kind == NODE_ANY;
}

function compileChoice(first: u32, second: u32): void {
  push(DO_TRY);
  const start = push(0);
  const otherwise = push(0);
  settle(start);
  compile(first);
  push(DO_JUMP);
  const end = push(0);
  settle(otherwise);
  compile(second);
  settle(end);
}

function compileRun(node: u32): void {
  push(DO_RUN);
  push(nodeWord(node, 1));
  push(nodeWord(node, 2));
  push(nodeWord(node, 3) == REPEAT_LAZY ? 1 : 0);
  compilePlain(nodeWord(node, 0));
}

function compileRepeat(node: u32): void {
  const inside = nodeWord(node, 0);
  const fewest = nodeWord(node, 1);
  const most = nodeWord(node, 2);
  const isLazy = nodeWord(node, 3) == REPEAT_LAZY;
  for (let count: u32 = 0; count < fewest && !isTooLong; count++) compile(inside);
  if (most == UNLIMITED) return compileLoop(inside, isLazy);
  // Optional turns are nested: skipping one skips the rest.
  const open = newBuffer(256);
  for (let count = fewest; count < most && !isTooLong; count++) {
    pushWord(open, pushTry(isLazy));
    compile(inside);
  }
  const ends = bytesIn(open) >> 2;
  for (let index: u32 = 0; index < ends; index++) {
    settle(load<u32>(startOf(open) + ((<usize>index) << 2)));
  }
}

/** Tries what follows, or lazily what comes later; the place of that is still to be settled. */
function pushTry(isLazy: bool): u32 {
  push(DO_TRY);
  const first = push(0);
  const second = push(0);
  settle(isLazy ? second : first);
  return isLazy ? first : second;
}

function compileLoop(inside: u32, isLazy: bool): void {
  const start = here();
  const end = pushTry(isLazy);
  const mayBeEmpty = leastUnits(inside) == 0;
  const slot = slotCount;
  if (mayBeEmpty) {
    slotCount++;
    pushTwo(DO_SAVE, slot);
  }
  compile(inside);
  let check: u32 = 0;
  if (mayBeEmpty) {
    pushTwo(DO_CHECK, slot);
    check = push(0);
  }
  pushTwo(DO_JUMP, start);
  if (mayBeEmpty) settle(check);
  settle(end);
}

function compileLook(inside: u32, bits: u32): void {
  pushTwo(DO_LOOK, bits);
  const end = push(0);
  push(bits & LOOK_BEHIND ? leastUnits(inside) : 0);
  push(bits & LOOK_BEHIND ? mostUnits(inside) : 0);
  compile(inside);
  push(DO_ACCEPT);
  settle(end);
}

function compileAtomic(inside: u32): void {
  push(DO_ATOMIC);
  const end = push(0);
  compile(inside);
  push(DO_ACCEPT);
  settle(end);
}

function compileCondition(node: u32): void {
  pushTwo(DO_CONDITION, nodeWord(node, 0));
  const otherwise = push(0);
  compile(nodeWord(node, 1));
  push(DO_JUMP);
  const end = push(0);
  settle(otherwise);
  compile(nodeWord(node, 2));
  settle(end);
}
