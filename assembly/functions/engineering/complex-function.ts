import { ERROR_NUMBER } from '../../abi';
import { fail, failed } from '../../vm/call';
import { divide } from './complex-arithmetic';
import { answerComplex, complexArgument, im, re, setComplex, suffix } from './complex-number';

/** Which of the functions of one complex number is asked, in the order of the family's table. */
const EXP: u32 = 0;
const LN: u32 = 1;
const LOG10: u32 = 2;
const LOG2: u32 = 3;
const SIN: u32 = 4;
const COS: u32 = 5;
const COT: u32 = 7;
const SEC: u32 = 8;
const CSC: u32 = 9;
const SINH: u32 = 10;
const COSH: u32 = 11;
const SECH: u32 = 12;

/** IMEXP, IMLN … IMCSCH(number) */
export function evaluateComplexFunction(which: u32): void {
  complexArgument(0);
  const isLogarithm = which >= LN && which <= LOG2;
  const isPole = isLogarithm || which == COT || which == CSC || which > SECH;
  if (isPole && re == 0 && im == 0) fail(ERROR_NUMBER);
  if (failed()) return;
  if (which < SIN) exponentials(which);
  else if (which < SINH) circular(which);
  else hyperbolic(which);
  answerComplex(re, im, suffix);
}

function exponentials(which: u32): void {
  if (which == EXP) {
    const size = Math.exp(re);
    return setComplex(size * Math.cos(im), size * Math.sin(im));
  }
  const size = Math.hypot(re, im);
  const angle = Math.atan2(im, re);
  if (which == LOG10) setComplex(Math.log10(size), angle / Math.LN10);
  else if (which == LOG2) setComplex(Math.log2(size), angle / Math.LN2);
  else setComplex(Math.log(size), angle);
}

function sine(): void {
  setComplex(Math.sin(re) * Math.cosh(im), Math.cos(re) * Math.sinh(im));
}

function cosine(): void {
  setComplex(Math.cos(re) * Math.cosh(im), -Math.sin(re) * Math.sinh(im));
}

function circular(which: u32): void {
  if (which == SIN) return sine();
  if (which == COS) return cosine();
  if (which == SEC || which == CSC) {
    if (which == SEC) cosine();
    else sine();
    return divide(1, 0);
  }
  tangent();
  if (which == COT) divide(1, 0);
}

/** tan(x + yi) = (sin 2x + i sinh 2y) / (cos 2x + cosh 2y); far from the axis it is ±i. */
function tangent(): void {
  const twice = 2 * im;
  if (abs(twice) > 700) return setComplex(0, im > 0 ? 1 : -1);
  const divisor = Math.cos(2 * re) + Math.cosh(twice);
  setComplex(Math.sin(2 * re) / divisor, Math.sinh(twice) / divisor);
}

function hyperbolicSine(): void {
  setComplex(Math.sinh(re) * Math.cos(im), Math.cosh(re) * Math.sin(im));
}

function hyperbolicCosine(): void {
  setComplex(Math.cosh(re) * Math.cos(im), Math.sinh(re) * Math.sin(im));
}

function hyperbolic(which: u32): void {
  if (which == SINH || which > SECH) hyperbolicSine();
  else hyperbolicCosine();
  if (which != SINH && which != COSH) divide(1, 0);
}
