import type { Value } from '../../model/cell-value.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { StoredColumn } from '../../state/structure/tables.ts';
import { sortedRows } from '../../state/operations/sort-rows.ts';
import { textsOf, valueAt, type ColumnValues } from './column-values.ts';

export const measures = ['count', 'sum', 'average', 'min', 'max', 'distinct'] as const;
export type Measure = (typeof measures)[number];

/** A measure of a column; without one it counts rows. */
export interface Wanted {
  readonly measure: Measure;
  readonly column: StoredColumn | undefined;
  readonly values: ColumnValues | undefined;
}

export interface GroupKey {
  readonly column: StoredColumn;
  readonly values: ColumnValues;
}

export interface Group {
  readonly key: readonly Value[];
  readonly values: readonly Value[];
}

interface Sums {
  count: number;
  sum: number;
  min: number;
  max: number;
  numberCount: number;
  /** Code of the first error met; an error makes the measure one. */
  error: number | undefined;
  readonly seen: Set<string> | undefined;
}

interface OpenGroup {
  /** First of its rows: its values are those of the group. */
  readonly row: number;
  readonly sums: Sums[];
}

const rowsBetweenPauses = 4_096;

/** Groups rows by the values of columns, in Excel's order of those. */
export function* groupRows(
  rows: Uint32Array,
  { keys, wanted }: { keys: readonly GroupKey[]; wanted: readonly Wanted[] },
  state: BranchState,
): Generator<void, Group[]> {
  const groups = new Map<string, OpenGroup>();
  for (let at = 0; at < rows.length; at++) {
    if (at % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const row = rows[at] ?? 0;
    let name = '';
    for (const { values } of keys) name += `${spelled(values, row, state)}\u0000`;
    let group = groups.get(name);
    if (!group) {
      group = { row, sums: wanted.map(newSums) };
      groups.set(name, group);
    }
    for (const [index, { values }] of wanted.entries()) {
      const sums = group.sums[index];
      if (sums) add(sums, values, row, state);
    }
  }
  if (keys.length === 0 && groups.size === 0) {
    groups.set('', { row: 0, sums: wanted.map(newSums) });
  }
  const open = [...groups.values()];
  const order = yield* inOrder(open, keys, state);
  return order.flatMap((at): Group[] => {
    const group = open[at];
    if (!group) return [];
    const key = keys.map(({ values }) => valueAt(values, group.row, state));
    return [
      { key, values: wanted.map(({ measure }, index) => result(measure, group.sums[index])) },
    ];
  });
}

function* inOrder(
  groups: readonly OpenGroup[],
  keys: readonly GroupKey[],
  state: BranchState,
): Generator<void, number[]> {
  const columns = keys.map(({ values }) => ({
    lanes: {
      tags: Uint8Array.from(groups, ({ row }) => values.tags[row] ?? 0),
      numbers: Float64Array.from(groups, ({ row }) => values.numbers[row] ?? 0),
    },
    texts: textsOf(values, state),
    isDescending: false,
    type: 'auto' as const,
  }));
  return [...(yield* sortedRows(groups.length, columns, state.coding.dictionary))];
}

/** Equal for equal values: a text of a formula may be one of the dictionary as well. */
function spelled(values: ColumnValues, row: number, state: BranchState): string {
  const tag = values.tags[row] ?? cellTag.blank;
  const number = values.numbers[row] ?? 0;
  if (tag === cellTag.text) return `"${textsOf(values, state).text(number)}`;
  return tag === cellTag.blank ? '' : `${tag} ${number}`;
}

function newSums({ measure }: Wanted): Sums {
  const seen = measure === 'distinct' ? new Set<string>() : undefined;
  const none = { count: 0, sum: 0, numberCount: 0, error: undefined };
  return { ...none, min: Infinity, max: -Infinity, seen };
}

function add(sums: Sums, values: ColumnValues | undefined, row: number, state: BranchState): void {
  if (!values) {
    sums.count++;
    return;
  }
  const tag = values.tags[row] ?? cellTag.blank;
  if (tag === cellTag.blank) return;
  sums.count++;
  sums.seen?.add(spelled(values, row, state));
  const number = values.numbers[row] ?? 0;
  if (tag === cellTag.error) sums.error ??= row;
  if (tag !== cellTag.number) return;
  sums.numberCount++;
  sums.sum += number;
  if (number < sums.min) sums.min = number;
  if (number > sums.max) sums.max = number;
}

function result(measure: Measure, sums: Sums | undefined): Value {
  if (!sums) return null;
  if (measure === 'count') return sums.count;
  if (measure === 'distinct') return sums.seen?.size ?? 0;
  if (sums.error !== undefined) return { error: '#VALUE!' };
  if (measure === 'sum') return sums.sum;
  // Excel's AVERAGE of no numbers; MIN and MAX of none are no value here.
  if (sums.numberCount === 0) return measure === 'average' ? { error: '#DIV/0!' } : null;
  if (measure === 'average') return sums.sum / sums.numberCount;
  return measure === 'min' ? sums.min : sums.max;
}
