import type { Range } from '../../model/range.ts';
import { rangeOf, type Area, type Ends } from '../structure/area.ts';
import { LineMap } from '../structure/line-map.ts';
import type { Order } from '../ids/order.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { isSame } from '../compare/merged-members.ts';
import type { Merging } from './merging.ts';

// Places of records whose lines moved.

/** Returns whether a record lies exactly where its lines went. */
export function isFollowed(
  { base, ours }: Pick<Merging, 'base' | 'ours'>,
  left: StoredRecord,
  held: StoredRecord,
): boolean {
  const was = base.structure.withId(left.sheetId);
  const is = ours.structure.withId(held.sheetId);
  if (!was || is?.id !== was.id) return false;
  const expected = left.areas.flatMap((area) => placeOf(area, was, is) ?? []);
  return isSame(
    expected,
    held.areas.map((area) => rangeOf(area, is)),
  );
}

/** Carries an area of one structure into another, without ends that are gone. */
export function placeOf(area: Area, was: SheetOutline, is: SheetOutline): Range | undefined {
  const range = rangeOf(area, was);
  const rows = range && new LineMap(was, is, 'row').range(range.row0, range.row1);
  const columns = range && new LineMap(was, is, 'column').range(range.column0, range.column1);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] };
}

/** Returns whether an area has both of its ends, in their order. */
export function isIn({ rows, columns }: Area, sheet: SheetOutline): boolean {
  return hasEnds(rows, sheet.rows) && hasEnds(columns, sheet.columns);
}

export function hasEnds(ends: Ends, order: Order): boolean {
  if (!ends) return true;
  const [first, last] = [ends.first, ends.last].map(({ branch, sequence, offset }) =>
    order.positionOf(branch, sequence, offset),
  );
  return first !== undefined && last !== undefined && first <= last;
}
