import { isSorted, mergeSort } from '../memory/sort';
import { noteLargeWork } from '../memory/work';
import { pay } from './fuel';

/** Cost of one comparison, in units of memory/work.ts; texts note their own cost beside it. */
const COMPARE_UNITS: u64 = 12;

/** `sortWords` for functions: nothing is put in order that the evaluation cannot pay for. */
export function sortItems(
  words: usize,
  spare: usize,
  count: u32,
  order: (left: u32, right: u32) => i32,
): void {
  noteLargeWork(<u64>count * COMPARE_UNITS);
  if (isSorted(words, count, order)) return;
  noteLargeWork(<u64>count * (32 - clz(count)) * COMPARE_UNITS);
  if (pay(0)) mergeSort(words, spare, count, order);
}
