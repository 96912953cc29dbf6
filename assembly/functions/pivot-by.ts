import { ERROR_CALCULATION, ERROR_NUMBER, ERROR_VALUE, KIND_STRING } from '../abi';
import { suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { emptyText } from '../memory/text';
import { ITEM_LIMIT, newArray, setItemAt, setItemFrom } from '../vm/array';
import { answerArray, answerError, fail, failed, integerArgument } from '../vm/call';
import { SLOT_BYTES } from '../vm/slot';
import { View } from '../vm/view';
import {
  depthArgument,
  filterArgument,
  headersArgument,
  isGiven,
  lambdaArgument,
  setHeader,
  setLabel,
  tableArgument,
} from './group-by';
import {
  GroupRecord,
  Grouping,
  aggregateLines,
  buildGroups,
  lineAt,
  newGrouping,
  recordAt,
  setTotalLines,
} from './group-lines';

/** What PERCENTOF and its like are relative to. */
const RELATIVE_ROWS: f64 = 1;
const RELATIVE_ALL: f64 = 2;

/** Groups of one direction: their fields, depth and order stand at these arguments. */
function openDirection(fields: View, filter: usize, from: u32, depth: i32, sorting: u32): Grouping {
  const grouping = newGrouping(fields, filter, from);
  grouping.depth = depth;
  if (isGiven(sorting)) grouping.sorting = <u32>addressOf(tableArgument(sorting));
  return grouping;
}

/**
 * PIVOTBY(row fields, column fields, values, function, [headers], [row depth], [row order],
 * [column depth], [column order], [filter], [relative to])
 */
export function evaluatePivotBy(): void {
  const rowFields = tableArgument(0);
  const columnFields = tableArgument(1);
  const values = tableArgument(2);
  const lambda = lambdaArgument(3);
  if (rowFields.rows != values.rows || columnFields.rows != values.rows) fail(ERROR_VALUE);
  const levels = max(rowFields.columns, columnFields.columns);
  const headers = headersArgument(4, values, levels);
  const rowDepth = depthArgument(5, rowFields.columns);
  const columnDepth = depthArgument(7, columnFields.columns);
  const filter = filterArgument(9, values.rows);
  const relative = isGiven(10) ? integerArgument(10) : 0;
  if (!(relative >= 0 && relative <= 4)) fail(ERROR_VALUE);
  if (failed()) return;
  const skipped: u32 = headers == 1 || headers == 3 ? 1 : 0;
  const rows = openDirection(rowFields, filter, skipped, rowDepth, 6);
  const columns = openDirection(columnFields, filter, skipped, columnDepth, 8);
  rows.values = columns.values = <u32>addressOf(values);
  rows.lambda = columns.lambda = lambda;
  if (failed()) return;
  if (rows.count == 0) return answerError(ERROR_CALCULATION);
  setTotalLines(rows.order, rows.count);
  buildGroups(rows);
  buildGroups(columns);
  answerPivot(rows, columns, headers, relative);
}

/** Where each line lies in the order of the columns. */
function placesOf(columns: Grouping, lineCount: u32): usize {
  const places = scratch(lineCount << 2);
  for (let place: u32 = 0; place < columns.count; place++) {
    store<u32>(places + ((<usize>lineAt(columns, place)) << 2), place);
  }
  return places;
}

/** The lines that a row's and a column's group share; answers how many. */
function sharedLines(
  rows: Grouping,
  row: GroupRecord,
  column: GroupRecord,
  places: usize,
  out: usize,
): u32 {
  let count: u32 = 0;
  for (let place = row.first; place < row.end; place++) {
    const line = lineAt(rows, place);
    const other = load<u32>(places + ((<usize>line) << 2));
    if (other < column.first || other >= column.end) continue;
    store<u32>(out + ((<usize>count) << 2), line);
    count++;
  }
  return count;
}

function answerPivot(rows: Grouping, columns: Grouping, headers: f64, relative: f64): void {
  const values = at<View>(rows.values);
  const shown: u32 = headers >= 2 ? 1 : 0;
  const top = columns.levels + shown;
  const width = rows.levels + columns.recordCount * values.columns;
  const height = top + rows.recordCount;
  if (<u64>width * height > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(height, width);
  setTop(array, rows, columns, headers);
  const places = placesOf(columns, values.usedRows);
  const lines = scratch((rows.count + 1) << 2);
  const slot = scratch(<u32>SLOT_BYTES);
  for (let index: u32 = 0; index < rows.recordCount && !suspended; index++) {
    const row = recordAt(rows, index);
    let place = (top + index) * width;
    for (let field: u32 = 0; field < rows.levels; field++) {
      setLabel(array, place++, rows, row, field);
    }
    for (let other: u32 = 0; other < columns.recordCount && !suspended; other++) {
      const column = recordAt(columns, other);
      const count = sharedLines(rows, row, column, places, lines);
      setRelative(rows, row, columns, column, relative);
      for (let item: u32 = 0; item < values.columns; item++, place++) {
        if (count == 0) setItemAt(array, place, KIND_STRING, emptyText());
        else {
          aggregateLines(rows, lines, count, item, slot);
          setItemFrom(array, place, slot);
        }
      }
    }
  }
  answerArray(array);
}

/** The whole that a cell is a part of, for functions of two arguments. */
function setRelative(
  rows: Grouping,
  row: GroupRecord,
  columns: Grouping,
  column: GroupRecord,
  relative: f64,
): void {
  if (relative == RELATIVE_ALL) return setTotalLines(rows.order, rows.count);
  const isRow = relative == RELATIVE_ROWS || relative == 4;
  const order = isRow ? rows.order : columns.order;
  const record = isRow ? row : column;
  setTotalLines(<usize>order + ((<usize>record.first) << 2), record.end - record.first);
}

/** The lines above the values: the columns' keys, and the fields' names where they are shown. */
function setTop(array: usize, rows: Grouping, columns: Grouping, headers: f64): void {
  const values = at<View>(rows.values);
  const made = headers == 2;
  const width = rows.levels + columns.recordCount * values.columns;
  const top = columns.levels + (headers >= 2 ? 1 : 0);
  for (let place: u32 = 0; place < top * width; place++) {
    setItemAt(array, place, KIND_STRING, emptyText());
  }
  for (let level: u32 = 0; level < columns.levels; level++) {
    let place = level * width + rows.levels;
    for (let index: u32 = 0; index < columns.recordCount; index++) {
      const record = recordAt(columns, index);
      for (let item: u32 = 0; item < values.columns; item++) {
        setLabel(array, place++, columns, record, level);
      }
    }
  }
  if (headers < 2) return;
  let place = columns.levels * width;
  for (let field: u32 = 0; field < rows.levels; field++) {
    setHeader(array, place++, at<View>(rows.fields), field, made ? 0 : -1);
  }
  for (let index: u32 = 0; index < columns.recordCount; index++) {
    for (let item: u32 = 0; item < values.columns; item++) {
      setHeader(array, place++, values, item, made ? 2 : -1);
    }
  }
}
