import {
  OPERATOR_ADD,
  OPERATOR_DIVIDE,
  OPERATOR_EQUAL,
  OPERATOR_GREATER,
  OPERATOR_LESS,
  OPERATOR_LESS_EQUAL,
  OPERATOR_MULTIPLY,
  OPERATOR_NOT_EQUAL,
  OPERATOR_SUBTRACT,
} from '../formula/token';
import { LAST_BITS, NEAR, compareDoubles } from '../vm/operator';
import { powerOf } from '../values/power';
import { SMALLEST_NUMBER } from '../vm/slot';
import { LANE_PAIR_BYTES, Register } from './register';

/**
 * Applies an operator to lanes, two at a time: for each lane it gives the bits of vm/operator.ts
 * for one value, or a value that is not finite. `a` and `b` are the addresses of the operands'
 * lanes, which advance by their steps (0 if all lanes have one value). Results go from `out` to
 * `end`; `out` may equal `a`.
 */
export function combineLanes(
  operator: u32,
  a: usize,
  aStep: usize,
  b: usize,
  bStep: usize,
  out: usize,
  end: usize,
): void {
  if (operator == OPERATOR_ADD) addLanes(a, aStep, b, bStep, out, end);
  else if (operator == OPERATOR_SUBTRACT) subtractLanes(a, aStep, b, bStep, out, end);
  else if (operator == OPERATOR_MULTIPLY) multiplyLanes(a, aStep, b, bStep, out, end);
  else if (operator == OPERATOR_DIVIDE) divideLanes(a, aStep, b, bStep, out, end);
  else if (operator >= OPERATOR_EQUAL) compareLanes(operator, a, aStep, b, bStep, out, end);
  else raiseLanes(a, aStep, b, bStep, out, end);
}

/** Replaces minus zero and denormals by zero, as setNumber of vm/slot.ts does. */
function settled(value: v128): v128 {
  return v128.andnot(value, f64x2.lt(f64x2.abs(value), f64x2.splat(SMALLEST_NUMBER)));
}

function addLanes(a: usize, aStep: usize, b: usize, bStep: usize, out: usize, end: usize): void {
  for (; out < end; out += LANE_PAIR_BYTES) {
    v128.store(out, settled(f64x2.add(v128.load(a), v128.load(b))));
    a += aStep;
    b += bStep;
  }
}

function subtractLanes(
  a: usize,
  aStep: usize,
  b: usize,
  bStep: usize,
  out: usize,
  end: usize,
): void {
  for (; out < end; out += LANE_PAIR_BYTES) {
    v128.store(out, settled(f64x2.sub(v128.load(a), v128.load(b))));
    a += aStep;
    b += bStep;
  }
}

function multiplyLanes(
  a: usize,
  aStep: usize,
  b: usize,
  bStep: usize,
  out: usize,
  end: usize,
): void {
  for (; out < end; out += LANE_PAIR_BYTES) {
    v128.store(out, settled(f64x2.mul(v128.load(a), v128.load(b))));
    a += aStep;
    b += bStep;
  }
}

/** Dividing by zero is not finite by itself; dividing by what is not finite must not be zero. */
function divideLanes(a: usize, aStep: usize, b: usize, bStep: usize, out: usize, end: usize): void {
  for (; out < end; out += LANE_PAIR_BYTES) {
    const divisor = v128.load(b);
    const quotient = f64x2.div(v128.load(a), divisor);
    v128.store(out, settled(f64x2.add(quotient, f64x2.sub(divisor, divisor))));
    a += aStep;
    b += bStep;
  }
}

function raiseLanes(a: usize, aStep: usize, b: usize, bStep: usize, out: usize, end: usize): void {
  for (; out < end; out += LANE_PAIR_BYTES) {
    const bases = v128.load(a);
    const exponents = v128.load(b);
    store<f64>(out, raised(f64x2.extract_lane(bases, 0), f64x2.extract_lane(exponents, 0)));
    store<f64>(out, raised(f64x2.extract_lane(bases, 1), f64x2.extract_lane(exponents, 1)), 8);
    a += aStep;
    b += bStep;
  }
}

/** Returns a power as a lane holds it: NaN if an operand is not finite. */
export function raised(base: f64, exponent: f64): f64 {
  // Some powers of operands that are not finite would be finite.
  if (base - base != 0 || exponent - exponent != 0) return NaN;
  if (base == 0 && exponent <= 0) return NaN;
  const power = powerOf(base, exponent);
  return abs(power) < SMALLEST_NUMBER ? 0 : power;
}

