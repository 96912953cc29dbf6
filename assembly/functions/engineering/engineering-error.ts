import { answerNumber, argumentCount, failed, omitted } from '../../vm/call';
import { erf, erfc } from '../special/error-function';
import { toolNumber } from '../shared/tool-number';

/** ERF(lower, [upper]): the integral from 0 to the only limit, or between the two. */
export function evaluateErf(): void {
  const lower = toolNumber(0);
  const hasUpper = argumentCount > 1 && !omitted(1);
  const upper = hasUpper ? toolNumber(1) : 0;
  if (failed()) return;
  if (!hasUpper) return answerNumber(erf(lower));
  // Far out on one side the complements differ where the functions do not.
  if (lower > 1 && upper > 1) return answerNumber(erfc(lower) - erfc(upper));
  if (lower < -1 && upper < -1) return answerNumber(erfc(-upper) - erfc(-lower));
  answerNumber(erf(upper) - erf(lower));
}

/** ERFC(x) */
export function evaluateErfc(): void {
  const x = toolNumber(0);
  if (failed()) return;
  answerNumber(erfc(x));
}

/** DELTA(left, [right]): 1 when equal. */
export function evaluateDelta(): void {
  const left = toolNumber(0);
  const right = argumentCount > 1 ? toolNumber(1) : 0;
  if (failed()) return;
  answerNumber(left == right ? 1 : 0);
}

/** GESTEP(number, [step]): 1 when it reaches the step. */
export function evaluateGestep(): void {
  const value = toolNumber(0);
  const step = argumentCount > 1 ? toolNumber(1) : 0;
  if (failed()) return;
  answerNumber(value >= step ? 1 : 0);
}
