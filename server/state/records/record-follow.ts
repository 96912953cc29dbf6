import { rowLimit } from '../../model/address.ts';
import type { JsonObject, JsonValue } from '../../model/plain-json.ts';
import { cellCount } from '../../model/range.ts';
import {
  areaText,
  followArea,
  lineText,
  parseLine,
  rangeOf,
  type Area,
  type Ends,
  type LineChange,
} from '../structure/area.ts';
import { withoutFormats } from './format-order.ts';
import { RangeIndex } from '../ids/range-index.ts';
import { joined, recordKey, type RecordChange, type StoredRecord } from './stored-record.ts';
import type { LineId, Order } from '../ids/order.ts';
import { orderOf } from '../structure/structure.ts';

/** Records by key. */
interface KnownRecords {
  get(key: string): StoredRecord | undefined;
}

/** Returns the changes of records after lines of a sheet were deleted or moved. */
export function followAll(
  own: readonly StoredRecord[],
  change: LineChange,
  records: KnownRecords,
): RecordChange {
  const deletes: string[] = [];
  const puts: StoredRecord[] = [];
  const gone: StoredRecord[] = [];
  for (const record of own) {
    const followed = followRecord(record, change);
    if (followed === record) continue;
    deletes.push(recordKey(record));
    if (followed) puts.push(followed);
    else if (record.type === 'cf') gone.push(record);
  }
  const left = joined([{ puts, deletes }, withoutFormats(gone, { records })]);
  const followed = change.moved.length > 0 ? mergesApart(own, left, change) : left;
  return { puts: sorted(followed.puts), deletes: followed.deletes.toSorted() };
}

/** Returns a record after the edit; undefined when it is deleted. */
export function followRecord(record: StoredRecord, change: LineChange): StoredRecord | undefined {
  const own = record.type === 'filter' ? withoutColumns(record, change) : record;
  if (own.areas.every((area) => followArea(area, change) === area)) return own;
  const areas = own.areas.flatMap((area) => followArea(area, change) ?? []);
  if (areas.length === 0) return own.type === 'thread' ? displaced(own, change) : undefined;
  if (own.type === 'cellmerge' && areas.every(isOneCell)) return undefined;
  return { ...own, areas };
}

export function isOneCell({ rows, columns }: Area): boolean {
  return isOneLine(rows) && isOneLine(columns);
}

function isOneLine(ends: Ends): boolean {
  return ends !== undefined && lineText(ends.first) === lineText(ends.last);
}

/**
 * Moves a comment thread to the nearest remaining line, because a conversation outlives its cells.
 */
export function displaced(
  thread: StoredRecord,
  change: Pick<LineChange, 'axis' | 'before' | 'after'>,
): StoredRecord | undefined {
  const [area] = thread.areas;
  const ends = change.axis === 'row' ? area?.rows : area?.columns;
  if (!area || !ends) return undefined;
  const was = orderOf(change.before, change.axis);
  const is = orderOf(change.after, change.axis);
  const from = was.positionOf(ends.first.branch, ends.first.sequence, ends.first.offset) ?? 0;
  const to = was.positionOf(ends.last.branch, ends.last.sequence, ends.last.offset) ?? from;
  const line = nearestLine({ was, is }, from, to);
  const own = { first: line, last: line };
  const areas = [change.axis === 'row' ? { ...area, rows: own } : { ...area, columns: own }];
  return { ...thread, areas, value: { ...thread.value, displaced: true } };
}

/** Returns the nearest remaining line outside a stretch, preferably the one before. */
function nearestLine({ was, is }: { was: Order; is: Order }, from: number, to: number): LineId {
  let before: number | undefined;
  let position = 0;
  for (const span of from === 0 ? [] : was.spansAt(0, from)) {
    for (const { skipped, length } of is.piecesOf(span)) before = position + skipped + length - 1;
    position += span.length;
  }
  position = to + 1;
  for (const span of was.spansAt(to + 1, rowLimit)) {
    const [piece] = is.piecesOf(span);
    if (piece) {
      const after = position + piece.skipped;
      return was.idAt(before !== undefined && from - before <= after - to ? before : after);
    }
    position += span.length;
  }
  return was.idAt(before ?? 0);
}

/** Removes the criteria of deleted columns; criteria name their columns by id. */
function withoutColumns(filter: StoredRecord, { after, axis, moved }: LineChange): StoredRecord {
  const { criteria } = filter.value;
  if (axis === 'row' || moved.length > 0 || !Array.isArray(criteria)) return filter;
  const left = criteria.filter((criterion: JsonValue) => {
    const { branch, sequence, offset } = parseLine(columnOf(criterion));
    return after.columns.positionOf(branch, sequence, offset) !== undefined;
  });
  if (left.length === criteria.length) return filter;
  return { ...filter, value: { ...filter.value, criteria: left } };
}

function columnOf(criterion: JsonValue): string {
  const { column } = criterion as JsonObject;
  return typeof column === 'string' ? column : '';
}

/** Deletes the smaller of two merged areas that overlap after lines were moved. */
function mergesApart(
  records: readonly StoredRecord[],
  { puts, deletes }: RecordChange,
  { after }: LineChange,
): RecordChange {
  if (!puts.some(isMerge) && !records.some(isMerge)) return { puts, deletes };
  const replaced = new Set(deletes);
  const kept = records.filter((record) => isMerge(record) && !replaced.has(recordKey(record)));
  const placed = [...kept, ...puts.filter(isMerge)].flatMap((record) => {
    const [area] = record.areas;
    const range = area && rangeOf(area, after);
    return range ? [{ record, range, size: cellCount(range), text: areaText(area) }] : [];
  });
  placed.sort((a, b) => b.size - a.size || (a.text < b.text ? -1 : 1));
  const hidden = new Set<StoredRecord>();
  const shownMerges = new RangeIndex();
  for (const { record, range, text } of placed) {
    if (shownMerges.meeting(range).length > 0) hidden.add(record);
    else shownMerges.add(text, [range]);
  }
  const hiddenKeys = kept.filter((record) => hidden.has(record)).map(recordKey);
  return {
    puts: puts.filter((record) => !hidden.has(record)),
    deletes: [...deletes, ...hiddenKeys],
  };
}

function isMerge({ type }: StoredRecord): boolean {
  return type === 'cellmerge';
}

function sorted(records: readonly StoredRecord[]): StoredRecord[] {
  return records.toSorted((a, b) => (recordKey(a) < recordKey(b) ? -1 : 1));
}
