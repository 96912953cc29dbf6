import { findFunction } from '../functions/function-record';
import { setUnit, textFrom, unit, upperUnit } from '../memory/text';
import { pushUnit, pushUnits } from './buffer';
import { addBooleanConstant } from './lexer-literal';
import { looksLikeStoredCell } from './lexer-r1c1';
import {
  addToken,
  insideBraces,
  isWordStart,
  moveTo,
  noteName,
  peek,
  position,
  refuse,
  source,
  units,
} from './lexer';
import {
  isCell,
  isWordUnit,
  lexAfterSheet,
  lexArea,
  lexExternal,
  newRecord,
} from './lexer-reference';
import { lexSpan } from './lexer-span';
import { internWord } from './record-text';
import {
  MARK_NAME,
  RECORD_STRUCTURED,
  ReferenceRecord,
  TABLE_ALL,
  TABLE_DATA,
  TABLE_HEADERS,
  TABLE_THIS_ROW,
  TABLE_TOTALS,
  TOKEN_BOOLEAN,
  TOKEN_FUNCTION,
  TOKEN_NAME,
} from './token';

/** Address of the unit at an offset. */
function unitsAt(offset: u32): usize {
  return units + ((<usize>offset) << 1);
}

/**
 * Returns whether the units from `start` to `end` spell this upper-case word, without regard to
 * case.
 */
export function spells(start: u32, end: u32, word: string): bool {
  if (end - start != <u32>word.length) return false;
  for (let index = 0; index < word.length; index++) {
    if (upperUnit(peek(start + index)) != <u32>word.charCodeAt(index)) return false;
  }
  return true;
}

/** A word: sheet prefix, reference, function, boolean, table or name. */
export function lexWord(): void {
  const start = position;
  if (peek(start) == 91) return lexBracketed(0, start, start);
  let end = start;
  while (isWordUnit(peek(end))) end++;
  const next = peek(end);
  if (next == 33)
    return lexAfterSheet(textFrom(unitsAt(start), end - start), end - start, -1, end + 1, start);
  if (next == 58 && lexSpan(start)) return;
  if (next == 40) return lexFunction(start, end);
  if (lexArea(0, 0, start)) return;
  if (next == 32 && isCalledBehindSpace(start, end)) return lexFunction(start, end);
  if (next == 91) {
    const name = internWord(unitsAt(start), end - start);
    moveTo(end);
    return lexBracketed(name, end, start);
  }
  if (spells(start, end, 'TRUE')) return addBoolean(true, start, end);
  if (spells(start, end, 'FALSE')) return addBoolean(false, start, end);
  lexName(start, end);
}

/** Prefixes that files put before newer functions, local names and functions without a call. */
function prefixLength(start: u32, end: u32): u32 {
  let from = start;
  while (peek(from) == 95 && end - from > 6) {
    const isPrefix =
      spells(from, from + 6, '_XLFN.') ||
      spells(from, from + 6, '_XLWS.') ||
      spells(from, from + 6, '_XLPM.');
    if (isPrefix) from += 6;
    else if (spells(from, from + 7, '_XLETA.')) from += 7;
    else if (spells(from, from + 5, '_XLL.')) from += 5;
    else break;
  }
  return isWordStart(peek(from)) ? from - start : 0;
}

/** The same for a name. What is no name without its prefix keeps it: it is written back as it was. */
function namePrefixLength(start: u32, end: u32): u32 {
  const length = prefixLength(start, end);
  const name = start + length;
  const isOther = spells(name, end, 'TRUE') || spells(name, end, 'FALSE') || isCell(name, end);
  return length && (isOther || isColumnsEnd(start, name, end)) ? 0 : length;
}

/** `_xlpm.x:B` would be columns without the prefix; `_xlpm.x:B5` goes from what x names on. */
function isColumnsEnd(start: u32, name: u32, end: u32): bool {
  if (!isColumnWord(name, end)) return false;
  if (peek(end) == 58) {
    const other = end + 1;
    let otherEnd = other;
    while (isWordUnit(peek(otherEnd))) otherEnd++;
    return isColumnWord(other, otherEnd);
  }
  if (!start || peek(start - 1) != 58) return false;
  let other = start - 1;
  while (other && isWordUnit(peek(other - 1))) other--;
  return isColumnWord(other, start - 1);
}

/** One to three letters, with or without a dollar before them. */
function isColumnWord(start: u32, end: u32): bool {
  const first = peek(start) == 36 ? start + 1 : start;
  for (let offset = first; offset < end; offset++) {
    if (upperUnit(peek(offset)) - 65 >= 26) return false;
  }
  return first < end && end - first <= 3;
}

/** `SUM (A1)`: Excel takes the space for a slip of the finger, and out. */
function isCalledBehindSpace(start: u32, end: u32): bool {
  let open = end;
  while (peek(open) == 32) open++;
  if (peek(open) != 40) return false;
  const name = start + prefixLength(start, end);
  return findFunction(unitsAt(name), end - name) != 0;
}

function lexFunction(start: u32, end: u32): void {
  const name = start + prefixLength(start, end);
  if (findFunction(unitsAt(name), end - name)) {
    for (let offset = name; offset < end; offset++) pushUnit(source, upperUnit(peek(offset)));
  } else {
    // A lambda's name, which is written back as it was and may be defined later.
    pushUnits(source, unitsAt(name), end - name);
    noteName();
  }
  let open = end;
  while (peek(open) == 32) open++;
  moveTo(open);
  addToken(TOKEN_FUNCTION, <u32>unitsAt(name), end - name, start);
}

