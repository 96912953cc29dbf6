import { ERROR_NUMBER } from '../../abi';
import { answerNumber, fail, failed } from '../../vm/call';
import { besselI, besselJ, besselK, besselY } from '../special/bessel-polynomial';
import {
  evaluateComplex,
  evaluateConjugate,
  evaluateImdiv,
  evaluateImpower,
  evaluateImsqrt,
  evaluateImsub,
  evaluatePart,
  evaluateTotal,
} from './complex-arithmetic';
import { evaluateComplexFunction } from './complex-function';
import { toolNumber } from '../shared/tool-number';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callComplex. */
export const COMPLEX_NUMBERS: string = `
IMREAL 1 1 t;
IMAGINARY 1 1 t;
IMABS 1 1 t;
IMARGUMENT 1 1 t;
IMEXP 1 1 t;
IMLN 1 1 t;
IMLOG10 1 1 t;
IMLOG2 1 1 t;
IMSIN 1 1 t;
IMCOS 1 1 t;
IMTAN 1 1 t;
IMCOT 1 1 t;
IMSEC 1 1 t;
IMCSC 1 1 t;
IMSINH 1 1 t;
IMCOSH 1 1 t;
IMSECH 1 1 t;
IMCSCH 1 1 t;
COMPLEX 2 3 t;
IMCONJUGATE 1 1 t;
IMSUM 1 255 +r;
IMPRODUCT 1 255 +r;
IMSUB 2 2 t;
IMDIV 2 2 t;
IMPOWER 2 2 t;
IMSQRT 1 1 t;
BESSELI 2 2 t;
BESSELJ 2 2 t;
BESSELK 2 2 t;
BESSELY 2 2 t;
`;

export function callComplex(index: u32): void {
  if (index < 4) evaluatePart(index);
  else if (index < 18) evaluateComplexFunction(index - 4);
  else if (index < 26) callArithmetic(index);
  else evaluateBessel(index - 26);
}

function callArithmetic(index: u32): void {
  switch (index) {
    case 18:
      return evaluateComplex();
    case 19:
      return evaluateConjugate();
    case 20:
    case 21:
      return evaluateTotal(index == 21);
    case 22:
      return evaluateImsub();
    case 23:
      return evaluateImdiv();
    case 24:
      return evaluateImpower();
    default:
      return evaluateImsqrt();
  }
}

/** Most that the order may be: beyond it every answer is 0 or out of range. */
const ORDER_LIMIT: f64 = 1e6;

/** BESSELI, BESSELJ, BESSELK and BESSELY(x, order) */
function evaluateBessel(which: u32): void {
  const x = toolNumber(0);
  const order = trunc(toolNumber(1));
  if (order < 0 || order > ORDER_LIMIT) fail(ERROR_NUMBER);
  if (which >= 2 && x <= 0) fail(ERROR_NUMBER);
  if (abs(x) > 1e9) fail(ERROR_NUMBER);
  if (failed()) return;
  if (which == 0) answerNumber(besselI(x, order));
  else if (which == 1) answerNumber(besselJ(x, order));
  else if (which == 2) answerNumber(besselK(x, order));
  else answerNumber(besselY(x, order));
}
