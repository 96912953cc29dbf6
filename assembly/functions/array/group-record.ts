import { at } from '../../memory/pointer';
import { View, viewItem } from '../../vm/view';

/** Lines of a table grouped by the fields of a rectangle, level by level. Lives in scratch. */
@unmanaged
export class Grouping {
  /** View of the fields, and how many there are. */
  fields: u32 = 0;
  levels: u32 = 0;
  /** Line numbers in group order, and how many. */
  order: u32 = 0;
  count: u32 = 0;
  /** Records of the groups, and room for how many. */
  records: u32 = 0;
  recordCount: u32 = 0;
  capacity: u32 = 0;
  /** 0: no totals; 1: one for all; n: subtotals for the n - 1 outer levels; negative: on top. */
  depth: i32 = 0;
  /** View of the sort orders (0 = none): field numbers, negative for descending. */
  sorting: u32 = 0;
  /** 1 when the fields are a table's: each is sorted for itself, whatever lies before it. */
  isTable: u32 = 0;
  /** View of the values, and the list of functions. */
  values: u32 = 0;
  functions: u32 = 0;
}

/** A group: places in the order of its lines, and of the group that it lies in. */
@unmanaged
export class GroupRecord {
  first: u32 = 0;
  end: u32 = 0;
  level: u32 = 0;
  kind: u32 = 0;
  parentFirst: u32 = 0;
  parentEnd: u32 = 0;
}

export const GROUP_DETAIL: u32 = 0;
export const GROUP_SUBTOTAL: u32 = 1;
export const GROUP_TOTAL: u32 = 2;

export const RECORD_BYTES: u32 = 24;

export function recordAt(grouping: Grouping, index: u32): GroupRecord {
  return at<GroupRecord>(<usize>grouping.records + <usize>index * RECORD_BYTES);
}

export function lineAt(grouping: Grouping, place: u32): u32 {
  return load<u32>(<usize>grouping.order + ((<usize>place) << 2));
}

/** Address of the lines from a place in the order on. */
export function linesFrom(grouping: Grouping, place: u32): usize {
  return <usize>grouping.order + ((<usize>place) << 2);
}

/** Loads the key of a record's line at a level into itemKind and itemPayload. */
export function loadKey(grouping: Grouping, record: GroupRecord, field: u32): void {
  viewItem(at<View>(grouping.fields), lineAt(grouping, record.first), field);
}
