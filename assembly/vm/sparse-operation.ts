import {
  ERROR_DIVISION,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
} from '../abi';
import {
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_MULTIPLY,
  OPERATOR_NOT_EQUAL,
} from '../formula/token';
import { cellPayload, columnAt, readColumn } from '../grid/sheet';
import { indexOf } from '../indexes/column-index';
import { isFiledTogether, keyHash, nextRow, openRows } from '../indexes/key-rows';
import { KINDS_PENDING, kindsOfRows } from '../indexes/row-kinds';
import { at } from '../memory/pointer';
import { scratch, shrinkScratch } from '../memory/scratch';
import { lengthOf } from '../memory/text';
import { Grid, rowsOf } from './array';
import {
  ColumnReader,
  columnArea,
  isNumeric,
  nextPlace,
  openReader,
  readRest,
  readRow,
} from './column-reader';
import { applyBinary, applyUnary, compareDoubles, compareWords, comparesItems } from './operator';
import { Area, usedAreaRows } from './reference';
import {
  SLOT_BYTES,
  copySlot,
  kindOf,
  numberOf,
  payloadOf,
  setBoolean,
  setError,
  setNumber,
  setSlot,
  wordOf,
} from './slot';
import { combineSplit, compareSplit, unarySplit } from './split-operation';
import {
  NO_ROW,
  Sparse,
  addPlace,
  chargeColumn,
  loadPlace,
  loadRest,
  newSparse,
  placeAt,
  sparseIn,
} from './sparse';

/** Rows of a column from which an index pays. */
const ROWS_LEAST: u32 = 64;
/** A column of which more than this share differs is laid out, as a shift. */
const SHARE: u32 = 2;

/**
 * Operators over columns that are mostly alike: `=` and `<>` between a column and a value take the
 * rows from the column's index, others go on with those, and comparisons with a number are left
 * open (vm/split.ts). Each returns false where what it would
 * answer may differ from the answer item by item; nothing has happened then.
 */
export function binarySparsely(operator: u32, left: usize, right: usize, out: usize): bool {
  const leftSparse = sparseIn(left);
  if (leftSparse || sparseIn(right)) {
    return combine(operator, left, right, out, rowsOf(wordOf(leftSparse ? left : right)));
  }
  if (combineSplit(operator, left, right, out)) return true;
  if (!comparesItems(operator)) return false;
  return compareEqual(operator, left, right, out) || compareSplit(operator, left, right, out);
}

/** Compares a column with a value by `=` or `<>`. */
function compareEqual(operator: u32, left: usize, right: usize, out: usize): bool {
  if (operator != OPERATOR_EQUAL && operator != OPERATOR_NOT_EQUAL) return false;
  const isLeft = columnArea(left) != 0;
  const area = isLeft ? columnArea(left) : columnArea(right);
  if (!area) return false;
  return compareFiled(operator == OPERATOR_EQUAL, area, isLeft ? right : left, out);
}

/** Returns whether the rows that are equal to a value are among those filed under it. */
function isFiled(value: usize): bool {
  const kind = kindOf(value);
  if (kind == KIND_NUMBER) return numberOf(value) != 0 && isFiledTogether(numberOf(value));
  if (kind == KIND_STRING) return lengthOf(wordOf(value)) != 0;
  return kind == KIND_BOOLEAN && wordOf(value) != 0;
}

function compareFiled(isEqual: bool, address: usize, value: usize, out: usize): bool {
  const area = at<Area>(address);
  const used = usedAreaRows(address);
  if (used < ROWS_LEAST || !isFiled(value)) return false;
  const column = columnAt(area.sheet, area.column0);
  if (!column) return false;
  const index = indexOf(column);
  const end = area.row0 + used;
  if (kindsOfRows(index, area.row0, end) & (KINDS_PENDING | (1 << KIND_ERROR))) return false;
  const hash = keyHash(kindOf(value), payloadOf(value));
  if (!openRows(index, hash, area.row0, end)) return false;
  const most = used >> SHARE;
  const places = scratch(most << 2);
  let count: u32 = 0;
  for (let row = nextRow(); row >= 0; row = nextRow()) {
    if (!isEqualTo(readColumn(column, row), value)) continue;
    if (count == most) return false;
    store<u32>(places + ((<usize>count) << 2), <u32>row - area.row0);
    count++;
  }
  shrinkScratch(places, count << 2);
  const item = scratch(<u32>SLOT_BYTES);
  setBoolean(item, !isEqual);
  const array = newSparse(area.row1 - area.row0 + 1, count, item);
  const sparse = at<Sparse>(at<Grid>(array).sparse);
  setBoolean(item, isEqual);
  for (let place: u32 = 0; place < count; place++) {
    addPlace(sparse, load<u32>(places + ((<usize>place) << 2)), item);
  }
  chargeColumn(area.row1 - area.row0 + 1, used);
  setSlot(out, KIND_ARRAY, array);
  return true;
}

