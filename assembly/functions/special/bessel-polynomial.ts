import { exactBesselI, recurUpwards, smallBesselJ } from '../engineering/bessel-function';
import { polynomial } from './error-function';

/**
 * Bessel functions I, J, K and Y with the approximations that Excel has (those of W. H. Press et
 * al., "Numerical Recipes", section 6.5, after Abramowitz and Stegun 9.4 and 9.8). They are good to
 * eight digits only, but Excel's last digits are theirs: BESSELJ(0,0) is 1.00000000283141.
 */
const J0_TOP: StaticArray<f64> = [
  57568490574.0, -13362590354.0, 651619640.7, -11214424.18, 77392.33017, -184.9052456,
];
const J0_BOTTOM: StaticArray<f64> = [
  57568490411.0, 1029532985.0, 9494680.718, 59272.64853, 267.8532712, 1.0,
];
/** Excel's own constant has two digits changed (…267 for …627). */
const J0_COSINE: StaticArray<f64> = [
  1.0, -0.1098628267e-2, 0.2734510407e-4, -0.2073370639e-5, 0.2093887211e-6,
];
const Y0_SINE: StaticArray<f64> = [
  1.0, -0.1098628627e-2, 0.2734510407e-4, -0.2073370639e-5, 0.2093887211e-6,
];
const SECOND_0: StaticArray<f64> = [
  -0.1562499995e-1, 0.1430488765e-3, -0.6911147651e-5, 0.7621095161e-6, -0.934945152e-7,
];
const J1_TOP: StaticArray<f64> = [
  72362614232.0, -7895059235.0, 242396853.1, -2972611.439, 15704.4826, -30.16036606,
];
const J1_BOTTOM: StaticArray<f64> = [
  144725228442.0, 2300535178.0, 18583304.74, 99447.43394, 376.9991397, 1.0,
];
/** Excel has the third constant twice. */
const J1_COSINE: StaticArray<f64> = [
  1.0, 0.183105e-2, -0.3516396496e-4, -0.3516396496e-4, 0.2457520174e-5, -0.240337019e-6,
];
const Y1_SINE: StaticArray<f64> = [
  1.0, 0.183105e-2, -0.3516396496e-4, 0.2457520174e-5, -0.240337019e-6,
];
const SECOND_1: StaticArray<f64> = [
  0.04687499995, -0.2002690873e-3, 0.8449199096e-5, -0.88228987e-6, 0.105787412e-6,
];
const Y0_TOP: StaticArray<f64> = [
  -2957821389.0, 7062834065.0, -512359803.6, 10879881.29, -86327.92757, 228.4622733,
];
const Y0_BOTTOM: StaticArray<f64> = [
  40076544269.0, 745249964.8, 7189466.438, 47447.2647, 226.1030244, 1.0,
];
const Y1_TOP: StaticArray<f64> = [
  -0.4900604943e13, 0.127527439e13, -0.5153438139e11, 0.7349264551e9, -0.4237922726e7,
  0.8511937935e4,
];
const Y1_BOTTOM: StaticArray<f64> = [
  0.249958057e14, 0.4244419664e12, 0.3733650367e10, 0.2245904002e8, 0.102042605e6, 0.3549632885e3,
  1.0,
];
const I0_NEAR: StaticArray<f64> = [
  1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2,
];
const I1_NEAR: StaticArray<f64> = [
  0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3,
];
/** Where the polynomials of I in (x / 3.75)^2 end. */
const NEAR_I_TO: f64 = 3.75;
const K0_NEAR: StaticArray<f64> = [
  -0.57721566, 0.4227842, 0.23069756, 0.348859e-1, 0.262698e-2, 0.1075e-3, 0.74e-5,
];
const K0_FAR: StaticArray<f64> = [
  1.25331414, -0.7832358e-1, 0.2189568e-1, -0.1062446e-1, 0.587872e-2, -0.25154e-2, 0.53208e-3,
];
const K1_NEAR: StaticArray<f64> = [
  1.0, 0.15443144, -0.67278579, -0.18156897, -0.1919402e-1, -0.110404e-2, -0.4686e-4,
];
const K1_FAR: StaticArray<f64> = [
  1.25331414, 0.23498619, -0.365562e-1, 0.1504268e-1, -0.780353e-2, 0.325614e-2, -0.68245e-3,
];
const TWO_OVER_PI: f64 = 0.636619772;
const QUARTER: f64 = 0.785398164;
const THREE_QUARTERS: f64 = 2.356194491;
/** Where the rational approximations of J and Y end. */
const NEAR_TO: f64 = 8;

