import { evaluateFromDecimal, evaluateToDecimal, evaluateTransfer } from './engineering-base';
import { evaluateBitwise, evaluateShift } from './engineering-bits';
import { evaluateConvert } from './engineering-convert';
import { evaluateDelta, evaluateErf, evaluateErfc, evaluateGestep } from './engineering-error';

/** Rows: name, fewest arguments, most, kinds, flags. The row is the case of callEngineering. */
export const ENGINEERING: string = `
DEC2BIN 1 2 t;
DEC2HEX 1 2 t;
DEC2OCT 1 2 t;
BIN2DEC 1 1 t;
BIN2HEX 1 2 t;
BIN2OCT 1 2 t;
HEX2BIN 1 2 t;
HEX2DEC 1 1 t;
HEX2OCT 1 2 t;
OCT2BIN 1 2 t;
OCT2DEC 1 1 t;
OCT2HEX 1 2 t;
BITAND 2 2 v;
BITOR 2 2 v;
BITXOR 2 2 v;
BITLSHIFT 2 2 v;
BITRSHIFT 2 2 v;
DELTA 1 2 t;
GESTEP 1 2 t;
CONVERT 3 3 t;
ERF 1 2 t;
ERFC 1 1 t;
ERF.PRECISE 1 1 t;
ERFC.PRECISE 1 1 t;
`;

export function callEngineering(index: u32): void {
  if (index < 12) callBase(index);
  else callOther(index);
}

/** Bits a digit: 1 binary, 3 octal, 4 hexadecimal. */
function callBase(index: u32): void {
  switch (index) {
    case 0:
      return evaluateFromDecimal(1);
    case 1:
      return evaluateFromDecimal(4);
    case 2:
      return evaluateFromDecimal(3);
    case 3:
      return evaluateToDecimal(1);
    case 4:
      return evaluateTransfer(1, 4);
    case 5:
      return evaluateTransfer(1, 3);
    case 6:
      return evaluateTransfer(4, 1);
    case 7:
      return evaluateToDecimal(4);
    case 8:
      return evaluateTransfer(4, 3);
    case 9:
      return evaluateTransfer(3, 1);
    case 10:
      return evaluateToDecimal(3);
    default:
      return evaluateTransfer(3, 4);
  }
}

function callOther(index: u32): void {
  switch (index) {
    case 12:
    case 13:
    case 14:
      return evaluateBitwise(index - 12);
    case 15:
      return evaluateShift(1);
    case 16:
      return evaluateShift(-1);
    case 17:
      return evaluateDelta();
    case 18:
      return evaluateGestep();
    case 19:
      return evaluateConvert();
    case 20:
    case 22:
      return evaluateErf();
    default:
      return evaluateErfc();
  }
}