/** Compares the cell read last with a value of a kind that `isFiled` knows. */
function isEqualTo(kind: u32, value: usize): bool {
  if (kind != kindOf(value)) return false;
  if (kind == KIND_STRING) return compareWords(OPERATOR_EQUAL, <u32>cellPayload, wordOf(value));
  if (kind == KIND_BOOLEAN) return <u32>cellPayload == wordOf(value);
  return compareDoubles(OPERATOR_EQUAL, reinterpret<f64>(cellPayload), numberOf(value));
}

/** An operator with a sparse column on one side at least. */
function combine(operator: u32, left: usize, right: usize, out: usize, rows: u32): bool {
  const leftReader = openReader(left, rows);
  const rightReader = openReader(right, rows);
  if (!leftReader || !rightReader) return false;
  const a = at<ColumnReader>(leftReader);
  const b = at<ColumnReader>(rightReader);
  const item = scratch(2 * <u32>SLOT_BYTES);
  const other = item + SLOT_BYTES;
  if (!findRest(operator, a, b, item)) return false;
  const array = newSparse(rows, countOf(left) + countOf(right), item);
  const sparse = at<Sparse>(at<Grid>(array).sparse);
  let row = min(nextPlace(a), nextPlace(b));
  for (; row != NO_ROW; row = min(nextPlace(a), nextPlace(b))) {
    readRow(a, row, item);
    readRow(b, row, other);
    applyBinary(operator, item, other, item);
    addPlace(sparse, row, item);
  }
  chargeColumn(rows, rows);
  setSlot(out, KIND_ARRAY, array);
  return true;
}

function countOf(slot: usize): u32 {
  const sparse = sparseIn(slot);
  return sparse ? at<Sparse>(sparse).count : 0;
}

/** Finds the value of all rows that are no places of either side, if they have one. */
function findRest(operator: u32, a: ColumnReader, b: ColumnReader, out: usize): bool {
  const slots = scratch(2 * <u32>SLOT_BYTES);
  const hasLeft = readRest(a, slots);
  const hasRight = readRest(b, slots + SLOT_BYTES);
  if (hasLeft && hasRight) {
    applyBinary(operator, slots, slots + SLOT_BYTES, out);
    return true;
  }
  // The left side is converted first, so an error there comes before all others.
  if (hasLeft && kindOf(slots) == KIND_ERROR) copySlot(out, slots);
  else if (!isNumeric(hasLeft ? b : a)) return false;
  else if (hasLeft) return absorbs(operator, slots, false, out);
  else return absorbs(operator, slots + SLOT_BYTES, true, out);
  return true;
}

/** Finds what a value gives with any number on the other side, if that is one value. */
function absorbs(operator: u32, value: usize, isRight: bool, out: usize): bool {
  if (kindOf(value) == KIND_ERROR) copySlot(out, value);
  else if (!isZero(value)) return false;
  else if (operator == OPERATOR_MULTIPLY) setNumber(out, 0);
  else if (operator == OPERATOR_DIVIDE && isRight) setError(out, ERROR_DIVISION);
  else return false;
  return true;
}

function isZero(slot: usize): bool {
  const kind = kindOf(slot);
  if (kind == KIND_NUMBER) return numberOf(slot) == 0;
  return kind == KIND_BLANK || (kind == KIND_BOOLEAN && wordOf(slot) == 0);
}

/** Minus, percent or plus over a sparse column. */
export function unarySparsely(operation: u32, slot: usize): bool {
  const address = sparseIn(slot);
  if (!address) return unarySplit(operation, slot);
  const from = at<Sparse>(address);
  const rows = rowsOf(wordOf(slot));
  const item = scratch(<u32>SLOT_BYTES);
  loadRest(from, item);
  applyUnary(operation, item);
  const array = newSparse(rows, from.count, item);
  const sparse = at<Sparse>(at<Grid>(array).sparse);
  for (let index: u32 = 0; index < from.count; index++) {
    loadPlace(from, index, item);
    applyUnary(operation, item);
    addPlace(sparse, placeAt(from, index), item);
  }
  chargeColumn(rows, 0);
  setSlot(slot, KIND_ARRAY, array);
  return true;
}
