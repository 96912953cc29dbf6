import { evaluateDrop, evaluateTake, evaluateTrimRange } from './dynamic-cut';
import { evaluateChooseColumns, evaluateChooseRows } from './dynamic-cut';
import { evaluateFilter } from './dynamic-filter';
import { evaluateExpand, evaluateHstack, evaluateToColumn } from './dynamic-shape';
import { evaluateToRow, evaluateVstack } from './dynamic-shape';
import { evaluateWrapColumns, evaluateWrapRows } from './dynamic-shape';
import { evaluateSort, evaluateSortBy } from './dynamic-sort';
import { evaluateUnique } from './dynamic-unique';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callDynamic. */
export const DYNAMIC: string = `
FILTER 2 3 aar;
SORT 1 4 aaav;
SORTBY 2 255 a+av;
UNIQUE 1 3 avv;
TAKE 2 3 avv;
DROP 2 3 avv;
CHOOSECOLS 2 255 a;
CHOOSEROWS 2 255 a;
EXPAND 2 4 avvv;
HSTACK 1 255 +a;
VSTACK 1 255 +a;
TOCOL 1 3 avv;
TOROW 1 3 avv;
WRAPCOLS 2 3 avv;
WRAPROWS 2 3 avv;
TRIMRANGE 1 3 rvv;
`;

export function callDynamic(index: u32): void {
  switch (index) {
    case 0:
      return evaluateFilter();
    case 1:
      return evaluateSort();
    case 2:
      return evaluateSortBy();
    case 3:
      return evaluateUnique();
    case 4:
      return evaluateTake();
    case 5:
      return evaluateDrop();
    case 6:
      return evaluateChooseColumns();
    case 7:
      return evaluateChooseRows();
    case 8:
      return evaluateExpand();
    case 9:
      return evaluateHstack();
    case 10:
      return evaluateVstack();
    case 11:
      return evaluateToColumn();
    case 12:
      return evaluateToRow();
    case 13:
      return evaluateWrapColumns();
    case 14:
      return evaluateWrapRows();
    default:
      return evaluateTrimRange();
  }
}
