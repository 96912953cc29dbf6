import { cellName } from '../../model/address.ts';
import { holdsCell } from '../../model/range.ts';
import { lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import { columnOf, rowOf } from '../diff/changed-cells.ts';
import type { SheetDiff, StateDiff } from '../diff/diff.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { findFaults } from '../tables/table-check.ts';
import { dataRange, rangeOf, type StoredTable } from '../structure/tables.ts';
import { validationFault } from '../operations/validation-check.ts';
import type { ContestPlace } from './judge.ts';
import { spotOf, type Spot } from './side-cells.ts';

export const violationKinds = [
  'violation.validation',
  'violation.key',
  'violation.schema',
  'range.merge_overlap',
] as const;

/** A rule that the merged state breaks and neither side breaks alone. */
export interface Violation {
  readonly kind: (typeof violationKinds)[number];
  readonly place: ContestPlace & { readonly sheetId: string; readonly row: LineId };
  /** A sentence for people: the place in the merged state, and what is wrong. */
  readonly text: string;
}

interface Sides {
  readonly ours: BranchState;
  readonly theirs: BranchState;
  readonly merged: BranchState;
}

/** Returns whether a state has any rule that a write can break. */
export function hasRules({ records, tables }: BranchState): boolean {
  return records.count('validation') + records.count('cellmerge') + tables.all.length > 0;
}

/**
 * Lists the rules that cells changed since the base break in the merged state, and in neither side.
 * `diff` leads from the base to the merged state.
 */
export function* violationsOf(sides: Sides, diff: StateDiff): Generator<void, Violation[]> {
  const found: Violation[] = [];
  for (const sheetDiff of diff.sheets) {
    const sheet = sides.merged.structure.withId(sheetDiff.pair.id);
    if (!sheet) continue;
    for (const violation of yield* cellViolations(sides, sheetDiff, sheet)) found.push(violation);
    for (const violation of yield* tableViolations(sides, sheet)) found.push(violation);
  }
  return found;
}

const cellsBetweenPauses = 256;

function* cellViolations(
  sides: Sides,
  diff: SheetDiff,
  sheet: SheetOutline,
): Generator<void, Violation[]> {
  const found: Violation[] = [];
  const { records } = sides.merged;
  if (records.count('validation') + records.count('cellmerge') === 0) return found;
  let count = 0;
  for (const at of editedCells(diff)) {
    if (++count % cellsBetweenPauses === 0) yield;
    const cell = {
      sheetId: sheet.id,
      row: sheet.rows.idAt(at.row),
      column: sheet.columns.idAt(at.column),
    };
    for (const [kind, faultIn] of cellFaults) {
      const text = faultIn(sides.merged, sheet, at);
      if (text === undefined || isIn(sides.ours, cell, faultIn)) continue;
      if (!isIn(sides.theirs, cell, faultIn)) found.push({ kind, place: cell, text });
    }
  }
  return found;
}

type FaultIn = (state: BranchState, sheet: SheetOutline, at: Spot) => string | undefined;

const cellFaults: readonly (readonly [Violation['kind'], FaultIn])[] = [
  ['violation.validation', forbidden],
  ['range.merge_overlap', hidden],
];

function forbidden(state: BranchState, sheet: SheetOutline, at: Spot): string | undefined {
  const fault = validationFault(state, sheet, at);
  return fault && `${fault.place} takes ${fault.wanted}`;
}

/** Merged cells hide every value but that of the upper left cell. */
function hidden(
  state: BranchState,
  sheet: SheetOutline,
  { row, column }: Spot,
): string | undefined {
  const { records } = state;
  if (records.count('cellmerge') === 0 || state.inputAt(sheet, row, column) === null)
    return undefined;
  const range = { row0: row, row1: row, column0: column, column1: column };
  for (const record of records.meeting('cellmerge', sheet, range)) {
    for (const area of records.rangesOf(record, sheet)) {
      if (!holdsCell(area, { row, column })) continue;
      if (area.row0 === row && area.column0 === column) continue;
      return `${sheet.name}!${cellName(row, column)} is hidden by merged cells`;
    }
  }
  return undefined;
}

function isIn(state: BranchState, place: CellPlace, faultIn: FaultIn): boolean {
  const sheet = state.structure.withId(place.sheetId);
  if (!sheet) return false;
  const at = spotOf(sheet, place);
  return at !== undefined && faultIn(state, sheet, at) !== undefined;
}

/** Cells of the merged state that hold something else than in the base. */
export function* editedCells({ cells, collapsed }: SheetDiff): Generator<Spot> {
  for (const cell of cells) {
    if (cell.run.toRow >= 0) yield { row: rowOf(cell), column: columnOf(cell) };
  }
  for (const { first, range } of collapsed) {
    if (first.toRow < 0) continue;
    for (let { column0: column } = range; column <= range.column1; column++) {
      for (let { row0: row } = range; row <= range.row1; row++) yield { row, column };
    }
  }
}

function* tableViolations(
  { ours, theirs, merged }: Sides,
  sheet: SheetOutline,
): Generator<void, Violation[]> {
  const found: Violation[] = [];
  for (const table of merged.tables.onSheet(sheet.id)) {
    const faults = yield* tableFaults(merged, table);
    if (faults.size === 0) continue;
    for (const side of [ours, theirs]) {
      const own = side.tables.withId(table.id);
      const known = own ? yield* tableFaults(side, own) : new Map<string, Violation>();
      for (const key of known.keys()) faults.delete(key);
    }
    for (const fault of faults.values()) found.push(fault);
  }
  return found;
}

/** Finds wrong keys and values of a table; the map is keyed by kind of fault and cell. */
function* tableFaults(
  state: BranchState,
  table: StoredTable,
): Generator<void, Map<string, Violation>> {
  const faults = new Map<string, Violation>();
  const sheet = state.structure.withId(table.sheetId);
  if (!sheet) return faults;
  const data = dataRange(table, rangeOf(table, state.structure));
  const area = { sheet, data, columns: table.columns };
  const onFault = ({
    index,
    at,
    kind,
    text,
  }: {
    index: number;
    at: number;
    kind: 'key' | 'schema';
    text: string;
  }) => {
    const row = sheet.rows.idAt(data.row0 + index);
    const column = sheet.columns.idAt(data.column0 + at);
    const place = { sheetId: sheet.id, row, column, tableId: table.id };
    const cell = `${sheet.name}!${cellName(data.row0 + index, data.column0 + at)}`;
    const name = `${kind} ${lineText(row)} ${lineText(column)}`;
    faults.set(name, { kind: `violation.${kind}`, place, text: `${cell} ${text}` });
  };
  yield* findFaults(area, { key: table.key, onFault }, state.contextAt(state.structure));
  return faults;
}
