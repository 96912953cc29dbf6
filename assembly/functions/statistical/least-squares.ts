import { scratch } from '../../memory/scratch';
import { pay } from '../../vm/fuel';
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
  setPair,
  subtractPair,
  subtractProduct,
} from '../shared/pair';

/**
 * Least squares by the normal equations about the means. These square the condition of the data,
 * but in pairs they have twice the digits: what is found is exact where the data allow it.
 */

/** A variable is dependent when the others leave this share of its squares, or less. */
const DEPENDENT_SHARE: f64 = 1e-24;
/** A perfect fit leaves this share of the squares: rounding errors only. */
const PERFECT_SHARE: f64 = 1e-28;
/** Cost of a product of pairs, in units of memory/work.ts. */
const PRODUCT_UNITS: u32 = 4;

/** Observations and variables of the fit. */
let count: u32 = 0;
let variables: u32 = 0;
let hasIntercept: bool = true;

/** Pairs of y, and x by observation as plain numbers. */
let yPairs: usize = 0;
let xValues: usize = 0;
/** Means of the variables, and of y behind them; 0 without an intercept. */
let means: usize = 0;
/** One observation about the means, y behind its variables. */
let line: usize = 0;
/** Sums of products of variables and y; afterwards the inverse, and coefficients for y. */
let matrix: usize = 0;
/** Pairs that are wanted for a moment. */
let work: usize = 0;
let total: usize = 0;

/** Results: pairs of coefficients and of the intercept. */
export let coefficients: usize = 0;
export let intercept: usize = 0;
/** Plain numbers. */
export let deviations: usize = 0;
export let interceptDeviation: f64 = 0;
export let residualSquares: f64 = 0;
export let regressionSquares: f64 = 0;
export let freedom: f64 = 0;

export function pairAt(start: usize, index: u32): usize {
  return start + ((<usize>index) << PAIR_SHIFT);
}

export function pairs(amount: u32): usize {
  const place = scratch(amount << (<u32>PAIR_SHIFT));
  memory.fill(place, 0, (<usize>amount) << PAIR_SHIFT);
  return place;
}

function entry(row: u32, column: u32): usize {
  return pairAt(matrix, row * (variables + 1) + column);
}

/** Says what is to be fitted; `fit` follows. */
export function openFit(observations: u32, variableCount: u32, withIntercept: bool): void {
  count = observations;
  variables = variableCount;
  hasIntercept = withIntercept;
}

/** Fits pairs of y to x; the results are in the variables above. */
export function fit(y: usize, x: usize): void {
  yPairs = y;
  xValues = x;
  const width = variables + 1;
  freedom = <f64>count - variables - (hasIntercept ? 1 : 0);
  means = pairs(width);
  line = pairs(width);
  work = pairs(2);
  matrix = pairs(width * width);
  coefficients = pairs(variables);
  deviations = scratch(variables << 3);
  memory.fill(deviations, 0, (<usize>variables) << 3);
  if (hasIntercept) findMeans();
  addProducts();
  total = pairs(1);
  copyPair(total, entry(variables, variables));
  for (let variable: u32 = 0; variable < variables; variable++) {
    store<f64>(deviations + ((<usize>variable) << 3), roundPair(entry(variable, variable)));
  }
  for (let variable: u32 = 0; variable < variables; variable++) eliminate(variable);
  findIntercept();
  findResiduals();
  findDeviations();
}

function findMeans(): void {
  const size = work;
  setPair(size, count);
  for (let column: u32 = 0; column <= variables; column++) {
    const mean = pairAt(means, column);
    for (let index: u32 = 0; index < count && pay(PRODUCT_UNITS); index++)
      addValue(mean, index, column);
    dividePair(mean, size);
  }
}

/** Adds what an observation has of a variable, or of y behind them. */
function addValue(target: usize, index: u32, column: u32): void {
  if (column == variables) addPair(target, pairAt(yPairs, index));
  else addNumber(target, load<f64>(xValues + ((<usize>(index * variables + column)) << 3)));
}

