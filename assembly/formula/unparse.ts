import {
  COLUMN_LIMIT,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
  REFERENCE_SINGLE,
  REFERENCE_WHOLE_COLUMNS,
  REFERENCE_WHOLE_ROWS,
  ROW_LIMIT,
} from '../abi';
import { SHEET_DELETED } from '../grid/model';
import { Sheet } from '../grid/sheet';
import { at, unitsOf } from '../memory/pointer';
import { TEXT_HEADER, lengthOf, unit } from '../memory/text';
import { errorText } from '../values/error-text';
import { shortestText } from '../values/number-text';
import { bytesIn, emptyBuffer, newBuffer, pushUnit, pushUnits, startOf } from './buffer';
import { looksLikeStoredCell, looksLikeStoredLine } from './lexer-r1c1';
import { isWordUnit } from './lexer-reference';
import { needsQuotesAlone } from './sheet-name';
import { Template, recordOf } from './template';
import {
  MARK_CONSTANT,
  MARK_NAME,
  MARK_REFERENCE,
  RECORD_AREA,
  RECORD_EXTERNAL,
  RECORD_NAME,
  RECORD_STRUCTURED,
  REFERENCE_TRIM_LEADING,
  REFERENCE_TRIM_TRAILING,
  ReferenceRecord,
  TABLE_ALL,
  TABLE_DATA,
  TABLE_HEADERS,
  TABLE_THIS_ROW,
  TABLE_TOTALS,
} from './token';

/** The formula text written last: units and count, in scratch. */
let output: usize = 0;
let row: i32 = 0;
let column: i32 = 0;
let asR1C1: bool = false;

export function openUnparser(): void {
  output = newBuffer(1024);
}

export function unparsedUnits(): usize {
  return startOf(output);
}

export function unparsedLength(): u32 {
  return bytesIn(output) >> 1;
}

function put(code: u32): void {
  pushUnit(output, code);
}

function putWord(word: string): void {
  pushUnits(output, unitsOf(word), word.length);
}

function putText(text: usize): void {
  pushUnits(output, text + TEXT_HEADER, lengthOf(text));
}

/** Writes a template back as text with its `=`, for the cell at a place; literals in `slots`. */
export function unparse(
  template: Template,
  slots: usize,
  atRow: i32,
  atColumn: i32,
  r1c1: bool,
): void {
  emptyBuffer(output);
  row = atRow;
  column = atColumn;
  asR1C1 = r1c1;
  put(61);
  const end = <usize>template.source + template.sourceBytes;
  for (let place = <usize>template.source; place < end; place += 2) {
    const code = <u32>load<u16>(place);
    if (code == MARK_REFERENCE) {
      place += 2;
      mayBeOptional = asR1C1 && isBeforeComma(place + 2, end);
      putRecord(recordOf(template, load<u16>(place)));
    } else if (code == MARK_CONSTANT) {
      place += 2;
      putConstant(slots + ((<usize>load<u16>(place)) << 4));
    } else if (code != MARK_NAME) put(code);
    else if (asR1C1) put(39);
  }
}

/** The record stands before a comma, as what a LAMBDA need not be given does: `[x],`. */
let mayBeOptional: bool = false;

function isBeforeComma(from: usize, end: usize): bool {
  let place = from;
  while (place < end && load<u16>(place) == 32) place += 2;
  return place < end && load<u16>(place) == 44;
}

function putConstant(slot: usize): void {
  const kind = load<u32>(slot, 8);
  if (kind == KIND_NUMBER) return putText(shortestText(load<f64>(slot)));
  if (kind == KIND_BOOLEAN) return putWord(load<u32>(slot) ? 'TRUE' : 'FALSE');
  if (kind == KIND_ERROR) return putText(errorText(load<u32>(slot)));
  const text = <usize>load<u32>(slot);
  put(34);
  for (let index: u32 = 0; index < lengthOf(text); index++) {
    const code = unit(text, index);
    if (code == 34) put(34);
    put(code);
  }
  put(34);
}

