import type { WireInput } from '../../model/input.ts';
import { cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { LineId } from '../ids/order.ts';
import { keyColumnOf, sameLine, type StoredColumn, type StoredTable } from '../structure/tables.ts';
import { blankLane, sameCell } from '../compare/same-lanes.ts';
import { isAlike } from './changed-runs.ts';
import { inPlace, pairedRows } from './row-pairs.ts';
import type { Change, Sides } from './sides.ts';
import { TableSide } from './table-side.ts';
import { rowsAtOnce, touchedRows, type SheetRuns, type TableSides } from './touched-rows.ts';

/** A row of a table, known by its key, or by itself where the table has none. */
export interface ChangedRow {
  readonly change: Change;
  /** Reads the values of the row, only when somebody looks at it. */
  readonly read: () => RowValues;
}

export interface RowValues {
  /** Null where the table has no key or the row none. */
  readonly key: WireInput;
  /** Values of the columns that differ, before and after. */
  readonly before: Readonly<Record<string, WireInput>> | undefined;
  readonly after: Readonly<Record<string, WireInput>> | undefined;
  readonly columns: readonly string[];
}

/** Rows that differ, by place: there may be millions, so each is read when somebody looks at it. */
export class ChangedRows {
  readonly #sides: TableSides;
  /** Positions of each row before and after, -1 where it is not there. */
  readonly #places: Int32Array;
  readonly counts: Readonly<Record<Change, number>>;

  constructor(sides: TableSides, places: Int32Array, counts: Readonly<Record<Change, number>>) {
    this.#sides = sides;
    this.#places = places;
    this.counts = counts;
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
    const read = (): RowValues => rowValues(rowOn(before, was), rowOn(after, is), this.#sides);
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

/** Rows that came, went or hold something else, by place; those that only moved are the same. */
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
  const changed = new Int32Array(2 * order.length);
  const counts = { added: 0, modified: 0, removed: 0 };
  let count = 0;
  for (let at = 0; at < order.length; at++) {
    if (at % (rowsAtOnce / 4) === 0) yield;
    const index = order[at] ?? 0;
    const [old, now] = [places.was(index), places.is(index)];
    // A row that stayed was touched in a column that both sides enter.
    const isKnown = areLike && index < stayedCount;
    if (!isKnown && !isChanged(rowOn(before, old), rowOn(after, now))) continue;
    changed[2 * count] = old;
    changed[2 * count + 1] = now;
    counts[changeAt(old, now)]++;
    count++;
  }
  return new ChangedRows(sides, changed.slice(0, 2 * count), counts);
}

/** The same columns are entered, at the same lines. */
function enterAlike({ before, after }: TableSides): boolean {
  if (!before || !after || before.table.sheetId !== after.table.sheetId) return false;
  const [old, now] = [before.entered, after.entered];
  return (
    old.length === now.length &&
    old.every(({ id, line }) => now.some((one) => one.id === id && sameLine(one.line, line)))
  );
}

function rowValues(before: Row | undefined, after: Row | undefined, sides: TableSides): RowValues {
  const ids = differing(before, after);
  const row = after ?? before;
  const keyColumn = row && keyColumnOf(row.side.table);
  return {
    key: row && keyColumn ? row.side.inputAt(row.id, keyColumn) : null,
    before: before && inputsOf(before, ids),
    after: after && inputsOf(after, ids),
    columns: namesOf([sides.after, sides.before], ids),
  };
}

interface Row {
  readonly side: TableSide;
  readonly id: LineId;
}

function rowOn(side: TableSide | undefined, position: number): Row | undefined {
  return side && position >= 0 ? { side, id: side.idAt(position) } : undefined;
}

/** Ids of the columns that do not hold the same. */
function differing(before: Row | undefined, after: Row | undefined): string[] {
  return columnIds(before, after).filter((id) => differs(id, before, after));
}

function isChanged(before: Row | undefined, after: Row | undefined): boolean {
  return columnIds(before, after).some((id) => differs(id, before, after));
}

function columnIds(before: Row | undefined, after: Row | undefined): string[] {
  const ids = [after, before].flatMap((row) => row?.side.entered ?? []).map(({ id }) => id);
  return [...new Set(ids)];
}

function differs(id: string, before: Row | undefined, after: Row | undefined): boolean {
  const [old, now] = [cellOf(before, id), cellOf(after, id)];
  return !isAlike(old.cell, now.cell) && !meansTheSame(old, now);
}

interface RowCell {
  readonly cell: CodedCell;
  readonly row: Row | undefined;
  readonly column: StoredColumn | undefined;
}

function cellOf(row: Row | undefined, id: string): RowCell {
  const column = row?.side.entered.find((one) => one.id === id);
  const cell = row && column ? row.side.cellAt(row.id, column) : blankLane;
  return { cell, row, column };
}

/** Formulas of one cell that were entered apart. */
function meansTheSame(old: RowCell, now: RowCell): boolean {
  if (old.cell.tag !== cellTag.formula || now.cell.tag !== cellTag.formula) return false;
  if (!old.row || !now.row || !now.column || !sameLine(old.row.id, now.row.id)) return false;
  const place = now.row.side.placeOf(now.row.id, now.column);
  const [was, is] = [old.row.side.state, now.row.side.state];
  return sameCell({ cell: old.cell, state: was }, { cell: now.cell, state: is }, place);
}

function inputsOf({ side, id }: Row, ids: readonly string[]): Record<string, WireInput> {
  const columns = side.entered.filter((column) => ids.includes(column.id));
  return Object.fromEntries(columns.map((column) => [column.name, side.inputAt(id, column)]));
}

/** Names of the columns now, or their last ones. */
function namesOf(sides: readonly (TableSide | undefined)[], ids: readonly string[]): string[] {
  const columns = sides.flatMap((side) => side?.table.columns ?? []);
  return ids.flatMap((id) => columns.find((column) => column.id === id)?.name ?? []);
}
