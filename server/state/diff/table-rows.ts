import { rowLimit } from '../../model/address.ts';
import type { WireInput } from '../../model/input.ts';
import { blockLanes, cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { LineId } from '../ids/order.ts';
import { keyColumnOf, sameLine, type StoredColumn, type StoredTable } from '../structure/tables.ts';
import { blankLane, sameCell } from '../compare/same-lanes.ts';
import { isAlike, type ChangedRun } from './changed-runs.ts';
import { changeOf, type Change, type Sides } from './sides.ts';
import { idsOf, TableSide } from './table-side.ts';

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

interface Tables {
  readonly was: StoredTable | undefined;
  readonly is: StoredTable | undefined;
}

/** Rows that came, went or hold something else, by place; those that only moved are the same. */
export function* changedRows(
  { from, to }: Sides,
  { was, is }: Tables,
  runs: readonly ChangedRun[],
): Generator<void, ChangedRow[]> {
  const before = was && new TableSide(was, from);
  const after = is && new TableSide(is, to);
  const rows = new RowPairs(before, after);
  for (const id of touchedRows(before, after, runs)) {
    rows.add(id);
    if (rows.count % blockLanes === 0) yield;
  }
  return rows.changed();
}

/** Yields each touched row once. */
function* touchedRows(
  before: TableSide | undefined,
  after: TableSide | undefined,
  runs: readonly ChangedRun[],
): Generator<LineId> {
  const known = new Set<string>();
  for (const id of touched(before, after, runs)) {
    const key = `${id.branch}.${id.sequence}.${id.offset}`;
    if (known.has(key)) continue;
    known.add(key);
    yield id;
  }
}

function* touched(
  before: TableSide | undefined,
  after: TableSide | undefined,
  runs: readonly ChangedRun[],
): Generator<LineId> {
  if (before) yield* rowsWithout(before, after);
  if (after) yield* rowsWithout(after, before);
  const sides = [before, after].flatMap((side) => side ?? []);
  const columns = sides.flatMap(({ table }) => table.columns);
  for (const run of runs) {
    const { block } = run;
    if (columns.some(({ line }) => sameLine(line, block.columnId))) {
      yield* rowsOf(run, before, after);
    }
  }
}

/** Rows that only one side of the table has. */
function* rowsWithout(side: TableSide, other: TableSide | undefined): Generator<LineId> {
  for (const span of side.spans()) {
    yield* other ? other.without(span) : idsOf(span, 0, span.length);
  }
}

function* rowsOf(
  { block, lane, count, fromRow, toRow }: ChangedRun,
  before: TableSide | undefined,
  after: TableSide | undefined,
): Generator<LineId> {
  const { branch, sequence, index } = block.place;
  for (let at = 0; at < count; at++) {
    const wasRow = fromRow >= 0 && before?.has(fromRow + at) === true;
    const isRow = toRow >= 0 && after?.has(toRow + at) === true;
    if (wasRow || isRow) yield { branch, sequence, offset: index * blockLanes + lane + at };
  }
}

interface RowPair {
  was?: LineId;
  is?: LineId;
  /** Position of the row, or its former one. */
  place: number;
}

/** Rows of both sides that have the same key. */
class RowPairs {
  readonly #before: TableSide | undefined;
  readonly #after: TableSide | undefined;
  readonly #pairs = new Map<string, RowPair>();
  readonly #byKey: boolean;
  count = 0;

  constructor(before: TableSide | undefined, after: TableSide | undefined) {
    this.#before = before;
    this.#after = after;
    const key = (after ?? before)?.table.key;
    this.#byKey = key !== undefined && (!before || !after || before.table.key === key);
  }

  add(id: LineId): void {
    this.count++;
    const [was, is] = [this.#before?.positionOf(id) ?? -1, this.#after?.positionOf(id) ?? -1];
    if (was >= 0) this.#put(this.#before, id, { was: id, place: was + rowLimit });
    if (is >= 0) this.#put(this.#after, id, { is: id, place: is });
  }

  #put(side: TableSide | undefined, id: LineId, pair: RowPair): void {
    if (!side) return;
    const { tag, number } = this.#byKey ? side.keyAt(id) : blankLane;
    const key =
      tag === cellTag.blank ? `${id.branch}.${id.sequence}.${id.offset}` : `${tag}:${number}`;
    const known = this.#pairs.get(key);
    if (known) Object.assign(known, pair, { place: Math.min(known.place, pair.place) });
    else this.#pairs.set(key, pair);
  }

  changed(): ChangedRow[] {
    const pairs = [...this.#pairs.values()].sort((a, b) => a.place - b.place);
    return pairs.flatMap((pair) => this.#changedRow(pair) ?? []);
  }

  #changedRow({ was, is }: RowPair): ChangedRow | undefined {
    const before = rowOn(this.#before, was);
    const after = rowOn(this.#after, is);
    const row = after ?? before;
    if (!row || !isChanged(before, after)) return undefined;
    const read = (): RowValues => {
      const ids = differing(before, after);
      const keyColumn = keyColumnOf(row.side.table);
      return {
        key: keyColumn ? row.side.inputAt(row.id, keyColumn) : null,
        before: before && inputsOf(before, ids),
        after: after && inputsOf(after, ids),
        columns: namesOf([this.#after, this.#before], ids),
      };
    };
    return { change: changeOf(before, after), read };
  }
}

interface Row {
  readonly side: TableSide;
  readonly id: LineId;
}

function rowOn(side: TableSide | undefined, id: LineId | undefined): Row | undefined {
  return side && id && { side, id };
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
