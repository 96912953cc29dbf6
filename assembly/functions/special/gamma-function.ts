import { polynomial } from './error-function';

/** Taylor's series of 1 / gamma(1 + z) around 0 (Abramowitz and Stegun 6.1.34). */
const RECIPROCAL: StaticArray<f64> = [
  1.0, 0.5772156649015329, -0.6558780715202539, -0.04200263503409524, 0.16653861138229148,
  -0.04219773455554433, -0.009621971527876973, 0.0072189432466631, -0.0011651675918590652,
  -0.00021524167411495098, 0.0001280502823881162, -2.013485478078824e-5, -1.2504934821426706e-6,
  1.133027231981696e-6, -2.056338416977607e-7, 6.116095104481416e-9, 5.002007644469223e-9,
  -1.18127457048702e-9, 1.0434267116911005e-10, 7.782263439905071e-12, -3.696805618642206e-12,
  5.100370287454476e-13, -2.0583260535665066e-14, -5.348122539423018e-15, 1.2267786282382608e-15,
];
/** Chebyshev's fit of ln gamma(1 + z) / z for |z| <= 1/2; its error is below 1e-19. */
const LOG_NEAR_ONE: StaticArray<f64> = [
  -0.5772156649015329, 0.8224670334241132, -0.4006856343865315, 0.2705808084277846,
  -0.2073855510286556, 0.16955717699739029, -0.14404989677130728, 0.12550966952714004,
  -0.11133426569698086, 0.10009945734469952, -0.09095402444526833, 0.08335384765507184,
  -0.07693231436857932, 0.07143274952784964, -0.06667255575708834, 0.06250470442310463,
  -0.058771857911566715, 0.0555050100131062, -0.05314214812830013, 0.05049714995922952,
  -0.043977669311539, 0.04190865229477288, -0.062313109383947816, 0.060006549171053046,
  0.029351948150667537, -0.029062781167204906, -0.2117112848789538, 0.20576657203290266,
  0.2426088118659276, -0.23637810363983194, -0.25810612401802563, 0.2510025580986794,
];
/** Remainder of Stirling's formula for ln n!, for n = 0, 1/2, 1 … 15. */
const STIRLING: StaticArray<f64> = [
  0.0, 0.15342640972002736, 0.08106146679532726, 0.05481412105191765, 0.0413406959554093,
  0.03316287351993629, 0.02767792568499834, 0.023746163656297496, 0.020790672103765093,
  0.018488450532673187, 0.016644691189821193, 0.015134973221917378, 0.013876128823070748,
  0.012810465242920227, 0.01189670994589177, 0.011104559758206917, 0.010411265261972096,
  0.009799416126158804, 0.009255462182712733, 0.008768700134139386, 0.00833056343336287,
  0.00793411456431402, 0.007573675487951841, 0.007244554301320383, 0.00694284010720953,
  0.006665247032707682, 0.006408994188004207, 0.006171712263039458, 0.0059513701127588475,
  0.0057462165130101155, 0.005554733551962801,
];
const TWO_PI: f64 = 6.283185307179586;
const ROOT_TWO_PI: f64 = 2.5066282746310002;
/** From here on the series of Stirling's remainder is exact to the last bit. */
const STIRLING_FROM: f64 = 15;

/** Stirling's remainder by its asymptotic series (DLMF 5.11.1). */
function remainderSeries(x: f64): f64 {
  const s = 1 / (x * x);
  const high = 1 / 1188.0 - (s * 691) / 360360.0;
  return (1 / 12.0 - s * (1 / 360.0 - s * (1 / 1260.0 - s * (1 / 1680.0 - s * high)))) / x;
}

/** Stirling's remainder: ln n! - ln(√(2πn) (n/e)^n), without cancellation. */
export function stirlingRemainder(n: f64): f64 {
  if (n > STIRLING_FROM) return remainderSeries(n);
  const twice = n + n;
  if (twice == floor(twice)) return unchecked(STIRLING[<i32>twice]);
  return Math.log((gamma(n + 1) * Math.exp(n)) / (Math.pow(n, n) * sqrt(TWO_PI * n)));
}

/** gamma(x) for 1/2 <= x <= 3/2 */
function gammaNearOne(x: f64): f64 {
  return 1 / polynomial(RECIPROCAL, x - 1);
}

