import {
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
} from '../../abi';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { sortDoubles } from '../../memory/sort-doubles';
import { setItemAt, setItemNumber } from '../../vm/array';
import { argument, argumentCount, fail, failure, isScalarKind, slotNumber } from '../../vm/call';
import { pay } from '../../vm/fuel';
import { burn } from '../../vm/cell-fuel';
import { kindOf } from '../../vm/slot';
import { Sparse } from '../../vm/sparse';
import { itemKind, itemNumber, itemWord, nextItem, openScan, viewPlace } from '../../vm/view';
import { MOMENTS_BYTES, Moments, clearMoments, momentsAt, squaresOfX, takeNumber } from './moments';
import { skippedRest } from './sparse-argument';

/** Cost of one step of a merge, in units of memory/work.ts. */
const MERGE_UNITS: u32 = 3;

/** A growing list of doubles in scratch. */
@unmanaged
export class NumberList {
  start: u32 = 0;
  count: u32 = 0;
  capacity: u32 = 0;
}

/** Ways to count the texts and booleans of a range. ONLY_NUMBERS skips them. */
export const ONLY_NUMBERS: u32 = 0;
/** AVERAGEA and its like: TRUE is 1, FALSE and text are 0. */
export const EVERY_VALUE: u32 = 1;
/** With either of them: a blank that is given directly, as IF(TRUE,) gives one, is 0. */
export const BLANK_IS_ZERO: u32 = 2;

export function newList(): NumberList {
  const list = at<NumberList>(scratch(offsetof<NumberList>()));
  list.start = <u32>scratch(64 << 3);
  list.count = 0;
  list.capacity = 64;
  return list;
}

export function append(list: NumberList, value: f64): void {
  if (list.count == list.capacity) {
    // Without memory for it the result is #NUM!, whatever is in the list.
    if (!burn(0)) return;
    const start = scratch(list.capacity << 4);
    memory.copy(start, list.start, (<usize>list.count) << 3);
    list.start = <u32>start;
    list.capacity <<= 1;
  }
  store<f64>(<usize>list.start + ((<usize>list.count) << 3), value);
  list.count++;
}

export function numberAt(list: NumberList, index: u32): f64 {
  return load<f64>(<usize>list.start + ((<usize>index) << 3));
}

export function setNumberAt(list: NumberList, index: u32, value: f64): void {
  store<f64>(<usize>list.start + ((<usize>index) << 3), value);
}

/** The numbers of all arguments from one on; texts and booleans given directly are converted. */
export function gather(from: u32, mode: u32): NumberList {
  const list = newList();
  for (let index = from; index < argumentCount && failure < 0; index++) {
    collect(list, argument(index), mode);
  }
  return list;
}

/** The numbers of one argument. */
export function gatherOne(index: u32): NumberList {
  const list = newList();
  collect(list, argument(index), ONLY_NUMBERS);
  return list;
}

/** Adds the numbers of one value to a list; fails with the first error. */
export function collect(list: NumberList, slot: usize, mode: u32): void {
  const kind = kindOf(slot);
  if (kind == KIND_BLANK && !(mode & BLANK_IS_ZERO)) return;
  if (isScalarKind(kind)) {
    append(list, slotNumber(slot));
    return;
  }
  const sparse: usize = mode & EVERY_VALUE ? 0 : skippedRest(slot);
  if (sparse) return collectSparse(list, at<Sparse>(sparse));
  const scan = openScan(slot);
  while (nextItem(scan)) {
    if (itemKind == KIND_NUMBER) {
      append(list, itemNumber());
    } else if (itemKind == KIND_ERROR) {
      fail(itemWord());
      return;
    } else if (mode & EVERY_VALUE) {
      append(list, itemKind == KIND_BOOLEAN ? <f64>itemWord() : 0);
    }
  }
}

function collectSparse(list: NumberList, sparse: Sparse): void {
  for (let index: u32 = 0; index < sparse.count && failure < 0; index++) {
    viewPlace(sparse, index);
    if (itemKind == KIND_NUMBER) append(list, itemNumber());
    else if (itemKind == KIND_ERROR) fail(itemWord());
  }
}

/** Sorts ascending. */
export function sortList(list: NumberList): void {
  const count = list.count;
  if (!pay(sortUnits(count))) return;
  const spare = count > 16 ? scratch(count << 3) : 0;
  list.start = <u32>sortDoubles(list.start, spare, count);
  if (spare) list.capacity = count;
}

/** Cost of sorting so many numbers, in units of memory/work.ts. */
export function sortUnits(count: u32): u32 {
  return (32 - <u32>clz(count)) * count * MERGE_UNITS;
}

/** Sum in list order. */
export function sumOf(list: NumberList): f64 {
  let sum: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) sum += numberAt(list, index);
  return sum;
}

export function meanOf(list: NumberList): f64 {
  return sumOf(list) / list.count;
}

/** Moments of the numbers of a list. */
export function momentsOf(list: NumberList): Moments {
  const moments = momentsAt(scratch(<u32>MOMENTS_BYTES));
  clearMoments(moments);
  for (let index: u32 = 0; index < list.count; index++) takeNumber(moments, numberAt(list, index));
  return moments;
}

/** Sum of squared deviations from the mean. */
export function squaredDeviations(list: NumberList): f64 {
  return squaresOfX(momentsOf(list));
}

/**
 * A number of an old Analysis ToolPak function: these refuse booleans, and an argument left empty
 * is #N/A to them.
 */
export function strictNumber(index: u32): f64 {
  const slot = argument(index);
  const kind = kindOf(slot);
  if (kind == KIND_BOOLEAN) fail(ERROR_VALUE);
  else if (kind == KIND_OMITTED) fail(ERROR_NOT_AVAILABLE);
  return kind == KIND_BOOLEAN ? 0 : slotNumber(slot);
}

/** Puts a computed number into an array; what is not finite is #NUM!. */
export function setResult(array: usize, index: u32, value: f64): void {
  if (value - value != 0) setItemAt(array, index, KIND_ERROR, ERROR_NUMBER);
  else setItemNumber(array, index, value);
}
