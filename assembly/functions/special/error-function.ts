/**
 * erf and erfc, correct to the last bit or two: the rational approximations of fdlibm's s_erf.c
 * (Sun Microsystems 1993).
 */
const PP: StaticArray<f64> = [
  1.28379167095512558561e-1, -3.2504210724700149937e-1, -2.84817495755985104766e-2,
  -5.77027029648944159157e-3, -2.37630166566501626084e-5,
];
const QQ: StaticArray<f64> = [
  1.0, 3.97917223959155352819e-1, 6.50222499887672944485e-2, 5.08130628187576562776e-3,
  1.32494738004321644526e-4, -3.9602282787753681232e-6,
];
const PA: StaticArray<f64> = [
  -2.36211856075265944077e-3, 4.14856118683748331666e-1, -3.72207876035701323847e-1,
  3.18346619901161753674e-1, -1.10894694282396677476e-1, 3.54783043256182359371e-2,
  -2.166375594868790843e-3,
];
const QA: StaticArray<f64> = [
  1.0, 1.06420880400844228286e-1, 5.40397917702171048937e-1, 7.18286544141962662868e-2,
  1.26171219808761642112e-1, 1.36370839120290507362e-2, 1.1984499846799107417e-2,
];
const RA: StaticArray<f64> = [
  -9.86494403484714822705e-3, -6.93858572707181764372e-1, -1.05586262253232909814e1,
  -6.23753324503260060396e1, -1.62396669462573470355e2, -1.84605092906711035994e2,
  -8.12874355063065934246e1, -9.81432934416914548592,
];
const SA: StaticArray<f64> = [
  1.0, 1.96512716674392571292e1, 1.376577541435190426e2, 4.34565877475229228821e2,
  6.45387271733267880336e2, 4.29008140027567833386e2, 1.08635005541779435134e2,
  6.57024977031928170135, -6.04244152148580987438e-2,
];
const RB: StaticArray<f64> = [
  -9.86494292470009928597e-3, -7.99283237680523006574e-1, -1.77579549177547519889e1,
  -1.60636384855821916062e2, -6.37566443368389627722e2, -1.02509513161107724954e3,
  -4.83519191608651397019e2,
];
const SB: StaticArray<f64> = [
  1.0, 3.03380607434824582924e1, 3.25792512996573918826e2, 1.53672958608443695994e3,
  3.19985821950859553908e3, 2.55305040643316442583e3, 4.74528541206955367215e2,
  -2.24409524465858183362e1,
];
/** erf(1) rounded to single precision. */
const ERF_ONE: f64 = 8.45062911510467529297e-1;

/** A polynomial by Horner's rule, the constant term first. */
export function polynomial(coefficients: StaticArray<f64>, x: f64): f64 {
  let result: f64 = 0;
  for (let index = coefficients.length - 1; index >= 0; index--) {
    result = result * x + unchecked(coefficients[index]);
  }
  return result;
}

export function erf(x: f64): f64 {
  const magnitude = abs(x);
  if (magnitude < 0.84375) {
    const square = x * x;
    return x + x * (polynomial(PP, square) / polynomial(QQ, square));
  }
  const positive = magnitude < 6 ? 1 - tail(magnitude) : 1;
  return x < 0 ? -positive : positive;
}

export function erfc(x: f64): f64 {
  const magnitude = abs(x);
  if (magnitude < 0.84375) {
    const square = x * x;
    const rest = polynomial(PP, square) / polynomial(QQ, square);
    if (x < 0.25) return 1 - (x + x * rest);
    return 0.5 - (x - 0.5 + x * rest);
  }
  return x < 0 ? 2 - tail(magnitude) : tail(x);
}

/** erfc from 0.84375 on. */
function tail(x: f64): f64 {
  if (x < 1.25) {
    const step = x - 1;
    return 1 - ERF_ONE - polynomial(PA, step) / polynomial(QA, step);
  }
  if (x > 28) return 0;
  const inverse = 1 / (x * x);
  const ratio =
    x < 1 / 0.35
      ? polynomial(RA, inverse) / polynomial(SA, inverse)
      : polynomial(RB, inverse) / polynomial(SB, inverse);
  // The square of a number cut to 21 bits is exact, so exp sees its true argument.
  const cut = reinterpret<f64>(reinterpret<u64>(x) & 0xffffffff00000000);
  return (Math.exp(-cut * cut - 0.5625) * Math.exp((cut - x) * (cut + x) + ratio)) / x;
}
