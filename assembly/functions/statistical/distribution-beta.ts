import { ERROR_DIVISION, ERROR_NUMBER } from '../../abi';
import {
  answerError,
  answerNumber,
  booleanArgument,
  fail,
  failed,
  integerArgument,
  numberArgument,
  numberOr,
} from '../../vm/call';
import { FREEDOM_LIMIT, demand } from './distribution-gamma';
import { betaPower, deviance, stirlingRemainder } from '../special/gamma-function';
import {
  betaQuantile,
  incompleteBeta,
  lowerBeta,
  quantileX,
  quantileY,
  upperBeta,
} from '../special/incomplete-beta';

/** BETA.DIST(x, alpha, beta, cumulative, [low], [high]); BETADIST has no `cumulative`. */
export function evaluateBetaDist(hasForm: bool): void {
  const x = numberArgument(0);
  const alpha = numberArgument(1);
  const beta = numberArgument(2);
  const cumulative = !hasForm || booleanArgument(3);
  const low = numberOr(hasForm ? 4 : 3, 0);
  const high = numberOr(hasForm ? 5 : 4, 1);
  demand(alpha > 0 && beta > 0);
  demand(x >= low && x <= high && low != high);
  if (failed()) return;
  const width = high - low;
  const left = (x - low) / width;
  const right = (high - x) / width;
  if (cumulative) {
    incompleteBeta(alpha, beta, left, right);
    answerNumber(lowerBeta);
  } else if (left > 0 && right > 0) {
    answerNumber(betaPower(alpha, beta, left, right) / left / right / width);
  } else {
    answerNumber(densityAtEnd(left > 0 ? beta : alpha, left > 0 ? alpha : beta) / width);
  }
}

/** The density where the factor with exponent `near` - 1 is zero. */
function densityAtEnd(near: f64, far: f64): f64 {
  return near < 1 ? Infinity : near == 1 ? far : 0;
}

/** BETA.INV(probability, alpha, beta, [low], [high]) */
export function evaluateBetaInv(): void {
  const probability = numberArgument(0);
  const alpha = numberArgument(1);
  const beta = numberArgument(2);
  const low = numberOr(3, 0);
  const high = numberOr(4, 1);
  demand(probability > 0 && probability <= 1 && alpha > 0 && beta > 0);
  demand(low < high);
  if (failed()) return;
  betaQuantile(alpha, beta, probability, 1 - probability);
  answerNumber(low + (high - low) * quantileX);
}

function freedomArgument(index: u32): f64 {
  const freedom = integerArgument(index);
  demand(freedom >= 1 && freedom <= FREEDOM_LIMIT);
  return freedom;
}

/** Sets lowerBeta to the probability of |t| or more, upperBeta to the rest. */
function studentTails(t: f64, freedom: f64): void {
  const square = t * t;
  const sum = freedom + square;
  if (sum - sum != 0) incompleteBeta(freedom / 2, 0.5, 0, 1);
  else incompleteBeta(freedom / 2, 0.5, freedom / sum, square / sum);
}

/** Density of Student's distribution (after C. Loader, as for the binomial one). */
function studentDensity(t: f64, freedom: f64): f64 {
  const half = freedom / 2;
  const square = t * t;
  const log = stirlingRemainder(half + 0.5) - stirlingRemainder(half) - deviance(half, half + 0.5);
  const far = square > 0.2 * freedom;
  const spread = Math.log1p(square / freedom);
  const exponent = far ? spread * half : square / 2 - deviance(half, (freedom + square) / 2);
  return Math.exp(log - exponent - spread / 2) / sqrt(2 * Math.PI);
}

/** T.DIST(x, freedom, cumulative) */
export function evaluateTDist(): void {
  const x = numberArgument(0);
  const freedom = integerArgument(1);
  const cumulative = booleanArgument(2);
  if (freedom < 1 && !cumulative && freedom >= 0) fail(ERROR_DIVISION);
  demand(freedom >= 1 && freedom <= FREEDOM_LIMIT);
  if (failed()) return;
  if (!cumulative) return answerNumber(studentDensity(x, freedom));
  studentTails(x, freedom);
  answerNumber(x < 0 ? lowerBeta / 2 : 0.5 + upperBeta / 2);
}

