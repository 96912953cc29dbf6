import {
  COLUMN_LIMIT,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
  REFERENCE_SINGLE,
  REFERENCE_WHOLE_COLUMNS,
  REFERENCE_WHOLE_ROWS,
  ROW_LIMIT,
} from '../abi';
import { sheetForFormula } from '../grid/model';
import { at } from '../memory/pointer';
import { newText, setUnit, textFrom, unit } from '../memory/text';
import { bytesIn, extend, pushUnit } from './buffer';
import { isOfName } from './entry-rule';
import {
  NOTATION_A1,
  NOTATION_R1C1,
  NOTATION_STORED,
  addDeleted,
  addToken,
  homeColumn,
  homeRow,
  isDigit,
  isLetter,
  moveTo,
  notation,
  noteName,
  peek,
  position,
  references,
  refuse,
  setNotation,
  relabelLast,
  source,
  units,
} from './lexer';
import { r1c1Column, r1c1End, r1c1Flags, r1c1Row, readCornerR1C1 } from './lexer-r1c1';
import { lexSpan } from './lexer-span';
import { lexQuotedName } from './lexer-word';
import { internWord } from './record-text';
import { noteOtherDifference, noteRowSpot } from './row-spot';
import {
  MARK_REFERENCE,
  RECORD_AREA,
  RECORD_BYTES,
  RECORD_EXTERNAL,
  RECORD_NAME,
  REFERENCE_TRIM_LEADING,
  REFERENCE_TRIM_TRAILING,
  REFERENCE_WRAPS,
  ReferenceRecord,
  TOKEN_REFERENCE,
  isMark,
} from './token';

/** Stands for the row or the column that a corner does not name. */
export const ABSENT: i32 = i32.MIN_VALUE;

// One corner of a reference as parseCorner found it, as a place on the grid.
let cornerRow: i32 = 0;
let cornerColumn: i32 = 0;
let cornerFlags: u32 = 0;
let cornerEnd: u32 = 0;
/** Offset of the digits of its row. */
let cornerDigits: u32 = 0;

/** Returns whether a unit can be inside a word (a name, a function, a sheet without quotes). */
export function isWordUnit(code: u32): bool {
  if (code >= 0xa1) return !isMark(code);
  return (
    isLetter(code) ||
    isDigit(code) ||
    code == 95 ||
    code == 46 ||
    code == 92 ||
    code == 63 ||
    code == 36
  );
}

/** Reads `$A$1`, `$A` or `$1` at `start`, or the like in R1C1; returns false when there is none. */
function parseCorner(start: u32): bool {
  if (notation != NOTATION_A1) {
    if (!readCornerR1C1(start)) return false;
    cornerRow = r1c1Row;
    cornerColumn = r1c1Column;
    cornerFlags = r1c1Flags;
    cornerEnd = r1c1End;
    return true;
  }
  let offset = start;
  cornerFlags = 0;
  cornerRow = ABSENT;
  cornerColumn = ABSENT;
  let dollar = peek(offset) == 36;
  if (dollar) offset++;
  let column: i32 = 0;
  let letters = 0;
  while (isLetter(peek(offset)) && letters < 4) {
    column = column * 26 + <i32>((peek(offset) | 32) - 96);
    letters++;
    offset++;
  }
  if (letters > 3 || column > COLUMN_LIMIT) return false;
  if (letters) {
    cornerColumn = column - 1;
    if (dollar) cornerFlags |= REFERENCE_COLUMN0_ABSOLUTE;
    dollar = peek(offset) == 36;
    if (dollar) offset++;
  }
  let row: i32 = 0;
  let digits = 0;
  cornerDigits = offset;
  while (isDigit(peek(offset)) && digits < 8) {
    row = row * 10 + <i32>(peek(offset) - 48);
    digits++;
    offset++;
  }
  if (digits > 7 || row > ROW_LIMIT || (digits && !row)) return false;
  if (digits) {
    cornerRow = row - 1;
    if (dollar) cornerFlags |= REFERENCE_ROW0_ABSOLUTE;
  } else if (dollar) return false;
  cornerEnd = offset;
  return letters + digits > 0;
}

/** Returns whether the units from `start` to `end` are the address of a cell in A1 notation. */
export function isCell(start: u32, end: u32): bool {
  const before = notation;
  setNotation(NOTATION_A1);
  const isAddress = parseCorner(start) && cornerEnd == end;
  setNotation(before);
  return isAddress && cornerRow != ABSENT && cornerColumn != ABSENT;
}

/**
 * Returns whether a reference may end at this offset: no further letter of a word and no call
 * follows.
 */
function endsReference(offset: u32): bool {
  const code = peek(offset);
  if (code == 46) return peek(offset + 1) == 58;
  return !isWordUnit(code) && code != 40 && code != 33 && code != 91;
}

