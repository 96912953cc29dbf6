import { addressOf, at } from '../../memory/pointer';
import {
  addNumber,
  addPair,
  addProduct,
  copyPair,
  dividePair,
  roundPair,
  setPair,
  subtractPair,
  multiplyPair,
} from './pair';

/**
 * Count, sums, squares and products of numbers or of pairs of them, as distances from the first, in
 * pairs of doubles. They are taken one after the other and lose nothing that a result would show,
 * so those of a column go on where those of a shorter one ended.
 */
@unmanaged
export class Moments {
  count: f64 = 0;
  /** The first numbers, from which all are measured. */
  x0: f64 = 0;
  y0: f64 = 0;
}

// Pairs of doubles behind the record.
const X_SUM: usize = 24;
const Y_SUM: usize = 40;
const X_SQUARES: usize = 56;
const Y_SQUARES: usize = 72;
const PRODUCTS: usize = 88;
export const MOMENTS_BYTES: usize = 104;

/** Distances of the present numbers, and two more pairs. */
const X_NOW: usize = memory.data(64, 16);
const Y_NOW: usize = X_NOW + 16;
const SPARE: usize = X_NOW + 32;
const DIVISOR: usize = X_NOW + 48;

export function clearMoments(moments: Moments): void {
  memory.fill(addressOf(moments), 0, MOMENTS_BYTES);
}

export function takeNumber(moments: Moments, x: f64): void {
  const place = addressOf(moments);
  if (moments.count == 0) moments.x0 = x;
  moments.count++;
  setPair(X_NOW, x);
  addNumber(X_NOW, -moments.x0);
  addPair(place + X_SUM, X_NOW);
  addProduct(place + X_SQUARES, X_NOW, X_NOW);
}

export function takePair(moments: Moments, x: f64, y: f64): void {
  const place = addressOf(moments);
  if (moments.count == 0) moments.y0 = y;
  takeNumber(moments, x);
  setPair(Y_NOW, y);
  addNumber(Y_NOW, -moments.y0);
  addPair(place + Y_SUM, Y_NOW);
  addProduct(place + Y_SQUARES, Y_NOW, Y_NOW);
  addProduct(place + PRODUCTS, X_NOW, Y_NOW);
}

/** A sum of squares or products less what the means make of it. */
function aboutMeans(moments: Moments, total: usize, left: usize, right: usize): f64 {
  const place = addressOf(moments);
  copyPair(SPARE, place + left);
  multiplyPair(SPARE, place + right);
  setPair(DIVISOR, moments.count);
  dividePair(SPARE, DIVISOR);
  copyPair(DIVISOR, place + total);
  subtractPair(DIVISOR, SPARE);
  return roundPair(DIVISOR);
}

/** Sum of the squared deviations from the mean. */
export function squaresOfX(moments: Moments): f64 {
  return max(aboutMeans(moments, X_SQUARES, X_SUM, X_SUM), 0);
}

export function squaresOfY(moments: Moments): f64 {
  return max(aboutMeans(moments, Y_SQUARES, Y_SUM, Y_SUM), 0);
}

export function productsOf(moments: Moments): f64 {
  return aboutMeans(moments, PRODUCTS, X_SUM, Y_SUM);
}

function meanAbove(moments: Moments, sum: usize, first: f64): f64 {
  copyPair(SPARE, addressOf(moments) + sum);
  setPair(DIVISOR, moments.count);
  dividePair(SPARE, DIVISOR);
  addNumber(SPARE, first);
  return roundPair(SPARE);
}

export function meanOfX(moments: Moments): f64 {
  return meanAbove(moments, X_SUM, moments.x0);
}

export function meanOfY(moments: Moments): f64 {
  return meanAbove(moments, Y_SUM, moments.y0);
}

/** Moments in a piece of memory of `MOMENTS_BYTES`. */
export function momentsAt(place: usize): Moments {
  return at<Moments>(place);
}