/** Probability of t or more (1 tail), or of |t| or more (2 tails). */
export function studentTail(t: f64, freedom: f64, tails: f64): f64 {
  studentTails(t, freedom);
  if (tails == 2) return lowerBeta;
  return t < 0 ? 0.5 + upperBeta / 2 : lowerBeta / 2;
}

/** T.DIST.RT(x, freedom) and T.DIST.2T(x, freedom) */
export function evaluateTTail(tails: f64): void {
  const x = numberArgument(0);
  const freedom = freedomArgument(1);
  demand(tails == 1 || x >= 0);
  if (failed()) return;
  answerNumber(studentTail(x, freedom, tails));
}

/** TDIST(x, freedom, tails) */
export function evaluateOldTDist(): void {
  const x = numberArgument(0);
  const freedom = freedomArgument(1);
  const tails = integerArgument(2);
  demand(x >= 0 && (tails == 1 || tails == 2));
  if (failed()) return;
  answerNumber(studentTail(x, freedom, tails));
}

/** The t with `outside` of the probability beyond ±t, `inside` between. */
function studentQuantile(outside: f64, inside: f64, freedom: f64): f64 {
  betaQuantile(freedom / 2, 0.5, outside, inside);
  return sqrt(freedom * (quantileY / quantileX));
}

/** T.INV(probability, freedom) and T.INV.2T, whose probability lies on both sides. */
export function evaluateTInv(isTwoTailed: bool): void {
  const probability = numberArgument(0);
  const freedom = freedomArgument(1);
  demand(probability > 0 && probability <= 1);
  if (failed()) return;
  if (isTwoTailed) {
    answerNumber(studentQuantile(probability, 1 - probability, freedom));
  } else if (probability < 0.5) {
    answerNumber(-studentQuantile(2 * probability, 1 - 2 * probability, freedom));
  } else {
    answerNumber(studentQuantile(2 * (1 - probability), 2 * probability - 1, freedom));
  }
}

/** Sets lowerBeta and upperBeta to the probabilities below and above F. */
export function varianceTails(f: f64, top: f64, bottom: f64): void {
  const sum = top * f + bottom;
  incompleteBeta(top / 2, bottom / 2, (top * f) / sum, bottom / sum);
}

/** F.DIST(x, freedom 1, freedom 2, cumulative), and F.DIST.RT, which has no `cumulative`. */
export function evaluateFDist(isRight: bool): void {
  const x = numberArgument(0);
  const top = freedomArgument(1);
  const bottom = freedomArgument(2);
  const cumulative = isRight || booleanArgument(3);
  demand(x >= 0);
  if (failed()) return;
  if (cumulative) {
    varianceTails(x, top, bottom);
    answerNumber(isRight ? upperBeta : lowerBeta);
  } else if (x > 0) {
    const sum = top * x + bottom;
    answerNumber(betaPower(top / 2, bottom / 2, (top * x) / sum, bottom / sum) / x);
  } else {
    answerNumber(top < 2 ? Infinity : top == 2 ? 1 : 0);
  }
}

/** F.INV(probability, freedom 1, freedom 2) and F.INV.RT, whose probability lies above. */
export function evaluateFInv(isRight: bool): void {
  const probability = numberArgument(0);
  const top = freedomArgument(1);
  const bottom = freedomArgument(2);
  demand(probability >= 0 && probability <= 1);
  if (failed()) return;
  const rest = 1 - probability;
  if (isRight) betaQuantile(top / 2, bottom / 2, rest, probability);
  else betaQuantile(top / 2, bottom / 2, probability, rest);
  answerNumber((bottom / top) * (quantileX / quantileY));
}

/** CONFIDENCE.T(alpha, deviation, size) */
export function evaluateConfidenceT(): void {
  const alpha = numberArgument(0);
  const deviation = numberArgument(1);
  const size = integerArgument(2);
  demand(alpha > 0 && alpha < 1 && deviation > 0 && size >= 1);
  if (failed()) return;
  if (size == 1) return answerError(ERROR_DIVISION);
  if (size - 1 > FREEDOM_LIMIT) return answerError(ERROR_NUMBER);
  answerNumber((studentQuantile(alpha, 1 - alpha, size - 1) * deviation) / sqrt(size));
}
