import {
  answerNumber,
  booleanArgument,
  failed,
  integerArgument,
  integerOr,
  numberArgument,
} from '../../vm/call';
import { demand } from './distribution-gamma';
import { binomialMass, choose, poissonMass } from '../special/gamma-function';
import { incompleteBeta, lowerBeta, upperBeta } from '../special/incomplete-beta';
import { incompleteGamma, upperGamma } from '../special/incomplete-gamma';
import { pay } from '../../vm/fuel';

/** Most terms that are added one by one. */
const TERM_LIMIT: f64 = 100;
/** A population so small that its combinations are exact. */
const SMALL_POPULATION: f64 = 50;
const EPSILON: f64 = 1.1102230246251565e-16;

/** A count, cut to a whole one; the least bit below zero is below zero, as Excel looks first. */
function countArgument(index: u32): f64 {
  return floor(numberArgument(index));
}

/** Probability of `first` to `last` successes in n trials, term by term. */
function sumOfMasses(first: f64, last: f64, n: f64, p: f64): f64 {
  let sum: f64 = 0;
  // Beyond 2⁵³ the double after k is not k + 1, so what is counted is the terms.
  const more = last - first;
  for (let term: f64 = 0; term <= more && pay(80); term++) {
    sum += binomialMass(first + term, n, p, 1 - p);
  }
  return sum;
}

/** Probability of at most k successes in n trials. */
function binomialCumulative(k: f64, n: f64, p: f64): f64 {
  if (k < 0) return 0;
  if (k >= n) return 1;
  if (n <= TERM_LIMIT && k <= n * p) return sumOfMasses(0, k, n, p);
  incompleteBeta(n - k, k + 1, 1 - p, p);
  return lowerBeta;
}

/** BINOM.DIST(successes, trials, probability, cumulative) */
export function evaluateBinomDist(): void {
  const k = countArgument(0);
  const n = countArgument(1);
  const p = numberArgument(2);
  const cumulative = booleanArgument(3);
  demand(k >= 0 && k <= n && p >= 0 && p <= 1);
  if (failed()) return;
  answerNumber(cumulative ? binomialCumulative(k, n, p) : binomialMass(k, n, p, 1 - p));
}

/** BINOM.DIST.RANGE(trials, probability, first, [last]) */
export function evaluateBinomRange(): void {
  const n = integerArgument(0);
  const p = numberArgument(1);
  const first = integerArgument(2);
  const last = integerOr(3, first);
  demand(n >= 0 && p >= 0 && p <= 1);
  demand(first >= 0 && first <= n && last >= first && last <= n);
  if (failed()) return;
  if (last - first < TERM_LIMIT) return answerNumber(sumOfMasses(first, last, n, p));
  // The nearer one of the two tails is subtracted, so that few digits cancel out.
  if (first > n * p) {
    const beyond = tailFrom(last + 1, n, p);
    answerNumber(tailFrom(first, n, p) - beyond);
  } else {
    const before = binomialCumulative(first - 1, n, p);
    answerNumber(binomialCumulative(last, n, p) - before);
  }
}

/** Probability of k or more successes. */
function tailFrom(k: f64, n: f64, p: f64): f64 {
  if (k > n) return 0;
  if (k <= 0) return 1;
  incompleteBeta(n - k + 1, k, 1 - p, p);
  return upperBeta;
}

/** BINOM.INV(trials, probability, alpha): the fewest successes that reach alpha. */
export function evaluateBinomInv(): void {
  const n = integerArgument(0);
  const p = numberArgument(1);
  const alpha = numberArgument(2);
  demand(n >= 0 && p >= 0 && p < 1 && alpha > 0 && alpha < 1);
  if (failed()) return;
  let low: f64 = 0;
  let high = n;
  // A last bit of rounding must not ask for one success more.
  const aim = alpha * (1 - 64 * EPSILON);
  while (low < high && pay(8)) {
    const middle = floor(low + (high - low) / 2);
    if (binomialCumulative(middle, n, p) >= aim && middle < high) high = middle;
    // Numbers that have no successor among doubles end the search.
    else low = middle + 1 > low ? middle + 1 : high;
  }
  answerNumber(low);
}

/** NEGBINOM.DIST(failures, successes, probability, cumulative); the old form has no last one. */
export function evaluateNegbinomDist(hasForm: bool): void {
  const failures = countArgument(0);
  const successes = countArgument(1);
  const p = numberArgument(2);
  const cumulative = hasForm && booleanArgument(3);
  demand(failures >= 0 && successes >= 1 && p > 0 && p < 1);
  if (failed()) return;
  if (cumulative) {
    incompleteBeta(successes, failures + 1, p, 1 - p);
    return answerNumber(lowerBeta);
  }
  const trials = failures + successes;
  answerNumber((binomialMass(successes, trials, p, 1 - p) * successes) / trials);
}

/** Sample and population of the hypergeometric distribution being asked. */
let sample: f64 = 0;
let marked: f64 = 0;
let population: f64 = 0;

/** Probability of k marked ones in the sample. */
function hypergeometricMass(k: f64): f64 {
  const plain = population - marked;
  if (population <= SMALL_POPULATION) {
    return (choose(marked, k) * choose(plain, sample - k)) / choose(population, sample);
  }
  // The binomial probabilities at p = sample / population make the quotient well conditioned.
  const p = sample / population;
  const q = (population - sample) / population;
  const both = binomialMass(k, marked, p, q) * binomialMass(sample - k, plain, p, q);
  return both / binomialMass(sample, population, p, q);
}

/** Sum of the probabilities from k down to the fewest marked ones (or from k up). */
function hypergeometricTail(k: f64, isUpper: bool): f64 {
  const mass = hypergeometricMass(k);
  const plain = population - marked;
  let sum: f64 = 1;
  let term: f64 = 1;
  let place = k;
  while (term > sum * EPSILON && pay(8)) {
    if (isUpper) {
      term *= ((marked - place) / (place + 1)) * ((sample - place) / (plain - sample + place + 1));
      place++;
    } else {
      term *= (place / (sample - place + 1)) * ((plain - sample + place) / (marked - place + 1));
      place--;
    }
    sum += term;
  }
  return mass * sum;
}

/** HYPGEOM.DIST(marked in sample, sample, marked, population, cumulative) */
export function evaluateHypgeomDist(hasForm: bool): void {
  const k = countArgument(0);
  sample = countArgument(1);
  marked = countArgument(2);
  population = countArgument(3);
  const cumulative = hasForm && booleanArgument(4);
  demand(population > 0 && sample > 0 && sample <= population);
  demand(marked > 0 && marked <= population);
  const least = max<f64>(0, sample - population + marked);
  const most = min(sample, marked);
  demand(k >= least && k <= most);
  if (failed()) return;
  if (!cumulative) answerNumber(hypergeometricMass(k));
  else if (k == most) answerNumber(1);
  else if (k * population < sample * marked) answerNumber(hypergeometricTail(k, false));
  else answerNumber(1 - hypergeometricTail(k + 1, true));
}

/** POISSON.DIST(x, mean, cumulative) */
export function evaluatePoissonDist(): void {
  const k = countArgument(0);
  const mean = numberArgument(1);
  const cumulative = booleanArgument(2);
  demand(k >= 0 && mean >= 0);
  if (failed()) return;
  if (!cumulative) return answerNumber(poissonMass(k, mean));
  incompleteGamma(k + 1, mean);
  answerNumber(upperGamma);
}