function amplitude(x: f64): f64 {
  return sqrt(TWO_OVER_PI / x);
}

function firstJ0(x: f64): f64 {
  const square = x * x;
  if (x < NEAR_TO) return polynomial(J0_TOP, square) / polynomial(J0_BOTTOM, square);
  const z = NEAR_TO / x;
  const angle = x - QUARTER;
  const second = z * Math.sin(angle) * polynomial(SECOND_0, z * z);
  return amplitude(x) * (Math.cos(angle) * polynomial(J0_COSINE, z * z) - second);
}

function firstJ1(x: f64): f64 {
  const square = x * x;
  if (x < NEAR_TO) return (x * polynomial(J1_TOP, square)) / polynomial(J1_BOTTOM, square);
  const z = NEAR_TO / x;
  const angle = x - THREE_QUARTERS;
  const second = z * Math.sin(angle) * polynomial(SECOND_1, z * z);
  return amplitude(x) * (Math.cos(angle) * polynomial(J1_COSINE, z * z) - second);
}

function firstY0(x: f64): f64 {
  const square = x * x;
  if (x < NEAR_TO) {
    const ratio = polynomial(Y0_TOP, square) / polynomial(Y0_BOTTOM, square);
    return ratio + TWO_OVER_PI * firstJ0(x) * Math.log(x);
  }
  const z = NEAR_TO / x;
  const angle = x - QUARTER;
  const second = z * Math.cos(angle) * polynomial(SECOND_0, z * z);
  return amplitude(x) * (Math.sin(angle) * polynomial(Y0_SINE, z * z) + second);
}

function firstY1(x: f64): f64 {
  const square = x * x;
  if (x < NEAR_TO) {
    const ratio = (x * polynomial(Y1_TOP, square)) / polynomial(Y1_BOTTOM, square);
    return ratio + TWO_OVER_PI * (firstJ1(x) * Math.log(x) - 1 / x);
  }
  const z = NEAR_TO / x;
  const angle = x - THREE_QUARTERS;
  const second = z * Math.cos(angle) * polynomial(SECOND_1, z * z);
  return amplitude(x) * (Math.sin(angle) * polynomial(Y1_SINE, z * z) + second);
}

/** J of integer order n >= 0 */
export function besselJ(x: f64, order: f64): f64 {
  const size = abs(x);
  const sign: f64 = x < 0 && order % 2 == 1 ? -1 : 1;
  if (order == 0) return firstJ0(size);
  if (order == 1) return sign * firstJ1(size);
  if (size == 0) return 0;
  if (size > order) return sign * recurUpwards(order, size, 1, firstJ0(size), firstJ1(size));
  return sign * smallBesselJ(size, order);
}

/** Y of integer order n >= 0, x > 0 */
export function besselY(x: f64, order: f64): f64 {
  if (order == 0) return firstY0(x);
  return recurUpwards(order, x, 1, firstY0(x), firstY1(x));
}

function nearI0(x: f64): f64 {
  return polynomial(I0_NEAR, (x / NEAR_I_TO) * (x / NEAR_I_TO));
}

function nearI1(x: f64): f64 {
  return x * polynomial(I1_NEAR, (x / NEAR_I_TO) * (x / NEAR_I_TO));
}

/** I of integer order n >= 0; far from zero it is exact, where Excel has eight digits. */
export function besselI(x: f64, order: f64): f64 {
  const size = abs(x);
  const sign: f64 = x < 0 && order % 2 == 1 ? -1 : 1;
  if (size >= NEAR_I_TO) return sign * exactBesselI(size, order);
  if (order == 0) return nearI0(size);
  if (order == 1) return sign * nearI1(size);
  return sign * exactBesselI(size, order) * (nearI0(size) / exactBesselI(size, 0));
}

/** K of order 0 or 1 */
function firstK0(x: f64): f64 {
  if (x > 2) return (Math.exp(-x) / sqrt(x)) * polynomial(K0_FAR, 2 / x);
  return -Math.log(x / 2) * nearI0(x) + polynomial(K0_NEAR, (x * x) / 4);
}

function firstK1(x: f64): f64 {
  if (x > 2) return (Math.exp(-x) / sqrt(x)) * polynomial(K1_FAR, 2 / x);
  return Math.log(x / 2) * nearI1(x) + polynomial(K1_NEAR, (x * x) / 4) / x;
}

/** K of integer order n >= 0, x > 0 */
export function besselK(x: f64, order: f64): f64 {
  if (order == 0) return firstK0(x);
  return recurUpwards(order, x, -1, firstK0(x), firstK1(x));
}
