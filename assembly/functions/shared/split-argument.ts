import { KIND_ERROR, KIND_NUMBER } from '../../abi';
import { at } from '../../memory/pointer';
import { rowsOf } from '../../vm/array';
import { repeatWork } from '../../vm/cell-fuel';
import { kindOf, numberOf, wordOf } from '../../vm/slot';
import { Split, splitIn } from '../../vm/split';
import { countTrue } from '../../vm/split-operation';

/** Units of work for an item that is read and taken. */
const ITEM_UNITS: u32 = 6;
/** Greatest item: sums of whole numbers up to it are exact in whatever order they are added. */
const ITEM_MOST: f64 = 1048576;
const SUM_MOST: f64 = 4503599627370496;

/** Rows that have the one item, and the other, of the column that `countSplit` counted. */
export let trueRows: u32 = 0;
export let falseRows: u32 = 0;

/**
 * Counts the rows of a slot that is a split column; returns the column, or 0 where a sum may depend
 * on the order in which its items are added to `before`, or meets an error.
 */
export function countSplit(slot: usize, before: f64): usize {
  const address = splitIn(slot);
  if (!address || !isWhole(before, SUM_MOST)) return 0;
  const split = at<Split>(address);
  if (!addsExactly(split.truth) || !addsExactly(split.falsehood)) return 0;
  const rows = rowsOf(wordOf(slot));
  trueRows = countTrue(split, rows);
  falseRows = rows - trueRows;
  repeatWork(<u64>rows * ITEM_UNITS);
  return address;
}

function isWhole(value: f64, most: f64): bool {
  return trunc(value) == value && abs(value) <= most;
}

function addsExactly(item: usize): bool {
  const kind = kindOf(item);
  return kind == KIND_NUMBER ? isWhole(numberOf(item), ITEM_MOST) : kind != KIND_ERROR;
}

/** The sum of the numbers of a column that `countSplit` counted. */
export function sumOfSplit(address: usize): f64 {
  const split = at<Split>(address);
  return sumOfItem(split.truth, trueRows) + sumOfItem(split.falsehood, falseRows);
}

function sumOfItem(item: usize, rows: u32): f64 {
  return kindOf(item) == KIND_NUMBER ? numberOf(item) * rows : 0;
}
