import { rowLimit } from '../../model/address.ts';
import { cellTag } from '../cells/block.ts';
import { blankLane } from '../compare/same-lanes.ts';
import { RowPlaces } from './row-places.ts';
import { sortedNumbers } from './sorted-numbers.ts';
import type { TableSide } from './table-side.ts';
import { rowsAtOnce, type TableSides, type TouchedRows } from './touched-rows.ts';

/** Rows paired by key or, in a table without a key, by identity. */
export interface PairedRows {
  readonly places: RowPlaces;
  /** Below this index, both sides have the same row with the same key. */
  readonly stayedCount: number;
}

/** Pairs the rows of both sides. */
export function* pairedRows(
  sides: TableSides,
  { places: touched, rekeyed }: TouchedRows,
): Generator<void, PairedRows> {
  const isKeyed = haveOneKey(sides);
  const places = new RowPlaces();
  const others = new RowPlaces();
  for (let at = 0; at < touched.length; at++) {
    if (at % rowsAtOnce === 0) yield;
    const [was, is] = [touched.was(at), touched.is(at)];
    const isRekeyed = isKeyed && rekeyed.has(is);
    (was >= 0 && is >= 0 && !isRekeyed ? places : others).push(was, is);
  }
  const stayedCount = places.length;
  const byKey = new RowsByKey(places, isKeyed);
  for (let at = 0; at < others.length; at++) {
    if (at % (rowsAtOnce / 4) === 0) yield;
    byKey.addSides(sides, others.was(at), others.is(at));
  }
  return { places, stayedCount };
}

/** Returns whether both sides have the same key column. */
function haveOneKey({ before, after }: TableSides): boolean {
  const key = (after ?? before)?.table.key;
  return key !== undefined && (!before || !after || before.table.key === key);
}

/** Pairs rows of both sides by key. */
class RowsByKey {
  readonly #places: RowPlaces;
  /** Indexes of rows by tag and number of their key. */
  readonly #known = new Map<number, Map<number, number>>();
  readonly #isKeyed: boolean;

  constructor(places: RowPlaces, isKeyed: boolean) {
    this.#places = places;
    this.#isKeyed = isKeyed;
  }

  addSides({ before, after }: TableSides, was: number, is: number): void {
    if (before && was >= 0) this.#add(before, was, [was, -1]);
    if (after && is >= 0) this.#add(after, is, [-1, is]);
  }

  #add(side: TableSide, position: number, [was, is]: readonly [number, number]): void {
    const { tag, number } = this.#isKeyed ? side.keyAt(side.idAt(position)) : blankLane;
    let ofTag = this.#known.get(tag);
    if (!ofTag) this.#known.set(tag, (ofTag = new Map<number, number>()));
    const known = tag === cellTag.blank ? undefined : ofTag.get(number);
    const places = this.#places;
    if (known !== undefined && is < 0 && places.was(known) < 0) {
      places.put(known, was, places.is(known));
    } else if (known !== undefined && was < 0 && places.is(known) < 0) {
      places.put(known, places.was(known), is);
    } else {
      // A duplicate key belongs to the first row that has it.
      const index = places.push(was, is);
      if (known === undefined) ofTag.set(number, index);
    }
  }
}

/** Largest index; a position multiplied by it is still an exact number. */
const indexLimit = 2 ** 31;

/** Returns indexes sorted by position in the later state, followed by deleted rows. */
export function* inPlace(places: RowPlaces): Generator<void, Float64Array> {
  const numbers = new Float64Array(places.length);
  for (let at = 0; at < places.length; at++) {
    if (at % rowsAtOnce === 0) yield;
    const [was, is] = [places.was(at), places.is(at)];
    numbers[at] = (is < 0 ? was + rowLimit : is) * indexLimit + at;
  }
  const sorted = yield* sortedNumbers(numbers);
  for (let at = 0; at < sorted.length; at++) {
    if (at % rowsAtOnce === 0) yield;
    sorted[at] = (sorted[at] ?? 0) % indexLimit;
  }
  return sorted;
}
