import { bytesIn, cutBuffer, emptyBuffer, extend, newBuffer, startOf } from '../formula/buffer';
import { scratch } from '../memory/scratch';
import { lengthOf, lowerUnit, unit } from '../memory/text';
import { burn } from '../vm/cell-fuel';
import {
  ASSERT_LAST_LINE_END,
  ASSERT_LINE_END,
  ASSERT_LINE_START,
  ASSERT_NO_WORD_EDGE,
  ASSERT_SEARCH_START,
  ASSERT_TEXT_END,
  ASSERT_TEXT_START,
  LOOK_BEHIND,
  LOOK_NEGATIVE,
} from './node';
import { parsePattern } from './parse';
import {
  DO_ACCEPT,
  DO_ANY,
  DO_ASSERT,
  DO_ATOMIC,
  DO_BACK,
  DO_CHECK,
  DO_JUMP,
  DO_LOOK,
  DO_RUN,
  DO_SAVE,
  DO_SET,
  DO_TRY,
  DO_UNIT,
  compileTree,
  isTooLong,
  programStart,
  slotCount,
} from './program';
import { groupCount, isBad, isWordUnit } from './reader';
import { holdsCharacter } from './set';

/**
 * Runs the program of a pattern over a text: one way at a time, with a stack of the ways that are
 * left. Every step is paid for, so that a pattern with too many ways ends with the cell's fuel.
 */
/** Where each group begins and ends, -1 where it has no part; then what loops keep. */
let slots: usize = 0;
let code: usize = 0;
let text: usize = 0;
let textLength: u32 = 0;
let searchStart: u32 = 0;
let steps: u32 = 0;
/** The fuel of the cell is used up: there is no answer. */
export let isExhausted: bool = false;

/** Alternatives that are still to be tried: four words each. */
let stack: usize = 0;
const ENTRY_BYTES: u32 = 16;
const ENTRY_LIMIT: u32 = 1 << 22;
/** Go on at an instruction and a place. */
const LEFT_WAY: u32 = 0;
/** Put a slot back. */
const LEFT_SLOT: u32 = 1;
/** A greedy run gives a character back: instruction behind it, its least end, its end. */
const LEFT_SHORTER: u32 = 2;
/** A lazy run takes one more: its instruction, its end, how often it may still. */
const LEFT_LONGER: u32 = 3;

const STEPS_PER_PAYMENT: u32 = 1024;

/** Reads a pattern; returns false if it is none. */
export function openPattern(source: usize, foldsCase: bool): bool {
  const root = parsePattern(source, foldsCase);
  if (isBad) return false;
  compileTree(root, groupCount);
  if (isTooLong) return false;
  code = programStart();
  slots = scratch(slotCount << 2);
  stack = newBuffer(4096);
  steps = 0;
  isExhausted = false;
  return true;
}

export function groupStart(group: u32): i32 {
  return load<i32>(slots + ((<usize>group) << 3));
}

export function groupEnd(group: u32): i32 {
  return load<i32>(slots + ((<usize>group) << 3), 4);
}

/** Finds the first match that begins at or after `from`; the groups say where. */
export function findMatch(within: usize, from: u32): bool {
  text = within;
  textLength = lengthOf(within);
  searchStart = from;
  for (let start = from; start <= textLength; start += widthAt(start)) {
    memory.fill(slots, 0xff, (<usize>slotCount) << 2);
    emptyBuffer(stack);
    if (run(0, start, ANYWHERE)) return true;
    if (isExhausted) return false;
  }
  return false;
}

/** Where the search after a match goes on: an empty match is not found again. */
export function afterMatch(): u32 {
  const end = <u32>groupEnd(0);
  return end > <u32>groupStart(0) ? end : end + widthAt(end);
}

/** Units of the character at a place; 1 behind the end. */
function widthAt(place: u32): u32 {
  if (place + 1 >= textLength) return 1;
  return unit(text, place) >> 10 == 0x36 && unit(text, place + 1) >> 10 == 0x37 ? 2 : 1;
}

function widthBefore(place: u32, least: u32): u32 {
  if (place < least + 2) return 1;
  return unit(text, place - 1) >> 10 == 0x37 && unit(text, place - 2) >> 10 == 0x36 ? 2 : 1;
}

function word(place: u32): u32 {
  return load<u32>(code + ((<usize>place) << 2));
}

function leave(kind: u32, a: u32, b: u32, c: u32): void {
  if (bytesIn(stack) >= ENTRY_LIMIT * ENTRY_BYTES) {
    isExhausted = true;
    burn(i32.MAX_VALUE);
    return;
  }
  const entry = extend(stack, ENTRY_BYTES);
  store<u32>(entry, kind);
  store<u32>(entry, a, 4);
  store<u32>(entry, b, 8);
  store<u32>(entry, c, 12);
}

