import { pay } from '../../vm/fuel';

/** Recurrences between Bessel functions of neighbouring integer orders. */
const LARGE: f64 = 1e250;
/** Below this argument J and I of order n are (x/2)^n / n! to the last bit. */
const TINY: f64 = 1e-8;
/** Beyond it e^x, and I, is no number. */
const EXPONENT_LIMIT: f64 = 1_400;

/** An even order from which backward recurrence forgets its start, whatever the argument. */
function safeStart(order: f64, x: f64): i32 {
  const from = max(order, x);
  return (<i32>(from + 20 + 12 * Math.pow(from, 0.4)) / 2) * 2 + 2;
}

/**
 * J of an order that is not below the argument: J0 + 2 (J2 + J4 + …) is 1. It begins where Excel
 * does (W. H. Press et al., "Numerical Recipes", bessj), which costs low orders some digits.
 */
export function smallBesselJ(x: f64, order: f64): f64 {
  const from = <i32>(order + trunc(sqrt(40 * order)));
  return recurDownwards(order, x, -1, (from / 2) * 2);
}

/** I of integer order n >= 0, x >= 0, to the last bits: I0 + 2 (I1 + I2 + …) is e^x. */
export function exactBesselI(x: f64, order: f64): f64 {
  if (x > EXPONENT_LIMIT) return Infinity;
  const half = Math.exp(x / 2);
  return recurDownwards(order, x, 1, safeStart(order, x)) * half * half;
}

/**
 * Backward recurrence f(n-1) = (2n/x) f(n) + sign f(n+1), normalised by a sum that is known
 * (J. C. P. Miller).
 */
function recurDownwards(order: f64, x: f64, sign: f64, start: i32): f64 {
  if (x < TINY) return leadingTerm(order, x);
  let above: f64 = 0;
  let here: f64 = 1e-300;
  let wanted: f64 = 0;
  let rest: f64 = 0;
  for (let n = start; n > 0 && pay(8); n--) {
    const below = ((2 * <f64>n) / x) * here + sign * above;
    above = here;
    here = below;
    const place = n - 1;
    if (<f64>place == order) wanted = here;
    if ((sign > 0 || (place & 1) == 0) && place > 0) rest += here;
    if (abs(here) > LARGE) {
      here /= LARGE;
      above /= LARGE;
      wanted /= LARGE;
      rest /= LARGE;
    }
  }
  return wanted / (here + 2 * rest);
}

function leadingTerm(order: f64, x: f64): f64 {
  let term: f64 = 1;
  for (let k: f64 = 1; k <= order && term != 0 && pay(4); k++) term *= x / 2 / k;
  return term;
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