function putRecord(record: ReferenceRecord): void {
  if (record.kind == RECORD_EXTERNAL) return putText(record.columnName0);
  if (record.kind == RECORD_STRUCTURED) return putStructured(record);
  if (record.sheet && !putSheets(record)) return putWord('#REF!');
  if (record.kind == RECORD_NAME) return putName(record.columnName0);
  if (record.kind != RECORD_AREA) return putWord('#REF!');
  if (asR1C1) return putR1C1(record);
  putArea(record);
}

function putName(name: usize): void {
  putQuoted(name, asR1C1 && looksLikeStoredCell(name + TEXT_HEADER, lengthOf(name)));
}

function putQuoted(name: usize, isQuoted: bool): void {
  if (isQuoted) put(39);
  putText(name);
  if (isQuoted) put(39);
}

/** `Sheet!` or `'First:Last'!`; returns false for a sheet that was deleted. */
function putSheets(record: ReferenceRecord): bool {
  const first = at<Sheet>(record.sheet);
  if (first.state == SHEET_DELETED) return false;
  if (record.lastSheet && at<Sheet>(record.lastSheet).state == SHEET_DELETED) return false;
  const last: usize = record.lastSheet ? <usize>at<Sheet>(record.lastSheet).name : 0;
  const quoted = needsQuotesAlone(first.name) || (last != 0 && needsQuotesAlone(last));
  if (quoted) put(39);
  putEscaped(first.name);
  if (last) {
    put(58);
    putEscaped(last);
  }
  if (quoted) put(39);
  put(33);
  return true;
}

function putEscaped(name: usize): void {
  for (let index: u32 = 0; index < lengthOf(name); index++) {
    const code = unit(name, index);
    if (code == 39) put(39);
    put(code);
  }
}

function rowOf(value: i32, flags: u32, bit: u32): i32 {
  return flags & bit ? value : value + row;
}

function columnOf(value: i32, flags: u32, bit: u32): i32 {
  return flags & bit ? value : value + column;
}

function putArea(record: ReferenceRecord): void {
  const flags = <u32>record.flags;
  const row0 = rowOf(record.row0, flags, REFERENCE_ROW0_ABSOLUTE);
  const row1 = rowOf(record.row1, flags, REFERENCE_ROW1_ABSOLUTE);
  const column0 = columnOf(record.column0, flags, REFERENCE_COLUMN0_ABSOLUTE);
  const column1 = columnOf(record.column1, flags, REFERENCE_COLUMN1_ABSOLUTE);
  if (min(row0, row1) < 0 || max(row0, row1) >= ROW_LIMIT) return putWord('#REF!');
  if (min(column0, column1) < 0 || max(column0, column1) >= COLUMN_LIMIT) return putWord('#REF!');
  if (!(flags & REFERENCE_WHOLE_ROWS)) putColumn(column0, flags & REFERENCE_COLUMN0_ABSOLUTE);
  if (!(flags & REFERENCE_WHOLE_COLUMNS)) putRow(row0, flags & REFERENCE_ROW0_ABSOLUTE);
  if (flags & REFERENCE_SINGLE) return;
  if (flags & REFERENCE_TRIM_LEADING) put(46);
  put(58);
  if (flags & REFERENCE_TRIM_TRAILING) put(46);
  if (!(flags & REFERENCE_WHOLE_ROWS)) putColumn(column1, flags & REFERENCE_COLUMN1_ABSOLUTE);
  if (!(flags & REFERENCE_WHOLE_COLUMNS)) putRow(row1, flags & REFERENCE_ROW1_ABSOLUTE);
}

function putColumn(index: i32, absolute: u32): void {
  if (absolute) put(36);
  let rest = index + 1;
  let letters: u32 = 0;
  while (rest > 0) {
    rest--;
    letters = (letters << 8) | (65 + <u32>(rest % 26));
    rest /= 26;
  }
  while (letters) {
    put(letters & 255);
    letters >>= 8;
  }
}

function putRow(index: i32, absolute: u32): void {
  if (absolute) put(36);
  putNumber(index + 1);
}

function putNumber(value: i32): void {
  let divisor = 1;
  while (value / divisor >= 10) divisor *= 10;
  let rest = value;
  while (divisor) {
    put(48 + rest / divisor);
    rest %= divisor;
    divisor /= 10;
  }
}

