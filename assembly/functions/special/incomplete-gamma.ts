import { pay } from '../../vm/fuel';

import { erfc } from './error-function';
import { gammaPower, logGamma } from './gamma-function';
import { SETTLED, halleyStep } from './incomplete-beta';
import { normalInverse } from '../statistical/statistical-normal';

/** Shares of the gamma integral up to x and from x on, of the last incompleteGamma. */
export let lowerGamma: f64 = 0;
export let upperGamma: f64 = 0;
/** x^a e^-x / gamma(a) of the last incompleteGamma: the density in ln x. */
let power: f64 = 0;

/** Beyond this parameter the leading terms of Temme's uniform expansion are exact. */
const UNIFORM_FROM: f64 = 1e9;
const EPSILON: f64 = 1.1102230246251565e-16;

/** Sets lowerGamma and upperGamma, P(a, x) and Q(a, x) for a > 0; the smaller one is exact. */
export function incompleteGamma(a: f64, x: f64): void {
  lowerGamma = 0;
  upperGamma = 1;
  power = 0;
  if (!(x > 0)) return;
  if (x - x != 0) {
    lowerGamma = 1;
    upperGamma = 0;
    return;
  }
  power = gammaPower(a, x);
  if (a > UNIFORM_FROM && abs(x - a) < 0.1 * a) return uniformExpansion(a, x);
  if (x < a + 1) {
    lowerGamma = power == 0 ? (x < a ? 0 : 1) : (power / a) * series(a, x);
    upperGamma = 1 - lowerGamma;
  } else {
    upperGamma = power == 0 ? 0 : power * fraction(a, x);
    lowerGamma = 1 - upperGamma;
  }
}

/** 1 + x/(a+1) + x²/((a+1)(a+2)) + … (DLMF 8.11.4) */
function series(a: f64, x: f64): f64 {
  let sum: f64 = 1;
  let term: f64 = 1;
  for (let n: f64 = 1; n < 1e6 && pay(3); n++) {
    term *= x / (a + n);
    sum += term;
    if (term < sum * EPSILON) break;
  }
  return sum;
}

/** Legendre's continued fraction (DLMF 8.9.2), evaluated forwards by Lentz's method. */
function fraction(a: f64, x: f64): f64 {
  let b = x + 1 - a;
  let c: f64 = 1e300;
  let d = 1 / b;
  let result = d;
  for (let n: f64 = 1; n < 1e6 && pay(3); n++) {
    const numerator = n * (a - n);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const factor = d * c;
    result *= factor;
    if (abs(factor - 1) < 2 * EPSILON) break;
  }
  return result;
}

/** N. M. Temme's expansion for large parameters (DLMF 8.12), its first terms. */
function uniformExpansion(a: f64, x: f64): void {
  const m = (x - a) / a;
  const half = abs(m) < 1e-5 ? m * m * (0.5 - m / 3 + (m * m) / 4) : m - Math.log1p(m);
  const eta = m < 0 ? -sqrt(2 * half) : sqrt(2 * half);
  const first =
    abs(eta) < 1e-3 ? -1 / 3.0 + eta * (1 / 12.0 - eta * (2 / 135.0 - eta / 864)) : 1 / m - 1 / eta;
  const rest = (Math.exp(-a * half) / sqrt(2 * Math.PI * a)) * first;
  const argument = eta * sqrt(a / 2);
  upperGamma = 0.5 * erfc(argument) + rest;
  lowerGamma = 0.5 * erfc(-argument) - rest;
}

/** Wilson and Hilferty's start for the quantile, or the first term of the series for small x. */
function startOf(a: f64, lower: f64, upper: f64): f64 {
  const z = lower < upper ? normalInverse(lower) : -normalInverse(upper);
  const root = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
  const cube = a * root * root * root;
  if (a > 1 && cube > 0.2 * a) return cube;
  const small = Math.exp((Math.log(lower) + logGamma(a + 1)) / a);
  return small < 0.5 * (a + 1) ? max(small, 1e-305) : max(cube, 0.1 * a);
}

/**
 * The x with shares `lower` below it and `upper` above (their sum is 1, the smaller is exact), by
 * Halley's method on the logarithm of the smaller share over ln x, kept inside a bracket.
 */
export function gammaQuantile(a: f64, lower: f64, upper: f64): f64 {
  if (lower <= 0) return 0;
  if (upper <= 0) return Infinity;
  let x = startOf(a, lower, upper);
  let low: f64 = 0;
  let high = Infinity;
  for (let round: u32 = 0; round < 300; round++) {
    incompleteGamma(a, x);
    const share = lower <= upper ? lowerGamma : upperGamma;
    const gap = lower <= upper ? lower - lowerGamma : upperGamma - upper;
    if (gap == 0) return x;
    if (gap > 0) low = x;
    else high = x;
    const target = min(lower, upper);
    const ratio = lower <= upper ? share / target : target / share;
    const distance = abs(ratio - 1) < 0.1 ? -Math.log1p(ratio - 1) : -Math.log(ratio);
    const slope = power / share;
    const bend = a - x + (lower <= upper ? -slope : slope);
    let next = x * Math.exp(halleyStep(distance / slope, bend));
    // A step that the bracket replaces says nothing about how near the quantile is, so this comes
    // first.
    if (abs(next - x) <= SETTLED * x || next < 1e-307) return next;
    if (!(next > low && next < high)) {
      next = high == Infinity ? x * 2 : low == 0 ? x / 16 : sqrt(low) * sqrt(high);
    }
    x = next;
  }
  return x;
}
