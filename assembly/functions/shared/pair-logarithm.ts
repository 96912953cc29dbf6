import { scratch } from '../../memory/scratch';
import {
  addNumber,
  addPair,
  addProduct,
  copyPair,
  dividePair,
  multiplyPair,
  negatePair,
  PAIR_SHIFT,
  roundPair,
  scalePair,
  setPair,
  subtractProduct,
} from './pair';

/** Logarithms and powers of e of pairs, good for 29 digits. */

const LN_2: f64 = Math.LN2;
const LN_2_REST: f64 = 2.3190468138462996e-17;
/** Powers of e beyond these overflow, or are too small for pairs. */
const LARGEST: f64 = 700;
const HALVINGS: u32 = 8;
const TERMS: u32 = 10;
/** Pairs that are wanted meanwhile. */
const PLACES: u32 = 5;

/** Memory for these. */
let work: usize = 0;

function place(index: usize): usize {
  return work + (index << PAIR_SHIFT);
}

/** Takes memory for what follows; it is gone with the evaluation. */
export function openLogarithms(): void {
  work = scratch(PLACES << (<u32>PAIR_SHIFT));
}

/** Turns a pair into e to the power of it. */
export function raisePair(target: usize): void {
  const value = roundPair(target);
  if (!(abs(value) <= LARGEST)) return setPair(target, Math.exp(value));
  const twos = nearest(value / LN_2);
  const ln2 = place(0);
  const factor = place(1);
  store<f64>(ln2, LN_2);
  store<f64>(ln2, LN_2_REST, 8);
  setPair(factor, twos);
  subtractProduct(target, factor, ln2);
  scalePair(target, 1 / <f64>(1 << HALVINGS));
  raiseSmall(target);
  addNumber(target, 1);
  // In two steps: the power alone may be too large.
  const half = <i32>twos >> 1;
  scalePair(target, powerOfTwo(half));
  scalePair(target, powerOfTwo(<i32>twos - half));
}

/** Turns a small pair x, halved before, into e to the x minus 1: a series, and squares. */
function raiseSmall(target: usize): void {
  const term = place(2);
  const sum = place(3);
  const divisor = place(4);
  copyPair(term, target);
  copyPair(sum, target);
  for (let index: u32 = 2; index <= TERMS; index++) {
    multiplyPair(term, target);
    setPair(divisor, index);
    dividePair(term, divisor);
    addPair(sum, term);
  }
  for (let step: u32 = 0; step < HALVINGS; step++) {
    // (1 + s)² − 1 = 2s + s²
    copyPair(term, sum);
    scalePair(sum, 2);
    addProduct(sum, term, term);
  }
  copyPair(target, sum);
}

function powerOfTwo(exponent: i32): f64 {
  return reinterpret<f64>((<i64>exponent + 1023) << 52);
}

/** Sets a pair to the natural logarithm of a positive number: one step of Newton's method. */
export function setLogarithm(target: usize, value: f64): void {
  const first = Math.log(value);
  const rest = place(0);
  setPair(target, -first);
  raisePair(target);
  setPair(rest, value);
  multiplyPair(target, rest);
  addNumber(target, -1);
  // ln(1 + d) is d − d²/2 as far as digits go.
  copyPair(rest, target);
  multiplyPair(rest, target);
  scalePair(rest, 0.5);
  negatePair(rest);
  addPair(target, rest);
  addNumber(target, first);
}
