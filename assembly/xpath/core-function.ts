import { unitsOf } from '../memory/pointer';

/** The functions of XPath 1.0 by number: the order of the names. */
export const CALL_LAST: u32 = 0;
export const CALL_POSITION: u32 = 1;
export const CALL_COUNT: u32 = 2;
export const CALL_ID: u32 = 3;
export const CALL_LOCAL_NAME: u32 = 4;
export const CALL_NAMESPACE_URI: u32 = 5;
export const CALL_NAME: u32 = 6;
export const CALL_STRING: u32 = 7;
export const CALL_CONCAT: u32 = 8;
export const CALL_STARTS_WITH: u32 = 9;
export const CALL_CONTAINS: u32 = 10;
export const CALL_SUBSTRING_BEFORE: u32 = 11;
export const CALL_SUBSTRING_AFTER: u32 = 12;
export const CALL_SUBSTRING: u32 = 13;
export const CALL_STRING_LENGTH: u32 = 14;
export const CALL_NORMALIZE_SPACE: u32 = 15;
export const CALL_TRANSLATE: u32 = 16;
export const CALL_BOOLEAN: u32 = 17;
export const CALL_NOT: u32 = 18;
export const CALL_TRUE: u32 = 19;
export const CALL_FALSE: u32 = 20;
export const CALL_LANG: u32 = 21;
export const CALL_NUMBER: u32 = 22;
export const CALL_SUM: u32 = 23;
export const CALL_FLOOR: u32 = 24;
export const CALL_CEILING: u32 = 25;
export const CALL_ROUND: u32 = 26;

const NAMES: string = `last position count id local-name namespace-uri name string concat starts-with
contains substring-before substring-after substring string-length normalize-space translate boolean
not true false lang number sum floor ceiling round `;

const FEWEST: StaticArray<u8> = [
  0, 0, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0, 3, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1,
];
const MOST: StaticArray<u8> = [
  0, 0, 1, 1, 1, 1, 1, 1, 255, 2, 2, 2, 2, 3, 1, 1, 3, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1,
];

/** Number of the function with a name, or -1. */
export function coreFunction(units: usize, length: u32): i32 {
  const names = unitsOf(NAMES);
  let number = 0;
  let start: u32 = 0;
  const end = <u32>NAMES.length;
  for (let index: u32 = 0; index < end; index++) {
    if (load<u16>(names + ((<usize>index) << 1)) > 32) continue;
    const known = names + ((<usize>start) << 1);
    if (index - start == length && !memory.compare(known, units, (<usize>length) << 1)) {
      return number;
    }
    number++;
    start = index + 1;
  }
  return -1;
}

export function takesCount(call: u32, count: u32): bool {
  return count >= <u32>unchecked(FEWEST[call]) && count <= <u32>unchecked(MOST[call]);
}

/**
 * Returns whether a function takes nodes as its argument; without one it takes the context node.
 */
export function wantsNodes(call: u32): bool {
  return call == CALL_COUNT || call == CALL_SUM || (call >= CALL_LOCAL_NAME && call <= CALL_NAME);
}

/** Returns whether a function takes the context node when it has no argument. */
export function looksAround(call: u32): bool {
  if (call >= CALL_LOCAL_NAME && call <= CALL_STRING) return true;
  return call == CALL_STRING_LENGTH || call == CALL_NORMALIZE_SPACE || call == CALL_NUMBER;
}
