import { rangeName, type Range } from '../../model/range.ts';
import { areaOf, rangeOf, type Area, type Ends } from '../structure/area.ts';
import { LineMap } from '../structure/line-map.ts';
import type { Order } from '../ids/order.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { isSame } from '../compare/merged-members.ts';
import { areasOf, faceOf, saysStill, valueOn } from '../compare/record-faces.ts';
import type { Side } from './judge.ts';
import { mergedArea } from './merged-references.ts';
import { stateOf, type Merging } from './merging.ts';
import type { SheetMerging } from './record-merging.ts';

/**
 * Returns whether a record lies where its lines went since the common ancestor, so nobody moved it.
 */
export function isFollowed(
  { common, ours }: Pick<Merging, 'common' | 'ours'>,
  left: StoredRecord,
  held: StoredRecord,
): boolean {
  const was = common.structure.withId(left.sheetId);
  const is = ours.structure.withId(held.sheetId);
  if (!was || is?.id !== was.id) return false;
  // Equal ends: new lines in between belong to it too.
  if (areasOf(left) === areasOf(held)) return true;
  const expected = left.areas.flatMap((area) => placeOf(area, was, is) ?? []);
  const places = held.areas.flatMap((area) => rangeOf(area, is) ?? []);
  return isSame(expected.map(rangeName), places.map(rangeName));
}

/** Carries an area from one sheet structure to another; deleted ends shrink it. */
function placeOf(area: Area, was: SheetOutline, is: SheetOutline): Range | undefined {
  const range = rangeOf(area, was);
  const rows = range && new LineMap(was, is, 'row').range(range.row0, range.row1);
  const columns = range && new LineMap(was, is, 'column').range(range.column0, range.column1);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] };
}

/** Returns whether the ends of an area exist, in the right order. */
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

/** Returns the face (canonical form) of a record of ours as if it lay on other areas. */
export function faceOn(
  { merging }: SheetMerging,
  held: StoredRecord,
  areas: readonly Area[],
): string {
  const [from, to] = [merging.ours, stateOf(merging)];
  if (areas === held.areas) return faceOf(held, from, to);
  return `${areasOf({ ...held, areas })} ${JSON.stringify(valueOn(held, areas, { from, to }))}`;
}

/**
 * Carries the areas of a record along the moves of the other side; undefined when these touch none
 * of its ends.
 */
export function carriedAreas(
  { sheet, ends }: SheetMerging,
  { areas, sheetId }: StoredRecord,
  side: Side,
): readonly Area[] | undefined {
  const own = ends[side];
  const was = own.from.withId(sheetId);
  if (!was) return undefined;
  const ranges = areas.flatMap((area) => rangeOf(area, was) ?? []);
  if (!ranges.some((range) => own.areMoved(sheetId, range))) return undefined;
  return ranges.flatMap((range) => {
    const placed = own.range(sheetId, range);
    return placed ? [areaOf(sheet, placed)] : [];
  });
}

/** Returns whether both sides changed sheets or lines, and all of theirs is taken. */
export function isRearranged({ base, ours, theirs, scope }: Merging): boolean {
  const { digest } = base.structure;
  return !scope && ours.structure.digest !== digest && theirs.structure.digest !== digest;
}

/**
 * Returns the areas that both sides leave of a record that neither moved, where one of them deleted
 * an end: new lines in between belong to it. Undefined for all other records.
 */
export function unmovedAreas(own: SheetMerging, key: string): readonly Area[] | undefined {
  const { merging, sheet } = own;
  const { common, ours, theirs } = merging;
  const [then, held, wanted] = [common, ours, theirs].map(({ records }) => records.get(key));
  if (!isRearranged(merging) || !then || !held || !wanted) return undefined;
  if ([held, wanted].every((record) => areasOf(record) === areasOf(then))) return undefined;
  if (carriedAreas(own, held, 'ours') ?? carriedAreas(own, wanted, 'theirs')) return undefined;
  if (!isFollowed(merging, then, held)) return undefined;
  if (!isFollowed({ common, ours: theirs }, then, wanted)) return undefined;
  const [mine, their] = [
    [held, ours.structure.withId(sheet.id)] as const,
    [wanted, theirs.structure.withId(sheet.id)] as const,
  ].map(([record, on]) => record.areas.flatMap((area) => (on && rangeOf(area, on)) ?? []));
  const merged = held.areas.flatMap(({ rows, columns }, at) => {
    const [range, other] = [mine?.[at], their?.[at]];
    const both = range && other && mergedArea(merging, sheet.id, [range, other]);
    const area = both && areaOf(sheet, both);
    return area ? { rows: rows && area.rows, columns: columns && area.columns } : [];
  });
  const isWhole = [mine, their, merged].every((list) => list?.length === held.areas.length);
  return isWhole && merged.length === wanted.areas.length ? merged : undefined;
}

