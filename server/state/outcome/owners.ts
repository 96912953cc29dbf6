import type { ProtectedBranch } from '../../model/policy.ts';
import { overlaps, parseRange, type Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { columnOf, rowOf } from '../diff/changed-cells.ts';
import type { SheetDiff, StateDiff } from '../diff/diff.ts';
import type { StructureChange } from '../diff/structure-changes.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { rangeOf } from '../structure/tables.ts';

/** A part of the workbook whose owners must approve changes. */
export type OwnedPart = ProtectedBranch['owners'][number];

/** The changed part of a sheet: a range, all of it, or none of its cells. */
interface ChangedArea {
  readonly area: Range | 'all' | 'none';
  /** True if its place is in the merged state. */
  readonly isThere: boolean;
}

const everywhere = { area: 'all', isThere: true } as const;
const changesBetweenPauses = 256;

/** Yields the owned parts that a merge changes; `diff` is from its target to the merged state. */
export function* changedParts(
  owners: ProtectedBranch['owners'],
  diff: StateDiff,
): Generator<void, OwnedPart[]> {
  const placed = owners.map((owner) => ({ owner, places: placesOf(owner, diff) }));
  const changed = new Set<OwnedPart>();
  let seen = 0;
  for (const sheet of diff.sheets) {
    const { id } = sheet.pair;
    for (const change of changesOf(sheet)) {
      const found = placed.filter(({ places }) => places.some((place) => isIn(change, id, place)));
      for (const { owner } of found) changed.add(owner);
      if (++seen % changesBetweenPauses === 0) yield;
    }
  }
  return owners.filter((owner) => changed.has(owner));
}

interface OwnedPlace {
  readonly sheetId: string;
  /** Range in the addresses of either state; undefined for the whole sheet. */
  readonly from: Range | undefined;
  readonly to: Range | undefined;
}

function isIn({ area, isThere }: ChangedArea, sheetId: string, place: OwnedPlace): boolean {
  if (sheetId !== place.sheetId) return false;
  const own = isThere ? place.to : place.from;
  if (own === undefined || area === 'all') return true;
  return area !== 'none' && overlaps(area, own);
}

function placesOf({ match }: OwnedPart, { from, to }: StateDiff): OwnedPlace[] {
  const { sheet, range: text, table } = match;
  if (table !== undefined) return tablePlaces(table, { from, to });
  const sheets =
    sheet === undefined
      ? to.structure.sheets
      : [from, to].flatMap(({ structure }) => {
          return structure.withId(sheet) ?? structure.named(sheet) ?? [];
        });
  const range = text === undefined ? undefined : parseRange(text);
  return sheets.map(({ id }) => {
    const whole = { sheetId: id, from: undefined, to: undefined };
    const [was, is] = [from, to].map(({ structure }) => structure.withId(id));
    if (!range || !was || !is) return whole;
    const carried = carriedRange(range, was, is);
    return carried ? { sheetId: id, from: range, to: carried } : whole;
  });
}

function tablePlaces(idOrName: string, states: Pick<StateDiff, 'from' | 'to'>): OwnedPlace[] {
  const ranges = (['from', 'to'] as const).flatMap((side) => {
    const state: BranchState = states[side];
    const table = state.tables.withId(idOrName) ?? state.tables.named(idOrName);
    return table ? [{ side, table, range: rangeOf(table, state.structure) }] : [];
  });
  return ranges.map(({ table }) => ({
    sheetId: table.sheetId,
    from: ranges.find(({ side }) => side === 'from')?.range,
    to: ranges.find(({ side }) => side === 'to')?.range,
  }));
}

/** Carries a range to another state; undefined if an edge of it is gone. */
function carriedRange(range: Range, was: SheetOutline, is: SheetOutline): Range | undefined {
  const carry = (position: number, axis: 'rows' | 'columns') => {
    const { branch, sequence, offset } = was[axis].idAt(position);
    return is[axis].positionOf(branch, sequence, offset) ?? -1;
  };
  const { row0, row1, column0, column1 } = {
    row0: carry(range.row0, 'rows'),
    row1: carry(range.row1, 'rows'),
    column0: carry(range.column0, 'columns'),
    column1: carry(range.column1, 'columns'),
  };
  const isWhole = row0 >= 0 && column0 >= 0 && row1 >= row0 && column1 >= column0;
  return isWhole ? { row0, row1, column0, column1 } : undefined;
}

function* changesOf(diff: SheetDiff): Generator<ChangedArea> {
  for (const change of diff.structure) yield* structureAreas(change);
  for (const cell of diff.cells) {
    const [row, column] = [rowOf(cell), columnOf(cell)];
    const area = { row0: row, row1: row, column0: column, column1: column };
    yield { area, isThere: cell.run.toRow >= 0 };
  }
  for (const { range, first } of diff.collapsed) yield { area: range, isThere: first.toRow >= 0 };
  for (const { range } of diff.formats) yield { area: range, isThere: true };
  // Rules and other records are rare, so each counts as a change everywhere.
  if (diff.records.length + diff.orders.length > 0) yield everywhere;
  // Changed rows of a table are reported as cells.
  const isOther = diff.tables.some(({ change, schema }) => change !== 'modified' || schema.length);
  if (isOther) yield everywhere;
  for (const { axis, position } of diff.lines) yield { area: lines(axis, position), isThere: true };
  if (diff.names.length + diff.properties.length > 0) yield { area: 'none', isThere: true };
}

function* structureAreas(change: StructureChange): Generator<ChangedArea> {
  if (!('axis' in change)) {
    yield change.op === 'place' ? { area: 'none', isThere: true } : everywhere;
    return;
  }
  const { axis, count } = change;
  if (change.op === 'move') {
    yield { area: lines(axis, change.from, count), isThere: false };
    yield { area: lines(axis, change.to, count), isThere: true };
  } else {
    const isThere = change.op !== 'delete';
    yield { area: lines(axis, change.position, count), isThere };
  }
}

function lines(axis: 'row' | 'column', position: number, count = 1): Range {
  const last = position + count - 1;
  return axis === 'row'
    ? { row0: position, row1: last, column0: 0, column1: Number.MAX_SAFE_INTEGER }
    : { row0: 0, row1: Number.MAX_SAFE_INTEGER, column0: position, column1: last };
}