/** The gamma function; infinite where it overflows, NaN at 0, -1, -2 … */
export function gamma(x: f64): f64 {
  if (x <= 0 && x == floor(x)) return NaN;
  if (x > 171.7) return Infinity;
  if (x > 23 || (x > STIRLING_FROM && x != floor(x))) {
    const half = Math.pow(x, x / 2 - 0.25);
    return half * Math.exp(-x) * half * ROOT_TWO_PI * Math.exp(remainderSeries(x));
  }
  if (x < -20) {
    const near = x - nearest(x);
    const sine = Math.sin(Math.PI * near) * (nearest(x) % 2 == 0 ? 1 : -1);
    return Math.PI / sine / gamma(1 - x);
  }
  let product: f64 = 1;
  let place = x;
  while (place > 1.5) product *= --place;
  let divisor: f64 = 1;
  while (place < 0.5) divisor *= place++;
  return (product / divisor) * gammaNearOne(place);
}

/** ln gamma(x) for x > 0 */
export function logGamma(x: f64): f64 {
  if (x > STIRLING_FROM)
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(TWO_PI) + remainderSeries(x);
  if (x < 0.5) return x * polynomial(LOG_NEAR_ONE, x) - Math.log(x);
  if (x <= 1.5) return (x - 1) * polynomial(LOG_NEAR_ONE, x - 1);
  if (x <= 2.5) return Math.log1p(x - 2) + (x - 2) * polynomial(LOG_NEAR_ONE, x - 2);
  return Math.log(gamma(x));
}

/**
 * x ln(x/m) + m - x, the deviance of a count from its mean, without cancellation where they are
 * close (C. Loader, "Fast and accurate computation of binomial probabilities", 2000).
 */
export function deviance(x: f64, m: f64): f64 {
  if (x == 0) return m;
  if (abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
  const v = (x - m) / (x + m);
  const square = v * v;
  let power = 2 * x * v * square;
  let sum = (x - m) * v;
  for (let odd: f64 = 3; odd < 60; odd += 2) {
    const next = sum + power / odd;
    if (next == sum) break;
    sum = next;
    power *= square;
  }
  return sum;
}

/** x^a e^-x / gamma(a) for x > 0 */
export function gammaPower(a: f64, x: f64): f64 {
  if (a >= STIRLING_FROM) {
    return sqrt(a / TWO_PI) * Math.exp(-stirlingRemainder(a) - deviance(a, x));
  }
  // Two halves, so that neither factor leaves the range before the product does.
  const half = Math.exp(-x / 2);
  return ((Math.pow(x, a) * half) / gamma(a)) * half;
}

/** x^a y^b / beta(a, b) for x + y = 1, both above zero */
export function betaPower(a: f64, b: f64, x: f64, y: f64): f64 {
  const n = a + b;
  if (n < STIRLING_FROM) {
    return (Math.pow(x, a) * Math.pow(y, b) * gamma(n)) / gamma(a) / gamma(b);
  }
  const stirling = stirlingRemainder(n) - stirlingRemainder(a) - stirlingRemainder(b);
  const exponent = stirling - deviance(a, n * x) - deviance(b, n * y);
  return sqrt((a / TWO_PI) * (b / n)) * Math.exp(exponent);
}

/** Probability of k at a mean of m: m^k e^-m / k! */
export function poissonMass(k: f64, m: f64): f64 {
  if (m == 0) return k == 0 ? 1 : 0;
  if (k == 0) return Math.exp(-m);
  return gammaPower(k, m) / k;
}

/** n over k, exact while it fits a double */
export function choose(n: f64, k: f64): f64 {
  const steps = min(k, n - k);
  let result: f64 = 1;
  for (let step: f64 = 1; step <= steps; step++) result = (result * (n - steps + step)) / step;
  return result;
}

/** Most trials whose probabilities are taken from products of powers. */
const FEW_TRIALS: f64 = 50;

/** Probability of k successes in n trials of probability p (q = 1 - p). */
export function binomialMass(k: f64, n: f64, p: f64, q: f64): f64 {
  if (p == 0) return k == 0 ? 1 : 0;
  if (q == 0) return k == n ? 1 : 0;
  if (n <= FEW_TRIALS) return choose(n, k) * Math.pow(p, k) * Math.pow(q, n - k);
  if (k == 0) return Math.exp(p < 0.1 ? n * Math.log1p(-p) : n * Math.log(q));
  if (k == n) return Math.exp(q < 0.1 ? n * Math.log1p(-q) : n * Math.log(p));
  const rest = n - k;
  const stirling = stirlingRemainder(n) - stirlingRemainder(k) - stirlingRemainder(rest);
  const exponent = stirling - deviance(k, n * p) - deviance(rest, n * q);
  return sqrt(n / TWO_PI / k / rest) * Math.exp(exponent);
}
