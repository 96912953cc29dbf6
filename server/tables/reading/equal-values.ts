import type { BranchState } from '../../state/branch-state.ts';
import { cellTag } from '../../state/cells/block.ts';
import { textsOf, type ColumnValues } from './column-values.ts';
import { distinctOf } from './distinct.ts';

/** The rows of a column by their values. */
export interface EqualValues {
  /** Code of each row, from 0 in order of appearance; equal for equal values. */
  readonly codes: Uint32Array;
  readonly count: number;
  /** First row of each code. */
  readonly firstRows: Uint32Array;
}

const rowsBetweenPauses = 16_384;

/** The equal values of columns in memory, which go when the columns go. */
const known = new WeakMap<ColumnValues, EqualValues>();

/** Finds equal values, including texts of formulas that are also in the dictionary. */
export function* equalValues(
  values: ColumnValues,
  state: BranchState,
): Generator<void, EqualValues> {
  const before = known.get(values);
  if (before) return before;
  const { codes, values: distinct, count } = yield* distinctOf(values);
  const same = values.texts.length === 0 ? undefined : yield* spelledAlike(distinct, count, state);
  const equal = yield* numbered(codes, same, count);
  known.set(values, equal);
  return equal;
}

/** Returns the first code of those that are spelled alike, by code. */
function* spelledAlike(
  distinct: ColumnValues,
  count: number,
  state: BranchState,
): Generator<void, Uint32Array> {
  const firsts = new Map<string, number>();
  const same = new Uint32Array(count);
  for (let code = 0; code < count; code++) {
    if (code % rowsBetweenPauses === 0) yield;
    const text = spelled(distinct, code, state);
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, code);
    same[code] = first ?? code;
  }
  return same;
}

/** Numbers the codes in order of appearance, without gaps. */
function* numbered(
  given: Uint32Array,
  same: Uint32Array | undefined,
  most: number,
): Generator<void, EqualValues> {
  const codes = same ? new Uint32Array(given.length) : given;
  const numbers = new Int32Array(most).fill(-1);
  const firstRows = new Uint32Array(most);
  let count = 0;
  for (let row = 0; row < given.length; row++) {
    if (row % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const own = given[row] ?? 0;
    const code = same ? (same[own] ?? 0) : own;
    let number = numbers[code] ?? -1;
    if (number < 0) {
      number = count++;
      numbers[code] = number;
      firstRows[number] = row;
    }
    if (same) codes[row] = number;
  }
  return { codes, count, firstRows: firstRows.subarray(0, count) };
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
