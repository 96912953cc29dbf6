import { TEXT_HEADER, lengthOf, unit } from '../memory/text';
import { noteWork } from '../memory/work';

/**
 * Characters of a text, as Excel counts them since compatibility version 2, the one of new
 * workbooks since April 2026 (Microsoft's help on compatibility versions): two surrogates that
 * belong together are one, what is combined of several code points is several.
 */

/** Returns whether a text may have fewer characters than units. */
export function hasSurrogates(text: usize): bool {
  const length = lengthOf(text);
  noteWork(length >> 3);
  const start = text + TEXT_HEADER;
  const mask = i16x8.splat(<i16>0xf800);
  const surrogate = i16x8.splat(<i16>0xd800);
  let index: u32 = 0;
  for (; index + 8 <= length; index += 8) {
    const units = v128.load(start + ((<usize>index) << 1));
    if (v128.any_true(i16x8.eq(v128.and(units, mask), surrogate))) return true;
  }
  for (; index < length; index++) if ((unit(text, index) & 0xf800) == 0xd800) return true;
  return false;
}

function isHigh(code: u32): bool {
  return (code & 0xfc00) == 0xd800;
}

function isLow(code: u32): bool {
  return (code & 0xfc00) == 0xdc00;
}

/** How many units the character takes that begins at a place inside the text: one or two. */
export function widthAt(text: usize, place: u32): u32 {
  if (!isHigh(unit(text, place)) || place + 1 >= lengthOf(text)) return 1;
  return isLow(unit(text, place + 1)) ? 2 : 1;
}

/** How many characters there are between two places. */
export function charactersBetween(text: usize, from: u32, end: u32): u32 {
  noteWork(end - from);
  let count: u32 = 0;
  for (let place = from; place < end; place += widthAt(text, place)) count++;
  return count;
}

/** The place after so many characters, at most the end. */
export function placeAfter(text: usize, from: u32, count: u32): u32 {
  const length = lengthOf(text);
  noteWork(min(count, length - min(from, length)));
  let place = from;
  for (let passed: u32 = 0; passed < count && place < length; passed++) {
    place += widthAt(text, place);
  }
  return place;
}

/** The place of the last so many characters, or the beginning. */
export function placeBeforeEnd(text: usize, count: u32): u32 {
  let place = lengthOf(text);
  noteWork(min(count, place));
  for (let passed: u32 = 0; passed < count && place; passed++) {
    const isPair = place > 1 && isLow(unit(text, place - 1)) && isHigh(unit(text, place - 2));
    place -= isPair ? 2 : 1;
  }
  return place;
}
