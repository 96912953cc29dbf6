import { bytesIn, newBuffer, pushWord, setWordAt, startOf, wordAt } from '../formula/buffer';
import { lowerUnit, upperUnit } from '../memory/text';
import { categoryOf } from './category';

/**
 * Sets of characters: a buffer whose first word says whether the set is turned round, with the
 * first and the last code point of each range behind it. Classes are those of ASCII, as PCRE2 has
 * them unless it is told otherwise. A property stands in place of a range: PROPERTY, and a bit for
 * each category of Unicode.
 */
const LAST_CODE_POINT: u32 = 0x10ffff;
const PROPERTY: u32 = 0x80000000;

export function newSet(): usize {
  const set = newBuffer(64);
  pushWord(set, 0);
  return set;
}

export function turnRound(set: usize): void {
  setWordAt(set, 0, 1);
}

export function addRange(set: usize, from: u32, to: u32): void {
  pushWord(set, from);
  pushWord(set, to);
}

/** Adds the characters of some categories, or all others. */
export function addProperty(set: usize, categories: u32, isTurned: bool): void {
  pushWord(set, PROPERTY);
  pushWord(set, isTurned ? ~categories : categories);
}

/** Adds all that lies outside of ranges, which come as pairs in ascending order. */
function addOthers(set: usize, ranges: StaticArray<u32>): void {
  let next: u32 = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    const from = unchecked(ranges[index]);
    if (from > next) addRange(set, next, from - 1);
    next = unchecked(ranges[index + 1]) + 1;
  }
  addRange(set, next, LAST_CODE_POINT);
}

function addRanges(set: usize, ranges: StaticArray<u32>, isTurned: bool): void {
  if (isTurned) return addOthers(set, ranges);
  for (let index = 0; index < ranges.length; index += 2) {
    addRange(set, unchecked(ranges[index]), unchecked(ranges[index + 1]));
  }
}

const DIGITS: StaticArray<u32> = [48, 57];
const WORD: StaticArray<u32> = [48, 57, 65, 90, 95, 95, 97, 122];
const SPACE: StaticArray<u32> = [9, 13, 32, 32];
const HORIZONTAL: StaticArray<u32> = [
  9, 9, 32, 32, 0xa0, 0xa0, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200a, 0x202f, 0x202f, 0x205f,
  0x205f, 0x3000, 0x3000,
];
const VERTICAL: StaticArray<u32> = [10, 13, 0x85, 0x85, 0x2028, 0x2029];
const LINE_FEED: StaticArray<u32> = [10, 10];

/** Adds the class of a letter behind a backslash; returns false if it stands for none. */
export function addEscapedClass(set: usize, letter: u32): bool {
  const isTurned = letter < 97;
  switch (letter | 32) {
    case 100:
      addRanges(set, DIGITS, isTurned);
      return true;
    case 119:
      addRanges(set, WORD, isTurned);
      return true;
    case 115:
      addRanges(set, SPACE, isTurned);
      return true;
    case 104:
      addRanges(set, HORIZONTAL, isTurned);
      return true;
    case 118:
      addRanges(set, VERTICAL, isTurned);
      return true;
    default:
      if (letter != 78) return false;
      addOthers(set, LINE_FEED);
      return true;
  }
}

const ALPHABETIC: StaticArray<u32> = [65, 90, 97, 122];
const UPPER: StaticArray<u32> = [65, 90];
const LOWER: StaticArray<u32> = [97, 122];
const HEXADECIMAL: StaticArray<u32> = [48, 57, 65, 70, 97, 102];
const BLANK: StaticArray<u32> = [9, 9, 32, 32];
const CONTROL: StaticArray<u32> = [0, 31, 127, 127];
const PRINTED: StaticArray<u32> = [32, 126];
const GRAPHIC: StaticArray<u32> = [33, 126];
const ASCII: StaticArray<u32> = [0, 127];
const ALPHANUMERIC: StaticArray<u32> = [48, 57, 65, 90, 97, 122];
const PUNCTUATION: StaticArray<u32> = [33, 47, 58, 64, 91, 96, 123, 126];

/** Number of a POSIX class by its name; the order of addNamedClass. */
const CLASS_NAMES: string =
  'alpha digit alnum upper lower space punct xdigit blank cntrl print graph word ascii ';

/** Adds a POSIX class (`[:alpha:]` has number 0); returns false if there is none of that number. */
function addNumbered(set: usize, number: u32, isTurned: bool): bool {
  switch (number) {
    case 0:
      addRanges(set, ALPHABETIC, isTurned);
      return true;
    case 1:
      addRanges(set, DIGITS, isTurned);
      return true;
    case 2:
      addRanges(set, ALPHANUMERIC, isTurned);
      return true;
    case 3:
      addRanges(set, UPPER, isTurned);
      return true;
    case 4:
      addRanges(set, LOWER, isTurned);
      return true;
    case 5:
      addRanges(set, SPACE, isTurned);
      return true;
    case 6:
      addRanges(set, PUNCTUATION, isTurned);
      return true;
    default:
      return addRarelyNumbered(set, number, isTurned);
  }
}

function addRarelyNumbered(set: usize, number: u32, isTurned: bool): bool {
  switch (number) {
    case 7:
      addRanges(set, HEXADECIMAL, isTurned);
      return true;
    case 8:
      addRanges(set, BLANK, isTurned);
      return true;
    case 9:
      addRanges(set, CONTROL, isTurned);
      return true;
    case 10:
      addRanges(set, PRINTED, isTurned);
      return true;
    case 11:
      addRanges(set, GRAPHIC, isTurned);
      return true;
    case 12:
      addRanges(set, WORD, isTurned);
      return true;
    case 13:
      addRanges(set, ASCII, isTurned);
      return true;
    default:
      return false;
  }
}

/**
 * Adds the POSIX class whose name stands at `units`; returns false if there is none of that name.
 */
export function addNamedClass(set: usize, units: usize, length: u32, isTurned: bool): bool {
  let number: u32 = 0;
  let start = 0;
  for (let index = 0; index < CLASS_NAMES.length; index++) {
    if (CLASS_NAMES.charCodeAt(index) != 32) continue;
    if (isName(start, index, units, length)) return addNumbered(set, number, isTurned);
    number++;
    start = index + 1;
  }
  return false;
}

function isName(start: i32, end: i32, units: usize, length: u32): bool {
  if (<u32>(end - start) != length) return false;
  for (let index: u32 = 0; index < length; index++) {
    const code = load<u16>(units + ((<usize>index) << 1));
    if (<u32>CLASS_NAMES.charCodeAt(start + index) != code) return false;
  }
  return true;
}

function isListed(set: usize, code: u32): bool {
  const words = bytesIn(set) >> 2;
  const ranges = startOf(set);
  for (let index: u32 = 1; index < words; index += 2) {
    const place = ranges + ((<usize>index) << 2);
    const from = load<u32>(place);
    const to = load<u32>(place, 4);
    if (from == PROPERTY) {
      if ((to >> categoryOf(code)) & 1) return true;
    } else if (code >= from && code <= to) return true;
  }
  return false;
}

/** Returns whether a set holds a character, with regard to case or without. */
export function holdsCharacter(set: usize, code: u32, isFolded: bool): bool {
  let isIn = isListed(set, code);
  if (!isIn && isFolded && code < 0x10000) {
    isIn = isListed(set, lowerUnit(code)) || isListed(set, upperUnit(code));
  }
  return isIn != (wordAt(set, 0) != 0);
}
