import { ERROR_NUMBER, ERROR_VALUE, KIND_STRING } from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { ITEM_LIMIT, newArray, setItemAt, setItemFrom } from '../../vm/array';
import { answerArray, answerError, argument, fail, failed, integerArgument } from '../../vm/call';
import { pay } from '../../vm/fuel';
import { SLOT_BYTES } from '../../vm/slot';
import { View, openView } from '../../vm/view';
import {
  depthArgument,
  filterArgument,
  headersArgument,
  isGiven,
  setEmpty,
  setFunctionNames,
  setHeader,
  setLabel,
  tableArgument,
  valueWidth,
} from './group-by';
import {
  aggregateLines,
  functionsArgument,
  functionsOf,
  nameAt,
  setTotalLines,
} from './group-functions';
import { buildGroups, newGrouping } from './group-lines';
import { GroupRecord, Grouping, lineAt, linesFrom, recordAt } from './group-record';

// Totals that PERCENTOF and its like are relative to; 0, the default, is the total of the column.
const RELATIVE_ROW: f64 = 1;
const RELATIVE_ALL: f64 = 2;
const RELATIVE_PARENT_COLUMN: f64 = 3;
const RELATIVE_PARENT_ROW: f64 = 4;

/** The fields of one direction; where they are left out, a view of the values takes their place. */
function fieldsArgument(index: u32): View {
  return isGiven(index) ? tableArgument(index) : openView(argument(2));
}

/** Levels of the groups of one direction: none where its fields are left out. */
function levelsOf(index: u32, fields: View): u32 {
  return isGiven(index) ? fields.columns : 0;
}

/** Groups of one direction: their fields, depth and order stand at these arguments. */
function openDirection(fields: View, filter: usize, from: u32, depth: i32, sorting: u32): Grouping {
  const grouping = newGrouping(fields, filter, from);
  grouping.depth = depth;
  if (isGiven(sorting)) grouping.sorting = <u32>addressOf(tableArgument(sorting));
  return grouping;
}

/**
 * PIVOTBY(row fields, column fields, values, functions, [headers], [row depth], [row order],
 * [column depth], [column order], [filter], [relative to])
 */
