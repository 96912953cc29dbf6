import { noteWork } from '../memory/work';
import {
  anyBitBelow,
  closeNatural,
  divideByFives,
  multiplyByFives,
  multiplyNatural,
  naturalBits,
  naturalWindow,
  openNatural,
  shiftNaturalLeft,
} from './big-natural';

/** Exact conversion between doubles and decimal digits. */

const FIVES: StaticArray<u64> = [
  1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
  6103515625, 30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125,
  95367431640625, 476837158203125, 2384185791015625, 11920928955078125, 59604644775390625,
  298023223876953125, 1490116119384765625, 7450580596923828125,
];

const TENS: StaticArray<u64> = [
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
  100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000,
  100000000000000000, 1000000000000000000, 10000000000000000000,
];

const EXACT_TENS: StaticArray<f64> = [
  1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
];

export function tenTo(power: u32): u64 {
  return TENS[power];
}

/** Decimal exponent of the number roundDigits looked at: it is d.ddd times ten to this. */
export let digitsExponent: i32 = 0;

/**
 * The first `count` (1 to 17) significant digits of a positive normal number as an integer, rounded
 * half up on its exact decimal expansion.
 */
export function roundDigits(value: f64, count: u32): u64 {
  const bits = reinterpret<u64>(value);
  const binary = <i32>((bits >> 52) & 0x7ff) - 1075;
  const mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
  // At or one below the true exponent: log10(2) times that of the leading bit.
  let exponent = <i32>floor(<f64>(binary + 52) * 0.30102999566398119);
  const limit = TENS[count];
  let digits = scaledInteger(mantissa, binary, <i32>count - 1 - exponent);
  while (digits >= limit) {
    exponent++;
    digits = scaledInteger(mantissa, binary, <i32>count - 1 - exponent);
  }
  digitsExponent = exponent;
  return digits;
}

/** mantissa × 2^binary × 10^power, rounded half up; the caller knows that it fits. */
function scaledInteger(mantissa: u64, binary: i32, power: i32): u64 {
  const shift = binary + power;
  if (power < 0 || power > 27 || shift >= 0 || shift < -127) {
    return scaledBig(mantissa, binary, power);
  }
  const five = FIVES[power];
  const cross = (mantissa >> 32) * (five & 0xffffffff);
  const middle =
    (mantissa & 0xffffffff) * (five >> 32) +
    (cross & 0xffffffff) +
    (((mantissa & 0xffffffff) * (five & 0xffffffff)) >> 32);
  const high = (mantissa >> 32) * (five >> 32) + (cross >> 32) + (middle >> 32);
  const low = mantissa * five;
  const right = <u64>-shift;
  if (right > 64) return (high >> (right - 64)) + ((high >> (right - 65)) & 1);
  if (right == 64) return high + (low >> 63);
  return ((high << (64 - right)) | (low >> right)) + ((low >> (right - 1)) & 1);
}

function scaledBig(mantissa: u64, binary: i32, power: i32): u64 {
  openNatural(mantissa);
  // One bit more than the answer is kept, for rounding.
  let shift = binary + power + 1;
  if (power >= 0) multiplyByFives(power);
  if (shift > 0) {
    shiftNaturalLeft(shift);
    shift = 0;
  }
  if (power < 0) divideByFives(-power);
  const doubled = naturalWindow(-shift);
  closeNatural();
  return (doubled + 1) >> 1;
}

/** The double nearest to digits × 10^power, ties to even. */
export function fromDecimal(digits: u64, power: i32): f64 {
  if (digits == 0) return 0;
  if (digits <= 9007199254740992) {
    if (power == 0) return <f64>digits;
    if (power > 0 && power <= 22) return <f64>digits * EXACT_TENS[power];
    if (power < 0 && power >= -22) return <f64>digits / EXACT_TENS[-power];
  }
  if (power > 310) return Infinity;
  if (power < -345) return 0;
  openNatural(digits);
  return closeDecimal(power);
}

/** The same for any number of digits, given as UTF-16 digits with perhaps a point among them. */
export function fromDigits(units: usize, length: u32, power: i32): f64 {
  openNatural(0);
  const end = units + ((<usize>length) << 1);
  let kept: u32 = 0;
  let scale = power;
  let fraction = false;
  let sticky = false;
  let piece: u32 = 0;
  let weight: u32 = 1;
  for (let place = units; place < end; place += 2) {
    const code = <u32>load<u16>(place);
    if (code == 46) {
      fraction = true;
      continue;
    }
    if (kept || code != 48) kept++;
    if (kept > 800) {
      sticky = sticky || code != 48;
      if (!fraction) scale++;
      continue;
    }
    // Nine digits at a time are all that fit.
    piece = piece * 10 + (code - 48);
    weight *= 10;
    if (weight == 1_000_000_000) {
      multiplyNatural(weight, piece);
      piece = 0;
      weight = 1;
    }
    if (fraction) scale--;
  }
  multiplyNatural(weight, piece);
  const digits = min(kept, 800);
  noteWork((digits * digits) >> 5);
  if (sticky) {
    multiplyNatural(10, 1);
    scale--;
  }
  const magnitude = <i32>kept + scale;
  if (kept == 0 || magnitude < -345) {
    closeNatural();
    return 0;
  }
  if (magnitude > 400) {
    closeNatural();
    return Infinity;
  }
  return closeDecimal(scale);
}

/** The open natural times 10^power as a double; closes it. */
export function closeDecimal(power: i32): f64 {
  let binary = power;
  let exact: bool = true;
  if (power >= 0) {
    multiplyByFives(power);
  } else {
    // Enough bits that the quotient has 66 or more.
    const needed = <i32>ceil(<f64>-power * 2.3219280948873626) + 66 - <i32>naturalBits();
    if (needed > 0) {
      shiftNaturalLeft(needed);
      binary -= needed;
    }
    exact = divideByFives(-power);
  }
  const bits = naturalBits();
  const dropped = bits > 53 ? bits - 53 : 0;
  let mantissa = naturalWindow(dropped) & 0x1fffffffffffff;
  if (dropped) {
    const half = (naturalWindow(dropped - 1) & 1) != 0;
    if (half && ((mantissa & 1) != 0 || !exact || anyBitBelow(dropped - 1))) mantissa++;
  }
  closeNatural();
  return scaleBinary(<f64>mantissa, binary + <i32>dropped);
}

/** value × 2^power; what would be subnormal is zero, as everywhere in Excel. */
function scaleBinary(value: f64, power: i32): f64 {
  let result = value;
  let rest = power;
  while (rest > 1000) {
    result *= reinterpret<f64>((<u64>2023) << 52);
    rest -= 1000;
  }
  while (rest < -960) {
    // Two steps never round: the first leaves a normal number or one far below the smallest.
    result *= reinterpret<f64>((<u64>63) << 52);
    rest += 960;
  }
  result *= reinterpret<f64>((<u64>(1023 + rest)) << 52);
  return abs(result) < 2.2250738585072014e-308 ? 0 : result;
}