function pay(): void {
  if (++steps % STEPS_PER_PAYMENT == 0 && !burn(STEPS_PER_PAYMENT)) isExhausted = true;
}

function save(slot: u32, value: u32): void {
  const place = slots + ((<usize>slot) << 2);
  leave(LEFT_SLOT, slot, load<u32>(place), 0);
  store<u32>(place, value);
}

/** Where the next instruction and the place in the text are, after a step or a way back. */
let nextCode: u32 = 0;
let nextPlace: u32 = 0;

const ANYWHERE: u32 = 0xffffffff;

/**
 * Returns whether the program matches from an instruction and a place on, up to `end` if that is a
 * place; `nextPlace` is the end of the match then.
 */
function run(start: u32, from: u32, end: u32): bool {
  const base = bytesIn(stack);
  nextCode = start;
  nextPlace = from;
  while (true) {
    pay();
    if (isExhausted) return false;
    const isDone = word(nextCode) == DO_ACCEPT;
    if (isDone && (end == ANYWHERE || nextPlace == end)) return true;
    if ((isDone || !step()) && !goBack(base)) return false;
  }
}

/** Takes the latest way that is left. */
function goBack(base: u32): bool {
  while (bytesIn(stack) > base) {
    const entry = startOf(stack) + bytesIn(stack) - ENTRY_BYTES;
    const kind = load<u32>(entry);
    const a = load<u32>(entry, 4);
    const b = load<u32>(entry, 8);
    const c = load<u32>(entry, 12);
    cutBuffer(stack, bytesIn(stack) - ENTRY_BYTES);
    if (kind == LEFT_SLOT) store<u32>(slots + ((<usize>a) << 2), b);
    else if (kind == LEFT_WAY) {
      nextCode = a;
      nextPlace = b;
      return true;
    } else if (kind == LEFT_SHORTER) {
      const place = c - widthBefore(c, b);
      if (place > b) leave(LEFT_SHORTER, a, b, place);
      nextCode = a;
      nextPlace = place;
      return true;
    } else if (takeOneMore(a, b, c)) return true;
  }
  return false;
}

function takeOneMore(instruction: u32, place: u32, left: u32): bool {
  const width = matchOne(instruction + 4, place);
  if (!width) return false;
  if (left > 1) leave(LEFT_LONGER, instruction, place + width, left - 1);
  nextCode = instruction + 7;
  nextPlace = place + width;
  return true;
}

/** Runs one instruction; returns false if it fails. */
function step(): bool {
  const here = nextCode;
  const a = word(here + 1);
  switch (word(here)) {
    case DO_UNIT:
    case DO_SET:
    case DO_ANY:
      return stepOne(here);
    case DO_TRY:
      leave(LEFT_WAY, word(here + 2), nextPlace, 0);
      nextCode = a;
      return true;
    case DO_JUMP:
      nextCode = a;
      return true;
    case DO_SAVE:
      save(a, nextPlace);
      nextCode = here + 2;
      return true;
    case DO_ASSERT:
      nextCode = here + 2;
      return holds(a, nextPlace);
    case DO_BACK:
      return stepBack(here);
    case DO_LOOK:
      return stepLook(here);
    case DO_ATOMIC:
      return stepAtomic(here);
    case DO_RUN:
      return stepRun(here);
    case DO_CHECK:
      // A turn that matched nothing is the last.
      nextCode = load<u32>(slots + ((<usize>a) << 2)) == nextPlace ? word(here + 2) : here + 3;
      return true;
    default:
      nextCode = groupEnd(a) >= 0 ? here + 3 : word(here + 2);
      return true;
  }
}

function stepOne(here: u32): bool {
  const width = matchOne(here, nextPlace);
  nextCode = here + 3;
  nextPlace += width;
  return width > 0;
}

/** Units of the character at a place if it is what the instruction wants, else 0. */
function matchOne(instruction: u32, place: u32): u32 {
  if (place >= textLength) return 0;
  const a = word(instruction + 1);
  const b = word(instruction + 2);
  let character = unit(text, place);
  const operation = word(instruction);
  if (operation == DO_UNIT) return (b ? lowerUnit(character) : character) == a ? 1 : 0;
  const width = widthAt(place);
  if (operation == DO_ANY) return character == 10 && !a ? 0 : width;
  if (width == 2) {
    character = 0x10000 + ((character & 0x3ff) << 10) + (unit(text, place + 1) & 0x3ff);
  }
  return holdsCharacter(a, character, b != 0) ? width : 0;
}

