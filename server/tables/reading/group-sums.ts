import type { Value } from '../../model/cell-value.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { ColumnValues } from './column-values.ts';
import { rowsBetweenPauses } from './distinct.ts';

export interface Measured {
  readonly rows: Uint32Array;
  /** Group of each of the rows. */
  readonly ofRow: Uint32Array;
  readonly groupCount: number;
  /** Values by row of the table; all rows are counted without them. */
  readonly values: ColumnValues | undefined;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Adds a stretch of rows to a measure of each group. */
type Adding = (stretch: Stretch) => void;

interface Summary {
  readonly add: Adding;
  readonly valueOf: (group: number) => Value;
}

export type SummaryMeasure = 'count' | 'sum' | 'average' | 'min' | 'max';

/** Measures each group; `sum`, `average`, `min` and `max` of a group with an error are #VALUE!. */
export function* summarised(
  measure: SummaryMeasure,
  measured: Measured,
): Generator<void, (group: number) => Value> {
  const { add, valueOf } = summaryOf(measure, measured);
  const { length } = measured.rows;
  for (let from = 0; from < length; from += rowsBetweenPauses) {
    add({ from, to: Math.min(length, from + rowsBetweenPauses) });
    yield;
  }
  return valueOf;
}

function summaryOf(measure: SummaryMeasure, measured: Measured): Summary {
  if (measure === 'count') return counted(measured);
  if (measure === 'sum' || measure === 'average') return added(measure, measured);
  return extreme(measure, measured);
}

function counted({ rows, ofRow, groupCount, values }: Measured): Summary {
  const counts = new Float64Array(groupCount);
  const tags = values?.tags;
  const add = ({ from, to }: Stretch): void => {
    for (let at = from; at < to; at++) {
      if (tags && tags[rows[at] ?? 0] === cellTag.blank) continue;
      const group = ofRow[at] ?? 0;
      counts[group] = (counts[group] ?? 0) + 1;
    }
  };
  return { add, valueOf: (group) => counts[group] ?? 0 };
}

function added(measure: 'sum' | 'average', measured: Measured): Summary {
  const { rows, ofRow, groupCount } = measured;
  const { tags, numbers } = lanesOf(measured);
  const sums = new Float64Array(groupCount);
  const counts = new Uint32Array(groupCount);
  const errors = new Uint8Array(groupCount);
  const add = ({ from, to }: Stretch): void => {
    for (let at = from; at < to; at++) {
      const row = rows[at] ?? 0;
      const group = ofRow[at] ?? 0;
      const tag = tags[row];
      if (tag === cellTag.number) {
        sums[group] = (sums[group] ?? 0) + (numbers[row] ?? 0);
        counts[group] = (counts[group] ?? 0) + 1;
      } else if (tag === cellTag.error) errors[group] = 1;
    }
  };
  const valueOf = (group: number): Value => {
    if (errors[group] === 1) return { error: '#VALUE!' };
    const sum = sums[group] ?? 0;
    const count = counts[group] ?? 0;
    if (measure === 'sum') return sum;
    // AVERAGE of no numbers is an error as in Excel.
    return count === 0 ? { error: '#DIV/0!' } : sum / count;
  };
  return { add, valueOf };
}

function extreme(measure: 'min' | 'max', measured: Measured): Summary {
  const { rows, ofRow, groupCount } = measured;
  const { tags, numbers } = lanesOf(measured);
  const none = measure === 'min' ? Infinity : -Infinity;
  const extremes = new Float64Array(groupCount).fill(none);
  const errors = new Uint8Array(groupCount);
  const isFurther =
    measure === 'min'
      ? (number: number, than: number) => number < than
      : (number: number, than: number) => number > than;
  const add = ({ from, to }: Stretch): void => {
    for (let at = from; at < to; at++) {
      const row = rows[at] ?? 0;
      const group = ofRow[at] ?? 0;
      const tag = tags[row];
      if (tag === cellTag.error) errors[group] = 1;
      if (tag !== cellTag.number) continue;
      const number = numbers[row] ?? 0;
      if (isFurther(number, extremes[group] ?? none)) extremes[group] = number;
    }
  };
  const valueOf = (group: number): Value => {
    if (errors[group] === 1) return { error: '#VALUE!' };
    const found = extremes[group] ?? none;
    // MIN and MAX of no numbers have no value.
    return found === none ? null : found;
  };
  return { add, valueOf };
}

const noLanes = { tags: new Uint8Array(), numbers: new Float64Array() };

/** Returns the values of the measured column; a measure without one has only blank cells. */
function lanesOf({ values }: Measured): Pick<ColumnValues, 'tags' | 'numbers'> {
  return values ?? noLanes;
}