/**
 * Returns the areas for a record of theirs: those of ours when theirs did not move it, else its
 * own, carried into the merged sheet.
 */
export function areasFor(own: SheetMerging, wanted: StoredRecord): readonly Area[] {
  const { merging, was, sheet } = own;
  const key = recordKey(wanted);
  const unmoved = unmovedAreas(own, key) ?? areasBack(own, wanted);
  if (unmoved) return unmoved;
  const isLeftSo = [merging.common, merging.base].every(({ records }) => {
    const then = records.get(key);
    return then && areasOf(then) === areasOf(wanted);
  });
  // Both are compared: ours has lost the lines that it deleted and the merge keeps.
  const held = isLeftSo ? heldAreas(own, key) : undefined;
  if (held) return held;
  const carried = carriedAreas(own, wanted, 'theirs');
  if (carried) return carried;
  return wanted.areas.flatMap((area) => {
    if (isIn(area, sheet)) return [area];
    const placed = placeOf(area, was, sheet);
    return placed ? [areaOf(sheet, placed)] : [];
  });
}

/**
 * Returns where a thread stands whose cells theirs deleted and the merge keeps: it is not where the
 * deletion put it. Undefined for all other records.
 */
function areasBack(own: SheetMerging, wanted: StoredRecord): readonly Area[] | undefined {
  const { merging, was, sheet } = own;
  const key = recordKey(wanted);
  const then = wanted.type === 'thread' ? merging.common.records.get(key) : undefined;
  if (!then || then.areas.every((area) => isIn(area, was))) return undefined;
  if (!then.areas.every((area) => isIn(area, sheet))) return undefined;
  return heldAreas(own, key) ?? then.areas;
}

/** Returns the areas of a record of ours: as they were, or what the merge of lines left of them. */
export function heldAreas(own: SheetMerging, key: string): readonly Area[] | undefined {
  const { merging, sheet } = own;
  const held = merging.ours.records.get(key);
  const carried = held && carriedAreas(own, held, 'ours');
  const placed = carried ?? unmovedAreas(own, key);
  if (placed) return placed;
  if (held?.areas.every((area) => isIn(area, sheet))) return held.areas;
  return stateOf(merging).records.get(key)?.areas;
}

/**
 * Returns the record of ours that vanished with lines which are back, if theirs did not change its
 * value; undefined otherwise.
 */
export function recordAgain(
  { merging, sheet }: SheetMerging,
  wanted: StoredRecord,
): StoredRecord | undefined {
  const { theirs, base, ours } = merging;
  const [left, held, now] = [base, ours, stateOf(merging)].map(({ records }) =>
    records.get(recordKey(wanted)),
  );
  if (!left || !held || now) return undefined;
  const isThere = held.areas.every((area) => isIn(area, sheet));
  return isThere && saysStill(left, wanted, { from: base, to: theirs }) ? held : undefined;
}

/**
 * Returns the areas that a record of ours had, if it should be put back there; undefined when it
 * follows its lines.
 */
export function stillAreas(
  { merging, sheet }: SheetMerging,
  key: string,
  held: StoredRecord,
): readonly Area[] | undefined {
  const { theirs, base } = merging;
  // A record that only ours has follows its lines.
  const isNew = !theirs.records.get(key) && !base.records.get(key) && held.id !== '';
  if (isNew || held === stateOf(merging).records.get(key)) return undefined;
  return held.areas.every((area) => isIn(area, sheet)) ? held.areas : undefined;
}
