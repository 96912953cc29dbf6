import { blockLanes } from '../cells/block.ts';
import type { LineId } from '../ids/order.ts';
import { keyColumnOf, sameLine } from '../structure/tables.ts';
import type { ChangedRun, RunList } from './run-list.ts';
import { RowPlaces } from './row-places.ts';
import type { TableSide } from './table-side.ts';

/** Rows to look at between two pauses. */
export const rowsAtOnce = 4_096;

export interface TableSides {
  readonly before: TableSide | undefined;
  readonly after: TableSide | undefined;
}

/** Changed cells of a sheet. */
export interface SheetRuns {
  readonly sheetId: string;
  readonly runs: RunList;
}

/** Rows that only one side has, and rows of which an entered cell changed. */
export interface TouchedRows {
  /** Places, each row once. */
  readonly places: RowPlaces;
  /** Rows of both sides whose key may have changed, by position in the later state. */
  readonly rekeyed: RowMarks;
}

export function* touchedRows(
  sides: TableSides,
  { sheetId, runs }: SheetRuns,
): Generator<void, TouchedRows> {
  const { before, after } = sides;
  const touching = new Touching(sides, sheetId);
  for (const [from, to] of before?.without(after) ?? []) {
    yield* inTurns(from, to, (row) => touching.add(row, -1));
  }
  for (const [from, to] of after?.without(before) ?? []) {
    yield* inTurns(from, to, (row) => touching.add(-1, row));
  }
  let looked = 0;
  for (const run of runs) {
    touching.addRun(run);
    looked += run.count;
    if (looked < rowsAtOnce) continue;
    looked = 0;
    yield;
  }
  return touching;
}

function* inTurns(from: number, to: number, look: (row: number) => void): Generator<void, void> {
  for (let row = from; row < to; row++) {
    look(row);
    if (row % rowsAtOnce === 0) yield;
  }
}

class Touching implements TouchedRows {
  readonly places = new RowPlaces();
  readonly rekeyed: RowMarks;
  readonly #before: TableSide | undefined;
  readonly #after: TableSide | undefined;
  readonly #gone: RowMarks;
  readonly #here: RowMarks;
  readonly #entered: readonly LineId[];
  readonly #keys: readonly LineId[];
  /** Use of each column in the table, by its id. */
  readonly #known = new Map<LineId, ColumnUse>();

  constructor({ before, after }: TableSides, sheetId: string) {
    const sides = [before, after].flatMap((side) => side ?? []);
    this.#entered = sides.flatMap(({ entered }) => entered).map(({ line }) => line);
    this.#keys = sides.flatMap(({ table }) => keyColumnOf(table)?.line ?? []);
    this.#gone = new RowMarks(before);
    this.#here = new RowMarks(after);
    this.rekeyed = new RowMarks(after);
    // The runs are of one sheet; before, the table may have been on another.
    this.#before = before?.table.sheetId === sheetId ? before : undefined;
    this.#after = after?.table.sheetId === sheetId ? after : undefined;
  }

  add(was: number, is: number): void {
    const isNew = is >= 0 ? this.#here.mark(is) : this.#gone.mark(was);
    if (isNew) this.places.push(was, is);
  }

  addRun(run: ChangedRun): void {
    const { isEntered, isKey } = this.#use(run.block.columnId);
    if (!isEntered) return;
    const [before, after] = [this.#before, this.#after];
    const { fromColumn, toColumn } = run.block;
    for (let at = 0; at < run.count; at++) {
      // A run has no row for a side without the column, although that side may have the row.
      const was = fromColumn < 0 ? positionOf(before, run, at) : rowOf(before, run.fromRow, at);
      const is = toColumn < 0 ? positionOf(after, run, at) : rowOf(after, run.toRow, at);
      if (was >= 0 || is >= 0) this.add(was, is);
      if (isKey && is >= 0) this.rekeyed.mark(is);
    }
  }

  #use(column: LineId): ColumnUse {
    let use = this.#known.get(column);
    if (!use) {
      const isOne = (line: LineId) => sameLine(line, column);
      use = { isEntered: this.#entered.some(isOne), isKey: this.#keys.some(isOne) };
      this.#known.set(column, use);
    }
    return use;
  }
}

interface ColumnUse {
  readonly isEntered: boolean;
  readonly isKey: boolean;
}

function rowOf(side: TableSide | undefined, first: number, at: number): number {
  return first >= 0 && side?.has(first + at) === true ? first + at : -1;
}

function positionOf(side: TableSide | undefined, { block, lane }: ChangedRun, at: number): number {
  const { branch, sequence, index } = block.place;
  const offset = index * blockLanes + lane + at;
  return side?.positionOf({ branch, sequence, offset }) ?? -1;
}

/** A set of rows of one side of a table, by position. */
export class RowMarks {
  readonly #first: number;
  readonly #bits: Uint8Array;

  constructor(side: TableSide | undefined) {
    this.#first = side?.first ?? 0;
    this.#bits = new Uint8Array(((side?.rowCount ?? 0) >>> 3) + 1);
  }

  has(position: number): boolean {
    const at = position - this.#first;
    return ((this.#bits[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }

  /** Marks a row; returns false when it was marked already. */
  mark(position: number): boolean {
    if (this.has(position)) return false;
    const at = position - this.#first;
    this.#bits[at >>> 3] = (this.#bits[at >>> 3] ?? 0) | (1 << (at & 7));
    return true;
  }
}
