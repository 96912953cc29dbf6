import {
  ERROR_CALCULATION,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_REFERENCE,
  KIND_STRING,
} from '../abi';
import { suspended } from '../grid/sheet';
import { addressOf, at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { compareTexts } from '../values/text-order';
import { newArray, setItemAt } from '../vm/array';
import { fail } from '../vm/call';
import { invokeLambda } from '../vm/lambda';
import { SLOT_BYTES, copySlot, kindOf, setError, setSlot, wordOf } from '../vm/slot';
import { sortItems } from '../vm/sort';
import { View, itemKind, itemPayload, itemWord, openView, viewItem } from '../vm/view';

/** Lines of a table grouped by the fields of a rectangle, level by level. Lives in scratch. */
@unmanaged
export class Grouping {
  /** View of the fields, and how many there are. */
  fields: u32 = 0;
  levels: u32 = 0;
  /** Line numbers in group order, and how many. */
  order: u32 = 0;
  count: u32 = 0;
  /** Records of the groups: first, end, level, kind. */
  records: u32 = 0;
  recordCount: u32 = 0;
  capacity: u32 = 0;
  /** 0: no totals; 1: one for all; n: subtotals for the n - 1 outer levels; negative: on top. */
  depth: i32 = 0;
  /** View of the sort orders (0 = none): field numbers, negative for descending. */
  sorting: u32 = 0;
  /** What sorts by values: view of the values, the lambda. */
  values: u32 = 0;
  lambda: u32 = 0;
}

@unmanaged
export class GroupRecord {
  first: u32 = 0;
  end: u32 = 0;
  level: u32 = 0;
  kind: u32 = 0;
}

export const GROUP_DETAIL: u32 = 0;
const GROUP_SUBTOTAL: u32 = 1;
export const GROUP_TOTAL: u32 = 2;

/** A grouping over the lines `from` on for which the filter is true. */
export function newGrouping(fields: View, filter: usize, from: u32): Grouping {
  const grouping = at<Grouping>(scratch(offsetof<Grouping>()));
  grouping.fields = <u32>addressOf(fields);
  grouping.levels = fields.columns;
  grouping.order = <u32>scratch((fields.usedRows + 1) << 2);
  grouping.count = 0;
  grouping.capacity = 64;
  grouping.records = <u32>scratch(64 << 4);
  grouping.recordCount = 0;
  grouping.depth = 1;
  grouping.sorting = 0;
  for (let line = from; line < fields.usedRows && !suspended; line++) {
    if (filter && !passes(at<View>(filter), line)) continue;
    store<u32>(<usize>grouping.order + ((<usize>grouping.count) << 2), line);
    grouping.count++;
  }
  return grouping;
}

function passes(filter: View, line: u32): bool {
  viewItem(filter, line, 0);
  if (itemKind == KIND_ERROR) fail(itemWord());
  if (itemKind == KIND_STRING) fail(ERROR_VALUE);
  if (itemKind == KIND_NUMBER) return reinterpret<f64>(itemPayload) != 0;
  return itemKind == KIND_BOOLEAN && itemWord() != 0;
}

export function recordAt(grouping: Grouping, index: u32): GroupRecord {
  return at<GroupRecord>(<usize>grouping.records + ((<usize>index) << 4));
}

export function lineAt(grouping: Grouping, place: u32): u32 {
  return load<u32>(<usize>grouping.order + ((<usize>place) << 2));
}

function addRecord(grouping: Grouping, first: u32, end: u32, level: u32, kind: u32): void {
  if (grouping.recordCount == grouping.capacity) {
    const larger = scratch(grouping.capacity << 5);
    memory.copy(larger, grouping.records, (<usize>grouping.capacity) << 4);
    grouping.records = <u32>larger;
    grouping.capacity <<= 1;
  }
  const record = recordAt(grouping, grouping.recordCount++);
  record.first = first;
  record.end = end;
  record.level = level;
  record.kind = kind;
}

/** Numbers, then texts, booleans, errors, blanks. */
function rankOf(kind: u32): i32 {
  if (kind == KIND_NUMBER) return 0;
  if (kind == KIND_STRING) return 1;
  if (kind == KIND_BOOLEAN) return 2;
  return kind == KIND_ERROR ? 3 : 4;
}

function comparePayloads(kind: u32, left: u64, otherKind: u32, right: u64): i32 {
  if (kind != otherKind) return rankOf(kind) - rankOf(otherKind);
  if (kind == KIND_BLANK) return 0;
  if (kind == KIND_STRING) return compareTexts(<usize>left, <usize>right);
  if (kind != KIND_NUMBER) return <i32>left - <i32>right;
  const x = reinterpret<f64>(left);
  const y = reinterpret<f64>(right);
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareLines(grouping: Grouping, field: u32, left: u32, right: u32): i32 {
  const view = at<View>(grouping.fields);
  viewItem(view, left, field);
  const kind = itemKind;
  const payload = itemPayload;
  viewItem(view, right, field);
  return comparePayloads(kind, payload, itemKind, itemPayload);
}

/** The order wanted for a column of the result (counted from 1): ±1, or 0 when none is. */
function wantedOrder(grouping: Grouping, column: f64): i32 {
  if (!grouping.sorting) return 0;
  const view = at<View>(grouping.sorting);
  for (let place: u32 = 0; place < view.rows * view.columns; place++) {
    viewItem(view, place / view.columns, place % view.columns);
    if (itemKind != KIND_NUMBER) continue;
    const number = trunc(reinterpret<f64>(itemPayload));
    if (abs(number) == column) return number < 0 ? -1 : 1;
  }
  return 0;
}

// What is sorted: lines of which grouping, by which field; ±1 for ascending or descending.
let sorted: Grouping = at<Grouping>(0);
let sortedField: u32 = 0;
let sortedOrder: i32 = 0;

function compareSorted(left: u32, right: u32): i32 {
  return sortedOrder * compareLines(sorted, sortedField, left, right);
}

/** Sorts lines of a range by one field. */
function sortRange(grouping: Grouping, first: u32, end: u32, field: u32): void {
  const wanted = wantedOrder(grouping, <f64>field + 1);
  sorted = grouping;
  sortedField = field;
  sortedOrder = wanted == 0 ? 1 : wanted;
  const count = end - first;
  const start = <usize>grouping.order + ((<usize>first) << 2);
  sortItems(start, scratch(count << 2), count, compareSorted);
}

/** The end of the lines from `first` on with equal keys in a field. */
function groupEnd(grouping: Grouping, first: u32, end: u32, field: u32): u32 {
  let place = first + 1;
  while (place < end) {
    if (compareLines(grouping, field, lineAt(grouping, first), lineAt(grouping, place)) != 0) break;
    place++;
  }
  return place;
}

/** Kind, spare, payload of a group's value, then its first line and its end. */
const GROUP_BYTES: u32 = 24;
/** The groups that compareGroups looks at. */
let sortedGroups: usize = 0;

function groupAt(index: u32): usize {
  return sortedGroups + <usize>index * GROUP_BYTES;
}

function compareGroups(left: u32, right: u32): i32 {
  const a = groupAt(left);
  const b = groupAt(right);
  return (
    sortedOrder * comparePayloads(load<u32>(a), load<u64>(a, 8), load<u32>(b), load<u64>(b, 8))
  );
}

/** Puts the groups of a range in the order of their values, when the sort orders ask for it. */
function sortGroups(grouping: Grouping, first: u32, end: u32, field: u32): void {
  const values = at<View>(grouping.values);
  let column: u32 = 0;
  let order: i32 = 0;
  for (; column < values.columns && order == 0; column++) {
    order = wantedOrder(grouping, <f64>(grouping.levels + column + 1));
  }
  if (order == 0) return;
  let groups: u32 = 0;
  for (let place = first; place < end; groups++) place = groupEnd(grouping, place, end, field);
  const entries = scratch(groups * GROUP_BYTES);
  const numbers = scratch(groups << 2);
  let index: u32 = 0;
  const slot = scratch(<u32>SLOT_BYTES);
  for (let place = first; place < end && !suspended; index++) {
    const last = groupEnd(grouping, place, end, field);
    aggregate(grouping, place, last, column - 1, slot);
    const entry = entries + <usize>index * GROUP_BYTES;
    store<u32>(entry, kindOf(slot));
    store<u64>(entry, load<u64>(slot), 8);
    store<u32>(entry, place, 16);
    store<u32>(entry, last, 20);
    store<u32>(numbers + ((<usize>index) << 2), index);
    place = last;
  }
  sortedGroups = entries;
  sortedOrder = order;
  sortItems(numbers, scratch(groups << 2), index, compareGroups);
  const copy = scratch((end - first) << 2);
  let out: u32 = 0;
  for (let group: u32 = 0; group < index; group++) {
    const entry = groupAt(load<u32>(numbers + ((<usize>group) << 2)));
    const from = load<u32>(entry, 16);
    const bytes = (<usize>(load<u32>(entry, 20) - from)) << 2;
    const source = <usize>grouping.order + ((<usize>from) << 2);
    memory.copy(copy + ((<usize>out) << 2), source, bytes);
    out += load<u32>(entry, 20) - from;
  }
  memory.copy(<usize>grouping.order + ((<usize>first) << 2), copy, (<usize>out) << 2);
}

/** Makes the records of a range from one level on. */
function buildLevel(grouping: Grouping, first: u32, end: u32, level: u32): void {
  sortRange(grouping, first, end, level);
  if (grouping.sorting) sortGroups(grouping, first, end, level);
  const isLeaf = level + 1 == grouping.levels;
  const hasSubtotal = !isLeaf && abs(grouping.depth) > <i32>level + 1;
  let place = first;
  while (place < end && !suspended) {
    const last = groupEnd(grouping, place, end, level);
    if (isLeaf) addRecord(grouping, place, last, level, GROUP_DETAIL);
    else {
      const isTop = grouping.depth < 0;
      if (hasSubtotal && isTop) addRecord(grouping, place, last, level, GROUP_SUBTOTAL);
      buildLevel(grouping, place, last, level + 1);
      if (hasSubtotal && !isTop) addRecord(grouping, place, last, level, GROUP_SUBTOTAL);
    }
    place = last;
  }
}

/** Makes all records; totals first or last, as the depth's sign says. */
export function buildGroups(grouping: Grouping): void {
  const depth = grouping.depth;
  if (depth < 0) addRecord(grouping, 0, grouping.count, 0, GROUP_TOTAL);
  buildLevel(grouping, 0, grouping.count, 0);
  if (depth > 0) addRecord(grouping, 0, grouping.count, 0, GROUP_TOTAL);
}

/** Loads the key of a record's line at a level into itemKind and itemPayload. */
export function loadKey(grouping: Grouping, record: GroupRecord, field: u32): void {
  viewItem(at<View>(grouping.fields), lineAt(grouping, record.first), field);
}

/** The values of a list of lines as one column. */
function columnOf(values: View, lines: usize, count: u32, column: u32): usize {
  const array = newArray(count, 1);
  for (let index: u32 = 0; index < count; index++) {
    viewItem(values, load<u32>(lines + ((<usize>index) << 2)), column);
    setItemAt(array, index, itemKind, itemPayload);
  }
  return array;
}

/** Lines that a function of two arguments compares its own with; all of them otherwise. */
let totalLines: usize = 0;
let totalCount: u32 = 0;

export function setTotalLines(lines: usize, count: u32): void {
  totalLines = lines;
  totalCount = count;
}

/** Calls the function for lines of one column of values; the result is one value. */
export function aggregateLines(
  grouping: Grouping,
  lines: usize,
  count: u32,
  column: u32,
  slot: usize,
): void {
  const values = at<View>(grouping.values);
  const all = totalLines;
  const allCount = totalCount;
  const slots = scratch(2 * <u32>SLOT_BYTES);
  setSlot(slots, KIND_ARRAY, columnOf(values, lines, count, column));
  invokeLambda(grouping.lambda, slots, 1, slot);
  if (kindOf(slot) == KIND_ERROR && wordOf(slot) == ERROR_VALUE && !suspended) {
    // A function of two arguments refuses one: PERCENTOF wants the whole as well.
    setSlot(slots, KIND_ARRAY, columnOf(values, lines, count, column));
    setSlot(slots + SLOT_BYTES, KIND_ARRAY, columnOf(values, all, allCount, column));
    const second = scratch(<u32>SLOT_BYTES);
    invokeLambda(grouping.lambda, slots, 2, second);
    if (kindOf(second) != KIND_ERROR) copySlot(slot, second);
  }
  setTotalLines(all, allCount);
  const kind = kindOf(slot);
  if (kind == KIND_LAMBDA) return setError(slot, ERROR_CALCULATION);
  if (kind != KIND_ARRAY && kind != KIND_REFERENCE) return;
  const view = openView(slot);
  if (view.rows != 1 || view.columns != 1) return setError(slot, ERROR_CALCULATION);
  viewItem(view, 0, 0);
  setSlot(slot, itemKind, itemPayload);
}

export function aggregate(
  grouping: Grouping,
  first: u32,
  end: u32,
  column: u32,
  slot: usize,
): void {
  const lines = <usize>grouping.order + ((<usize>first) << 2);
  aggregateLines(grouping, lines, end - first, column, slot);
}
