import type { WireInput } from '../../model/input.ts';
import { cellTag } from '../cells/block.ts';
import { sameLane, type CodedCell } from '../cells/cell-coding.ts';
import { blankLane, sameCell } from '../compare/same-lanes.ts';
import type { LineId } from '../ids/order.ts';
import { keyColumnOf, sameLine, type StoredColumn } from '../structure/tables.ts';
import { HeldColumn } from '../tables/table-writes.ts';
import type { TableSide } from './table-side.ts';

/** A row of one side; undefined when that side has none. */
export type RowLine = LineId | undefined;

export interface RowValues {
  /** Null when the table has no key column, or the row no key. */
  readonly key: WireInput;
  /** Values of the columns that differ; undefined on a side without the row. */
  readonly before: Readonly<Record<string, WireInput>> | undefined;
  readonly after: Readonly<Record<string, WireInput>> | undefined;
  readonly columns: readonly string[];
}

/** A column on one side, if its values are entered and not calculated. */
class SideColumn {
  readonly side: TableSide;
  readonly column: StoredColumn;
  readonly #held: HeldColumn;

  constructor(side: TableSide, column: StoredColumn) {
    this.side = side;
    this.column = column;
    this.#held = new HeldColumn(side.cells, column.line);
  }

  /** Returns the content of a row's cell, in an object that the next call reuses. */
  at(row: LineId): CodedCell {
    return this.#held.at(row);
  }

  inputAt(row: LineId): WireInput {
    return this.side.inputOf(this.at(row), row, this.column);
  }
}

/** A column whose values are entered on at least one side. */
interface PairedColumn {
  /** The name of the column in the later state, else in the earlier one. */
  readonly name: string;
  readonly before: SideColumn | undefined;
  readonly after: SideColumn | undefined;
}

/**
 * The columns of a table whose values are entered on at least one side, paired once because a diff
 * may read a million rows.
 */
export class RowColumns {
  readonly #columns: readonly PairedColumn[];
  /** The columns in the order of each side, for reading values. */
  readonly #inOrder: {
    readonly before: readonly PairedColumn[];
    readonly after: readonly PairedColumn[];
  };
  readonly #keys: Readonly<Record<'before' | 'after', SideColumn | undefined>>;

  constructor(before: TableSide | undefined, after: TableSide | undefined) {
    const were = new Map(before?.entered.map((column) => [column.id, column]));
    const are = new Map(after?.entered.map((column) => [column.id, column]));
    const names = new Map(
      [before, after].flatMap(
        (side) => side?.table.columns.map(({ id, name }) => [id, name]) ?? [],
      ),
    );
    const pairs = new Map<string, PairedColumn>();
    for (const id of [...are.keys(), ...were.keys()]) {
      const [was, is] = [were.get(id), are.get(id)];
      pairs.set(id, {
        name: names.get(id) ?? '',
        before: before && was && new SideColumn(before, was),
        after: after && is && new SideColumn(after, is),
      });
    }
    const paired = (ids: Iterable<string>) => [...ids].flatMap((id) => pairs.get(id) ?? []);
    this.#columns = [...pairs.values()];
    this.#inOrder = { before: paired(were.keys()), after: paired(are.keys()) };
    this.#keys = { before: keyOf(before), after: keyOf(after) };
  }

  /** Returns whether two rows hold different values; a missing row counts as blank. */
  areUnlike(before: RowLine, after: RowLine): boolean {
    return this.#columns.some((column) => differs(column, before, after));
  }

  /** Reads the key and the differing values of a row. */
  read(before: RowLine, after: RowLine): RowValues {
    const found = new Set(this.#columns.filter((column) => differs(column, before, after)));
    const last = after ? 'after' : 'before';
    const row = after ?? before;
    return {
      key: row ? (this.#keys[last]?.inputAt(row) ?? null) : null,
      before: before && this.#inputs('before', before, found),
      after: after && this.#inputs('after', after, found),
      columns: this.#columns.filter((column) => found.has(column)).map(({ name }) => name),
    };
  }

  #inputs(
    side: 'before' | 'after',
    row: LineId,
    found: ReadonlySet<PairedColumn>,
  ): Record<string, WireInput> {
    const inputs: [string, WireInput][] = [];
    for (const pair of this.#inOrder[side]) {
      const one = found.has(pair) ? pair[side] : undefined;
      if (one) inputs.push([one.column.name, one.inputAt(row)]);
    }
    return Object.fromEntries(inputs);
  }
}

function keyOf(side: TableSide | undefined): SideColumn | undefined {
  const column = side && keyColumnOf(side.table);
  return column && new SideColumn(side, column);
}

function differs(pair: PairedColumn, before: RowLine, after: RowLine): boolean {
  const was = before ? (pair.before?.at(before) ?? blankLane) : blankLane;
  const is = after ? (pair.after?.at(after) ?? blankLane) : blankLane;
  if (sameLane(was, is)) return false;
  if (was.tag !== cellTag.formula || is.tag !== cellTag.formula) return true;
  return !before || !after || !sayTheSame(pair, { was, is }, { before, after });
}

/** Returns whether two formulas of one cell mean the same. */
function sayTheSame(
  pair: PairedColumn,
  { was, is }: { was: CodedCell; is: CodedCell },
  { before, after }: { before: LineId; after: LineId },
): boolean {
  if (!pair.before || !pair.after || !sameLine(before, after)) return false;
  const [old, now] = [pair.before.side.state, pair.after.side.state];
  const place = pair.after.side.placeOf(after, pair.after.column);
  return sameCell({ cell: was, state: old }, { cell: is, state: now }, place);
}
