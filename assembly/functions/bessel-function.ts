import { pay } from '../vm/fuel';

/**
 * Bessel functions of integer order, correct to the last bits: backward recurrence (J. C. P.
 * Miller), normalised by a sum that is known, and the power series of I.
 */
const EPSILON: f64 = 1.1102230246251565e-16;
const LARGE: f64 = 1e250;

/** An even order from which backward recurrence forgets its start. */
function startOrder(order: f64, x: f64): i32 {
  const from = max(order, x);
  return (<i32>(from + 20 + 12 * Math.pow(from, 0.4)) / 2) * 2 + 2;
}

/** J of an order that is not below the argument: J0 + 2 (J2 + J4 + …) is 1. */
export function smallBesselJ(x: f64, order: f64): f64 {
  let above: f64 = 0;
  let here: f64 = 1e-300;
  let wanted: f64 = 0;
  let norm: f64 = 0;
  for (let n = startOrder(order, x); n > 0 && pay(8); n--) {
    const below = ((2 * <f64>n) / x) * here - above;
    above = here;
    here = below;
    const place = n - 1;
    if (<f64>place == order) wanted = here;
    if ((place & 1) == 0 && place > 0) norm += 2 * here;
    if (abs(here) > LARGE) {
      here /= LARGE;
      above /= LARGE;
      wanted /= LARGE;
      norm /= LARGE;
    }
  }
  return wanted / (norm + here);
}

/** The recurrence f(n+1) = (2n/x) f(n) - sign f(n-1) upwards from orders 0 and 1. */
export function recurUpwards(order: f64, x: f64, sign: f64, at0: f64, at1: f64): f64 {
  let below = at0;
  let here = at1;
  for (let n: f64 = 1; n < order && pay(8); n++) {
    const above = ((2 * n) / x) * here - sign * below;
    below = here;
    here = above;
    if (here - here != 0) break;
  }
  return here;
}

/** Below this argument the power series of I is short and has no cancellation. */
const SERIES_TO: f64 = 30;

/** I of integer order n >= 0 */
export function besselI(x: f64, order: f64): f64 {
  const size = abs(x);
  const sign: f64 = x < 0 && order % 2 == 1 ? -1 : 1;
  if (size < SERIES_TO) return sign * seriesI(size, order);
  if (size > 1500) return Infinity;
  let above: f64 = 0;
  let here: f64 = 1e-300;
  let wanted: f64 = 0;
  let norm: f64 = 0;
  for (let n = startOrder(order, size); n > 0 && pay(8); n--) {
    const below = ((2 * <f64>n) / size) * here + above;
    above = here;
    here = below;
    if (<f64>(n - 1) == order) wanted = here;
    if (n > 1) norm += 2 * here;
    if (here > LARGE) {
      here /= LARGE;
      above /= LARGE;
      wanted /= LARGE;
      norm /= LARGE;
    }
  }
  norm += here;
  const half = Math.exp(size / 2);
  return sign * ((wanted / norm) * half) * half;
}

function seriesI(x: f64, order: f64): f64 {
  const half = x / 2;
  let term: f64 = 1;
  for (let k: f64 = 1; k <= order && term != 0 && pay(4); k++) term *= half / k;
  let sum = term;
  for (let k: f64 = 1; k < 500 && pay(6); k++) {
    term *= (half / k) * (half / (k + order));
    sum += term;
    if (term <= sum * EPSILON * 0.1) break;
  }
  return sum;
}
