import { isSame } from '../compare/merged-members.ts';
import { areasOf, isSameRecord } from '../compare/record-faces.ts';
import type { BranchState } from '../branch-state.ts';
import { textsNameSameLines } from '../diff/same-references.ts';
import { moveFormula } from '../formulas/formula-text.ts';
import type { JsonObject } from '../../model/plain-json.ts';
import {
  firstCell,
  formulasOf,
  mapFormulas,
  placeIn,
  shiftText,
  shown,
} from '../records/record-formulas.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import { lineSpans, type Area } from '../structure/area.ts';
import type { LineId } from '../ids/order.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import { presentIn } from './line-merging.ts';
import { mergedText } from './merged-references.ts';
import { stateOf } from './merging.ts';
import type { SheetMerging } from './record-merging.ts';
import { isIn, isRearranged, unmovedAreas } from './record-places.ts';

/** The same record on one side. */
export interface Held {
  readonly record: StoredRecord;
  readonly state: BranchState;
}

interface Sides {
  readonly base: Held;
  readonly ours: Held;
  readonly theirs: Held;
}

/** A record of ours, with the areas and the value that it gets. */
export interface UnmovedRecord {
  readonly record: StoredRecord;
  readonly areas: readonly Area[];
  readonly value: JsonObject;
}

/**
 * Returns what both sides make of a record that neither wrote or moved, while both changed lines
 * and one of them took an end of its areas or formulas away: it covers the lines that both leave in
 * it, and new ones in between, as formulas of cells do. Undefined for all other records.
 */
export function unmovedRecord(own: SheetMerging, key: string): UnmovedRecord | undefined {
  const { merging, sheet } = own;
  const { base, ours, theirs } = merging;
  const [then, held, wanted] = [base, ours, theirs].map((state) => {
    const record = state.records.get(key);
    return record && { record, state };
  });
  if (!isRearranged(merging) || !then || !held || !wanted) return undefined;
  if ([held, wanted].every((side) => isSameRecord(then, side))) return undefined;
  const isStill = [held, wanted].every(({ record }) => areasOf(record) === areasOf(then.record));
  const isHere = isStill && held.record.areas.every((area) => isIn(area, sheet));
  const areas = isHere ? held.record.areas : unmovedAreas(own, key);
  const value = areas && valueIn(own, { base: then, ours: held, theirs: wanted }, areas);
  return areas && value && { record: held.record, areas, value };
}

/** Undefined where a side wrote the value, or no cell of the record is on all sides. */
function valueIn(
  { merging, sheet }: SheetMerging,
  { base, ours, theirs }: Sides,
  areas: readonly Area[],
): JsonObject | undefined {
  if (![ours, theirs].every((side) => isValueStill(base, side))) return undefined;
  if (!ours.record.structure) return ours.record.value;
  const to = stateOf(merging);
  const { formulas } = to.coding;
  const cell = commonCell([ours, theirs], { sheetId: sheet.id, areas, sheet });
  const [mine, their] = [ours, theirs].map((side) => cell && readIn(side, cell));
  const [from, first] = [cell, firstCell({ ...ours.record, areas }, to.structure)].map(
    (one) => one && placeIn(one, to.structure),
  );
  if (!mine || !their || !from || !first) return undefined;
  const move = { from: ours.state.structure, to: to.structure, sheetId: sheet.id };
  const others = formulasOf(their);
  let at = 0;
  return mapFormulas(mine, (text) => {
    const merged = mergedText(merging, [text, others[at++] ?? ''], sheet.id);
    const there = merged ?? moveFormula(text, move, formulas);
    return shiftText(there, { from, to: first }, formulas);
  });
}

/**
 * Returns whether a side did not write the value of a record since the base: its formulas name the
 * same lines, though deletions may have put others at the ends of their ranges.
 */
export function isValueStill(base: Held, side: Held): boolean {
  if (!base.record.structure) return isSame(base.record.value, side.record.value);
  const { sheetId, areas } = side.record;
  const sheet = side.state.structure.withId(sheetId);
  const cell = sheet && commonCell([base, side], { sheetId, areas, sheet });
  const [then, now] = [base, side].map((held) => cell && readIn(held, cell));
  if (!then || !now) return false;
  const [was, is] = [then, now].map(formulasOf);
  if (!was || !is || !isSame(withoutFormulas(then), withoutFormulas(now))) return false;
  return was.every((text, at) => {
    const other = { state: side.state, text: is[at] ?? '', sheetId };
    return textsNameSameLines({ state: base.state, text, sheetId }, other);
  });
}

function withoutFormulas(value: JsonObject): JsonObject {
  return mapFormulas(value, () => '=');
}

/** The value with its formulas as they read in a cell. */
function readIn(
  { record, state }: Held,
  cell: NonNullable<ReturnType<typeof commonCell>>,
): JsonObject | undefined {
  const { structure, coding } = state;
  const home = firstCell(record, structure);
  const [from, to] = [home && placeIn(home, structure), placeIn(cell, structure)];
  if (!from || !to) return undefined;
  return mapFormulas(shown(record, structure, coding.formulas), (text) =>
    shiftText(text, { from, to }, coding.formulas),
  );
}

interface Placed extends Pick<StoredRecord, 'sheetId' | 'areas'> {
  /** The sheet that has the areas. */
  readonly sheet: SheetOutline;
}

/** The first cell of an area that all of some states have. */
function commonCell(sides: readonly Held[], { sheetId, areas: [area], sheet }: Placed) {
  if (!area) return undefined;
  const lineOn = (axis: Axis): LineId | undefined => {
    const orders = sides.flatMap(({ state }) => {
      const on = state.structure.withId(sheetId);
      return on ? orderOf(on, axis) : [];
    });
    const ends = axis === 'row' ? area.rows : area.columns;
    return lineSpans(ends, orderOf(sheet, axis), axis)
      .flatMap((span) => orders.reduce(presentIn, [span]))
      .map(({ branch, sequence, offset }) => ({ branch, sequence, offset }))[0];
  };
  const [row, column] = [lineOn('row'), lineOn('column')];
  return row && column && { sheetId, row, column };
}
