import { ERROR_NUMBER } from '../../abi';
import {
  answerNumber,
  booleanArgument,
  booleanOr,
  fail,
  failed,
  integerArgument,
  numberArgument,
} from '../../vm/call';
import { gamma, gammaPower, logGamma } from '../special/gamma-function';
import {
  gammaQuantile,
  incompleteGamma,
  lowerGamma,
  upperGamma,
} from '../special/incomplete-gamma';
import { normalCumulative, normalDensity, normalInverse } from './statistical-normal';

/** Most degrees of freedom that Excel takes. */
export const FREEDOM_LIMIT: f64 = 1e10;

/** Fails with #NUM! unless the arguments are in their domain. */
export function demand(isInDomain: bool): void {
  if (!isInDomain) fail(ERROR_NUMBER);
}

/** GAMMA(x): infinite and NaN become #NUM!. */
export function evaluateGamma(): void {
  const x = numberArgument(0);
  if (failed()) return;
  answerNumber(gamma(x));
}

/** GAMMALN(x) and GAMMALN.PRECISE(x) */
export function evaluateGammaln(): void {
  const x = numberArgument(0);
  demand(x > 0);
  if (failed()) return;
  answerNumber(logGamma(x));
}

/** Density of the gamma distribution with scale 1; infinite at 0 for a shape below 1. */
function gammaDensity(shape: f64, x: f64): f64 {
  if (x > 0) return gammaPower(shape, x) / x;
  return shape < 1 ? Infinity : shape == 1 ? 1 : 0;
}

/** GAMMA.DIST(x, shape, scale, cumulative) */
export function evaluateGammaDist(): void {
  const x = numberArgument(0);
  const shape = numberArgument(1);
  const scale = numberArgument(2);
  const cumulative = booleanArgument(3);
  demand(x >= 0 && shape > 0 && scale > 0);
  if (failed()) return;
  if (!cumulative) return answerNumber(gammaDensity(shape, x / scale) / scale);
  incompleteGamma(shape, x / scale);
  answerNumber(lowerGamma);
}

/** GAMMA.INV(probability, shape, scale) */
export function evaluateGammaInv(): void {
  const probability = numberArgument(0);
  const shape = numberArgument(1);
  const scale = numberArgument(2);
  demand(probability >= 0 && probability <= 1 && shape > 0 && scale > 0);
  if (failed()) return;
  answerNumber(gammaQuantile(shape, probability, 1 - probability) * scale);
}

function freedomArgument(index: u32): f64 {
  const freedom = integerArgument(index);
  demand(freedom >= 1 && freedom <= FREEDOM_LIMIT);
  return freedom;
}

/** CHISQ.DIST(x, freedom, cumulative) */
export function evaluateChisqDist(): void {
  const x = numberArgument(0);
  const freedom = freedomArgument(1);
  const cumulative = booleanArgument(2);
  demand(x >= 0);
  if (failed()) return;
  if (!cumulative) return answerNumber(gammaDensity(freedom / 2, x / 2) / 2);
  incompleteGamma(freedom / 2, x / 2);
  answerNumber(lowerGamma);
}

/** CHISQ.DIST.RT(x, freedom) */
export function evaluateChisqTail(): void {
  const x = numberArgument(0);
  const freedom = freedomArgument(1);
  demand(x >= 0);
  if (failed()) return;
  incompleteGamma(freedom / 2, x / 2);
  answerNumber(upperGamma);
}

/** CHISQ.INV(probability, freedom) and CHISQ.INV.RT, whose probability lies above. */
export function evaluateChisqInv(isRight: bool): void {
  const probability = numberArgument(0);
  const freedom = freedomArgument(1);
  demand(probability >= 0 && probability <= 1);
  if (failed()) return;
  const rest = 1 - probability;
  const half = isRight
    ? gammaQuantile(freedom / 2, rest, probability)
    : gammaQuantile(freedom / 2, probability, rest);
  answerNumber(2 * half);
}

/** EXPON.DIST(x, rate, cumulative) */
export function evaluateExponDist(): void {
  const x = numberArgument(0);
  const rate = numberArgument(1);
  const cumulative = booleanArgument(2);
  demand(x >= 0 && rate > 0);
  if (failed()) return;
  answerNumber(cumulative ? -Math.expm1(-rate * x) : rate * Math.exp(-rate * x));
}

/** WEIBULL.DIST(x, shape, scale, cumulative) */
export function evaluateWeibullDist(): void {
  const x = numberArgument(0);
  const shape = numberArgument(1);
  const scale = numberArgument(2);
  const cumulative = booleanArgument(3);
  demand(x >= 0 && shape > 0 && scale > 0);
  if (failed()) return;
  const power = Math.pow(x / scale, shape);
  if (cumulative) answerNumber(-Math.expm1(-power));
  else answerNumber((shape / scale) * Math.pow(x / scale, shape - 1) * Math.exp(-power));
}

/** LOGNORM.DIST(x, mean, deviation, cumulative); LOGNORMDIST is always cumulative. */
export function evaluateLognormDist(): void {
  const x = numberArgument(0);
  const mean = numberArgument(1);
  const deviation = numberArgument(2);
  const cumulative = booleanOr(3, true);
  demand(x > 0 && deviation > 0);
  if (failed()) return;
  const z = (Math.log(x) - mean) / deviation;
  answerNumber(cumulative ? normalCumulative(z) : normalDensity(z) / (deviation * x));
}

/** LOGNORM.INV(probability, mean, deviation) */
export function evaluateLognormInv(): void {
  const probability = numberArgument(0);
  const mean = numberArgument(1);
  const deviation = numberArgument(2);
  demand(probability > 0 && probability < 1 && deviation > 0);
  if (failed()) return;
  answerNumber(Math.exp(mean + deviation * normalInverse(probability)));
}
