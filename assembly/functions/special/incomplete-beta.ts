import { betaPower, logGamma } from './gamma-function';
import { pay } from '../../vm/fuel';

/** Shares of the beta integral up to x and from x on, of the last incompleteBeta. */
export let lowerBeta: f64 = 0;
export let upperBeta: f64 = 0;
/** x^a y^b / beta(a, b) of the last incompleteBeta. */
let power: f64 = 0;

const EPSILON: f64 = 1.1102230246251565e-16;

/**
 * Sets lowerBeta and upperBeta, I(a, b; x) and its complement, for a, b > 0 and x + y = 1: both
 * are given, so that neither end loses digits.
 */
export function incompleteBeta(a: f64, b: f64, x: f64, y: f64): void {
  power = 0;
  if (!(x > 0 && y > 0)) {
    lowerBeta = x > 0 ? 1 : 0;
    upperBeta = 1 - lowerBeta;
    return;
  }
  power = betaPower(a, b, x, y);
  if (x * (a + b + 2) < a + 1) {
    lowerBeta = power == 0 ? 0 : (power / a) * fraction(a, b, x);
    upperBeta = 1 - lowerBeta;
  } else {
    upperBeta = power == 0 ? 0 : (power / b) * fraction(b, a, y);
    lowerBeta = 1 - upperBeta;
  }
}

/** The continued fraction DLMF 8.17.22, evaluated forwards by Lentz's method. */
function fraction(a: f64, b: f64, x: f64): f64 {
  let c: f64 = 1;
  let d = notZero(1 - ((a + b) * x) / (a + 1));
  d = 1 / d;
  let result = d;
  for (let m: f64 = 1; m < 1e6 && pay(12); m++) {
    const even = (m * (b - m) * x) / (a + 2 * m - 1) / (a + 2 * m);
    d = 1 / notZero(1 + even * d);
    c = notZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / (a + 2 * m) / (a + 2 * m + 1);
    d = 1 / notZero(1 + odd * d);
    c = notZero(1 + odd / c);
    const factor = d * c;
    result *= factor;
    if (abs(factor - 1) < 2 * EPSILON) break;
  }
  return result;
}

function notZero(value: f64): f64 {
  return abs(value) < 1e-300 ? 1e-300 : value;
}

/** A step this small, of x, leaves an error far below its last bit: it shrinks with the third power. */
export const SETTLED: f64 = 1e-7;

/** Newton's step, corrected by the logarithmic derivative of the slope. */
export function halleyStep(step: f64, bend: f64): f64 {
  const divisor = 1 + (step * bend) / 2;
  return divisor > 0.5 ? step / divisor : step;
}

/** Results of betaQuantile: x, and y = 1 - x with all its digits. */
export let quantileX: f64 = 0;
export let quantileY: f64 = 0;

/** Sets quantileX and quantileY: shares `lower` and `upper` lie below and above x. */
export function betaQuantile(a: f64, b: f64, lower: f64, upper: f64): void {
  if (lower <= 0 || upper <= 0) {
    quantileX = lower <= 0 ? 0 : 1;
    quantileY = 1 - quantileX;
    return;
  }
  incompleteBeta(a, b, 0.5, 0.5);
  const isSmall = lower <= upper ? lowerBeta >= lower : upperBeta <= upper;
  if (isSmall) {
    quantileX = quantileBelowHalf(a, b, lower, upper);
    quantileY = 1 - quantileX;
  } else {
    quantileY = quantileBelowHalf(b, a, upper, lower);
    quantileX = 1 - quantileY;
  }
}

/** Halley's method on the logarithm of the smaller share over ln x, kept inside a bracket. */
function quantileBelowHalf(a: f64, b: f64, lower: f64, upper: f64): f64 {
  const logBeta = logGamma(a) + logGamma(b) - logGamma(a + b);
  let x = Math.exp((Math.log(lower) + Math.log(a) + logBeta) / a);
  const mean = a / (a + b);
  if (!(x < mean)) x = min(mean, 0.45);
  x = max(x, 1e-305);
  let low: f64 = 0;
  let high: f64 = 0.5;
  for (let round: u32 = 0; round < 300; round++) {
    incompleteBeta(a, b, x, 1 - x);
    const share = lower <= upper ? lowerBeta : upperBeta;
    const gap = lower <= upper ? lower - lowerBeta : upperBeta - upper;
    if (gap == 0) return x;
    if (gap > 0) low = x;
    else high = x;
    const target = min(lower, upper);
    const ratio = lower <= upper ? share / target : target / share;
    const distance = abs(ratio - 1) < 0.1 ? -Math.log1p(ratio - 1) : -Math.log(ratio);
    const slope = power / ((1 - x) * share);
    const bend = a - ((b - 1) * x) / (1 - x) + (lower <= upper ? -slope : slope);
    let next = x * Math.exp(halleyStep(distance / slope, bend));
    // A step that the bracket replaces says nothing about how near the quantile is, so this comes
    // first.
    if (abs(next - x) <= SETTLED * x || next < 1e-307) return next;
    if (!(next > low && next < high)) {
      next = low == 0 ? x / 16 : sqrt(low) * sqrt(high);
    }
    x = next;
  }
  return x;
}
