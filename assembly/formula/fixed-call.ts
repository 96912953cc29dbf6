import {
  REFERENCE_COLUMN0_ABSOLUTE,
  REFERENCE_COLUMN1_ABSOLUTE,
  REFERENCE_ROW0_ABSOLUTE,
  REFERENCE_ROW1_ABSOLUTE,
  REFERENCE_SINGLE,
  REFERENCE_WHOLE_COLUMNS,
  REFERENCE_WHOLE_ROWS,
} from '../abi';
import { FUNCTION_PLACE, FUNCTION_VOLATILE, FunctionRecord } from '../functions/function-record';
import { at } from '../memory/pointer';
import {
  OP_ARRAY,
  OP_BINARY,
  OP_BOOLEAN,
  OP_CALL,
  OP_CELL,
  OP_CONSTANT,
  OP_END,
  OP_ERROR,
  OP_FIXED,
  OP_KEEP,
  OP_LAZY,
  OP_NEGATE,
  OP_OMITTED,
  OP_PERCENT,
  OP_PLUS,
  OP_REFERENCE,
} from '../vm/opcode';
import { bytesIn, pushWord, setWordAt, startOf, wordAt } from './buffer';
import {
  RECORD_AREA,
  RECORD_BYTES,
  RECORD_STRUCTURED,
  ReferenceRecord,
  TABLE_THIS_ROW,
} from './token';

/**
 * Finds calls that come to the same in every cell of a formula filled down, though not all of their
 * arguments are ranges, such as `SUMPRODUCT(1/COUNTIF($A$1:$A$9,$A$1:$A$9))`. Their code is put
 * between two instructions, by which the machine computes it once (vm/fixed-part.ts).
 */

/** Words in front of such a call. */
const HEAD_WORDS: u32 = 2;
/** Literals that such a call may have: they tell its values apart. */
export const FIXED_LITERALS_MOST: u32 = 4;
/** Flag in their number: the value is the same in one column, as of `A$1:A$9`, and not beside it. */
export const FIXED_IN_COLUMN: u32 = 128;

/** Findings of a walk over code: the least and greatest literal, references, what computes. */
let literal0: u32 = 0;
let literalEnd: u32 = 0;
let hasReference: bool = false;
let hasOperation: bool = false;
let hasArea: bool = false;
/** Some reference has another column in the cells beside. */
let isInColumn: bool = false;

/** Marks the call whose code begins at a word and ends the code so far, if it is such a one. */
export function markFixed(code: usize, references: usize, head: u32): void {
  // The last two words are the call itself.
  if (isFixedCode(code, references, head, 2) && hasOperation) mark(code, head);
}

/** The same of a computation over areas, which comes to an array. */
export function markFixedArea(code: usize, references: usize, head: u32): void {
  if (isFixedCode(code, references, head, 0) && hasArea) mark(code, head);
}

/** Returns whether code, but for its last words, comes to the same everywhere. */
function isFixedCode(code: usize, references: usize, head: u32, lastWords: u32): bool {
  literal0 = u32.MAX_VALUE;
  literalEnd = 0;
  hasReference = hasOperation = hasArea = isInColumn = false;
  const end = bytesIn(code) >> 2;
  for (let place = head; place < end - lastWords;) {
    const words = fixedWords(code, references, place);
    if (!words) return false;
    place += words;
  }
  return hasReference && literalCount() <= FIXED_LITERALS_MOST;
}

function literalCount(): u32 {
  return literalEnd > literal0 ? literalEnd - literal0 : 0;
}

function mark(code: usize, head: u32): void {
  const end = bytesIn(code) >> 2;
  const literals = literalCount() | (isInColumn ? FIXED_IN_COLUMN : 0);
  insertHead(code, head, end);
  setWordAt(code, head, OP_FIXED | ((end + HEAD_WORDS + 1) << 8));
  setWordAt(code, head + 1, (literals << 24) | (literalCount() ? literal0 : 0));
  pushWord(code, OP_KEEP | (head << 8));
}

