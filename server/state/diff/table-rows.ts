import { sameLine, type StoredTable } from '../structure/tables.ts';
import { RowColumns, type RowLine, type RowValues } from './row-columns.ts';
import { inPlace, pairedRows } from './row-pairs.ts';
import type { Change, Sides } from './sides.ts';
import { TableSide } from './table-side.ts';
import { rowsAtOnce, touchedRows, type SheetRuns, type TableSides } from './touched-rows.ts';

/** A changed row of a table, identified by its key or, without one, by its line. */
export interface ChangedRow {
  readonly change: Change;
  /** Reads the values of the row; not done before, because there may be many rows. */
  readonly read: () => RowValues;
}

/**
 * The changed rows of a table in order of position. There may be millions, so values are read on
 * demand.
 */
export class ChangedRows {
  readonly #sides: TableSides;
  /** Position of each row before and after, in pairs; -1 on a side without it. */
  readonly #places: Int32Array;
  readonly counts: Readonly<Record<Change, number>>;
  readonly #columns: RowColumns;

  constructor(sides: TableSides, places: Int32Array, counts: Readonly<Record<Change, number>>) {
    this.#sides = sides;
    this.#places = places;
    this.counts = counts;
    this.#columns = new RowColumns(sides.before, sides.after);
  }

  get length(): number {
    return this.#places.length / 2;
  }

  slice(from: number, to = this.length): ChangedRow[] {
    const length = Math.max(0, Math.min(to, this.length) - from);
    return Array.from({ length }, (_, at) => this.#rowAt(from + at));
  }

  #rowAt(index: number): ChangedRow {
    const [was = -1, is = -1] = this.#places.subarray(2 * index);
    const { before, after } = this.#sides;
    const read = (): RowValues => this.#columns.read(lineOn(before, was), lineOn(after, is));
    return { change: changeAt(was, is), read };
  }
}

export const noChangedRows = new ChangedRows(
  { before: undefined, after: undefined },
  new Int32Array(0),
  { added: 0, modified: 0, removed: 0 },
);

function changeAt(was: number, is: number): Change {
  if (was < 0) return 'added';
  return is < 0 ? 'removed' : 'modified';
}

interface Tables {
  readonly was: StoredTable | undefined;
  readonly is: StoredTable | undefined;
}

/** Finds rows that were added, deleted or changed; a row that only moved is not changed. */
export function* changedRows(
  { from, to }: Sides,
  { was, is }: Tables,
  found: SheetRuns,
): Generator<void, ChangedRows> {
  const sides = { before: was && new TableSide(was, from), after: is && new TableSide(is, to) };
  const { before, after } = sides;
  const { places, stayedCount } = yield* pairedRows(sides, yield* touchedRows(sides, found));
  const order = yield* inPlace(places);
  const areLike = enterAlike(sides);
  const columns = new RowColumns(before, after);
  const changed = new Int32Array(2 * order.length);
  const counts = { added: 0, modified: 0, removed: 0 };
  let count = 0;
  for (let at = 0; at < order.length; at++) {
    if (at % (rowsAtOnce / 4) === 0) yield;
    const index = order[at] ?? 0;
    const [old, now] = [places.was(index), places.is(index)];
    // A row of one side only is a change even when blank; a row that stayed was touched in a shared
    // column.
    const isKnown = old < 0 || now < 0 || (areLike && index < stayedCount);
    if (!isKnown && !columns.areUnlike(lineOn(before, old), lineOn(after, now))) continue;
    changed[2 * count] = old;
    changed[2 * count + 1] = now;
    counts[changeAt(old, now)]++;
    count++;
  }
  return new ChangedRows(sides, changed.slice(0, 2 * count), counts);
}

/** Returns whether both sides have the same columns with entered values, on the same lines. */
function enterAlike({ before, after }: TableSides): boolean {
  if (!before || !after || before.table.sheetId !== after.table.sheetId) return false;
  const [old, now] = [before.entered, after.entered];
  return (
    old.length === now.length &&
    old.every(({ id, line }) => now.some((one) => one.id === id && sameLine(one.line, line)))
  );
}

function lineOn(side: TableSide | undefined, position: number): RowLine {
  return position >= 0 ? side?.idAt(position) : undefined;
}
