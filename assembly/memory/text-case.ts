import { casemap } from 'util/casemap';

/** The capital I with a dot of Turkish: another letter than i in comparisons of other languages. */
const DOTTED_I: u32 = 0x130;

/** One UTF-16 unit in lower case, as Excel compares texts (surrogates stand for themselves). */
export function lowerUnit(code: u32): u32 {
  if (code < 128) return code - 65 < 26 ? code + 32 : code;
  if (code == DOTTED_I || code - 0xd800 < 0x800) return code;
  return <u32>casemap(code, 0) & 0xffff;
}

/** The small letter of a unit, as LOWER writes it. */
export function smallUnit(code: u32): u32 {
  return code == DOTTED_I ? 105 : lowerUnit(code);
}

export function upperUnit(code: u32): u32 {
  if (code < 128) return code - 97 < 26 ? code - 32 : code;
  if (code == 0xdf || code - 0xd800 < 0x800) return code;
  return <u32>casemap(code, 1) & 0xffff;
}
