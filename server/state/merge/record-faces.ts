import type { JsonObject } from '../../model/plain-json.ts';
import { areaText } from '../area.ts';
import type { BranchState } from '../branch-state.ts';
import { mapFormulas, shown } from '../record-formulas.ts';
import type { StoredRecord } from '../stored-record.ts';
import { Carrier } from './merging.ts';

// Records of different states, made comparable.

export function areasOf({ areas }: StoredRecord): string {
  return areas.map(areaText).join();
}

/** All that a record is, for comparing it. */
export function faceOf(record: StoredRecord, from: BranchState, to: BranchState): string {
  return `${areasOf(record)} ${valueOf(record, from, to)}`;
}

/** What a record says, its formulas in the addresses of another state. */
export function valueOf(record: StoredRecord, from: BranchState, to: BranchState): string {
  return JSON.stringify(carriedValue(record, from, to));
}

export function carriedValue(record: StoredRecord, from: BranchState, to: BranchState): JsonObject {
  const value = shown(record, from.structure, from.coding.formulas);
  if (from === to || !record.structure) return value;
  const carrier = new Carrier(from, to);
  return mapFormulas(value, (text) => carrier.carry(text, record.sheetId));
}
