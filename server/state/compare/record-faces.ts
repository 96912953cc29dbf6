import type { JsonObject } from '../../model/plain-json.ts';
import { areaText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import { mapFormulas, shown } from '../records/record-formulas.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import { Carrier } from '../carrier.ts';

// Records of different states, made comparable.

export function areasOf({ areas }: StoredRecord): string {
  return areas.map(areaText).join();
}

/** Text of all members of a record (its face): equal for records that do not differ. */
export function faceOf(record: StoredRecord, from: BranchState, to: BranchState): string {
  return `${areasOf(record)} ${valueOf(record, from, to)}`;
}

/** Text of a record's value, with its formulas in the addresses of another state. */
export function valueOf(record: StoredRecord, from: BranchState, to: BranchState): string {
  return JSON.stringify(carriedValue(record, from, to));
}

export function carriedValue(record: StoredRecord, from: BranchState, to: BranchState): JsonObject {
  const value = shown(record, from.structure, from.coding.formulas);
  if (from === to || !record.structure) return value;
  const carrier = new Carrier(from, to);
  return mapFormulas(value, (text) => carrier.carry(text, record.sheetId));
}
