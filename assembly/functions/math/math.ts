import { ERROR_DIVISION, ERROR_NUMBER } from '../../abi';
import { randomNumber } from '../../vm/context';
import { answerError, answerNumber, failed, given, numberArgument } from '../../vm/call';
import {
  evaluateBase,
  evaluateCombin,
  evaluateCombinA,
  evaluateDecimal,
  evaluateFact,
  evaluateFactDouble,
  evaluateGcd,
  evaluateLcm,
  evaluateMultinomial,
  evaluatePermut,
  evaluatePermutationA,
} from './math-integers';
import { evaluateArabic, evaluateRoman } from './math-roman';
import {
  evaluateCeiling,
  evaluateCeilingMath,
  evaluateCeilingPrecise,
  evaluateEven,
  evaluateFloor,
  evaluateFloorMath,
  evaluateFloorPrecise,
  evaluateInt,
  evaluateMround,
  evaluateOdd,
  evaluateRound,
  evaluateRoundDown,
  evaluateRoundUp,
  evaluateTrunc,
} from './math-rounding';
import { strictNumber } from '../shared/number-list';
import { powerOf } from '../../values/power';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callMath. */
export const MATH: string = `
ABS 1 1 v;
SIGN 1 1 v;
SQRT 1 1 v;
SQRTPI 1 1 t;
POWER 2 2 v;
EXP 1 1 v;
LN 1 1 v;
LOG 1 2 v;
LOG10 1 1 v;
PI 0 0 v;
RAND 0 0 v V;
RANDBETWEEN 2 2 t V;
QUOTIENT 2 2 t;
MOD 2 2 v;
INT 1 1 v;
TRUNC 1 2 v;
ROUND 2 2 v;
ROUNDUP 2 2 v;
ROUNDDOWN 2 2 v;
MROUND 2 2 t;
CEILING 2 2 v;
FLOOR 2 2 v;
CEILING.MATH 1 3 v;
FLOOR.MATH 1 3 v;
CEILING.PRECISE 1 2 v;
FLOOR.PRECISE 1 2 v;
ISO.CEILING 1 2 v;
EVEN 1 1 v;
ODD 1 1 v;
FACT 1 1 v;
FACTDOUBLE 1 1 t;
COMBIN 2 2 v;
COMBINA 2 2 v;
PERMUT 2 2 v;
PERMUTATIONA 2 2 v;
MULTINOMIAL 1 255 +r;
GCD 1 255 +r;
LCM 1 255 +r;
BASE 2 3 v;
DECIMAL 2 2 v;
ROMAN 1 2 v;
ARABIC 1 1 v`;

export function callMath(index: u32): void {
  if (index < 14) return callElementary(index);
  if (index < 29) return callRounding(index);
  return callIntegers(index);
}

function callElementary(index: u32): void {
  switch (index) {
    case 0:
      return evaluateAbs();
    case 1:
      return evaluateSign();
    case 2:
      return evaluateSqrt();
    case 3:
      return evaluateSqrtPi();
    case 4:
      return evaluatePower();
    case 5:
      return evaluateExp();
    case 6:
      return evaluateLn();
    case 7:
      return evaluateLog();
    case 8:
      return evaluateLog10();
    case 9:
      return answerNumber(Math.PI);
    case 10:
      return answerNumber(randomNumber());
    case 11:
      return evaluateRandBetween();
    case 12:
      return evaluateQuotient();
    default:
      return evaluateMod();
  }
}

function callRounding(index: u32): void {
  switch (index) {
    case 14:
      return evaluateInt();
    case 15:
      return evaluateTrunc();
    case 16:
      return evaluateRound();
    case 17:
      return evaluateRoundUp();
    case 18:
      return evaluateRoundDown();
    case 19:
      return evaluateMround();
    case 20:
      return evaluateCeiling();
    case 21:
      return evaluateFloor();
    case 22:
      return evaluateCeilingMath();
    case 23:
      return evaluateFloorMath();
    case 24:
      return evaluateCeilingPrecise();
    case 25:
      return evaluateFloorPrecise();
    case 26:
      return evaluateCeilingPrecise();
    case 27:
      return evaluateEven();
    default:
      return evaluateOdd();
  }
}

