import {
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { SortedNumbers } from '../../indexes/sorted-numbers';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { compareTexts } from '../../values/text-order';
import { Grid, ITEM_LIMIT, newArray, setItemNumber } from '../../vm/array';
import {
  answerArray,
  argument,
  argumentCount,
  booleanOr,
  fail,
  failed,
  failure,
  given,
  omitted,
  slotNumber,
} from '../../vm/call';
import { sortItems } from '../../vm/sort';
import {
  View,
  itemKind,
  itemNumber,
  itemPayload,
  itemWord,
  openView,
  viewItem,
} from '../../vm/view';
import { numberAt } from '../shared/number-list';
import { listOf, sortedReference } from '../shared/sorted-argument';
import { openArrayArgument, pickLines } from './dynamic-filter';

/** Sort keys: for key k and line i, kind and payload at k × lines + i; and an order (±1) a key. */
let keyKinds: usize = 0;
let keyPayloads: usize = 0;
let keyOrders: usize = 0;
let keyCount: u32 = 0;
let lineCount: u32 = 0;

function openKeys(keys: u32, lines: u32): bool {
  if (<u64>keys * lines > ITEM_LIMIT) {
    fail(ERROR_NUMBER);
    return false;
  }
  keyCount = keys;
  lineCount = lines;
  keyKinds = scratch(keys * lines);
  keyPayloads = scratch((keys * lines) << 3);
  keyOrders = scratch(keys << 2);
  return true;
}

function setKey(key: u32, line: u32): void {
  const index = <usize>(key * lineCount + line);
  store<u8>(keyKinds + index, <u8>itemKind);
  store<u64>(keyPayloads + (index << 3), itemPayload);
}

/** Numbers, then texts, booleans and errors (among each other by their number, as Excel sorts). */
function rankOf(kind: u32): i32 {
  if (kind == KIND_NUMBER) return 0;
  if (kind == KIND_STRING) return 1;
  return kind == KIND_BOOLEAN ? 2 : 3;
}

/** Order of two lines by one key; blanks come last whatever the order. */
function compareKey(key: u32, left: u32, right: u32): i32 {
  const a = <usize>(key * lineCount + left);
  const b = <usize>(key * lineCount + right);
  const leftKind = <u32>load<u8>(keyKinds + a);
  const rightKind = <u32>load<u8>(keyKinds + b);
  if (leftKind == KIND_BLANK || rightKind == KIND_BLANK) {
    return (leftKind == KIND_BLANK ? 1 : 0) - (rightKind == KIND_BLANK ? 1 : 0);
  }
  const order = load<i32>(keyOrders + ((<usize>key) << 2));
  if (leftKind != rightKind) return order * (rankOf(leftKind) - rankOf(rightKind));
  const leftPlace = keyPayloads + (a << 3);
  const rightPlace = keyPayloads + (b << 3);
  if (leftKind == KIND_NUMBER) {
    const x = load<f64>(leftPlace);
    const y = load<f64>(rightPlace);
    return order * ((x > y ? 1 : 0) - (x < y ? 1 : 0));
  }
  const x = load<u32>(leftPlace);
  const y = load<u32>(rightPlace);
  return order * (leftKind == KIND_STRING ? compareTexts(x, y) : <i32>x - <i32>y);
}

function compareLines(left: u32, right: u32): i32 {
  for (let key: u32 = 0; key < keyCount; key++) {
    const order = compareKey(key, left, right);
    if (order) return order;
  }
  return 0;
}

/** Line numbers in order. */
function sortedLines(): usize {
  const lines = scratch(lineCount << 2);
  for (let line: u32 = 0; line < lineCount; line++) store<u32>(lines + ((<usize>line) << 2), line);
  sortItems(lines, scratch(lineCount << 2), lineCount, compareLines);
  return lines;
}

/** Blank lines behind the last used one stay where they are: behind everything. */
function answerSorted(source: View, byRow: bool): void {
  // Not all keys were read then: what is behind them may look like a text.
  if (suspended) fail(ERROR_VALUE);
  if (failed()) return;
  const list = sortedLines();
  const total = byRow ? source.rows : source.columns;
  if (<u64>source.rows * source.columns > ITEM_LIMIT) fail(ERROR_NUMBER);
  if (failed()) return;
  const all = scratch(total << 2);
  memory.copy(all, list, (<usize>lineCount) << 2);
  for (let line = lineCount; line < total; line++) store<u32>(all + ((<usize>line) << 2), line);
  const array = pickLines(source, all, total, byRow);
  if (failed()) return;
  answerArray(array);
}

/** The order at a place of the order argument; a single order serves for all keys. */
function readOrder(orders: View, index: u32): i32 {
  const single = orders.rows * orders.columns == 1;
  const place = single ? 0 : index;
  viewItem(orders, place / orders.columns, place % orders.columns);
  if (itemKind == KIND_ERROR) fail(itemWord());
  const order = itemKind == KIND_NUMBER ? itemNumber() : 0;
  if (order != 1 && order != -1) fail(ERROR_VALUE);
  return <i32>order;
}

/** Rows of a column from which its sorted numbers are looked for. */
const ROWS_LEAST: u32 = 48;

/** Answers a column of numbers from those that its index has in order; false for any other. */
function answerKnownOrder(source: View, hasOrder: bool): bool {
  if (!source.sheet || source.columns != 1 || source.rows < ROWS_LEAST) return false;
  const known = failure < 0 ? sortedReference(0) : 0;
  if (!known || at<SortedNumbers>(known).count != source.rows) return false;
  const order = hasOrder ? readOrder(openView(argument(2)), 0) : 1;
  if (failed()) return true;
  const list = listOf(at<SortedNumbers>(known));
  const array = newArray(list.count, 1);
  memory.fill(at<Grid>(array).kinds, <u8>KIND_NUMBER, list.count);
  for (let row: u32 = 0; row < list.count; row++) {
    setItemNumber(array, row, numberAt(list, order > 0 ? row : list.count - 1 - row));
  }
  answerArray(array);
  return true;
}

/** SORT(array, [index], [order], [by column]): index and order may be lists. */
export function evaluateSort(): void {
  const source = openArrayArgument(0);
  const hasIndex = given(1) && !omitted(1);
  const hasOrder = given(2) && !omitted(2);
  const byRow = !booleanOr(3, false);
  if (byRow && !hasIndex && answerKnownOrder(source, hasOrder)) return;
  const indexes = openView(argument(hasIndex ? 1 : 0));
  const keys = hasIndex ? indexes.rows * indexes.columns : 1;
  if (failed() || !openKeys(keys, byRow ? source.usedRows : source.usedColumns)) {
    failed();
    return;
  }
  const across = byRow ? source.columns : source.rows;
  for (let key: u32 = 0; key < keys; key++) {
    let number: f64 = 1;
    if (hasIndex) {
      viewItem(indexes, key / indexes.columns, key % indexes.columns);
      if (itemKind == KIND_ERROR) fail(itemWord());
      number = itemKind == KIND_NUMBER ? trunc(itemNumber()) : 0;
    }
    if (!(number >= 1 && number <= <f64>across)) fail(ERROR_VALUE);
    const order = hasOrder ? readOrder(openView(argument(2)), key) : 1;
    store<i32>(keyOrders + ((<usize>key) << 2), order);
    if (failed()) return;
    const place = <u32>number - 1;
    for (let line: u32 = 0; line < lineCount && !suspended; line++) {
      viewItem(source, byRow ? line : place, byRow ? place : line);
      setKey(key, line);
    }
  }
  answerSorted(source, byRow);
}

/** Reads a key vector of SORTBY; it must lie along the array. */
function readKeyVector(key: u32, vector: View, byRow: bool, lines: u32): void {
  const fits = byRow
    ? vector.columns == 1 && vector.rows == lines
    : vector.rows == 1 && vector.columns == lines;
  if (!fits) {
    fail(ERROR_VALUE);
    return;
  }
  for (let line: u32 = 0; line < lineCount && !suspended; line++) {
    viewItem(vector, byRow ? line : 0, byRow ? 0 : line);
    setKey(key, line);
  }
}

/** SORTBY(array, by, [order], [by, order] …) */
export function evaluateSortBy(): void {
  const source = openArrayArgument(0);
  const first = openArrayArgument(1);
  const byRow = first.columns == 1 && first.rows == source.rows;
  const lines = byRow ? source.rows : source.columns;
  let used = byRow ? source.usedRows : source.usedColumns;
  for (let index: u32 = 1; index < argumentCount; index += 2) {
    const by = openArrayArgument(index);
    used = max(used, byRow ? by.usedRows : by.usedColumns);
  }
  if (failed() || !openKeys(argumentCount >> 1, min(used, lines))) {
    failed();
    return;
  }
  for (let key: u32 = 0; key < keyCount; key++) {
    const place = 1 + (key << 1);
    const ordered = given(place + 1) && !omitted(place + 1);
    const order = ordered ? slotNumber(argument(place + 1)) : 1;
    if (order != 1 && order != -1) fail(ERROR_VALUE);
    store<i32>(keyOrders + ((<usize>key) << 2), <i32>order);
    readKeyVector(key, openView(argument(place)), byRow, lines);
    if (failed()) return;
  }
  answerSorted(source, byRow);
}
