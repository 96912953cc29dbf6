import { rangeName, type Range } from '../../model/range.ts';
import { rangeOf, type Area, type Ends } from '../structure/area.ts';
import { LineMap } from '../structure/line-map.ts';
import type { Order } from '../ids/order.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { Axis, SheetOutline } from '../structure/structure.ts';
import { isSame } from '../compare/merged-members.ts';
import { areasOf } from '../compare/record-faces.ts';
import { movesOn, type LastMoves } from './line-moves.ts';
import type { Merging } from './merging.ts';

// Places of records whose lines moved.

/** Returns whether a record of the common base lies exactly where its lines went. */
export function isFollowed(
  { common, ours }: Pick<Merging, 'common' | 'ours'>,
  left: StoredRecord,
  held: StoredRecord,
): boolean {
  const was = common.structure.withId(left.sheetId);
  const is = ours.structure.withId(held.sheetId);
  if (!was || is?.id !== was.id) return false;
  // Lines that are new in between are still of it.
  if (areasOf(left) === areasOf(held)) return true;
  const expected = left.areas.flatMap((area) => placeOf(area, was, is) ?? []);
  const places = held.areas.flatMap((area) => rangeOf(area, is) ?? []);
  return isSame(expected.map(rangeName), places.map(rangeName));
}

/** Carries an area of one structure into another, without ends that are gone. */
export function placeOf(area: Area, was: SheetOutline, is: SheetOutline): Range | undefined {
  const range = rangeOf(area, was);
  const rows = range && new LineMap(was, is, 'row').range(range.row0, range.row1);
  const columns = range && new LineMap(was, is, 'column').range(range.column0, range.column1);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] };
}

/** The lines of one axis that the other side moved, by the operation that moved them last. */
export type MovedBy = (axis: Axis) => LastMoves | undefined;

export function movedByOurs({ moves }: Merging, sheetId: string): MovedBy {
  const known = new Map<Axis, LastMoves | undefined>();
  return (axis) => {
    if (!known.has(axis)) known.set(axis, movesOn(moves?.lines?.ours, sheetId, axis));
    return known.get(axis);
  };
}

/**
 * Carries an area of one side into the merged sheet, as the moves of the other side would have
 * carried it: an end that was moved away from the rest slides inwards, as one that was deleted.
 */
export function mergedPlace(
  area: Area,
  { was, is }: { readonly was: SheetOutline; readonly is: SheetOutline },
  movedBy: MovedBy,
): Range | undefined {
  const range = rangeOf(area, was);
  if (!range) return undefined;
  const rows = mergedEnds([range.row0, range.row1], new LineMap(was, is, 'row'), {
    order: was.rows,
    moves: movedBy('row'),
  });
  const columns = mergedEnds([range.column0, range.column1], new LineMap(was, is, 'column'), {
    order: was.columns,
    moves: movedBy('column'),
  });
  if (!rows || !columns) return undefined;
  return { row0: rows[0], column0: columns[0], row1: rows[1], column1: columns[1] };
}

type Stretch = readonly [from: number, to: number];

function mergedEnds(
  [from, to]: Stretch,
  map: LineMap,
  { order, moves }: { readonly order: Order; readonly moves: LastMoves | undefined },
): Stretch | undefined {
  const isMoved = (position: number) => moves?.of(order.idAt(position)) !== undefined;
  const isWhole = !moves || map.unchanged || (!isMoved(from) && !isMoved(to));
  if (isWhole) return map.range(from, to);
  const parts = partsOf([from, to], { order, moves }).flatMap((part) =>
    map.pieces(part.from, part.count).map(({ position, length }) => {
      return { from: position, to: position + length - 1, isMoved: part.isMoved };
    }),
  );
  const stayed = parts.filter((part) => !part.isMoved);
  if (stayed.length === 0) return map.range(from, to);
  let ends: Stretch = [
    Math.min(...stayed.map((part) => part.from)),
    Math.max(...stayed.map((part) => part.to)),
  ];
  // Lines that were moved and stand beside those that stayed are still among them.
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    const isBeside = part.from <= ends[1] + 1 && part.to >= ends[0] - 1;
    if (isBeside) ends = [Math.min(ends[0], part.from), Math.max(ends[1], part.to)];
  }
  return ends;
}

/** Stretches of positions that one operation moved last, or none. */
function partsOf(
  [from, to]: Stretch,
  { order, moves }: { readonly order: Order; readonly moves: LastMoves },
) {
  let position = from;
  return order.spansAt(from, to - from + 1).flatMap((span) => {
    const end = span.offset + span.length;
    const cuts = [...new Set([...moves.cutsOf(span), end])].toSorted((a, b) => a - b);
    let { offset } = span;
    return cuts.map((cut) => {
      const part = {
        from: position,
        count: cut - offset,
        isMoved: !!moves.of({ ...span, offset }),
      };
      position += part.count;
      offset = cut;
      return part;
    });
  });
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
