import { ERROR_NUMBER } from '../../abi';
import {
  answerError,
  answerNumber,
  booleanArgument,
  fail,
  failed,
  integerArgument,
  numberArgument,
} from '../../vm/call';
import { erf, erfc, polynomial } from '../special/error-function';

const ROOT_TWO: f64 = Math.SQRT2;
const ROOT_TWO_PI: f64 = 2.5066282746310002;

/** Density of the standard normal distribution. */
export function normalDensity(z: f64): f64 {
  return Math.exp(-0.5 * z * z) / ROOT_TWO_PI;
}

/** Probability of at most z. */
export function normalCumulative(z: f64): f64 {
  return 0.5 * erfc(-z / ROOT_TWO);
}

// Coefficients of AS 241 (M. J. Wichura, Applied Statistics 37, 1988), PPND16.
const CENTRE_TOP: StaticArray<f64> = [
  3.387132872796366608, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
  4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4,
  2.5090809287301226727e3,
];
const CENTRE_BOTTOM: StaticArray<f64> = [
  1.0, 4.2313330701600911252e1, 6.871870074920579083e2, 5.3941960214247511077e3,
  2.1213794301586595867e4, 3.930789580009271061e4, 2.8729085735721942674e4, 5.226495278852854561e3,
];
const NEAR_TOP: StaticArray<f64> = [
  1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
  1.27045825245236838258, 2.4178072517745061177e-1, 2.27238449892691845833e-2,
  7.7454501427834140764e-4,
];
const NEAR_BOTTOM: StaticArray<f64> = [
  1.0, 2.05319162663775882187, 1.6763848301838038494, 6.8976733498510000455e-1,
  1.4810397642748007459e-1, 1.51986665636164571966e-2, 5.475938084995344946e-4,
  1.05075007164441684324e-9,
];
const FAR_TOP: StaticArray<f64> = [
  6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 2.9656057182850489123e-1,
  2.6532189526576123093e-2, 1.2426609473880784386e-3, 2.71155556874348757815e-5,
  2.01033439929228813265e-7,
];
const FAR_BOTTOM: StaticArray<f64> = [
  1.0, 5.9983220655588793769e-1, 1.3692988092273580531e-1, 1.48753612908506148525e-2,
  7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7,
  2.04426310338993978564e-15,
];

/** The z with this probability of at most z; NaN outside 0 to 1. */
export function normalInverse(probability: f64): f64 {
  if (!(probability > 0 && probability < 1)) return NaN;
  const centred = probability - 0.5;
  if (abs(centred) <= 0.425) {
    const r = 0.180625 - centred * centred;
    return (centred * polynomial(CENTRE_TOP, r)) / polynomial(CENTRE_BOTTOM, r);
  }
  const r = sqrt(-Math.log(centred < 0 ? probability : 1 - probability));
  const z =
    r <= 5
      ? polynomial(NEAR_TOP, r - 1.6) / polynomial(NEAR_BOTTOM, r - 1.6)
      : polynomial(FAR_TOP, r - 5) / polynomial(FAR_BOTTOM, r - 5);
  return centred < 0 ? -z : z;
}

/** STANDARDIZE(x, mean, deviation) */
export function evaluateStandardize(): void {
  const x = numberArgument(0);
  const mean = numberArgument(1);
  const deviation = numberArgument(2);
  if (deviation <= 0) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber((x - mean) / deviation);
}

/** NORM.DIST(x, mean, deviation, cumulative) */
export function evaluateNormDist(): void {
  const x = numberArgument(0);
  const mean = numberArgument(1);
  const deviation = numberArgument(2);
  const cumulative = booleanArgument(3);
  if (deviation <= 0) fail(ERROR_NUMBER);
  if (failed()) return;
  const z = (x - mean) / deviation;
  answerNumber(cumulative ? normalCumulative(z) : normalDensity(z) / deviation);
}

/** NORM.S.DIST(z, cumulative) */
export function evaluateNormSDist(): void {
  const z = numberArgument(0);
  const cumulative = booleanArgument(1);
  if (failed()) return;
  answerNumber(cumulative ? normalCumulative(z) : normalDensity(z));
}

export function evaluateOldNormSDist(): void {
  const z = numberArgument(0);
  if (failed()) return;
  answerNumber(normalCumulative(z));
}

/** NORM.INV(probability, mean, deviation) */
export function evaluateNormInv(): void {
  const probability = numberArgument(0);
  const mean = numberArgument(1);
  const deviation = numberArgument(2);
  if (deviation <= 0) fail(ERROR_NUMBER);
  if (failed()) return;
  answerNumber(mean + deviation * normalInverse(probability));
}

export function evaluateNormSInv(): void {
  const probability = numberArgument(0);
  if (failed()) return;
  answerNumber(normalInverse(probability));
}

/** CONFIDENCE.NORM(alpha, deviation, size) */
export function evaluateConfidence(): void {
  const alpha = numberArgument(0);
  const deviation = numberArgument(1);
  const size = integerArgument(2);
  if (failed()) return;
  if (alpha <= 0 || alpha >= 1 || deviation <= 0 || size < 1) answerError(ERROR_NUMBER);
  else answerNumber((-normalInverse(alpha / 2) * deviation) / sqrt(size));
}

export function evaluatePhi(): void {
  const z = numberArgument(0);
  if (failed()) return;
  answerNumber(normalDensity(z));
}

/** GAUSS(z): probability between the mean and z deviations from it. */
export function evaluateGauss(): void {
  const z = numberArgument(0);
  if (failed()) return;
  answerNumber(0.5 * erf(z / ROOT_TWO));
}

/** FISHER and its inverse */
export function evaluateFisher(inverse: bool): void {
  const value = numberArgument(0);
  if (failed()) return;
  if (inverse) answerNumber(Math.tanh(value));
  else answerNumber(abs(value) < 1 ? Math.atanh(value) : NaN);
}
