/**
 * Pairs of doubles: a number rounded, and what rounding left of it, in 16 bytes. Sums and products
 * of pairs have some 31 digits, by the error-free sums and products of Knuth and Dekker.
 */

export const PAIR_SHIFT: usize = 4;

/** Splits a double into halves whose products are exact: 2²⁷ + 1. */
const SPLITTER: f64 = 134217729;

/** The pair that was found last. */
let high: f64 = 0;
let low: f64 = 0;

export function setPair(place: usize, value: f64): void {
  store<f64>(place, value);
  store<f64>(place, 0, 8);
}

/** The number that is nearest to a pair. */
export function roundPair(place: usize): f64 {
  return load<f64>(place);
}

export function copyPair(target: usize, source: usize): void {
  store<f64>(target, load<f64>(source));
  store<f64>(target, load<f64>(source, 8), 8);
}

export function negatePair(place: usize): void {
  store<f64>(place, -load<f64>(place));
  store<f64>(place, -load<f64>(place, 8), 8);
}

/** Scales by a power of two, which loses nothing. */
export function scalePair(place: usize, power: f64): void {
  store<f64>(place, load<f64>(place) * power);
  store<f64>(place, load<f64>(place, 8) * power, 8);
}

export function addPair(target: usize, source: usize): void {
  addTo(target, load<f64>(source), load<f64>(source, 8));
}

export function subtractPair(target: usize, source: usize): void {
  addTo(target, -load<f64>(source), -load<f64>(source, 8));
}

export function addNumber(target: usize, value: f64): void {
  addTo(target, value, 0);
}

export function addProduct(target: usize, left: usize, right: usize): void {
  accumulate(target, left, load<f64>(right), load<f64>(right, 8));
}

export function subtractProduct(target: usize, left: usize, right: usize): void {
  accumulate(target, left, -load<f64>(right), -load<f64>(right, 8));
}

/** Adds a product in one go: most of the work of a fit. */
function accumulate(target: usize, left: usize, b: f64, bLow: f64): void {
  const a = load<f64>(left);
  const product = a * b;
  const wideA = SPLITTER * a;
  const upperA = wideA - (wideA - a);
  const lowerA = a - upperA;
  const wideB = SPLITTER * b;
  const upperB = wideB - (wideB - b);
  const lowerB = b - upperB;
  const rest = upperA * upperB - product + upperA * lowerB + lowerA * upperB + lowerA * lowerB;
  const before = load<f64>(target);
  const sum = before + product;
  const part = sum - before;
  const lost = before - (sum - part) + (product - part);
  const small = lost + (load<f64>(target, 8) + (rest + (a * bLow + load<f64>(left, 8) * b)));
  const whole = sum + small;
  store<f64>(target, whole);
  store<f64>(target, small - (whole - sum), 8);
}

export function multiplyPair(target: usize, factor: usize): void {
  multiply(target, factor);
  keep(target);
}

/** Divides by steps of the quotient, each from what the last one left. */
export function dividePair(target: usize, divisor: usize): void {
  const by = load<f64>(divisor);
  const first = load<f64>(target) / by;
  takeTimes(target, divisor, first);
  const second = load<f64>(target) / by;
  takeTimes(target, divisor, second);
  const third = load<f64>(target) / by;
  normalize(first, second);
  keep(target);
  addTo(target, third, 0);
}

/** Subtracts a pair so many times. */
function takeTimes(target: usize, pair: usize, times: f64): void {
  exactProduct(load<f64>(pair), times);
  low += load<f64>(pair, 8) * times;
  normalize(high, low);
  addTo(target, -high, -low);
}

function keep(place: usize): void {
  store<f64>(place, high);
  store<f64>(place, low, 8);
}

/** Takes a sum apart whose first part is the larger one. */
function normalize(first: f64, second: f64): void {
  high = first + second;
  low = second - (high - first);
}

function multiply(left: usize, right: usize): void {
  const a = load<f64>(left);
  const b = load<f64>(right);
  exactProduct(a, b);
  normalize(high, low + (a * load<f64>(right, 8) + load<f64>(left, 8) * b));
}

function exactProduct(a: f64, b: f64): void {
  const product = a * b;
  const wideA = SPLITTER * a;
  const upperA = wideA - (wideA - a);
  const lowerA = a - upperA;
  const wideB = SPLITTER * b;
  const upperB = wideB - (wideB - b);
  const lowerB = b - upperB;
  low = upperA * upperB - product + upperA * lowerB + lowerA * upperB + lowerA * lowerB;
  high = product;
}

function addTo(target: usize, addedHigh: f64, addedLow: f64): void {
  const before = load<f64>(target);
  const beforeLow = load<f64>(target, 8);
  const sum = before + addedHigh;
  const part = sum - before;
  const left = before - (sum - part) + (addedHigh - part);
  const lowSum = beforeLow + addedLow;
  const lowPart = lowSum - beforeLow;
  const lowLeft = beforeLow - (lowSum - lowPart) + (addedLow - lowPart);
  normalize(sum, left + lowSum);
  normalize(high, low + lowLeft);
  keep(target);
}
