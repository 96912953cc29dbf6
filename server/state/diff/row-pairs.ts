import { rowLimit } from '../../model/address.ts';
import { cellTag } from '../cells/block.ts';
import { RowPlaces } from './row-places.ts';
import { sortedNumbers } from './sorted-numbers.ts';
import type { TableSide } from './table-side.ts';
import { rowsAtOnce, type TableSides, type TouchedRows } from './touched-rows.ts';

/** A row and its counterpart have the same key, or are the same where the table has none. */
export interface PairedRows {
  readonly places: RowPlaces;
  /** Of the indices below this, both sides are one row with one key. */
  readonly stayedCount: number;
}

/** Finds the counterpart of each row. */
export function* pairedRows(
  { before, after }: TableSides,
  { places: touched, rekeyed }: TouchedRows,
): Generator<void, PairedRows> {
  const key = (after ?? before)?.table.key;
  const isKeyed = key !== undefined && (!before || !after || before.table.key === key);
  const stays = (was: number, is: number): boolean =>
    was >= 0 && is >= 0 && !(isKeyed && rekeyed.has(is));
  const places = new RowPlaces();
  for (let at = 0; at < touched.length; at++) {
    if (at % rowsAtOnce === 0) yield;
    const [was, is] = [touched.was(at), touched.is(at)];
    if (stays(was, is)) places.push(was, is);
  }
  const stayedCount = places.length;
  const byKey = new RowsByKey(places);
  for (let at = 0; at < touched.length; at++) {
    if (at % (rowsAtOnce / 4) === 0) yield;
    const [was, is] = [touched.was(at), touched.is(at)];
    if (stays(was, is)) continue;
    if (!isKeyed) places.push(was, is);
    else {
      if (before && was >= 0) byKey.add(before, was, [was, -1]);
      if (after && is >= 0) byKey.add(after, is, [-1, is]);
    }
  }
  return { places, stayedCount };
}

/** Rows of both sides that have the same key. */
class RowsByKey {
  readonly #places: RowPlaces;
  /** Indices of rows by the tag and the number of their key. */
  readonly #known = new Map<number, Map<number, number>>();

  constructor(places: RowPlaces) {
    this.#places = places;
  }

  add(side: TableSide, position: number, [was, is]: readonly [number, number]): void {
    const { tag, number } = side.keyAt(side.idAt(position));
    let ofTag = this.#known.get(tag);
    if (!ofTag) this.#known.set(tag, (ofTag = new Map<number, number>()));
    const known = tag === cellTag.blank ? undefined : ofTag.get(number);
    const places = this.#places;
    if (known !== undefined && is < 0 && places.was(known) < 0) {
      places.put(known, was, places.is(known));
    } else if (known !== undefined && was < 0 && places.is(known) < 0) {
      places.put(known, places.was(known), is);
    } else {
      // A key that comes twice on a side is that of its first row.
      const index = places.push(was, is);
      if (known === undefined) ofTag.set(number, index);
    }
  }
}

/** Indices may be as large as this, and positions times it are exact. */
const indexLimit = 2 ** 31;

/** Indices of the rows by their position now; behind them those that are gone. */
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
