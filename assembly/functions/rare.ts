import { evaluateEuroconvert } from './financial/euro';
import { evaluateFormulaText } from './lookup/formula-text';
import {
  evaluateBahttext,
  evaluateDbcs,
  evaluateNumberString,
  evaluatePhonetic,
} from './text/number-words';
import { evaluatePercentOf } from './array/percent-of';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callRare. */
export const RARE: string = `
FORMULATEXT 1 1 r;
PERCENTOF 2 2 a;
BAHTTEXT 1 1 v;
NUMBERSTRING 2 2 v;
DBCS 1 1 v;
PHONETIC 1 1 v;
EUROCONVERT 3 5 v;
`;

export function callRare(index: u32): void {
  switch (index) {
    case 0:
      return evaluateFormulaText();
    case 1:
      return evaluatePercentOf();
    case 2:
      return evaluateBahttext();
    case 3:
      return evaluateNumberString();
    case 4:
      return evaluateDbcs();
    case 5:
      return evaluatePhonetic();
    default:
      return evaluateEuroconvert();
  }
}