/** Number of words of an instruction whose value is the same everywhere; 0 for any other. */
function fixedWords(code: usize, references: usize, place: u32): u32 {
  const word = wordAt(code, place);
  const operand = word >> 8;
  switch (word & 255) {
    case OP_CONSTANT:
      return noteLiterals(operand, 1, 1);
    case OP_ARRAY:
      return noteLiterals(wordAt(code, place + 2), operand * wordAt(code, place + 1), 3);
    case OP_CELL:
    case OP_REFERENCE:
      return fixedReference(at<ReferenceRecord>(startOf(references) + operand * RECORD_BYTES));
    case OP_CALL:
      hasOperation = true;
      return isSteady(at<FunctionRecord>(wordAt(code, place + 1)), operand) ? 2 : 0;
    case OP_LAZY:
      hasOperation = true;
      return 3 + operand;
    case OP_FIXED:
      if ((wordAt(code, place + 1) >> 24) & FIXED_IN_COLUMN) isInColumn = true;
      return HEAD_WORDS;
    default:
      return oneWord(word & 255);
  }
}

/** Instructions of one word, as bits: operators, and values that are in the code. */
const OPERATORS: u32 = (1 << OP_BINARY) | (1 << OP_NEGATE) | (1 << OP_PERCENT) | (1 << OP_PLUS);
const OTHERS: u32 =
  (1 << OP_BOOLEAN) | (1 << OP_ERROR) | (1 << OP_OMITTED) | (1 << OP_END) | (1 << OP_KEEP);

function oneWord(operation: u32): u32 {
  if ((OPERATORS >> operation) & 1) hasOperation = true;
  return ((OPERATORS | OTHERS) >> operation) & 1;
}

function fixedReference(record: ReferenceRecord): u32 {
  hasReference = true;
  if (!(<u32>record.flags & REFERENCE_SINGLE)) hasArea = true;
  return isFixed(record) ? 1 : 0;
}

function noteLiterals(first: u32, count: u32, words: u32): u32 {
  literal0 = min(literal0, first);
  literalEnd = max(literalEnd, first + count);
  return words;
}

/** Returns whether a call comes to the same everywhere; ROW does that with an argument. */
function isSteady(record: FunctionRecord, argumentCount: u32): bool {
  if (record.flags & FUNCTION_VOLATILE) return false;
  return argumentCount > 0 || !(record.flags & FUNCTION_PLACE);
}

const ROWS_FIXED: u32 = REFERENCE_ROW0_ABSOLUTE | REFERENCE_ROW1_ABSOLUTE;
const COLUMNS_FIXED: u32 = REFERENCE_COLUMN0_ABSOLUTE | REFERENCE_COLUMN1_ABSOLUTE;

/** Returns whether a reference names the same cells wherever in a column the formula stands. */
function isFixed(record: ReferenceRecord): bool {
  if (record.kind == RECORD_STRUCTURED) {
    return record.table != 0 && !(record.parts & TABLE_THIS_ROW);
  }
  if (record.kind != RECORD_AREA) return false;
  const flags = <u32>record.flags;
  const hasRows = flags & REFERENCE_WHOLE_COLUMNS || (flags & ROWS_FIXED) == ROWS_FIXED;
  if (!(flags & REFERENCE_WHOLE_ROWS) && (flags & COLUMNS_FIXED) != COLUMNS_FIXED)
    isInColumn = true;
  return hasRows != 0;
}

/** Makes room in front of code, in which offsets are counted from the start of all code. */
function insertHead(code: usize, head: u32, end: u32): void {
  for (let index: u32 = 0; index < HEAD_WORDS; index++) pushWord(code, 0);
  const start = startOf(code) + ((<usize>head) << 2);
  memory.copy(start + (HEAD_WORDS << 2), start, (<usize>(end - head)) << 2);
  for (let place = head + HEAD_WORDS; place < end + HEAD_WORDS;) {
    const word = wordAt(code, place);
    switch (word & 255) {
      case OP_LAZY: {
        const offsets = (word >> 8) + 1;
        for (let index: u32 = 0; index < offsets; index++) {
          setWordAt(code, place + 2 + index, wordAt(code, place + 2 + index) + HEAD_WORDS);
        }
        place += 2 + offsets;
        break;
      }
      case OP_FIXED:
      case OP_KEEP:
        setWordAt(code, place, word + (HEAD_WORDS << 8));
        place += (word & 255) == OP_FIXED ? HEAD_WORDS : 1;
        break;
      default:
        place += (word & 255) == OP_ARRAY ? 3 : (word & 255) == OP_CALL ? 2 : 1;
    }
  }
}
