import { lengthOf, lowerUnit, unit } from '../memory/text';
import { nextPlace, pieceAt } from './wildcard';

/** Half of the marks are for units, half for pairs of them. */
const PAIRS: u64 = 32;
const ONE: u64 = 1;
const MULTIPLIER: u32 = 0x9e3779b1;
const SHIFT: u32 = 27;

function markOf(code: u32): u64 {
  const bit: u64 = (code * MULTIPLIER) >> SHIFT;
  return ONE << bit;
}

function markOfPair(before: u32, code: u32): u64 {
  const bit: u64 = ((before * 31 + code + 1) * MULTIPLIER) >> SHIFT;
  return ONE << (PAIRS + bit);
}

/** The marks of a text, without regard to case. */
export function marksOf(text: usize): u64 {
  let marks: u64 = 0;
  let before: u32 = 0;
  const length = lengthOf(text);
  for (let index: u32 = 0; index < length; index++) {
    const code = lowerUnit(unit(text, index));
    marks |= markOf(code);
    if (index) marks |= markOfPair(before, code);
    before = code;
  }
  return marks;
}

/** Returns the marks that every text has which a pattern with wildcards matches. */
export function marksOfPattern(pattern: usize): u64 {
  let marks: u64 = 0;
  let before = -1;
  for (let place: u32 = 0; place < lengthOf(pattern);) {
    const code = pieceAt(pattern, place);
    place = nextPlace;
    if (code >= 0) {
      marks |= markOf(code);
      if (before >= 0) marks |= markOfPair(before, code);
    }
    before = code;
  }
  return marks;
}