/** `1:3` and `1.:.$3`, which begin like numbers. */
export function lexRowRange(): bool {
  const start = position;
  let offset = start;
  while (isDigit(peek(offset))) offset++;
  if (peek(offset) == 46) offset++;
  if (peek(offset) != 58) return false;
  return lexArea(0, 0, start);
}

/** A cell, an area, whole columns or rows at `start`; returns false when there is none. */
export function lexArea(sheet: usize, lastSheet: usize, start: u32): bool {
  if (!parseCorner(start) || !endsReference(cornerEnd)) return false;
  const row = cornerRow;
  const column = cornerColumn;
  const flags = cornerFlags;
  const end = cornerEnd;
  const digits = cornerDigits;
  let trim: u32 = 0;
  let colon = end;
  if (peek(colon) == 46 && peek(colon + 1) == 58) {
    trim |= REFERENCE_TRIM_LEADING;
    colon++;
  }
  if (peek(colon) == 58) {
    let second = colon + 1;
    if (peek(second) == 46) {
      trim |= REFERENCE_TRIM_TRAILING;
      second++;
    }
    const isWhole = row != ABSENT && column != ABSENT;
    if (parseCorner(second) && endsReference(cornerEnd)) {
      const alike = (cornerRow == ABSENT) == (row == ABSENT);
      if (alike && (cornerColumn == ABSENT) == (column == ABSENT)) {
        moveTo(cornerEnd);
        noteRow(row, flags, digits, end);
        noteRow(cornerRow, cornerFlags, cornerDigits, cornerEnd);
        if (mayTurn(row, flags)) noteOtherDifference();
        addArea(sheet, lastSheet, row, column, flags | trim, start);
        return true;
      }
    }
    if (!isWhole && notation != NOTATION_R1C1) return false;
  }
  const isLine = row == ABSENT || column == ABSENT;
  // `R5` and `C[1]` alone are whole rows and columns as people write R1C1, and names elsewhere.
  if (isLine && notation != NOTATION_R1C1) return false;
  moveTo(end);
  noteRow(row, flags, digits, end);
  cornerRow = row;
  cornerColumn = column;
  cornerFlags = flags;
  addArea(sheet, lastSheet, row, column, isLine ? flags : flags | REFERENCE_SINGLE, start);
  return true;
}

/** Notes where the text has the row of a corner, when that is relative. */
function noteRow(row: i32, flags: u32, start: u32, end: u32): void {
  if (notation != NOTATION_A1) return noteOtherDifference();
  if (row != ABSENT && !(flags & REFERENCE_ROW0_ABSOLUTE)) noteRowSpot(start, end, <u32>row + 1);
}

/**
 * Returns whether the second of two corners may become the upper one when the formula is filled
 * down, because only one of the two is relative.
 */
function mayTurn(row: i32, flags: u32): bool {
  if (!((flags ^ cornerFlags) & REFERENCE_ROW0_ABSOLUTE)) return false;
  return !(flags & REFERENCE_ROW0_ABSOLUTE) || row > cornerRow;
}

/** A record from the first corner given and the second one in the corner globals. */
function addArea(
  sheet: usize,
  lastSheet: usize,
  row: i32,
  column: i32,
  firstFlags: u32,
  start: u32,
): void {
  const record = newRecord(RECORD_AREA, start);
  record.sheet = <u32>sheet;
  record.lastSheet = <u32>lastSheet;
  let flags = firstFlags;
  if (cornerFlags & REFERENCE_ROW0_ABSOLUTE) flags |= REFERENCE_ROW1_ABSOLUTE;
  if (cornerFlags & REFERENCE_COLUMN0_ABSOLUTE) flags |= REFERENCE_COLUMN1_ABSOLUTE;
  if (row == ABSENT) {
    flags |= REFERENCE_WHOLE_COLUMNS | REFERENCE_ROW0_ABSOLUTE | REFERENCE_ROW1_ABSOLUTE;
    record.row0 = 0;
    record.row1 = ROW_LIMIT - 1;
  } else {
    const swap = row > cornerRow;
    if (swap) flags = swapBits(flags, REFERENCE_ROW0_ABSOLUTE, REFERENCE_ROW1_ABSOLUTE);
    record.row0 = min(row, cornerRow);
    record.row1 = max(row, cornerRow);
  }
  if (column == ABSENT) {
    flags |= REFERENCE_WHOLE_ROWS | REFERENCE_COLUMN0_ABSOLUTE | REFERENCE_COLUMN1_ABSOLUTE;
    record.column0 = 0;
    record.column1 = COLUMN_LIMIT - 1;
  } else {
    const swap = column > cornerColumn;
    if (swap) flags = swapBits(flags, REFERENCE_COLUMN0_ABSOLUTE, REFERENCE_COLUMN1_ABSOLUTE);
    record.column0 = min(column, cornerColumn);
    record.column1 = max(column, cornerColumn);
  }
  record.flags = <u16>(isOfName ? flags | REFERENCE_WRAPS : flags);
  if (!(flags & REFERENCE_ROW0_ABSOLUTE)) record.row0 -= homeRow;
  if (!(flags & REFERENCE_ROW1_ABSOLUTE)) record.row1 -= homeRow;
  if (!(flags & REFERENCE_COLUMN0_ABSOLUTE)) record.column0 -= homeColumn;
  if (!(flags & REFERENCE_COLUMN1_ABSOLUTE)) record.column1 -= homeColumn;
}

