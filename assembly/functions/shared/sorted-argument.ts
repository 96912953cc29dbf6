import { KIND_REFERENCE } from '../../abi';
import { columnAt } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { SortedNumbers, sortedNumbers } from '../../indexes/sorted-numbers';
import { at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import { argument, fail, failure } from '../../vm/call';
import { repeatWork } from '../../vm/cell-fuel';
import { Area, areaCountOf, areaOf, usedAreaRows } from '../../vm/reference';
import { kindOf, wordOf } from '../../vm/slot';
import { NumberList, gatherOne, sortList, sortUnits } from './number-list';

/** The sorted numbers of an area of one column where its index has them, or 0. */
export function sortedOf(area: usize): usize {
  const record = at<Area>(area);
  if (record.column0 != record.column1) return 0;
  const column = columnAt(record.sheet, record.column0);
  if (!column) return 0;
  const rows = usedAreaRows(area);
  const sorted = sortedNumbers(indexOf(column), record.row0, record.row0 + rows);
  // Every cell pays for the walk, not just those that ask first: else results would depend on that.
  if (sorted) repeatWork(rows);
  return sorted;
}

/** The same of an argument that is a reference to one area. */
export function sortedReference(number: u32): usize {
  const slot = argument(number);
  if (kindOf(slot) != KIND_REFERENCE) return 0;
  const reference = <usize>wordOf(slot);
  return areaCountOf(reference) == 1 ? sortedOf(areaOf(reference, 0)) : 0;
}

/** The numbers of one argument, sorted; they must not be changed. */
export function gatherSorted(number: u32): NumberList {
  const known = sortedReference(number);
  if (!known) {
    const list = gatherOne(number);
    if (failure < 0) sortList(list);
    return list;
  }
  const sorted = at<SortedNumbers>(known);
  if (sorted.error >= 0) fail(sorted.error);
  return listOf(sorted);
}

/** Sorted numbers as a list, which must not be changed. */
export function listOf(sorted: SortedNumbers): NumberList {
  repeatWork(sortUnits(sorted.count));
  const list = at<NumberList>(scratch(offsetof<NumberList>()));
  list.start = sorted.start;
  list.count = list.capacity = sorted.count;
  return list;
}