/**
 * Compares lanes: 1 where the comparison holds, else 0. Equal lanes, and lanes too far apart for
 * their 15th digits to matter, are compared two at a time.
 */
function compareLanes(
  operator: u32,
  a: usize,
  aStep: usize,
  b: usize,
  bStep: usize,
  out: usize,
  end: usize,
): void {
  const near = f64x2.splat(NEAR);
  for (; out < end; out += LANE_PAIR_BYTES) {
    const left = v128.load(a);
    const right = v128.load(b);
    const difference = f64x2.sub(left, right);
    const equal = f64x2.eq(left, right);
    const far = f64x2.gt(f64x2.abs(difference), f64x2.mul(f64x2.abs(left), near));
    if (i64x2.all_true(v128.or(equal, far))) {
      const truth = v128.and(verdicts(operator, left, right, equal), f64x2.splat(1));
      // Makes a lane not finite where an operand is: equal and distant lanes may be infinite.
      v128.store(out, f64x2.add(truth, f64x2.sub(difference, difference)));
    } else {
      store<f64>(
        out,
        compared(operator, f64x2.extract_lane(left, 0), f64x2.extract_lane(right, 0)),
      );
      store<f64>(
        out,
        compared(operator, f64x2.extract_lane(left, 1), f64x2.extract_lane(right, 1)),
        8,
      );
    }
    a += aStep;
    b += bStep;
  }
}

function verdicts(operator: u32, left: v128, right: v128, equal: v128): v128 {
  switch (operator) {
    case OPERATOR_EQUAL:
      return equal;
    case OPERATOR_NOT_EQUAL:
      return v128.not(equal);
    case OPERATOR_LESS:
      return f64x2.lt(left, right);
    case OPERATOR_LESS_EQUAL:
      return f64x2.le(left, right);
    case OPERATOR_GREATER:
      return f64x2.gt(left, right);
    default:
      return f64x2.ge(left, right);
  }
}

/** Returns a comparison as a lane holds it: 1 or 0, and NaN if an operand is not finite. */
export function compared(operator: u32, left: f64, right: f64): f64 {
  const difference = left - right;
  if (difference - difference != 0) return NaN;
  return compareDoubles(operator, left, right) ? 1 : 0;
}

/**
 * Sets a result to zero if only the last bits of its operands are left, as for a sum or difference
 * that is the last step of a formula (`snapsToZero` of vm/operator.ts).
 */
export function snapLanes(
  a: usize,
  aStep: usize,
  b: usize,
  bStep: usize,
  result: usize,
  out: usize,
  end: usize,
): void {
  const bound = f64x2.splat(LAST_BITS);
  for (; out < end; out += LANE_PAIR_BYTES) {
    const largest = f64x2.max(f64x2.abs(v128.load(a)), f64x2.abs(v128.load(b)));
    const value = v128.load(result);
    v128.store(out, v128.andnot(value, f64x2.lt(f64x2.abs(value), f64x2.mul(largest, bound))));
    a += aStep;
    b += bStep;
    result += LANE_PAIR_BYTES;
  }
}

/**
 * IF lane by lane: `then` where the condition is not 0, else `otherwise`. The result is not finite
 * where the condition is not.
 */
export function selectLanes(
  condition: Register,
  then: Register,
  otherwise: Register,
  out: usize,
  end: usize,
): void {
  const zero = f64x2.splat(0);
  let truths = <usize>condition.lanes;
  let a = <usize>then.lanes;
  let b = <usize>otherwise.lanes;
  for (; out < end; out += LANE_PAIR_BYTES) {
    const truth = v128.load(truths);
    const chosen = v128.bitselect(v128.load(a), v128.load(b), f64x2.ne(truth, zero));
    v128.store(out, v128.or(chosen, f64x2.ne(f64x2.sub(truth, truth), zero)));
    truths += condition.step;
    a += then.step;
    b += otherwise.step;
  }
}

/** Returns whether all lanes are finite. An odd count leaves half a pair behind it unread. */
export function areFinite(lanes: usize, count: u32): bool {
  const pairsEnd = lanes + ((<usize>(count & ~1)) << 3);
  let other = f64x2.splat(0);
  for (let place = lanes; place < pairsEnd; place += LANE_PAIR_BYTES) {
    const value = v128.load(place);
    other = v128.or(other, f64x2.sub(value, value));
  }
  // x - x is 0 for what is finite and NaN for what is not.
  if (v128.any_true(other)) return false;
  if (!(count & 1)) return true;
  const last = load<f64>(pairsEnd);
  return last - last == 0;
}