function swapBits(flags: u32, first: u32, second: u32): u32 {
  const rest = flags & ~(first | second);
  return rest | (flags & first ? second : 0) | (flags & second ? first : 0);
}

/** A cleared record with its mark in the source and its token. */
export function newRecord(kind: u32, offset: u32): ReferenceRecord {
  const place = extend(references, RECORD_BYTES);
  memory.fill(place, 0, RECORD_BYTES);
  const index = bytesIn(references) / RECORD_BYTES - 1;
  const record = at<ReferenceRecord>(place);
  record.kind = <u16>kind;
  pushUnit(source, MARK_REFERENCE);
  pushUnit(source, index);
  addToken(TOKEN_REFERENCE, index, <u32>(position - offset), offset);
  return record;
}

/** `'My sheet'!A1`, `'First:Last'!A1`, `'[Book]Sheet'!A1`; in a stored text the name `'RC'` too. */
export function lexQuoted(): void {
  const start = position;
  let end = start + 1;
  let length: u32 = 0;
  let colon: i32 = -1;
  for (;;) {
    const code = peek(end);
    if (!code) return refuse('a sheet name is not closed with an apostrophe', start);
    if (code == 39) {
      if (peek(end + 1) != 39) break;
      end++;
    } else if (code == 58) colon = <i32>length;
    end++;
    length++;
  }
  if (peek(end + 1) != 33) {
    if (peek(end + 1) == 58 && lexSpan(start)) return;
    if (notation == NOTATION_STORED) return lexQuotedName(start, end);
    return refuse('a quoted sheet name needs ! and a reference', end);
  }
  const name = newText(length);
  let from = start + 1;
  for (let index: u32 = 0; index < length; index++) {
    const code = peek(from);
    setUnit(name, index, code);
    from += code == 39 ? 2 : 1;
  }
  lexAfterSheet(name, length, colon, end + 2, start);
}

/** `[1]Sheet` and `C:\Folder\[Book.xlsx]Sheet` name other files; no sheet's name has a bracket. */
function namesFile(name: usize, length: u32): bool {
  for (let index: u32 = 0; index < length; index++) if (unit(name, index) == 91) return true;
  return false;
}

/** The reference behind a sheet prefix; `colon` splits a 3-D prefix, or is -1. */
export function lexAfterSheet(
  sheetName: usize,
  length: u32,
  colon: i32,
  next: u32,
  start: u32,
): void {
  if (!length) return refuse('a sheet name is empty', start);
  if (namesFile(sheetName, length)) return lexExternal(next, start);
  let sheet: usize = 0;
  let last: usize = 0;
  if (colon >= 0) {
    sheet = sheetForFormula(textFrom(sheetName + 16, <u32>colon));
    last = sheetForFormula(
      textFrom(sheetName + 18 + ((<usize>colon) << 1), length - <u32>colon - 1),
    );
  } else sheet = sheetForFormula(sheetName);
  if (lexArea(sheet, last, next)) return relabelLast(start);
  if (peek(next) == 35 && (peek(next + 1) | 32) == 114) {
    moveTo(next + 5);
    return addDeleted(start);
  }
  const isQuoted = notation == NOTATION_STORED && peek(next) == 39;
  const name = isQuoted ? next + 1 : next;
  let end = name;
  while (isWordUnit(peek(end))) end++;
  if (end == name) return refuse('a reference must follow the sheet name', next);
  if (isQuoted && peek(end) != 39) return refuse('a name is not closed with an apostrophe', next);
  moveTo(isQuoted ? end + 1 : end);
  noteName();
  const record = newRecord(RECORD_NAME, start);
  record.sheet = <u32>sheet;
  record.columnName0 = internWord(units + ((<usize>name) << 1), end - name);
}

/** `[1]Sheet!A1`: kept as text, never followed. */
export function lexExternal(next: u32, start: u32): void {
  let end = next;
  while (isWordUnit(peek(end)) || peek(end) == 58) end++;
  moveTo(end);
  const record = newRecord(RECORD_EXTERNAL, start);
  record.columnName0 = internWord(units + ((<usize>start) << 1), end - start);
}

/** Skips the address directly behind `#REF!`, which belonged to a deleted sheet. */
export function lexDeletedTail(): void {
  const start = position;
  if (!parseCorner(start)) return;
  let end = cornerEnd;
  if (peek(end) == 58 && parseCorner(end + 1)) end = cornerEnd;
  moveTo(end);
}
