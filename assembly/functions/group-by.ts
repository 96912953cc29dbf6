import {
  ERROR_CALCULATION,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_STRING,
} from '../abi';
import { suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { emptyText, textOf } from '../memory/text';
import { appendConstant, appendWhole, closeBuilder, openBuilder } from '../values/text-builder';
import { ITEM_LIMIT, newArray, setItemAt, setItemFrom } from '../vm/array';
import {
  answerArray,
  answerError,
  argument,
  fail,
  failed,
  given,
  integerArgument,
  omitted,
} from '../vm/call';
import { SLOT_BYTES, kindOf, wordOf } from '../vm/slot';
import { View, itemKind, itemPayload, openView, viewItem } from '../vm/view';
import {
  GROUP_DETAIL,
  GROUP_TOTAL,
  GroupRecord,
  Grouping,
  aggregate,
  buildGroups,
  loadKey,
  newGrouping,
  recordAt,
  setTotalLines,
} from './group-lines';

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

export function lambdaArgument(index: u32): u32 {
  const slot = argument(index);
  if (kindOf(slot) == KIND_LAMBDA) return wordOf(slot);
  fail(kindOf(slot) == KIND_ERROR ? wordOf(slot) : ERROR_VALUE);
  return 0;
}

/** The filter's view, or 0; it must have a line for each of the table's. */
export function filterArgument(index: u32, lines: u32): usize {
  if (!isGiven(index)) return 0;
  const filter = tableArgument(index);
  if (filter.rows != lines || filter.columns != 1) fail(ERROR_VALUE);
  return addressOf(filter);
}

/** Whether the first line of the values looks like a header: a text over a number. */
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

/** total_depth as given; without one, subtotals for all levels but the innermost. */
export function depthArgument(index: u32, levels: u32): i32 {
  if (!isGiven(index)) return <i32>levels;
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
 * GROUPBY(row fields, values, function, [headers], [total depth], [sort order], [filter],
 * [relationship])
 */
export function evaluateGroupBy(): void {
  const fields = tableArgument(0);
  const values = tableArgument(1);
  const lambda = lambdaArgument(2);
  if (fields.rows != values.rows) fail(ERROR_VALUE);
  const headers = headersArgument(3, values, fields.columns);
  const isTable = isGiven(7) && integerArgument(7) == 1;
  const depth = isTable && !isGiven(4) ? 1 : depthArgument(4, fields.columns);
  const filter = filterArgument(6, fields.rows);
  if (failed()) return;
  const skipped: u32 = headers == 1 || headers == HEADERS_SHOWN ? 1 : 0;
  const grouping = newGrouping(fields, filter, skipped);
  grouping.values = <u32>addressOf(values);
  grouping.lambda = lambda;
  grouping.depth = depth;
  if (isGiven(5)) grouping.sorting = <u32>addressOf(tableArgument(5));
  if (failed()) return;
  if (grouping.count == 0) return answerError(ERROR_CALCULATION);
  setTotalLines(grouping.order, grouping.count);
  buildGroups(grouping);
  answerGroups(grouping, headers);
}

function answerGroups(grouping: Grouping, headers: f64): void {
  const fields = at<View>(grouping.fields);
  const values = at<View>(grouping.values);
  const shown: u32 = headers >= HEADERS_MADE ? 1 : 0;
  const width = fields.columns + values.columns;
  const height = grouping.recordCount + shown;
  if (<u64>width * height > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(height, width);
  if (shown) {
    const made = headers == HEADERS_MADE;
    for (let field: u32 = 0; field < width; field++) {
      const isField = field < fields.columns;
      if (isField) setHeader(array, field, fields, field, made ? 0 : -1);
      else setHeader(array, field, values, field - fields.columns, made ? 2 : -1);
    }
  }
  const slot = scratch(<u32>SLOT_BYTES);
  for (let index: u32 = 0; index < grouping.recordCount && !suspended; index++) {
    const record = recordAt(grouping, index);
    const start = (index + shown) * width;
    for (let field: u32 = 0; field < fields.columns; field++) {
      setLabel(array, start + field, grouping, record, field);
    }
    for (let column: u32 = 0; column < values.columns; column++) {
      aggregate(grouping, record.first, record.end, column, slot);
      setItemFrom(array, start + fields.columns + column, slot);
    }
  }
  answerArray(array);
}