export function evaluatePivotBy(): void {
  const rowFields = fieldsArgument(0);
  const columnFields = fieldsArgument(1);
  const values = tableArgument(2);
  const functions = functionsArgument(3);
  if (rowFields.rows != values.rows || columnFields.rows != values.rows) fail(ERROR_VALUE);
  const rowLevels = levelsOf(0, rowFields);
  const columnLevels = levelsOf(1, columnFields);
  const levels = max(rowLevels, columnLevels);
  if (levels == 0) fail(ERROR_VALUE);
  const headers = headersArgument(4, values, levels);
  const rowDepth = depthArgument(5, rowFields.columns);
  const columnDepth = depthArgument(7, columnFields.columns);
  const filter = filterArgument(9, values.rows);
  const relative = isGiven(10) ? integerArgument(10) : 0;
  if (!(relative >= 0 && relative <= RELATIVE_PARENT_ROW)) fail(ERROR_VALUE);
  if (failed()) return;
  const skipped: u32 = headers == 1 || headers == 3 ? 1 : 0;
  const rows = openDirection(rowFields, filter, skipped, rowDepth, 6);
  const columns = openDirection(columnFields, filter, skipped, columnDepth, 8);
  rows.levels = rowLevels;
  columns.levels = columnLevels;
  rows.values = columns.values = <u32>addressOf(values);
  rows.functions = columns.functions = <u32>addressOf(functions);
  if (rows.count == 0) fail(ERROR_VALUE);
  if (failed()) return;
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

// Places of a group in the order of the columns, and of each line.
let columnFirst: u32 = 0;
let columnEnd: u32 = 0;
let linePlaces: usize = 0;

/** The lines of a part of the rows' order that lie in the wanted columns; returns how many. */
function sharedLines(rows: Grouping, first: u32, end: u32, out: usize): u32 {
  let count: u32 = 0;
  if (!pay(end - first)) return 0;
  for (let place = first; place < end; place++) {
    const line = lineAt(rows, place);
    const other = load<u32>(linePlaces + ((<usize>line) << 2));
    if (other < columnFirst || other >= columnEnd) continue;
    store<u32>(out + ((<usize>count) << 2), line);
    count++;
  }
  return count;
}

/** The lines above the values: the columns' keys, names of fields and of functions. */
function topHeight(columns: Grouping, headers: f64): u32 {
  const functions = functionsOf(columns);
  const named: u32 = functions.isNamed && !functions.isVertical ? 1 : 0;
  const fields: u32 = columns.levels ? 2 : 1;
  return columns.levels + named + (headers >= 2 ? fields : 0);
}

function answerPivot(rows: Grouping, columns: Grouping, headers: f64, relative: f64): void {
  const values = at<View>(rows.values);
  const functions = functionsOf(rows);
  const lead = rows.levels + functions.isVertical;
  const across = valueWidth(values, functions);
  const turns: u32 = functions.isVertical ? functions.count : 1;
  const top = topHeight(columns, headers);
  const width = <u64>columns.recordCount * across + lead;
  const height = <u64>rows.recordCount * turns + top;
  if (width > ITEM_LIMIT || width * height > ITEM_LIMIT) return answerError(ERROR_NUMBER);
  const array = newArray(<u32>height, <u32>width);
  setTop(array, rows, columns, headers);
  linePlaces = placesOf(columns, values.usedRows);
  const lines = scratch((rows.count + 1) << 2);
  const whole = scratch((rows.count + 1) << 2);
  const slot = scratch(<u32>SLOT_BYTES);
  let place = top * <u32>width;
  for (let index: u32 = 0; index < rows.recordCount * turns && !suspended; index++) {
    const row = recordAt(rows, index / turns);
    for (let field: u32 = 0; field < rows.levels; field++) {
      setLabel(array, place++, rows, row, field);
    }
    const turn = index % turns;
    if (functions.isVertical) setItemAt(array, place++, KIND_STRING, nameAt(functions, turn));
    for (let other: u32 = 0; other < columns.recordCount && !suspended; other++) {
      const column = recordAt(columns, other);
      columnFirst = column.first;
      columnEnd = column.end;
      const count = sharedLines(rows, row.first, row.end, lines);
      if (count) setRelative(rows, row, columns, column, relative, whole);
      for (let item: u32 = 0; item < across; item++, place++) {
        if (count == 0) setEmpty(array, place, 1);
        else {
          aggregateLines(rows, lines, count, turn * values.columns + item, slot);
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
  out: usize,
): void {
  if (relative == RELATIVE_ALL) return setTotalLines(rows.order, rows.count);
  if (relative == RELATIVE_ROW) {
    return setTotalLines(linesFrom(rows, row.first), row.end - row.first);
  }
  if (relative == RELATIVE_PARENT_COLUMN) {
    columnFirst = column.parentFirst;
    columnEnd = column.parentEnd;
    return setTotalLines(out, sharedLines(rows, row.first, row.end, out));
  }
  if (relative == RELATIVE_PARENT_ROW) {
    return setTotalLines(out, sharedLines(rows, row.parentFirst, row.parentEnd, out));
  }
  setTotalLines(linesFrom(columns, column.first), column.end - column.first);
}

/**
 * The lines above the values. Where names of fields are shown, those of the column fields stand
 * over all, from the first column of values on; those of row fields and values, right above them.
 */
function setTop(array: usize, rows: Grouping, columns: Grouping, headers: f64): void {
  const values = at<View>(rows.values);
  const functions = functionsOf(rows);
  const lead = rows.levels + functions.isVertical;
  const across = valueWidth(values, functions);
  const width = lead + columns.recordCount * across;
  setEmpty(array, 0, topHeight(columns, headers) * width);
  const made = headers == 2;
  let line: u32 = 0;
  if (headers >= 2 && columns.levels) {
    const fields = at<View>(columns.fields);
    const count = min(fields.columns, width - lead);
    for (let field: u32 = 0; field < count; field++) {
      setHeader(array, lead + field, fields, field, made ? 1 : -1);
    }
    line++;
  }
  for (let level: u32 = 0; level < columns.levels; level++, line++) {
    for (let item: u32 = 0; item < columns.recordCount * across; item++) {
      setLabel(array, line * width + lead + item, columns, recordAt(columns, item / across), level);
    }
  }
  if (functions.isNamed && !functions.isVertical) {
    for (let index: u32 = 0; index < columns.recordCount; index++) {
      setFunctionNames(array, line * width + lead + index * across, values, functions);
    }
    line++;
  }
  if (headers < 2) return;
  for (let field: u32 = 0; field < rows.levels; field++) {
    setHeader(array, line * width + field, at<View>(rows.fields), field, made ? 0 : -1);
  }
  for (let item: u32 = 0; item < columns.recordCount * across; item++) {
    setHeader(array, line * width + lead + item, values, item % values.columns, made ? 2 : -1);
  }
}
