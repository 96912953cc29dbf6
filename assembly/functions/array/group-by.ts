import {
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_STRING,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { emptyText, textOf } from '../../memory/text';
import { appendConstant, appendWhole, closeBuilder, openBuilder } from '../../values/text-builder';
import { ITEM_LIMIT, newArray, setItemAt, setItemFrom } from '../../vm/array';
import {
  answerArray,
  answerError,
  argument,
  fail,
  failed,
  given,
  integerArgument,
  omitted,
} from '../../vm/call';
import { SLOT_BYTES, kindOf, wordOf } from '../../vm/slot';
import { View, itemKind, itemPayload, openView, viewItem } from '../../vm/view';
import {
  FunctionList,
  aggregateLines,
  functionsArgument,
  functionsOf,
  nameAt,
  setTotalLines,
} from './group-functions';
import { buildGroups, newGrouping } from './group-lines';
import {
  GROUP_DETAIL,
  GROUP_TOTAL,
  GroupRecord,
  Grouping,
  linesFrom,
  loadKey,
  recordAt,
} from './group-record';

/** How headers are dealt with: the argument field_headers. */
const HEADERS_MADE: f64 = 2;
const HEADERS_SHOWN: f64 = 3;

export function isGiven(index: u32): bool {
  return given(index) && !omitted(index);
}

/** A rectangle; errors given directly are the answer. */
export function tableArgument(index: u32): View {
  const slot = argument(index);
  if (kindOf(slot) == KIND_ERROR) fail(wordOf(slot));
  else if (kindOf(slot) == KIND_LAMBDA) fail(ERROR_VALUE);
  return openView(slot);
}

/** The filter's view, or 0; it must have a line for each of the table's. */
export function filterArgument(index: u32, lines: u32): usize {
  if (!isGiven(index)) return 0;
  const filter = tableArgument(index);
  if (filter.rows != lines || filter.columns != 1) fail(ERROR_VALUE);
  return addressOf(filter);
}

/** Returns whether the values seem to begin with a header: a text over a number. */
function looksLikeHeader(values: View): bool {
  return values.rows > 1 && kindAt(values, 0) == KIND_STRING && kindAt(values, 1) == KIND_NUMBER;
}

function kindAt(values: View, line: u32): u32 {
  viewItem(values, line, 0);
  return itemKind;
}

/** field_headers as given, or as Excel guesses it: 0 none, 1 hidden, 2 made up, 3 shown. */
export function headersArgument(index: u32, values: View, levels: u32): f64 {
  if (!isGiven(index)) {
    if (!looksLikeHeader(values)) return 0;
    return levels > 1 ? HEADERS_SHOWN : 1;
  }
  const headers = integerArgument(index);
  if (!(headers >= 0 && headers <= HEADERS_SHOWN)) fail(ERROR_VALUE);
  return headers;
}

/** total_depth as given; without one, a total for all and none for groups. */
export function depthArgument(index: u32, levels: u32): i32 {
  if (!isGiven(index)) return 1;
  const depth = integerArgument(index);
  if (abs(depth) > <f64>levels) fail(ERROR_VALUE);
  return <i32>depth;
}

/** Writes the label of a record in one of its columns. */
export function setLabel(
  array: usize,
  place: u32,
  grouping: Grouping,
  record: GroupRecord,
  field: u32,
): void {
  if (record.kind == GROUP_TOTAL) {
    const label = abs(grouping.depth) > 1 ? textOf('Grand Total') : textOf('Total');
    setItemAt(array, place, KIND_STRING, field == 0 ? label : emptyText());
  } else if (record.kind != GROUP_DETAIL && field > record.level) {
    setItemAt(array, place, KIND_STRING, emptyText());
  } else {
    loadKey(grouping, record, field);
    if (itemKind == KIND_BLANK) setItemAt(array, place, KIND_STRING, emptyText());
    else setItemAt(array, place, itemKind, itemPayload);
  }
}

/** A header: the first line's, or one that is made up. */
export function setHeader(array: usize, place: u32, view: View, column: u32, made: i32): void {
  if (made < 0) {
    viewItem(view, 0, column);
    return setItemAt(array, place, itemKind, itemPayload);
  }
  openBuilder();
  if (made == 0) appendConstant('Row Field ');
  else if (made == 1) appendConstant('Column Field ');
  else appendConstant('Value ');
  appendWhole(column + 1);
  setItemAt(array, place, KIND_STRING, closeBuilder());
}

/**
 * GROUPBY(row fields, values, functions, [headers], [total depth], [sort order], [filter],
 * [relationship])
 */
export function evaluateGroupBy(): void {
  const fields = tableArgument(0);
  const values = tableArgument(1);
  const functions = functionsArgument(2);
  if (fields.rows != values.rows) fail(ERROR_VALUE);
  const headers = headersArgument(3, values, fields.columns);
  const depth = depthArgument(4, fields.columns);
  const filter = filterArgument(6, fields.rows);
  const relationship = isGiven(7) ? integerArgument(7) : 0;
  if (relationship != 0 && relationship != 1) fail(ERROR_VALUE);
  if (relationship == 1 && abs(depth) > 1) fail(ERROR_VALUE);
  if (failed()) return;
  const skipped: u32 = headers == 1 || headers == HEADERS_SHOWN ? 1 : 0;
  const grouping = newGrouping(fields, filter, skipped);
  grouping.values = <u32>addressOf(values);
  grouping.functions = <u32>addressOf(functions);
  grouping.depth = depth;
  grouping.isTable = <u32>relationship;
  if (isGiven(5)) grouping.sorting = <u32>addressOf(tableArgument(5));
  if (grouping.count == 0) fail(ERROR_VALUE);
  if (failed()) return;
  setTotalLines(grouping.order, grouping.count);
  buildGroups(grouping);
  answerGroups(grouping, headers);
}

/** Columns that one group's values take: for each function side by side, each column of values. */
export function valueWidth(values: View, functions: FunctionList): u32 {
  return functions.isVertical ? values.columns : values.columns * functions.count;
}

/** Writes the names of functions that stand side by side, each over its columns of values. */
export function setFunctionNames(array: usize, place: u32, values: View, list: FunctionList): void {
  for (let item: u32 = 0; item < list.count * values.columns; item++) {
    setItemAt(array, place + item, KIND_STRING, nameAt(list, item / values.columns));
  }
}

/** Writes empty text to so many places of an array. */
export function setEmpty(array: usize, place: u32, count: u32): void {
  for (let index: u32 = 0; index < count; index++) {
    setItemAt(array, place + index, KIND_STRING, emptyText());
  }
}

/** Writes the names of the row's fields, a blank for the functions' names, and of the values. */
function setFieldNames(array: usize, place: u32, grouping: Grouping, made: bool): void {
  const fields = at<View>(grouping.fields);
  const values = at<View>(grouping.values);
  const functions = functionsOf(grouping);
  for (let field: u32 = 0; field < fields.columns; field++) {
    setHeader(array, place++, fields, field, made ? 0 : -1);
  }
  if (functions.isVertical) setEmpty(array, place++, 1);
  const width = valueWidth(values, functions);
  for (let item: u32 = 0; item < width; item++) {
    setHeader(array, place++, values, item % values.columns, made ? 2 : -1);
  }
}

function answerGroups(grouping: Grouping, headers: f64): void {
  const fields = at<View>(grouping.fields);
  const values = at<View>(grouping.values);
  const functions = functionsOf(grouping);
  const lead = fields.columns + functions.isVertical;
  const across = valueWidth(values, functions);
  const width = lead + across;
  const turns: u32 = functions.isVertical ? functions.count : 1;
  const named: u32 = functions.isNamed && !functions.isVertical ? 1 : 0;
  const shown: u32 = headers >= HEADERS_MADE ? 1 : 0;
  const height = <u64>grouping.recordCount * turns + shown + named;
  if (height * width > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(<u32>height, width);
  if (named) {
    setEmpty(array, 0, lead);
    setFunctionNames(array, lead, values, functions);
  }
  if (shown) setFieldNames(array, named * width, grouping, headers == HEADERS_MADE);
  const slot = scratch(<u32>SLOT_BYTES);
  let place = (named + shown) * width;
  for (let index: u32 = 0; index < grouping.recordCount * turns && !suspended; index++) {
    const record = recordAt(grouping, index / turns);
    const turn = index % turns;
    for (let field: u32 = 0; field < fields.columns; field++) {
      setLabel(array, place++, grouping, record, field);
    }
    if (functions.isVertical) setItemAt(array, place++, KIND_STRING, nameAt(functions, turn));
    const lines = linesFrom(grouping, record.first);
    for (let item: u32 = 0; item < across; item++) {
      const wanted = turn * values.columns + item;
      aggregateLines(grouping, lines, record.end - record.first, wanted, slot);
      setItemFrom(array, place++, slot);
    }
  }
  answerArray(array);
}
