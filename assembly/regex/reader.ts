import { scratch } from '../memory/scratch';
import { TEXT_HEADER, lengthOf, lowerUnit, unit } from '../memory/text';
import { NODE_EMPTY, NODE_SEQUENCE, NODE_UNIT, newNode, openNodes } from './node';

/** A pattern as it is read, and what holds where the reader is. */
let pattern: usize = 0;
let patternLength: u32 = 0;
/** Place of the next unit. */
export let place: u32 = 0;
/** Set when the text read so far is no pattern. */
export let isBad: bool = false;
export let groupCount: u32 = 0;

export const FLAG_FOLDS: u32 = 1;
/** `^` and `$` stand at line feeds too. */
export const FLAG_LINES: u32 = 2;
/** `.` takes line feeds too. */
export const FLAG_DOT_ALL: u32 = 4;
/** White space and comments stand for nothing. */
export const FLAG_EXTENDED: u32 = 8;
export let flags: u32 = 0;

export const GROUP_LIMIT: u32 = 1000;
const NAME_BYTES: u32 = 12;

/** Names of groups: where they stand in the pattern, their length and the group's number. */
let names: usize = 0;
let nameCount: u32 = 0;

export function openReader(text: usize, foldsCase: bool): void {
  openNodes();
  pattern = text;
  patternLength = lengthOf(text);
  place = 0;
  isBad = false;
  groupCount = 0;
  flags = foldsCase ? FLAG_FOLDS : 0;
  names = scratch(GROUP_LIMIT * NAME_BYTES);
  nameCount = 0;
}

export function setFlags(bits: u32): void {
  flags = bits;
}

export function nextGroup(): u32 {
  return ++groupCount;
}

/** The pattern is none; a node to go on with. */
export function refusePattern(): u32 {
  isBad = true;
  place = patternLength;
  return newNode(NODE_EMPTY);
}

/** The unit at a distance from the next one; 0 behind the end. */
export function peekUnit(offset: u32 = 0): u32 {
  return place + offset < patternLength ? unit(pattern, place + offset) : 0;
}

/** Returns whether the next unit is this one. */
export function isNext(code: u32): bool {
  return place < patternLength && unit(pattern, place) == code;
}

export function atEnd(): bool {
  return place >= patternLength;
}

export function skipUnits(count: u32): void {
  place = min(place + count, patternLength);
}

/** Goes back to a place. */
export function readAgain(from: u32): void {
  place = from;
}

export function unitsAt(start: u32): usize {
  return pattern + TEXT_HEADER + ((<usize>start) << 1);
}

/** A number, or -1 when there are no digits; beyond a million it is that. */
export function readDigits(): i32 {
  let value = -1;
  while (!atEnd() && peekUnit() - 48 < 10) {
    value = min(max(value, 0) * 10 + <i32>(peekUnit() - 48), 1_000_000);
    place++;
  }
  return value;
}

/** The unit, which was just read, as a node; with its second half if it is the first of two. */
export function unitNode(code: u32): u32 {
  if (code >> 10 == 0x36 && peekUnit() >> 10 == 0x37) {
    const low = peekUnit();
    place++;
    return newNode(NODE_SEQUENCE, newNode(NODE_UNIT, code), newNode(NODE_UNIT, low));
  }
  return codeNode(code);
}

/** A code point as a node. */
export function codeNode(code: u32): u32 {
  if (code >= 0x10000) {
    const high = newNode(NODE_UNIT, 0xd7c0 + (code >> 10));
    return newNode(NODE_SEQUENCE, high, newNode(NODE_UNIT, 0xdc00 + (code & 0x3ff)));
  }
  const folds = flags & FLAG_FOLDS;
  return newNode(NODE_UNIT, folds ? lowerUnit(code) : code, folds);
}

export function isWordUnit(code: u32): bool {
  return code - 48 < 10 || (code | 32) - 97 < 26 || code == 95;
}

/** Units of a name up to `end`, which is skipped. */
export function nameUntil(end: u32): u32 {
  const start = place;
  while (!atEnd() && isWordUnit(peekUnit())) place++;
  const length = place - start;
  if (!isNext(end)) {
    refusePattern();
    return 0;
  }
  place++;
  return length;
}

/** Gives the group that is next a name; returns false if another has it. */
export function nameGroup(start: u32, length: u32): bool {
  if (nameCount >= GROUP_LIMIT || groupNamed(unitsAt(start), length)) return false;
  const record = names + <usize>nameCount * NAME_BYTES;
  store<u32>(record, start);
  store<u32>(record, length, 4);
  store<u32>(record, groupCount + 1, 8);
  nameCount++;
  return true;
}

/** Number of the group with a name, or 0. */
export function groupNamed(units: usize, length: u32): u32 {
  for (let index: u32 = 0; index < nameCount; index++) {
    const record = names + <usize>index * NAME_BYTES;
    if (load<u32>(record, 4) != length) continue;
    const known = unitsAt(load<u32>(record));
    if (memory.compare(known, units, (<usize>length) << 1) == 0) return load<u32>(record, 8);
  }
  return 0;
}

/** Number of the group whose name stands up to `end`; 0 if there is none. */
export function groupOfName(end: u32): u32 {
  const start = place;
  const length = nameUntil(end);
  return isBad ? 0 : groupNamed(unitsAt(start), length);
}