function putR1C1(record: ReferenceRecord): void {
  const flags = <u32>record.flags;
  if (!(flags & REFERENCE_WHOLE_COLUMNS))
    putOffset(82, record.row0, flags & REFERENCE_ROW0_ABSOLUTE);
  if (!(flags & REFERENCE_WHOLE_ROWS)) {
    putOffset(67, record.column0, flags & REFERENCE_COLUMN0_ABSOLUTE);
  }
  if (flags & REFERENCE_SINGLE) return;
  if (flags & REFERENCE_TRIM_LEADING) put(46);
  put(58);
  if (flags & REFERENCE_TRIM_TRAILING) put(46);
  if (!(flags & REFERENCE_WHOLE_COLUMNS))
    putOffset(82, record.row1, flags & REFERENCE_ROW1_ABSOLUTE);
  if (!(flags & REFERENCE_WHOLE_ROWS)) {
    putOffset(67, record.column1, flags & REFERENCE_COLUMN1_ABSOLUTE);
  }
}

/** `R5` absolute, `R[-2]` relative, `R` the same. */
function putOffset(letter: u32, value: i32, absolute: u32): void {
  put(letter);
  if (absolute) return putNumber(value + 1);
  if (!value) return;
  put(91);
  if (value < 0) put(45);
  putNumber(value < 0 ? -value : value);
  put(93);
}

function putStructured(record: ReferenceRecord): void {
  const table = <usize>record.table;
  if (table) putQuoted(table, asR1C1 && looksLikeStoredLine(table + TEXT_HEADER, lengthOf(table)));
  const parts = record.parts;
  put(91);
  const isPlain = parts == TABLE_DATA || parts == TABLE_THIS_ROW;
  if (parts == TABLE_THIS_ROW) put(64);
  if (!isPlain) putParts(parts, record.columnName0 != 0);
  if (record.columnName0) {
    // `Table[any name]` unless a space goes first, but `Table[@name]` only for a name without spaces and the like.
    const name = <usize>record.columnName0;
    const isPlainName = parts == TABLE_DATA ? unit(name, 0) > 32 : isSimple(name);
    const isBare = isPlain && !record.columnName1 && isPlainName;
    // An apostrophe that escapes nothing marks the name: where the text uses it, it has quotes.
    const isCellLike = looksLikeStoredCell(name + TEXT_HEADER, lengthOf(name));
    if (!table && mayBeOptional && isCellLike) put(39);
    if (isBare) putColumnName(record.columnName0);
    else putBracketed(record.columnName0);
    if (record.columnName1) {
      put(58);
      putBracketed(record.columnName1);
    }
  }
  put(93);
}

function isSimple(name: usize): bool {
  for (let index: u32 = 0; index < lengthOf(name); index++) {
    const code = unit(name, index);
    if (!isWordUnit(code) || code == 36 || code == 92 || code == 63) return false;
  }
  return true;
}

function putParts(parts: u32, more: bool): void {
  const lone = !more && popcnt(parts) == 1;
  let first = true;
  for (let bit: u32 = TABLE_ALL; bit <= TABLE_THIS_ROW; bit <<= 1) {
    if (!(parts & bit)) continue;
    if (!first) put(44);
    first = false;
    if (!lone) put(91);
    if (bit == TABLE_ALL) putWord('#All');
    else if (bit == TABLE_DATA) putWord('#Data');
    else if (bit == TABLE_HEADERS) putWord('#Headers');
    else if (bit == TABLE_TOTALS) putWord('#Totals');
    else putWord('#This Row');
    if (!lone) put(93);
  }
  if (more) put(44);
}

function putBracketed(name: usize): void {
  put(91);
  putColumnName(name);
  put(93);
}

/** Brackets, `#`, `@` and apostrophes in a column name are escaped with an apostrophe. */
function putColumnName(name: usize): void {
  for (let index: u32 = 0; index < lengthOf(name); index++) {
    const code = unit(name, index);
    if (code == 91 || code == 93 || code == 35 || code == 39 || code == 64) put(39);
    put(code);
  }
}
