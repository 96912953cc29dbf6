import { recordTypes, type RecordType } from '../../model/record.ts';
import { rangeName } from '../../model/range.ts';
import { rangeOf } from '../structure/area.ts';
import { orderOn } from '../records/format-order.ts';
import { LineMap } from '../structure/line-map.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { saysStill } from '../compare/record-faces.ts';
import { changeOf, type Change, type SheetPair, type Sides } from './sides.ts';

/** A changed note, rule, link or other record. */
export interface ChangedRecord {
  readonly change: Change;
  readonly type: RecordType;
  readonly was: StoredRecord | undefined;
  readonly is: StoredRecord | undefined;
}

/** A changed order of the conditional formats that both states have. */
export interface ChangedOrder {
  readonly was: readonly string[];
  readonly is: readonly string[];
}

/** Compares the records of a sheet; sorted by type and key. */
export function changedRecords(sides: Sides, { was, is }: SheetPair): ChangedRecord[] {
  const { from, to } = sides;
  return recordTypes.flatMap((type) => {
    const before = byKey(was ? from.records.on(type, was) : []);
    const after = byKey(is ? to.records.on(type, is) : []);
    const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
    return keys.flatMap((key): ChangedRecord[] => {
      const [held, other] = [before.get(key), after.get(key)];
      if (held === other) return [];
      const isSame = held && other && was && is && isAlike({ held, other }, { was, is }, sides);
      return isSame ? [] : [{ change: changeOf(held, other), type, was: held, is: other }];
    });
  });
}

export function changedOrder({ from, to }: Sides, { was, is }: SheetPair): ChangedOrder[] {
  if (!was || !is) return [];
  const [before, after] = [orderOn(was, from), orderOn(is, to)];
  const held = before.filter((id) => after.includes(id));
  const now = after.filter((id) => before.includes(id));
  return held.join() === now.join() ? [] : [{ was: before, is: after }];
}

function byKey(records: readonly StoredRecord[]): Map<string, StoredRecord> {
  return new Map(records.map((record) => [recordKey(record), record]));
}

/**
 * Returns whether a record has the same value and lies on the same lines, apart from deleted ones.
 */
function isAlike(
  { held, other }: { readonly held: StoredRecord; readonly other: StoredRecord },
  sheets: { readonly was: SheetOutline; readonly is: SheetOutline },
  { from, to }: Sides,
): boolean {
  if (carriedPlaces(held, sheets) !== placesOf(other, sheets.is)) return false;
  return saysStill(held, other, { from, to });
}

function placesOf({ areas }: StoredRecord, sheet: SheetOutline): string {
  return areas
    .flatMap((area) => rangeOf(area, sheet) ?? [])
    .map(rangeName)
    .join();
}

/** Returns the ranges that a record would have in the later state if nobody had changed it. */
function carriedPlaces(
  { areas }: StoredRecord,
  { was, is }: { readonly was: SheetOutline; readonly is: SheetOutline },
): string {
  const [rows, columns] = [new LineMap(was, is, 'row'), new LineMap(was, is, 'column')];
  const ranges = areas.flatMap((area) => {
    const range = rangeOf(area, was);
    const row = range && rows.range(range.row0, range.row1);
    const column = range && columns.range(range.column0, range.column1);
    if (!row || !column) return [];
    return [{ row0: row[0], row1: row[1], column0: column[0], column1: column[1] }];
  });
  return ranges.map(rangeName).join();
}
