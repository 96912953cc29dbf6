import type { Value } from '../../model/cell-value.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { StoredColumn } from '../../state/structure/tables.ts';
import { sortedRows, type KeyColumn } from '../../state/operations/sort-rows.ts';
import { textsOf, valueAt, type ColumnValues } from './column-values.ts';
import { rowsBetweenPauses } from './distinct.ts';
import { equalValues } from './equal-values.ts';
import { summarised, type Measured } from './group-sums.ts';
import { WideMap } from './wide-map.ts';

export const measures = ['count', 'sum', 'average', 'min', 'max', 'distinct'] as const;
export type Measure = (typeof measures)[number];

/** A measure of a column; a count of rows without one. */
export interface Wanted {
  readonly measure: Measure;
  readonly column: StoredColumn | undefined;
  readonly values: ColumnValues | undefined;
}

export interface GroupKey {
  readonly column: StoredColumn;
  readonly values: ColumnValues;
}

/** A key or a measure by which groups are sorted, by index. */
export interface GroupOrder {
  readonly of: 'key' | 'measure';
  readonly at: number;
  readonly isDescending: boolean;
}

export interface GroupedBy {
  readonly keys: readonly GroupKey[];
  readonly wanted: readonly Wanted[];
  /** Order of groups; ties are sorted by their keys. */
  readonly order: readonly GroupOrder[];
}

export interface Group {
  readonly key: readonly Value[];
  readonly values: readonly Value[];
}

/** Sorted groups, of which only the shown ones are made, as there may be as many as rows. */
export interface Groups {
  readonly length: number;
  readonly slice: (offset: number, limit: number) => Group[];
}

export const groupsAtOnce = 1_024;

/** Groups rows by the values of columns, in Excel's order of values unless another is given. */
export function* groupRows(
  rows: Uint32Array,
  { keys, wanted, order: asked }: GroupedBy,
  state: BranchState,
): Generator<void, Groups> {
  const { ofRow, firstRows } = yield* groupsOf(rows, keys, state);
  if (keys.length === 0 && firstRows.length === 0) firstRows.push(0);
  const columns: ((group: number) => Value)[] = [];
  for (const { measure, values } of wanted) {
    const measured = { rows, ofRow, groupCount: firstRows.length, values };
    columns.push(yield* measuredBy(measure, measured, state));
  }
  const byKey = (at: number): SortKey | undefined => keyLanes(keys[at], firstRows, state);
  const byMeasure = (at: number): SortKey => measureLanes(columns[at], firstRows.length);
  const sortKeys = [
    ...asked.map(({ of, at, isDescending }) => {
      const lanes = of === 'key' ? byKey(at) : byMeasure(at);
      return { ...lanes, isDescending };
    }),
    ...keys.map((_, at) => ({ ...byKey(at), isDescending: false })),
  ].map((key) => ({ lanes: undefined, type: 'auto' as const, ...key }));
  const order = yield* sortedRows(firstRows.length, sortKeys, state.coding.dictionary);
  const groupOf = (group: number): Group => {
    const key = keys.map(({ values }) => valueAt(values, firstRows[group] ?? 0, state));
    return { key, values: columns.map((column) => column(group)) };
  };
  const slice: Groups['slice'] = (offset, limit) =>
    Array.from(order.subarray(offset, offset + limit), groupOf);
  return { length: order.length, slice };
}

interface Grouping {
  /** Group of each row, numbered from 0 in order of appearance. */
  readonly ofRow: Uint32Array;
  /** First row of each group, which has the values of its keys. */
  readonly firstRows: number[];
}

/**
 * Finds the groups, column by column: from the groups so far and the values of the next column. The
 * first column of a whole table needs no look at the rows, as its values are numbered.
 */