function callIntegers(index: u32): void {
  switch (index) {
    case 29:
      return evaluateFact();
    case 30:
      return evaluateFactDouble();
    case 31:
      return evaluateCombin();
    case 32:
      return evaluateCombinA();
    case 33:
      return evaluatePermut();
    case 34:
      return evaluatePermutationA();
    case 35:
      return evaluateMultinomial();
    case 36:
      return evaluateGcd();
    case 37:
      return evaluateLcm();
    case 38:
      return evaluateBase();
    case 39:
      return evaluateDecimal();
    case 40:
      return evaluateRoman();
    default:
      return evaluateArabic();
  }
}

function evaluateAbs(): void {
  const value = numberArgument(0);
  if (failed()) return;
  answerNumber(abs(value));
}

function evaluateSign(): void {
  const value = numberArgument(0);
  if (failed()) return;
  answerNumber(value > 0 ? 1 : value < 0 ? -1 : 0);
}

function evaluateSqrt(): void {
  const value = numberArgument(0);
  if (failed()) return;
  answerNumber(sqrt(value));
}

function evaluateSqrtPi(): void {
  const value = strictNumber(0);
  if (failed()) return;
  answerNumber(sqrt(value * Math.PI));
}

/** POWER(0, 0) is #NUM!, POWER(0, negative) #DIV/0!. */
function evaluatePower(): void {
  const base = numberArgument(0);
  const exponent = numberArgument(1);
  if (failed()) return;
  if (base == 0 && exponent < 0) answerError(ERROR_DIVISION);
  else answerNumber(powerOf(base, exponent));
}

function evaluateExp(): void {
  const value = numberArgument(0);
  if (failed()) return;
  answerNumber(Math.exp(value));
}

function evaluateLn(): void {
  const value = numberArgument(0);
  if (failed()) return;
  answerNumber(Math.log(value));
}

/** LOG(number, [base]); an exact power of the base answers a whole number. */
function evaluateLog(): void {
  const value = numberArgument(0);
  const base = given(1) ? numberArgument(1) : 10;
  if (failed()) return;
  if (value <= 0 || base <= 0) {
    answerError(ERROR_NUMBER);
  } else if (base == 1) {
    answerError(ERROR_DIVISION);
  } else if (base == 10) {
    answerNumber(Math.log10(value));
  } else if (base == 2) {
    answerNumber(Math.log2(value));
  } else {
    const quotient = Math.log(value) / Math.log(base);
    const whole = nearest(quotient);
    answerNumber(Math.pow(base, whole) == value ? whole : quotient);
  }
}

function evaluateLog10(): void {
  const value = numberArgument(0);
  if (failed()) return;
  answerNumber(Math.log10(value));
}

/** RANDBETWEEN(bottom, top): whole numbers of the closed interval. */
function evaluateRandBetween(): void {
  const bottom = ceil(strictNumber(0));
  const top = floor(strictNumber(1));
  if (failed()) return;
  if (bottom > top) answerError(ERROR_NUMBER);
  else answerNumber(bottom + floor(randomNumber() * (top - bottom + 1)));
}

function evaluateQuotient(): void {
  const numerator = strictNumber(0);
  const denominator = strictNumber(1);
  if (failed()) return;
  if (denominator == 0) answerError(ERROR_DIVISION);
  else answerNumber(trunc(numerator / denominator));
}

/** Largest quotient MOD computes with (Microsoft: "MOD function returns #NUM!", since 2010). */
const MOD_QUOTIENT_LIMIT: f64 = 1125900000000;

/** MOD(number, divisor): the remainder has the divisor's sign. */
function evaluateMod(): void {
  const value = numberArgument(0);
  const divisor = numberArgument(1);
  if (failed()) return;
  if (divisor == 0) {
    answerError(ERROR_DIVISION);
  } else if (abs(value / divisor) >= MOD_QUOTIENT_LIMIT) {
    answerError(ERROR_NUMBER);
  } else {
    const rest = value % divisor;
    answerNumber(rest != 0 && rest < 0 != divisor < 0 ? rest + divisor : rest);
  }
}
