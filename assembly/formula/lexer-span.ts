import { newText, setUnit } from '../memory/text';
import { NOTATION_STORED, notation, peek } from './lexer';
import { isCell, isWordUnit, lexAfterSheet } from './lexer-reference';

const APOSTROPHE: u32 = 39;
const COLON: u32 = 58;

/**
 * `First:Last!A1`, of which each may have quotes of its own, as Excel takes it; returns false for
 * anything else. It is written back as `'First:Last one'!A1`, so no stored text has quotes around
 * one alone. /
 */
export function lexSpan(start: u32): bool {
  const colon = sheetEnd(start);
  if (colon == start || peek(colon) != COLON) return false;
  const end = sheetEnd(colon + 1);
  if (end == colon + 1 || peek(end) != 33) return false;
  const isQuoted = peek(start) == APOSTROPHE || peek(colon + 1) == APOSTROPHE;
  // A cell before a quoted sheet is the first end of a range.
  if (isQuoted && (notation == NOTATION_STORED || isCell(start, colon))) return false;
  const name = newText(end - start);
  const first = copySheet(start, colon, name, 0);
  setUnit(name, first, COLON);
  const length = copySheet(colon + 1, end, name, first + 1);
  lexAfterSheet(name, length, <i32>first, end + 1, start);
  return true;
}

/** Returns the offset behind the name of a sheet; `start` where none begins. */
function sheetEnd(start: u32): u32 {
  let end = start;
  if (peek(end) != APOSTROPHE) {
    while (isWordUnit(peek(end))) end++;
    return end;
  }
  let code = peek(++end);
  // No sheet has a colon in its name.
  while (code && code != COLON) {
    if (code == APOSTROPHE && peek(++end) != APOSTROPHE) return end;
    code = peek(++end);
  }
  return start;
}

/** Copies the name of a sheet without its quotes; returns the index behind it. */
function copySheet(start: u32, end: u32, name: usize, index: u32): u32 {
  const isQuoted = peek(start) == APOSTROPHE;
  const last = isQuoted ? end - 1 : end;
  let to = index;
  for (let from = isQuoted ? start + 1 : start; from < last; from++) {
    const code = peek(from);
    setUnit(name, to++, code);
    if (code == APOSTROPHE) from++;
  }
  return to;
}
