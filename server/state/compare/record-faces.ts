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

/**
 * The value of a record on areas of another state, as its first cell there has it; undefined where
 * no cell tells.
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

/** A cell that is there before as well, if there is one: of each line that of now, if it was. */
function commonCell(was: FormulaHome, is: FormulaHome, before: Structure): FormulaHome {
  const sheet = before.withId(was.sheetId);
  return {
    sheetId: was.sheetId,
    row: hasLine(sheet?.rows, is.row) ? is.row : was.row,
    column: hasLine(sheet?.columns, is.column) ? is.column : was.column,
  };
}

type Place = NonNullable<ReturnType<typeof placeIn>>;

/** Where a formula is read before the carrying, from the first cell, and for the first one after. */
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

/** Returns whether a record says in a later state what it said, wherever it lies. */
export function saysStill(
  was: StoredRecord,
  is: StoredRecord,
  { from, to }: { readonly from: BranchState; readonly to: BranchState },
): boolean {
  const value = valueOn(was, is.areas, { from, to });
  return value !== undefined && JSON.stringify(value) === valueOf(is, to, to);
}

/** Returns whether a record is the same by identity, also where it names what is gone. */
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