function stepRun(here: u32): bool {
  const fewest = word(here + 1);
  const most = word(here + 2);
  const isLazy = word(here + 3) != 0;
  let place = nextPlace;
  let least = place;
  const wanted = isLazy ? fewest : most;
  let count: u32 = 0;
  for (; count < wanted; count++) {
    if (count == fewest) least = place;
    const width = matchOne(here + 4, place);
    if (!width) break;
    place += width;
    pay();
    if (isExhausted) return false;
  }
  if (count < fewest) return false;
  if (count == fewest) least = place;
  if (isLazy) {
    if (most > fewest) leave(LEFT_LONGER, here, place, most - fewest);
  } else if (place > least) leave(LEFT_SHORTER, here + 7, least, place);
  nextCode = here + 7;
  nextPlace = place;
  return true;
}

/** The same units again that a group matched; one without a part fails. */
function stepBack(here: u32): bool {
  const group = word(here + 1);
  const isFolded = word(here + 2) != 0;
  const start = groupStart(group);
  const end = groupEnd(group);
  nextCode = here + 3;
  if (start < 0 || end < start || nextPlace + <u32>(end - start) > textLength) return false;
  for (let index = start; index < end; index++) {
    const left = unit(text, index);
    const right = unit(text, nextPlace);
    if (left != right && !(isFolded && lowerUnit(left) == lowerUnit(right))) return false;
    nextPlace++;
  }
  return true;
}

/** Runs what is inside; what it left to be tried is dropped, but for the slots to put back. */
function runInside(start: u32, from: u32, end: u32): bool {
  const base = bytesIn(stack);
  if (!run(start, from, end)) return false;
  const entries = startOf(stack);
  let kept = base;
  for (let place = base; place < bytesIn(stack); place += ENTRY_BYTES) {
    if (load<u32>(entries + place) != LEFT_SLOT) continue;
    if (kept != place) memory.copy(entries + kept, entries + place, ENTRY_BYTES);
    kept += ENTRY_BYTES;
  }
  cutBuffer(stack, kept);
  return true;
}

function stepAtomic(here: u32): bool {
  if (!runInside(here + 2, nextPlace, ANYWHERE)) return false;
  nextCode = word(here + 1);
  return true;
}

function stepLook(here: u32): bool {
  const bits = word(here + 1);
  const end = word(here + 2);
  const place = nextPlace;
  const base = bytesIn(stack);
  const found =
    bits & LOOK_BEHIND ? looksBehind(here, place) : runInside(here + 5, place, ANYWHERE);
  if (isExhausted) return false;
  if (bits & LOOK_NEGATIVE && found) putBack(base);
  nextCode = end;
  nextPlace = place;
  return found == !(bits & LOOK_NEGATIVE);
}

/** Returns whether the assertion's inner pattern matches some units that end at a place. */
function looksBehind(here: u32, place: u32): bool {
  const most = min(word(here + 4), place);
  for (let count = word(here + 3); count <= most; count++) {
    if (runInside(here + 5, place - count, place)) return true;
    if (isExhausted) return false;
  }
  return false;
}

/** Puts slots back to what they were. */
function putBack(base: u32): void {
  while (bytesIn(stack) > base) {
    const entry = startOf(stack) + bytesIn(stack) - ENTRY_BYTES;
    store<u32>(slots + ((<usize>load<u32>(entry, 4)) << 2), load<u32>(entry, 8));
    cutBuffer(stack, bytesIn(stack) - ENTRY_BYTES);
  }
}

function isWordAt(place: i32): bool {
  return place >= 0 && <u32>place < textLength && isWordUnit(unit(text, place));
}

/** Returns whether an assertion holds at a place. */
function holds(kind: u32, place: u32): bool {
  switch (kind) {
    case ASSERT_TEXT_START:
      return place == 0;
    case ASSERT_TEXT_END:
      return place == textLength;
    case ASSERT_LAST_LINE_END:
      return place == textLength || (place + 1 == textLength && unit(text, place) == 10);
    case ASSERT_LINE_START:
      return place == 0 || unit(text, place - 1) == 10;
    case ASSERT_LINE_END:
      return place == textLength || unit(text, place) == 10;
    case ASSERT_SEARCH_START:
      return place == searchStart;
    default: {
      const isEdge = isWordAt(<i32>place - 1) != isWordAt(place);
      return isEdge != (kind == ASSERT_NO_WORD_EDGE);
    }
  }
}
