import { KIND_ARRAY, KIND_NUMBER } from '../abi';
import {
  OPERATOR_EQUAL,
  OPERATOR_GREATER,
  OPERATOR_GREATER_EQUAL,
  OPERATOR_LESS,
  OPERATOR_LESS_EQUAL,
} from '../formula/token';
import { Chunk, chunkAt, columnAt } from '../grid/sheet';
import { indexOf } from '../indexes/column-index';
import { kindsOfRows } from '../indexes/row-kinds';
import { SortedNumbers, sortedNumbers } from '../indexes/sorted-numbers';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { compareNumbers } from '../values/compare';
import { Grid, rowsOf } from './array';
import { isScalarKind } from './call';
import { columnArea } from './column-reader';
import { applyBinary, applyUnary } from './operator';
import { Area, usedAreaRows } from './reference';
import { SLOT_BYTES, kindOf, numberOf, setBoolean, setSlot, wordOf } from './slot';
import { chargeColumn } from './sparse';
import { Split, holdsFor, newSplit, splitIn } from './split';

/** Rows of a column from which it pays not to lay the comparison out. */
const ROWS_LEAST: u32 = 64;

/** Compares a column of numbers with a number; returns false for all else. */
export function compareSplit(operator: u32, left: usize, right: usize, out: usize): bool {
  const isLeft = columnArea(left) != 0;
  const address = isLeft ? columnArea(left) : columnArea(right);
  const value = isLeft ? right : left;
  if (!address || kindOf(value) != KIND_NUMBER) return false;
  const area = at<Area>(address);
  const used = usedAreaRows(address);
  const column = columnAt(area.sheet, area.column0);
  if (used < ROWS_LEAST || !column) return false;
  const kinds = kindsOfRows(indexOf(column), area.row0, area.row0 + used);
  if (kinds != 1 << KIND_NUMBER) return false;
  const split = at<Split>(scratch(offsetof<Split>()));
  split.column = <u32>column;
  split.row0 = area.row0;
  split.used = used;
  split.limit = numberOf(value);
  setOperator(split, isLeft ? operator : turned(operator));
  const items = scratch(2 * <u32>SLOT_BYTES);
  setBoolean(items, true);
  setBoolean(items + SLOT_BYTES, false);
  split.truth = <u32>items;
  split.falsehood = <u32>(items + SLOT_BYTES);
  const rows = area.row1 - area.row0 + 1;
  setSlot(out, KIND_ARRAY, newSplit(rows, split));
  chargeColumn(rows, used);
  return true;
}

/** The operator that says the same with its sides exchanged. */
function turned(operator: u32): u32 {
  if (operator == OPERATOR_LESS) return OPERATOR_GREATER;
  if (operator == OPERATOR_GREATER) return OPERATOR_LESS;
  if (operator == OPERATOR_LESS_EQUAL) return OPERATOR_GREATER_EQUAL;
  return operator == OPERATOR_GREATER_EQUAL ? OPERATOR_LESS_EQUAL : operator;
}

function setOperator(split: Split, operator: u32): void {
  const takesEqual =
    operator == OPERATOR_EQUAL ||
    operator == OPERATOR_LESS_EQUAL ||
    operator == OPERATOR_GREATER_EQUAL;
  split.holdsAt = takesEqual ? 1 : 0;
  split.holdsBelow = 1;
  split.holdsAbove = 1;
  if (operator == OPERATOR_EQUAL) split.holdsBelow = split.holdsAbove = 0;
  if (operator == OPERATOR_LESS || operator == OPERATOR_LESS_EQUAL) split.holdsAbove = 0;
  if (operator == OPERATOR_GREATER || operator == OPERATOR_GREATER_EQUAL) split.holdsBelow = 0;
}

/** An operator between a split column and one value; returns false for all else. */
export function combineSplit(operator: u32, left: usize, right: usize, out: usize): bool {
  const isLeft = splitIn(left) != 0;
  const address = isLeft ? splitIn(left) : splitIn(right);
  const value = isLeft ? right : left;
  if (!address || !isScalarKind(kindOf(value))) return false;
  const rows = rowsOf(wordOf(isLeft ? left : right));
  const array = newSplit(rows, at<Split>(address));
  const split = at<Split>(at<Grid>(array).split);
  for (let turn = 0; turn < 2; turn++) {
    const item: usize = turn ? split.truth : split.falsehood;
    if (isLeft) applyBinary(operator, item, value, item);
    else applyBinary(operator, value, item, item);
  }
  chargeColumn(rows, rows);
  setSlot(out, KIND_ARRAY, array);
  return true;
}

/** Minus, percent or plus over a split column. */
export function unarySplit(operation: u32, slot: usize): bool {
  const address = splitIn(slot);
  if (!address) return false;
  const rows = rowsOf(wordOf(slot));
  const array = newSplit(rows, at<Split>(address));
  const split = at<Split>(at<Grid>(array).split);
  applyUnary(operation, split.truth);
  applyUnary(operation, split.falsehood);
  chargeColumn(rows, 0);
  setSlot(slot, KIND_ARRAY, array);
  return true;
}

/** Counts the rows of a split column, of so many in all, for which the comparison holds. */
export function countTrue(split: Split, rows: u32): u32 {
  const end = split.row0 + split.used;
  const known = sortedNumbers(indexOf(split.column), split.row0, end);
  const count = known ? countSorted(at<SortedNumbers>(known), split) : countRows(split);
  return count + (holdsFor(split, 0) ? rows - split.used : 0);
}

function countRows(split: Split): u32 {
  let count: u32 = 0;
  for (let row = split.row0; row < split.row0 + split.used; row++) {
    const chunk = at<Chunk>(chunkAt(split.column, row >> 10));
    const value = load<f64>(<usize>chunk.values + ((<usize>(row & 1023)) << 3));
    if (holdsFor(split, value)) count++;
  }
  return count;
}

function countSorted(sorted: SortedNumbers, split: Split): u32 {
  const below = countOrdered(sorted, split.limit, -1);
  const through = countOrdered(sorted, split.limit, 0);
  let count: u32 = 0;
  if (split.holdsBelow) count += below;
  if (split.holdsAt) count += through - below;
  if (split.holdsAbove) count += sorted.count - through;
  return count;
}

/** How many sorted numbers are below a limit (-1), or at most as great (0), as operators see it. */
function countOrdered(sorted: SortedNumbers, limit: f64, orderMost: i32): u32 {
  let low: u32 = 0;
  let high = sorted.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = load<f64>(<usize>sorted.start + ((<usize>middle) << 3));
    if (compareNumbers(item, limit) <= orderMost) low = middle + 1;
    else high = middle;
  }
  return low;
}
