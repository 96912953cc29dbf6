import {
  evaluateAccrint,
  evaluateAccrintm,
  evaluateAmordegrc,
  evaluateAmorlinc,
} from './bond-accrued';
import {
  evaluateDiscount,
  evaluatePriceMat,
  evaluateTbillEq,
  evaluateTbillPrice,
  evaluateTbillYield,
  evaluateYieldMat,
} from './bond-discount';
import { evaluateOddFirst, evaluateOddLast } from './bond-odd';
import { evaluateCoupon, evaluateDuration, evaluatePrice, evaluateYield } from './bond-price';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callBond. */
export const BONDS: string = `
COUPDAYBS 3 4 t;
COUPDAYS 3 4 t;
COUPDAYSNC 3 4 t;
COUPNCD 3 4 t;
COUPNUM 3 4 t;
COUPPCD 3 4 t;
DISC 4 5 t;
INTRATE 4 5 t;
RECEIVED 4 5 t;
PRICEDISC 4 5 t;
YIELDDISC 4 5 t;
PRICE 6 7 t;
YIELD 6 7 t;
DURATION 5 6 t;
MDURATION 5 6 t;
PRICEMAT 5 6 t;
YIELDMAT 5 6 t;
TBILLEQ 3 3 t;
TBILLPRICE 3 3 t;
TBILLYIELD 3 3 t;
ACCRINT 6 8 ttttvt;
ACCRINTM 3 5 t;
AMORDEGRC 6 7 t;
AMORLINC 6 7 t;
ODDFPRICE 8 9 t;
ODDFYIELD 8 9 t;
ODDLPRICE 7 8 t;
ODDLYIELD 7 8 t;
`;

export function callBond(index: u32): void {
  if (index < 6) evaluateCoupon(index);
  else if (index < 11) evaluateDiscount(index - 6);
  else callOther(index);
}

function callOther(index: u32): void {
  switch (index) {
    case 11:
      return evaluatePrice();
    case 12:
      return evaluateYield();
    case 13:
      return evaluateDuration(false);
    case 14:
      return evaluateDuration(true);
    case 15:
      return evaluatePriceMat();
    case 16:
      return evaluateYieldMat();
    case 17:
      return evaluateTbillEq();
    case 18:
      return evaluateTbillPrice();
    case 19:
      return evaluateTbillYield();
    case 20:
      return evaluateAccrint();
    case 21:
      return evaluateAccrintm();
    case 22:
      return evaluateAmordegrc();
    case 23:
      return evaluateAmorlinc();
    case 24:
    case 25:
      return evaluateOddFirst(index == 24);
    default:
      return evaluateOddLast(index == 26);
  }
}
