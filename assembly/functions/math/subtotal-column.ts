import { ERROR_DIVISION, ERROR_NUMBER, KIND_ERROR } from '../../abi';
import { columnAt } from '../../grid/sheet';
import { indexOf } from '../../indexes/column-index';
import { kindsOfRows } from '../../indexes/row-kinds';
import {
  TOTAL_COUNT,
  TOTAL_COUNT_ALL,
  TOTAL_PASSES,
  TOTAL_PRODUCT,
  TOTAL_SPAN,
  TOTAL_SUM,
} from '../../indexes/running-total';
import { SortedNumbers } from '../../indexes/sorted-numbers';
import { at } from '../../memory/pointer';
import { answerError, answerNumber, argument, failed } from '../../vm/call';
import { columnArea } from '../../vm/column-reader';
import { Area, usedAreaRows } from '../../vm/reference';
import { wordOf } from '../../vm/slot';
import { columnMoments } from '../shared/column-moments';
import {
  totalCount,
  totalError,
  totalGreatest,
  totalLeast,
  totalReference,
  totalSum,
} from '../shared/column-totals';
import { modeOfColumn } from '../shared/column-mode';
import { momentsAt } from '../shared/moments';
import { NumberList } from '../shared/number-list';
import { listOf, sortedReference } from '../shared/sorted-argument';
import { answerSpreadOf } from '../statistical/statistical-moments';
import { answerMode, middleOf } from '../statistical/statistical-order';

/**
 * SUBTOTAL's and AGGREGATE's functions of one column of which all cells count, but for errors that
 * `passes` leaves out: from what its cells share, so that n growing ones cost no n walks. Each
 * returns false where that is no way.
 */
export function answerOfColumn(which: u32, number: u32, passes: bool): bool {
  switch (which) {
    case 7:
    case 8:
    case 10:
    case 11:
      return answerSpread(which, number, passes);
    case 12:
    case 13:
      return answerSorted(which, number, passes);
    default:
      totalReference(wordOf(argument(number)), kindOfTotal(which) | (passes ? TOTAL_PASSES : 0));
      answerTotals(which);
      return true;
  }
}

function kindOfTotal(which: u32): u32 {
  if (which == 2) return TOTAL_COUNT;
  if (which == 3) return TOTAL_COUNT_ALL;
  if (which == 6) return TOTAL_PRODUCT;
  return which == 4 || which == 5 ? TOTAL_SPAN : TOTAL_SUM;
}

function answerTotals(which: u32): void {
  if (which == 2 || which == 3) return answerNumber(totalCount);
  if (totalError >= 0) return answerError(<u32>totalError);
  if (which == 9) return answerNumber(totalSum);
  if (which == 1 && totalCount == 0) return answerError(ERROR_DIVISION);
  if (which == 1) return answerNumber(totalSum / totalCount);
  if (totalCount == 0) return answerNumber(0);
  answerNumber(which == 6 ? totalSum : which == 4 ? totalGreatest : totalLeast);
}

/** 7 STDEV.S, 8 STDEV.P, 10 VAR.S, 11 VAR.P */
function answerSpread(which: u32, number: u32, passes: bool): bool {
  if (passes && holdsError(number)) return false;
  const known = columnMoments(argument(number));
  if (!known) return false;
  if (failed()) return true;
  answerSpreadOf(momentsAt(known), which == 7 || which == 10, which < 9);
  return true;
}

/** Returns whether the column of an argument has an error, or a cell that waits. */
function holdsError(number: u32): bool {
  const address = columnArea(argument(number));
  const area = at<Area>(address);
  const column = columnAt(area.sheet, area.column0);
  if (!column) return false;
  const kinds = kindsOfRows(indexOf(column), area.row0, area.row0 + usedAreaRows(address));
  return kinds >> KIND_ERROR != 0;
}

/** 12 MEDIAN, 13 MODE */
function answerSorted(which: u32, number: u32, passes: bool): bool {
  const known = sortedReference(number);
  if (!known) return false;
  const sorted = at<SortedNumbers>(known);
  if (sorted.error >= 0 && !passes) answerError(sorted.error);
  else if (which == 13) answerMode(modeOfColumn(number, sorted));
  else if (sorted.count) answerNumber(middleOf(listOf(sorted)));
  else answerError(ERROR_NUMBER);
  return true;
}

/** The numbers of an argument in order, where its column has them; or 0. They must stay as is. */
export function knownNumbers(number: u32, passes: bool): usize {
  const known = sortedReference(number);
  const isError = known != 0 && !passes && at<SortedNumbers>(known).error >= 0;
  return isError ? 0 : known;
}

/** The numbers found by knownNumbers, as a list. */
export function numbersOf(known: usize): NumberList {
  return listOf(at<SortedNumbers>(known));
}
