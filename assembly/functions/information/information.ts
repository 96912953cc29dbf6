import { evaluateCell, evaluateInfo, evaluateIsFormula, evaluateSheet } from './information-cell';
import { evaluateSheets } from './information-cell';
import { evaluateErrorType, evaluateIsEven, evaluateIsOdd } from './information-kind';
import { evaluateIsRef, evaluateKindTest, evaluateN, evaluateNa } from './information-kind';
import { evaluateType } from './information-kind';

/** Rows: name, fewest arguments, most, kinds, flags. The row is the case of callInformation. */
export const INFORMATION: string = `
ISBLANK 1 1 v;
ISERROR 1 1 v;
ISERR 1 1 v;
ISNA 1 1 v;
ISNUMBER 1 1 v;
ISTEXT 1 1 v;
ISNONTEXT 1 1 v;
ISLOGICAL 1 1 v;
ISREF 1 1 r;
ISEVEN 1 1 t;
ISODD 1 1 t;
ISFORMULA 1 1 r;
N 1 1 r;
NA 0 0 v;
TYPE 1 1 r;
ERROR.TYPE 1 1 v;
CELL 1 2 vr VP;
INFO 1 1 v V;
SHEET 0 1 r P;
SHEETS 0 1 r;
`;

export function callInformation(index: u32): void {
  if (index < 8) return evaluateKindTest(index);
  switch (index) {
    case 8:
      return evaluateIsRef();
    case 9:
      return evaluateIsEven();
    case 10:
      return evaluateIsOdd();
    case 11:
      return evaluateIsFormula();
    case 12:
      return evaluateN();
    case 13:
      return evaluateNa();
    case 14:
      return evaluateType();
    case 15:
      return evaluateErrorType();
    case 16:
      return evaluateCell();
    case 17:
      return evaluateInfo();
    case 18:
      return evaluateSheet();
    default:
      return evaluateSheets();
  }
}
