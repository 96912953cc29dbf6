import { escapedCode, octalCode } from './parse-escape';
import {
  atEnd,
  isNext,
  peekUnit,
  place,
  readAgain,
  refusePattern,
  skipUnits,
  unitsAt,
} from './reader';
import { addNamedProperty } from './property';
import { addEscapedClass, addNamedClass, addRange, newSet, turnRound } from './set';

const OPEN: u32 = 91;
const CLOSE: u32 = 93;
const BACKSLASH: u32 = 92;
const MINUS: u32 = 45;
const CARET: u32 = 94;
const COLON: u32 = 58;
const LETTER_P: u32 = 112;

/** No single character: a class. */
const A_CLASS: i32 = -1;

/** The set whose opening bracket is read. */
export function parseSet(): usize {
  const set = newSet();
  if (isNext(CARET)) {
    skipUnits(1);
    turnRound(set);
  }
  // A closing bracket that comes first stands for itself.
  let isFirst = true;
  while (isFirst || !isNext(CLOSE)) {
    if (atEnd()) {
      refusePattern();
      return set;
    }
    isFirst = false;
    const from = member(set);
    if (from == A_CLASS) continue;
    addRange(set, <u32>from, endOfRange(set, <u32>from));
  }
  skipUnits(1);
  return set;
}

/** The last character of the range that begins with `from`, which may be alone. */
function endOfRange(set: usize, from: u32): u32 {
  if (!isNext(MINUS) || peekUnit(1) == CLOSE || peekUnit(1) == 0) return from;
  const start = place;
  skipUnits(1);
  const to = member(set);
  if (to == A_CLASS) {
    // `[a-\d]`: the minus stands for itself.
    readAgain(start);
    skipUnits(1);
    addRange(set, MINUS, MINUS);
    return from;
  }
  if (<u32>to < from) refusePattern();
  return <u32>to;
}

/** Reads a character, or adds a class. */
function member(set: usize): i32 {
  const code = peekUnit();
  skipUnits(1);
  if (code == OPEN && isNext(COLON) && addPosixClass(set)) return A_CLASS;
  if (code == BACKSLASH) return escapedMember(set);
  if (code >> 10 == 0x36 && peekUnit() >> 10 == 0x37) {
    const low = peekUnit();
    skipUnits(1);
    return 0x10000 + <i32>((code & 0x3ff) << 10) + <i32>(low & 0x3ff);
  }
  return <i32>code;
}

/** `[:alpha:]` and `[:^alpha:]`, of which the first bracket is read. */
function addPosixClass(set: usize): bool {
  const start = place;
  skipUnits(1);
  const isTurned = isNext(CARET);
  if (isTurned) skipUnits(1);
  const nameStart = place;
  while ((peekUnit() | 32) - 97 < 26) skipUnits(1);
  const length = place - nameStart;
  if (isNext(COLON) && peekUnit(1) == CLOSE) {
    if (!addNamedClass(set, unitsAt(nameStart), length, isTurned)) refusePattern();
    skipUnits(2);
    return true;
  }
  readAgain(start);
  return false;
}

function escapedMember(set: usize): i32 {
  if (atEnd()) {
    refusePattern();
    return A_CLASS;
  }
  const letter = peekUnit();
  skipUnits(1);
  if (letter == 98) return 8;
  if ((letter | 32) == LETTER_P) addNamedProperty(set, letter != LETTER_P);
  if ((letter | 32) == LETTER_P || addEscapedClass(set, letter)) return A_CLASS;
  if (letter - 49 < 7) {
    readAgain(place - 1);
    return octalCode();
  }
  const code = escapedCode(letter);
  if (code >= 0) return code;
  refusePattern();
  return A_CLASS;
}