function addBoolean(value: bool, start: u32, end: u32): void {
  moveTo(end);
  if (insideBraces()) return addBooleanConstant(value, start);
  for (let offset = start; offset < end; offset++) pushUnit(source, upperUnit(peek(offset)));
  addToken(TOKEN_BOOLEAN, value ? 1 : 0, end - start, start);
}

function lexName(start: u32, end: u32): void {
  const name = start + namePrefixLength(start, end);
  moveTo(end);
  addName(name, end, start);
}

/** `'RC'` of a stored text: a name, or that of a table. */
export function lexQuotedName(start: u32, close: u32): void {
  for (let offset = start + 1; offset < close; offset++) {
    if (!isWordUnit(peek(offset)))
      return refuse('a quoted name has a character of no name', offset);
  }
  if (close == start + 1) return refuse('a quoted name is empty', start);
  moveTo(close + 1);
  if (peek(close + 1) != 91) return addName(start + 1, close, start);
  lexBracketed(internWord(unitsAt(start + 1), close - start - 1), close + 1, start);
}

function addName(name: u32, end: u32, start: u32): void {
  const isMarked = looksLikeStoredCell(unitsAt(name), end - name);
  if (isMarked) pushUnit(source, MARK_NAME);
  pushUnits(source, unitsAt(name), end - name);
  if (isMarked) pushUnit(source, MARK_NAME);
  noteName();
  addToken(TOKEN_NAME, <u32>unitsAt(name), end - name, start);
}

/** `[…]`: part of a table (its name before, or the table around the cell), or another file. */
function lexBracketed(tableName: usize, open: u32, start: u32): void {
  let depth = 0;
  let end = open;
  for (;;) {
    const code = peek(end);
    if (!code) return refuse('a bracket is not closed', open);
    if (code == 39) end++;
    else if (code == 91) depth++;
    else if (code == 93 && --depth == 0) break;
    end++;
  }
  end++;
  if (!tableName && (isWordUnit(peek(end)) || peek(end) == 33)) {
    while (isWordUnit(peek(end))) end++;
    if (peek(end) == 33) return lexExternal(end + 1, start);
    return refuse('a reference into another file needs ! and a reference', start);
  }
  moveTo(end);
  const record = newRecord(RECORD_STRUCTURED, start);
  record.table = <u32>tableName;
  // `Table[]` is the data of the table.
  if (!readParts(record, open + 1, end - 1))
    refuse('a structured reference is not understood', open);
  if (record.parts == 0) record.parts = TABLE_DATA;
}

/** Reads `#Headers`, `@Column`, `[#All],[First]:[Last]` and the like into the record. */
function readParts(record: ReferenceRecord, from: u32, to: u32): bool {
  let offset = skipSpace(from, to);
  if (peek(offset) == 64) {
    record.parts |= TABLE_THIS_ROW;
    offset = skipSpace(offset + 1, to);
  }
  if (offset >= to) return true;
  if (peek(offset) != 91) return readItem(record, offset, to);
  while (offset < to) {
    if (peek(offset) != 91) return false;
    let close = offset + 1;
    while (close < to && peek(close) != 93) close += peek(close) == 39 ? 2 : 1;
    if (close >= to || !readItem(record, offset + 1, close)) return false;
    offset = skipSpace(close + 1, to);
    if (offset >= to) return true;
    const separator = peek(offset);
    if (separator != 44 && separator != 58) return false;
    offset = skipSpace(offset + 1, to);
  }
  return true;
}

function skipSpace(from: u32, to: u32): u32 {
  let offset = from;
  while (offset < to && peek(offset) <= 32) offset++;
  return offset;
}

/** One item without its brackets: `#Data`, `@Column` or a column's name. */
function readItem(record: ReferenceRecord, from: u32, to: u32): bool {
  let start = from;
  if (peek(start) == 35) {
    if (spells(start, to, '#ALL')) record.parts |= TABLE_ALL;
    else if (spells(start, to, '#DATA')) record.parts |= TABLE_DATA;
    else if (spells(start, to, '#HEADERS')) record.parts |= TABLE_HEADERS;
    else if (spells(start, to, '#TOTALS')) record.parts |= TABLE_TOTALS;
    else if (spells(start, to, '#THIS ROW')) record.parts |= TABLE_THIS_ROW;
    else return false;
    return true;
  }
  if (peek(start) == 64) {
    record.parts |= TABLE_THIS_ROW;
    start++;
  }
  const text = textFrom(unitsAt(start), to - start);
  const name = internWord(text + 16, withoutEscapes(text, to - start));
  if (!record.columnName0) record.columnName0 = name;
  else record.columnName1 = name;
  return true;
}

/** Takes the apostrophes out that escape brackets in column names; returns the new length. */
function withoutEscapes(text: usize, length: u32): u32 {
  let to: u32 = 0;
  for (let from: u32 = 0; from < length; from++) {
    let code = unit(text, from);
    if (code == 39 && from + 1 < length) code = unit(text, ++from);
    setUnit(text, to++, code);
  }
  return to;
}
