import {
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { compareTexts } from '../../values/text-order';
import { fail } from '../../vm/call';
import { SLOT_BYTES, kindOf } from '../../vm/slot';
import { sortItems } from '../../vm/sort';
import { View, itemKind, itemPayload, itemWord, viewItem } from '../../vm/view';
import { aggregateLines, functionsOf } from './group-functions';
import {
  GROUP_DETAIL,
  GROUP_SUBTOTAL,
  GROUP_TOTAL,
  Grouping,
  RECORD_BYTES,
  lineAt,
  linesFrom,
  recordAt,
} from './group-record';

/** A grouping over the lines `from` on for which the filter is true. */
export function newGrouping(fields: View, filter: usize, from: u32): Grouping {
  const grouping = at<Grouping>(scratch(offsetof<Grouping>()));
  grouping.fields = <u32>addressOf(fields);
  grouping.levels = fields.columns;
  grouping.order = <u32>scratch((fields.usedRows + 1) << 2);
  grouping.count = 0;
  grouping.capacity = 64;
  grouping.records = <u32>scratch(64 * RECORD_BYTES);
  grouping.recordCount = 0;
  grouping.depth = 1;
  grouping.sorting = 0;
  grouping.isTable = 0;
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

/** Where the group lies that groups are being made of. */
let parentFirst: u32 = 0;
let parentEnd: u32 = 0;

function addRecord(grouping: Grouping, first: u32, end: u32, level: u32, kind: u32): void {
  if (grouping.recordCount == grouping.capacity) {
    const bytes = grouping.capacity * RECORD_BYTES;
    const larger = scratch(bytes << 1);
    memory.copy(larger, grouping.records, bytes);
    grouping.records = <u32>larger;
    grouping.capacity <<= 1;
  }
  const record = recordAt(grouping, grouping.recordCount++);
  record.first = first;
  record.end = end;
  record.level = level;
  record.kind = kind;
  record.parentFirst = parentFirst;
  record.parentEnd = parentEnd;
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

// Grouping whose lines are sorted, the field that they are sorted by, and ±1 for ascending or
// descending.
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

/** The end of the lines from `first` on with equal keys in a field; of a table, in all fields. */
function groupEnd(grouping: Grouping, first: u32, end: u32, field: u32): u32 {
  const head = lineAt(grouping, first);
  let place = first + 1;
  for (; place < end; place++) {
    const line = lineAt(grouping, place);
    let order = compareLines(grouping, field, head, line);
    for (let other: u32 = 0; grouping.isTable && order == 0 && other < field; other++) {
      order = compareLines(grouping, other, head, line);
    }
    if (order != 0) break;
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
  const columns = values.columns * functionsOf(grouping).count;
  let column: u32 = 0;
  let order: i32 = 0;
  for (; column < columns && order == 0; column++) {
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
    aggregateLines(grouping, linesFrom(grouping, place), last - place, column - 1, slot);
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
    parentFirst = first;
    parentEnd = end;
    const isTop = grouping.depth < 0;
    if (isLeaf) addRecord(grouping, place, last, level, GROUP_DETAIL);
    else {
      if (hasSubtotal && isTop) addRecord(grouping, place, last, level, GROUP_SUBTOTAL);
      buildLevel(grouping, place, last, level + 1);
      parentFirst = first;
      parentEnd = end;
      if (hasSubtotal && !isTop) addRecord(grouping, place, last, level, GROUP_SUBTOTAL);
    }
    place = last;
  }
}

/** Order of two lines of a table: by the sort orders as they come, then by the fields. */
function compareTableLines(left: u32, right: u32): i32 {
  const grouping = sorted;
  const sorting = at<View>(grouping.sorting);
  const count = grouping.sorting ? sorting.rows * sorting.columns : 0;
  for (let place: u32 = 0; place < count; place++) {
    viewItem(sorting, place / sorting.columns, place % sorting.columns);
    const wanted = itemKind == KIND_NUMBER ? trunc(reinterpret<f64>(itemPayload)) : 0;
    const field = abs(wanted);
    if (field < 1 || field > <f64>grouping.levels) continue;
    const order = compareLines(grouping, <u32>field - 1, left, right);
    if (order != 0) return wanted < 0 ? -order : order;
  }
  for (let field: u32 = 0; field < grouping.levels; field++) {
    const order = compareLines(grouping, field, left, right);
    if (order != 0) return order;
  }
  return 0;
}

/** The groups of a table, which lie side by side whatever their first fields are. */
function buildTable(grouping: Grouping): void {
  sorted = grouping;
  sortItems(grouping.order, scratch(grouping.count << 2), grouping.count, compareTableLines);
  const field = grouping.levels - 1;
  if (grouping.sorting) sortGroups(grouping, 0, grouping.count, field);
  let place: u32 = 0;
  while (place < grouping.count && !suspended) {
    const last = groupEnd(grouping, place, grouping.count, field);
    addRecord(grouping, place, last, field, GROUP_DETAIL);
    place = last;
  }
}

/** Makes all records; totals first or last, as the depth's sign says. */
export function buildGroups(grouping: Grouping): void {
  const depth = grouping.depth;
  parentFirst = 0;
  parentEnd = grouping.count;
  // Without fields all lines are one group, which is no total.
  if (grouping.levels == 0) return addRecord(grouping, 0, grouping.count, 0, GROUP_DETAIL);
  if (depth < 0) addRecord(grouping, 0, grouping.count, 0, GROUP_TOTAL);
  if (grouping.isTable) buildTable(grouping);
  else buildLevel(grouping, 0, grouping.count, 0);
  parentFirst = 0;
  parentEnd = grouping.count;
  if (depth > 0) addRecord(grouping, 0, grouping.count, 0, GROUP_TOTAL);
}
