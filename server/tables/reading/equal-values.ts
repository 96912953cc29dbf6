import type { BranchState } from '../../state/branch-state.ts';
import { cellTag } from '../../state/cells/block.ts';
import { textsOf, type ColumnValues } from './column-values.ts';
import { distinctOf, rowsBetweenPauses, type DistinctValues } from './distinct.ts';

/** The rows of a column by their values: codes from 0 in order of appearance. */
export type EqualValues = Pick<DistinctValues, 'codes' | 'count' | 'firstRows'>;

/** The equal values of columns in memory, which go when the columns go. */
const known = new WeakMap<ColumnValues, EqualValues>();

/** Finds equal values, including texts of formulas that are also in the dictionary. */
export function* equalValues(
  values: ColumnValues,
  state: BranchState,
): Generator<void, EqualValues> {
  const before = known.get(values);
  if (before) return before;
  const distinct = yield* distinctOf(values);
  const equal = values.texts.length === 0 ? distinct : yield* joined(distinct, state);
  known.set(values, equal);
  return equal;
}

/** Joins the codes of values that are spelled alike. */
function* joined(
  { codes: given, values, count: most, firstRows: rows }: DistinctValues,
  state: BranchState,
): Generator<void, EqualValues> {
  const numbers = new Map<string, number>();
  const joint = new Uint32Array(most);
  const firstRows: number[] = [];
  for (let code = 0; code < most; code++) {
    if (code % rowsBetweenPauses === 0) yield;
    const text = spelled(values, code, state);
    let number = numbers.get(text);
    if (number === undefined) {
      number = firstRows.push(rows[code] ?? 0) - 1;
      numbers.set(text, number);
    }
    joint[code] = number;
  }
  const codes = new Uint32Array(given.length);
  for (let row = 0; row < given.length; row++) {
    if (row % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    codes[row] = joint[given[row] ?? 0] ?? 0;
  }
  return { codes, count: firstRows.length, firstRows: Uint32Array.from(firstRows) };
}

/**
 * Spells a value, equally for equal values: a text of a formula may be in the dictionary as well.
 */
function spelled(values: ColumnValues, row: number, state: BranchState): string {
  const tag = values.tags[row] ?? cellTag.blank;
  const number = values.numbers[row] ?? 0;
  if (tag === cellTag.text) return `"${textsOf(values, state).text(number)}`;
  return tag === cellTag.blank ? '' : `${tag} ${number}`;
}
