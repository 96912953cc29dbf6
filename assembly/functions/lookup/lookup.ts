import { evaluateHlookup, evaluateLookup, evaluateMatch, evaluateVlookup } from './lookup-match';
import { evaluateXlookup, evaluateXmatch } from './lookup-modern';
import { evaluateAddress, evaluateColumn, evaluateColumns } from './lookup-place';
import { evaluateAreas, evaluateRow, evaluateRows } from './lookup-place';
import { evaluateFieldValue, evaluateGetPivotData } from './lookup-place';
import { evaluateHyperlink, evaluateTranspose } from './lookup-place';
import { evaluateIndex, evaluateIndirect, evaluateOffset } from './lookup-reference';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callLookup. */
export const LOOKUP: string = `
VLOOKUP 3 4 vrvv;
HLOOKUP 3 4 vrvv;
LOOKUP 2 3 vaa;
MATCH 2 3 vrv;
XMATCH 2 4 vrvv;
XLOOKUP 3 6 vrrrvv;
INDEX 2 4 avvv;
OFFSET 3 5 rvvvv V;
INDIRECT 1 2 v V;
ROW 0 1 r P;
ROWS 1 1 r;
COLUMN 0 1 r P;
COLUMNS 1 1 r;
ADDRESS 2 5 v;
AREAS 1 1 r;
TRANSPOSE 1 1 a;
HYPERLINK 1 2 v;
GETPIVOTDATA 2 255 vr+v;
FIELDVALUE 2 2 v;
`;

export function callLookup(index: u32): void {
  switch (index) {
    case 0:
      return evaluateVlookup();
    case 1:
      return evaluateHlookup();
    case 2:
      return evaluateLookup();
    case 3:
      return evaluateMatch();
    case 4:
      return evaluateXmatch();
    case 5:
      return evaluateXlookup();
    case 6:
      return evaluateIndex();
    case 7:
      return evaluateOffset();
    case 8:
      return evaluateIndirect();
    case 9:
      return evaluateRow();
    case 10:
      return evaluateRows();
    case 11:
      return evaluateColumn();
    case 12:
      return evaluateColumns();
    case 13:
      return evaluateAddress();
    case 14:
      return evaluateAreas();
    case 15:
      return evaluateTranspose();
    case 16:
      return evaluateHyperlink();
    case 17:
      return evaluateGetPivotData();
    default:
      return evaluateFieldValue();
  }
}
