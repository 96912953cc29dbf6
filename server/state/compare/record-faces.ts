import type { JsonObject } from '../../model/plain-json.ts';
import { areaText, type Area } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import {
  firstCell,
  mapFormulas,
  placeIn,
  shiftText,
  shown,
  valueInIds,
} from '../records/record-formulas.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { LineId, Order } from '../ids/order.ts';
import type { FormulaHome } from '../cells/known-identities.ts';
import type { Structure } from '../structure/structure.ts';
import { Carrier } from '../carrier.ts';

export function areasOf({ areas }: StoredRecord): string {
  return areas.map(areaText).join();
}

/**
 * Returns the face of a record: a text of all its members in the addresses of `to`, equal for equal
 * records.
 */
export function faceOf(record: StoredRecord, from: BranchState, to: BranchState): string {
  return `${areasOf(record)} ${valueOf(record, from, to)}`;
}

/** Returns a text of a record's value, with formulas in the addresses of `to`. */
export function valueOf(record: StoredRecord, from: BranchState, to: BranchState): string {
  return JSON.stringify(carriedValue(record, from, to));
}

export function carriedValue(record: StoredRecord, from: BranchState, to: BranchState): JsonObject {
  const value = shown(record, from.structure, from.coding.formulas);
  if (from === to || !record.structure) return value;
  const carrier = new Carrier(from, to);
  return mapFormulas(value, (text) => carrier.carry(text, record.sheetId));
}

/**
 * Returns the value of a record as if it lay on areas of another state, with formulas as its first
 * cell there reads them; undefined when it has no cell.
 */
export function valueOn(
  record: StoredRecord,
  areas: readonly Area[],
  { from, to }: { readonly from: BranchState; readonly to: BranchState },
): JsonObject | undefined {
  if (!record.structure) return record.value;
  const was = firstCell(record, from.structure);
  const is = firstCell({ ...record, areas }, to.structure);
  const read = was && is && commonCell(was, is, from.structure);
  const [first, here] = [was, read].map((cell) => cell && placeIn(cell, from.structure));
  const [there, next] = [read, is].map((cell) => cell && placeIn(cell, to.structure));
  return first && here && there && next
    ? carriedFrom(record, { from, to }, { first, here, there, next })
    : undefined;
}

/**
 * Returns a cell that exists in both structures if possible: the row and the column of `is` where
 * they existed before, else those of `was`.
 */
function commonCell(was: FormulaHome, is: FormulaHome, before: Structure): FormulaHome {
  const sheet = before.withId(was.sheetId);
  return {
    sheetId: was.sheetId,
    row: hasLine(sheet?.rows, is.row) ? is.row : was.row,
    column: hasLine(sheet?.columns, is.column) ? is.column : was.column,
  };
}

type Place = NonNullable<ReturnType<typeof placeIn>>;

/**
 * Places for carrying a formula: in the earlier structure its first cell and the cell to read it
 * from, in the later one the place of that cell and the new first cell.
 */
interface Reading {
  readonly first: Place;
  readonly here: Place;
  readonly there: Place;
  readonly next: Place;
}

function carriedFrom(
  record: StoredRecord,
  { from, to }: { readonly from: BranchState; readonly to: BranchState },
  { first, here, there, next }: Reading,
): JsonObject {
  const { formulas } = to.coding;
  const carrier = new Carrier(from, to);
  return mapFormulas(shown(record, from.structure, from.coding.formulas), (text) => {
    const read = shiftText(text, { from: first, to: here }, formulas);
    const carried = from === to ? read : carrier.carry(read, record.sheetId);
    return shiftText(carried, { from: there, to: next }, formulas);
  });
}

/** Returns whether a record has the same value in a later state, wherever it lies. */
export function saysStill(
  was: StoredRecord,
  is: StoredRecord,
  { from, to }: { readonly from: BranchState; readonly to: BranchState },
): boolean {
  const value = valueOn(was, is.areas, { from, to });
  return value !== undefined && JSON.stringify(value) === valueOf(is, to, to);
}

/** Returns whether two records are equal by ids, including the ids of deleted lines in formulas. */
export function isSameRecord(a: Stated | undefined, b: Stated | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.record === b.record) return true;
  return areasOf(a.record) === areasOf(b.record) && textInIds(a) === textInIds(b);
}

interface Stated {
  readonly record: StoredRecord;
  readonly state: BranchState;
}

function textInIds({ record, state }: Stated): string {
  return JSON.stringify(valueInIds(record, state.structure, state.coding.formulas));
}

function hasLine(order: Order | undefined, { branch, sequence, offset }: LineId): boolean {
  return order?.positionOf(branch, sequence, offset) !== undefined;
}