function* groupsOf(
  rows: Uint32Array,
  keys: readonly GroupKey[],
  state: BranchState,
): Generator<void, Grouping> {
  let ofRow: Uint32Array = new Uint32Array(rows.length);
  let firstRows = rows.length > 0 ? [rows[0] ?? 0] : [];
  for (const [place, { values }] of keys.entries()) {
    const equal = yield* equalValues(values, state);
    const { codes, count } = equal;
    if (place === 0 && isEveryRow(rows, codes.length)) {
      ofRow = codes;
      firstRows = Array.from(equal.firstRows);
      continue;
    }
    const known = new GroupNumbers(Math.max(1, firstRows.length) * count);
    const next = new Uint32Array(rows.length);
    const first: number[] = [];
    for (let at = 0; at < rows.length; at++) {
      if (at % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
      const row = rows[at] ?? 0;
      const both = (ofRow[at] ?? 0) * count + (codes[row] ?? 0);
      let group = known.get(both);
      if (group === undefined) {
        group = first.length;
        known.set(both, group);
        first.push(row);
      }
      next[at] = group;
    }
    ofRow = next;
    firstRows = first;
  }
  return { ofRow, firstRows };
}

/** Returns whether the rows are all rows of a table, in order. */
function isEveryRow(rows: Uint32Array, rowCount: number): boolean {
  return rows.length === rowCount && rows.every((row, at) => row === at);
}

/** Largest table of numbers, whose memory is small beside that of the rows. */
const denseMost = 1 << 20;

/** A map from numbers below a bound; a table for a small bound. */
class GroupNumbers {
  readonly #table: Int32Array | undefined;
  readonly #map = new WideMap();

  constructor(bound: number) {
    if (bound <= denseMost) this.#table = new Int32Array(bound).fill(-1);
  }

  get(number: number): number | undefined {
    if (!this.#table) return this.#map.get(number);
    const found = this.#table[number] ?? -1;
    return found < 0 ? undefined : found;
  }

  set(number: number, group: number): void {
    if (this.#table) this.#table[number] = group;
    else this.#map.set(number, group);
  }
}

function* measuredBy(
  measure: Measure,
  measured: Measured,
  state: BranchState,
): Generator<void, (group: number) => Value> {
  if (measure === 'distinct') {
    const counts = yield* distinctCounts(measured, state);
    return (group) => counts[group] ?? 0;
  }
  return yield* summarised(measure, measured);
}

/** Counts the distinct values of each group, without blank cells. */
function* distinctCounts(
  { rows, ofRow, groupCount, values }: Measured,
  state: BranchState,
): Generator<void, Uint32Array> {
  const counts = new Uint32Array(groupCount);
  if (!values) return counts;
  const { codes, count } = yield* equalValues(values, state);
  const seen = new WideMap();
  for (let at = 0; at < rows.length; at++) {
    if (at % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const row = rows[at] ?? 0;
    if (values.tags[row] === cellTag.blank) continue;
    const group = ofRow[at] ?? 0;
    const both = group * count + (codes[row] ?? 0);
    if (seen.get(both) !== undefined) continue;
    seen.set(both, row);
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

type SortKey = Pick<KeyColumn, 'lanes' | 'texts'>;

/** Returns the values of a key by group. */
function keyLanes(
  key: GroupKey | undefined,
  firstRows: readonly number[],
  state: BranchState,
): SortKey | undefined {
  if (!key) return undefined;
  const { tags, numbers } = key.values;
  const lanes = {
    tags: Uint8Array.from(firstRows, (row) => tags[row] ?? 0),
    numbers: Float64Array.from(firstRows, (row) => numbers[row] ?? 0),
  };
  return { lanes, texts: textsOf(key.values, state) };
}

/** Returns a measure by group; errors and missing values are last. */
function measureLanes(measured: ((group: number) => Value) | undefined, count: number): SortKey {
  const tags = new Uint8Array(count);
  const numbers = new Float64Array(count);
  for (let group = 0; group < count; group++) {
    const value = measured?.(group) ?? null;
    tags[group] = typeof value === 'number' ? cellTag.number : cellTag.blank;
    numbers[group] = typeof value === 'number' ? value : 0;
  }
  return { lanes: { tags, numbers } };
}

/** Yields the values of groups between two indexes, in stretches. */
export async function* groupStretches(
  groups: Groups,
  offset: number,
  end: number,
): AsyncGenerator<Value[][]> {
  for (let at = offset; at < end; at += groupsAtOnce) {
    yield groups.slice(at, Math.min(groupsAtOnce, end - at)).map(valuesOf);
  }
}

/** Returns the keys and then the measures of a group. */
export function valuesOf({ key, values }: Group): Value[] {
  return [...key, ...values];
}
