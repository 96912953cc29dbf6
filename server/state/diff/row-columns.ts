import type { WireInput } from '../../model/input.ts';
import { cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import { blankLane, sameCell } from '../compare/same-lanes.ts';
import type { LineId } from '../ids/order.ts';
import { keyColumnOf, sameLine, type StoredColumn } from '../structure/tables.ts';
import { HeldColumn } from '../tables/table-writes.ts';
import { isAlike } from './changed-runs.ts';
import type { TableSide } from './table-side.ts';

/** A row of one side, by its line; undefined where it is not there. */
export type RowLine = LineId | undefined;

export interface RowValues {
  /** Null where the table has no key or the row none. */
  readonly key: WireInput;
  /** Values of the columns that differ, before and after. */
  readonly before: Readonly<Record<string, WireInput>> | undefined;
  readonly after: Readonly<Record<string, WireInput>> | undefined;
  readonly columns: readonly string[];
}

/** One column on one side, where its values are entered. */
class SideColumn {
  readonly side: TableSide;
  readonly column: StoredColumn;
  readonly #held: HeldColumn;

  constructor(side: TableSide, column: StoredColumn) {
    this.side = side;
    this.column = column;
    this.#held = new HeldColumn(side.cells, column.line);
  }

  /** The cell of a row, until the next one is asked for. */
  at(row: LineId): CodedCell {
    return this.#held.at(row);
  }

  inputAt(row: LineId): WireInput {
    return this.side.inputOf(this.at(row), row, this.column);
  }
}

/** A column that one side enters, or both. */
interface PairedColumn {
  /** The name of the column now, or its last one. */
  readonly name: string;
  readonly before: SideColumn | undefined;
  readonly after: SideColumn | undefined;
}

/**
 * The columns of a table whose values are entered on either side. They are paired once: a diff asks
 * for each of a million rows.
 */
export class RowColumns {
  readonly #columns: readonly PairedColumn[];
  /** The columns in the order of each side. */
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

  /** Returns whether rows hold different values; a row that is not there is blank. */
  areUnlike(before: RowLine, after: RowLine): boolean {
    return this.#columns.some((column) => differs(column, before, after));
  }

  /** Reads a row that is on one of the sides, or on both. */
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
  if (isAlike(was, is)) return false;
  if (was.tag !== cellTag.formula || is.tag !== cellTag.formula) return true;
  return !before || !after || !sayTheSame(pair, { was, is }, { before, after });
}

/** Formulas of one cell that were entered apart. */
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