/** Takes an observation about the means. */
function takeLine(index: u32): void {
  for (let column: u32 = 0; column <= variables; column++) {
    const target = pairAt(line, column);
    setPair(target, 0);
    addValue(target, index, column);
    subtractPair(target, pairAt(means, column));
  }
}

function addProducts(): void {
  const units = ((variables + 1) * (variables + 2) * PRODUCT_UNITS) >> 1;
  for (let index: u32 = 0; index < count && pay(units); index++) {
    takeLine(index);
    for (let row: u32 = 0; row <= variables; row++) {
      const left = pairAt(line, row);
      for (let column: u32 = row; column <= variables; column++) {
        addProduct(entry(row, column), left, pairAt(line, column));
      }
    }
  }
  for (let row: u32 = 1; row <= variables; row++) {
    for (let column: u32 = 0; column < row; column++) {
      copyPair(entry(row, column), entry(column, row));
    }
  }
}

/**
 * Takes a variable out of the equations of all others (Gauss and Jordan); its column becomes one
 * of the inverse. A variable that depends on earlier ones gets the coefficient 0 and frees a
 * degree.
 */
function eliminate(pivot: u32): void {
  const deviation = deviations + ((<usize>pivot) << 3);
  const left = roundPair(entry(pivot, pivot));
  if (left <= load<f64>(deviation) * DEPENDENT_SHARE) {
    freedom++;
    for (let index: u32 = 0; index <= variables; index++) {
      setPair(entry(pivot, index), 0);
      setPair(entry(index, pivot), 0);
    }
    return;
  }
  const inverse = pairAt(work, 0);
  const own = pairAt(work, 1);
  setPair(inverse, 1);
  dividePair(inverse, entry(pivot, pivot));
  for (let column: u32 = 0; column <= variables; column++) {
    if (column != pivot) multiplyPair(entry(pivot, column), inverse);
  }
  for (let row: u32 = 0; row < variables && pay((variables + 1) * PRODUCT_UNITS); row++) {
    if (row == pivot) continue;
    copyPair(own, entry(row, pivot));
    for (let column: u32 = 0; column <= variables; column++) {
      if (column != pivot) subtractProduct(entry(row, column), own, entry(pivot, column));
    }
    multiplyPair(own, inverse);
    negatePair(own);
    copyPair(entry(row, pivot), own);
  }
  copyPair(entry(pivot, pivot), inverse);
}

function findIntercept(): void {
  intercept = pairs(1);
  copyPair(intercept, pairAt(means, variables));
  for (let variable: u32 = 0; variable < variables; variable++) {
    const coefficient = pairAt(coefficients, variable);
    copyPair(coefficient, entry(variable, variables));
    subtractProduct(intercept, coefficient, pairAt(means, variable));
  }
}

function findResiduals(): void {
  const rest = pairAt(line, variables);
  const squares = pairs(1);
  for (let index: u32 = 0; index < count && pay(variables * PRODUCT_UNITS); index++) {
    takeLine(index);
    for (let variable: u32 = 0; variable < variables; variable++) {
      subtractProduct(rest, pairAt(coefficients, variable), pairAt(line, variable));
    }
    addProduct(squares, rest, rest);
  }
  if (roundPair(squares) < roundPair(total) * PERFECT_SHARE) setPair(squares, 0);
  residualSquares = roundPair(squares);
  subtractPair(total, squares);
  regressionSquares = max(roundPair(total), 0);
}

/** Standard errors, from the inverse. */
function findDeviations(): void {
  const variance = freedom > 0 ? residualSquares / freedom : 0;
  const spread = pairAt(work, 0);
  const sum = pairAt(work, 1);
  setPair(spread, 0);
  for (let row: u32 = 0; row < variables; row++) {
    store<f64>(deviations + ((<usize>row) << 3), sqrt(roundPair(entry(row, row)) * variance));
    setPair(sum, 0);
    for (let column: u32 = 0; column < variables; column++) {
      addProduct(sum, entry(row, column), pairAt(means, column));
    }
    addProduct(spread, sum, pairAt(means, row));
  }
  interceptDeviation = sqrt((1 / <f64>count + roundPair(spread)) * variance);
}
