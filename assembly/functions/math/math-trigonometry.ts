import { ERROR_DIVISION, ERROR_NUMBER } from '../../abi';
import { answerError, answerNumber, failed, numberArgument } from '../../vm/call';

/** Rows: name, fewest arguments, most, kinds. The row number is the case of callTrigonometry. */
export const TRIGONOMETRY: string = `
SIN 1 1 v;
COS 1 1 v;
TAN 1 1 v;
COT 1 1 v;
SEC 1 1 v;
CSC 1 1 v;
ASIN 1 1 v;
ACOS 1 1 v;
ATAN 1 1 v;
ACOT 1 1 v;
SINH 1 1 v;
COSH 1 1 v;
TANH 1 1 v;
COTH 1 1 v;
SECH 1 1 v;
CSCH 1 1 v;
ASINH 1 1 v;
ACOSH 1 1 v;
ATANH 1 1 v;
ACOTH 1 1 v;
DEGREES 1 1 v;
RADIANS 1 1 v;
ATAN2 2 2 v`;

/** Angles from here on are #NUM! in Excel. */
const ANGLE_LIMIT: f64 = 134217728;

export function callTrigonometry(index: u32): void {
  if (index == 22) return evaluateAtan2();
  const value = numberArgument(0);
  if (failed()) return;
  if (index < 6 && abs(value) >= ANGLE_LIMIT) {
    answerError(ERROR_NUMBER);
  } else if (value == 0 && (index == 3 || index == 5 || index == 13 || index == 15)) {
    // COT, CSC, COTH and CSCH of zero.
    answerError(ERROR_DIVISION);
  } else {
    answerNumber(index < 10 ? circular(index, value) : hyperbolic(index, value));
  }
}

function circular(index: u32, value: f64): f64 {
  switch (index) {
    case 0:
      return Math.sin(value);
    case 1:
      return Math.cos(value);
    case 2:
      return Math.tan(value);
    case 3:
      return 1 / Math.tan(value);
    case 4:
      return 1 / Math.cos(value);
    case 5:
      return 1 / Math.sin(value);
    case 6:
      return Math.asin(value);
    case 7:
      return Math.acos(value);
    case 8:
      return Math.atan(value);
    default:
      return inverseCotangent(value);
  }
}

/** From 0 to pi. */
function inverseCotangent(value: f64): f64 {
  if (abs(value) <= 1) return Math.PI / 2 - Math.atan(value);
  return value > 0 ? Math.atan(1 / value) : Math.PI + Math.atan(1 / value);
}

/** Hyperbolic functions, their inverses, DEGREES and RADIANS; NaN where there is no answer. */
function hyperbolic(index: u32, value: f64): f64 {
  switch (index) {
    case 10:
      return Math.sinh(value);
    case 11:
      return Math.cosh(value);
    case 12:
      return Math.tanh(value);
    case 13:
      return 1 / Math.tanh(value);
    case 14:
      return 1 / Math.cosh(value);
    case 15:
      return 1 / Math.sinh(value);
    case 16:
      return value < 0 ? -Math.asinh(-value) : Math.asinh(value);
    case 17:
      return value < 1 ? NaN : Math.acosh(value);
    case 18:
      return abs(value) >= 1 ? NaN : Math.atanh(value);
    case 19:
      return abs(value) <= 1 ? NaN : Math.atanh(1 / value);
    case 20:
      return (value / Math.PI) * 180;
    default:
      return (value / 180) * Math.PI;
  }
}

/** ATAN2(x, y): x comes first. */
function evaluateAtan2(): void {
  const x = numberArgument(0);
  const y = numberArgument(1);
  if (failed()) return;
  if (x == 0 && y == 0) answerError(ERROR_DIVISION);
  else answerNumber(Math.atan2(y, x));
}
