/** Widest search around a guess, in steps that grow by half each. */
const REACH: u32 = 40;

/**
 * A zero of a function of a rate (above -100 %), the one nearest to a guess: looks outwards from
 * there for a change of sign, then halves. The second chance where Newton's method overshoots, as
 * it does for loans over many periods; NaN when there is no zero in reach.
 */
export function findRoot(equation: (rate: f64) => f64, guess: f64): f64 {
  let low = guess;
  let high = guess;
  let atLow = equation(guess);
  let atHigh = atLow;
  let step: f64 = 0.01;
  for (let round: u32 = 0; round < REACH; round++) {
    // Downwards the way to -100 % is cut into ever smaller pieces.
    const below = low - min(step, (low + 1) * 0.5);
    const atBelow = equation(below);
    if (changesSign(atLow, atBelow)) return halve(equation, below, low);
    low = below;
    atLow = atBelow;
    const above = high + step;
    const atAbove = equation(above);
    if (changesSign(atHigh, atAbove)) return halve(equation, high, above);
    high = above;
    atHigh = atAbove;
    step *= 1.5;
  }
  return NaN;
}

function changesSign(left: f64, right: f64): bool {
  return (left <= 0 && right >= 0) || (left >= 0 && right <= 0);
}

function halve(equation: (rate: f64) => f64, left: f64, right: f64): f64 {
  let low = left;
  let high = right;
  const rising = equation(low) <= 0;
  for (let round: u32 = 0; round < 200; round++) {
    const middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    const value = equation(middle);
    if (value == 0) return middle;
    if (value < 0 == rising) low = middle;
    else high = middle;
  }
  return low + (high - low) / 2;
}
