/**
 * The operator `^` and POWER. NaN (which becomes #NUM!) for 0^0 and for a negative base with a
 * fractional exponent, except the reciprocal of an odd number: (-8)^(1/3) is -2 in Excel. Zero to
 * a negative power is the caller's #DIV/0!.
 */
export function powerOf(base: f64, exponent: f64): f64 {
  if (base == 0 && exponent == 0) return NaN;
  if (exponent == 2) return base * base;
  if (base < 0 && exponent != floor(exponent)) {
    const root = nearest(1 / exponent);
    if (abs(root % 2) == 1 && 1 / root == exponent) return -Math.pow(-base, exponent);
    return NaN;
  }
  return Math.pow(base, exponent);
}
