import {
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_ERROR,
  KIND_NUMBER,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { scratch } from '../../memory/scratch';
import { newArray, setItemAt } from '../../vm/array';
import {
  answerArray,
  argument,
  booleanArgument,
  fail,
  failed,
  failure,
  given,
  omitted,
} from '../../vm/call';
import { itemKind, itemNumber, itemWord, openView, View, viewItem } from '../../vm/view';
import { setResult } from '../shared/number-list';
import { pay } from '../../vm/fuel';

/** LINEST, LOGEST, TREND and GROWTH: least squares through Householder's QR. */

/** Observations and variables of the fit. */
let count: u32 = 0;
let variables: u32 = 0;
/** True when one observation is a row (y stands in a column). */
let byRows: bool = true;
let hasIntercept: bool = true;

/** y, then x by observation (count × variables), coefficients, and their standard errors. */
let yValues: usize = 0;
let xValues: usize = 0;
let coefficients: usize = 0;
let deviations: usize = 0;
let means: usize = 0;
let yMean: f64 = 0;
let intercept: f64 = 0;
let interceptDeviation: f64 = 0;
let residualSquares: f64 = 0;
let regressionSquares: f64 = 0;
let freedom: f64 = 0;

function get(place: usize, index: u32): f64 {
  return load<f64>(place + ((<usize>index) << 3));
}

function put(place: usize, index: u32, value: f64): void {
  store<f64>(place + ((<usize>index) << 3), value);
}

function numbers(amount: u32): usize {
  const place = scratch(amount << 3);
  memory.fill(place, 0, (<usize>amount) << 3);
  return place;
}

/** A number at a place of a view; anything else is #VALUE!. */
function numberIn(view: View, row: u32, column: u32): f64 {
  viewItem(view, row, column);
  if (itemKind == KIND_ERROR) fail(itemWord());
  else if (itemKind != KIND_NUMBER) fail(ERROR_VALUE);
  return itemNumber();
}

/** Reads known y and known x (1, 2, 3 … when absent). */
function readKnown(logarithmic: bool): void {
  const y = openView(argument(0));
  if (y.usedRows < y.rows) fail(ERROR_VALUE);
  if (failure >= 0) return;
  count = y.rows * y.columns;
  yValues = numbers(count);
  for (let index: u32 = 0; index < count && !suspended; index++) {
    const value = numberIn(y, index / y.columns, index % y.columns);
    if (logarithmic && failure < 0 && value <= 0) fail(ERROR_NUMBER);
    put(yValues, index, logarithmic ? Math.log(value) : value);
  }
  byRows = y.columns == 1;
  variables = 1;
  if (!given(1) || omitted(1)) {
    xValues = numbers(count);
    for (let index: u32 = 0; index < count; index++) put(xValues, index, index + 1);
    return;
  }
  const x = openView(argument(1));
  const same = x.rows == y.rows && x.columns == y.columns;
  if (x.usedRows < x.rows) fail(ERROR_VALUE);
  else if (!same && byRows && x.rows == count) variables = x.columns;
  else if (!same && y.rows == 1 && x.columns == count) {
    // One observation alone is a row as well as a column.
    byRows = false;
    variables = x.rows;
  } else if (!same) {
    // A text is told from a number before its size is looked at.
    numberIn(x, 0, 0);
    fail(ERROR_REFERENCE);
  }
  if (failure >= 0) return;
  xValues = readVariables(x, count);
}

/** Reads observations × variables from a rectangle laid out like known x. */
function readVariables(view: View, observations: u32): usize {
  const place = numbers(observations * variables);
  for (let index: u32 = 0; index < observations && !suspended; index++) {
    for (let variable: u32 = 0; variable < variables; variable++) {
      let row = index;
      let column = variable;
      if (variables == 1) {
        row = index / view.columns;
        column = index % view.columns;
      } else if (!byRows) {
        row = variable;
        column = index;
      }
      put(place, index * variables + variable, numberIn(view, row, column));
    }
  }
  return place;
}

/** Fits y to x; the results are in the variables above. */
function fit(): void {
  freedom = <f64>count - variables - (hasIntercept ? 1 : 0);
  coefficients = numbers(variables);
  deviations = numbers(variables);
  means = numbers(variables);
  const matrix = numbers(count * variables);
  const right = numbers(count);
  centre(matrix, right);
  let total: f64 = 0;
  for (let index: u32 = 0; index < count; index++) total += get(right, index) * get(right, index);
  for (let column: u32 = 0; column < variables; column++) reflect(matrix, right, column);
  solve(matrix, right);
  residualSquares = 0;
  for (let index: u32 = 0; index < count; index++) {
    // About the means the terms are as small as they can be, and so is what rounding leaves.
    let rest = get(yValues, index) - yMean;
    for (let variable: u32 = 0; variable < variables; variable++) {
      const x = get(xValues, index * variables + variable) - get(means, variable);
      rest -= get(coefficients, variable) * x;
    }
    residualSquares += rest * rest;
  }
  // A perfect fit leaves rounding errors only.
  if (residualSquares < total * 1e-28) residualSquares = 0;
  regressionSquares = max(total - residualSquares, 0);
  findDeviations(matrix);
}

/** Takes the means out when there is an intercept. */
function centre(matrix: usize, right: usize): void {
  yMean = 0;
  if (hasIntercept) {
    for (let index: u32 = 0; index < count; index++) yMean += get(yValues, index);
    yMean /= count;
    for (let variable: u32 = 0; variable < variables; variable++) {
      let sum: f64 = 0;
      for (let index: u32 = 0; index < count; index++) {
        sum += get(xValues, index * variables + variable);
      }
      put(means, variable, sum / count);
    }
  }
  for (let index: u32 = 0; index < count; index++) {
    put(right, index, get(yValues, index) - yMean);
    for (let variable: u32 = 0; variable < variables; variable++) {
      const place = index * variables + variable;
      put(matrix, place, get(xValues, place) - get(means, variable));
    }
  }
}

/** One Householder reflection; a column that depends on earlier ones keeps a zero diagonal. */
function reflect(matrix: usize, right: usize, column: u32): void {
  let all: f64 = 0;
  let below: f64 = 0;
  for (let row: u32 = 0; row < count; row++) {
    const value = get(matrix, row * variables + column);
    all += value * value;
    if (row >= column) below += value * value;
  }
  const diagonal = column * variables + column;
  if (column >= count || below <= all * 1e-24) {
    if (column < count) put(matrix, diagonal, 0);
    return;
  }
  const head = get(matrix, diagonal);
  const alpha = head > 0 ? -sqrt(below) : sqrt(below);
  const scale = below - head * alpha;
  put(matrix, diagonal, head - alpha);
  for (let other = column + 1; other <= variables && pay(count << 2); other++) {
    const target = other == variables ? right : matrix;
    const stride = other == variables ? <u32>1 : variables;
    const offset = other == variables ? <u32>0 : other;
    let sum: f64 = 0;
    for (let row = column; row < count; row++) {
      sum += get(matrix, row * variables + column) * get(target, row * stride + offset);
    }
    for (let row = column; row < count; row++) {
      const place = row * stride + offset;
      const reflected = get(target, place) - (sum / scale) * get(matrix, row * variables + column);
      put(target, place, reflected);
    }
  }
  put(matrix, diagonal, alpha);
}

/** Back substitution; a dependent variable gets the coefficient 0 and frees no degree. */
function solve(matrix: usize, right: usize): void {
  intercept = yMean;
  for (let step = variables; step; step--) {
    const row = step - 1;
    const diagonal = row < count ? get(matrix, row * variables + row) : 0;
    if (diagonal == 0) {
      freedom++;
      continue;
    }
    let sum = get(right, row);
    for (let column = row + 1; column < variables; column++) {
      sum -= get(matrix, row * variables + column) * get(coefficients, column);
    }
    put(coefficients, row, sum / diagonal);
    intercept -= (sum / diagonal) * get(means, row);
  }
}

/** Standard errors from the inverse of the triangle: its rows' squares, times the variance. */
function findDeviations(matrix: usize): void {
  const variance = freedom > 0 ? residualSquares / freedom : 0;
  const inverse = numbers(variables * variables);
  for (let column: u32 = 0; column < variables; column++) {
    for (let step = column + 1; step && pay(column << 1); step--) {
      const row = step - 1;
      const diagonal = row < count ? get(matrix, row * variables + row) : 0;
      if (diagonal == 0) continue;
      let sum: f64 = row == column ? 1 : 0;
      for (let index = row + 1; index <= column; index++) {
        sum -= get(matrix, row * variables + index) * get(inverse, index * variables + column);
      }
      put(inverse, row * variables + column, sum / diagonal);
    }
  }
  let spread: f64 = 1 / <f64>count;
  for (let row: u32 = 0; row < variables; row++) {
    let squares: f64 = 0;
    for (let column: u32 = 0; column < variables; column++) {
      const value = get(inverse, row * variables + column);
      squares += value * value;
    }
    put(deviations, row, sqrt(squares * variance));
  }
  for (let column: u32 = 0; column < variables; column++) {
    let sum: f64 = 0;
    for (let row: u32 = 0; row < variables; row++) {
      sum += get(inverse, row * variables + column) * get(means, row);
    }
    spread += sum * sum;
  }
  interceptDeviation = sqrt(spread * variance);
}

/** TRUE unless the argument says otherwise; left empty it is TRUE too. */
function interceptArgument(index: u32): bool {
  return !given(index) || omitted(index) ? true : booleanArgument(index);
}

/** LINEST(known y, [known x], [intercept], [statistics]); LOGEST fits y = b·mˣ. */
export function evaluateFit(logarithmic: bool): void {
  readKnown(logarithmic);
  hasIntercept = interceptArgument(2);
  const statistics = given(3) && booleanArgument(3);
  if (failed() || suspended) return;
  fit();
  const width = variables + 1;
  const array = newArray(statistics ? 5 : 1, width);
  for (let column: u32 = 0; column < variables; column++) {
    const value = get(coefficients, variables - 1 - column);
    setResult(array, column, logarithmic ? Math.exp(value) : value);
  }
  const constant = hasIntercept ? intercept : 0;
  setResult(array, variables, logarithmic ? Math.exp(constant) : constant);
  if (statistics) putStatistics(array, width);
  answerArray(array);
}

function putStatistics(array: usize, width: u32): void {
  for (let index = width; index < width * 5; index++) {
    setItemAt(array, index, KIND_ERROR, ERROR_NOT_AVAILABLE);
  }
  for (let column: u32 = 0; column < variables; column++) {
    setResult(array, width + column, get(deviations, variables - 1 - column));
  }
  if (hasIntercept) setResult(array, width + variables, interceptDeviation);
  const total = regressionSquares + residualSquares;
  const terms = <f64>count - freedom - (hasIntercept ? 1 : 0);
  setResult(array, width * 2, regressionSquares / total);
  setResult(array, width * 2 + 1, freedom > 0 ? sqrt(residualSquares / freedom) : 0);
  const ratio = regressionSquares / terms / (residualSquares / freedom);
  setResult(array, width * 3, ratio);
  setResult(array, width * 3 + 1, freedom);
  setResult(array, width * 4, regressionSquares);
  setResult(array, width * 4 + 1, residualSquares);
}

/** TREND(known y, [known x], [new x], [intercept]); GROWTH is its exponential form. */
export function evaluatePrediction(logarithmic: bool): void {
  readKnown(logarithmic);
  hasIntercept = interceptArgument(3);
  if (failed() || suspended) return;
  fit();
  const source: u32 = given(2) && !omitted(2) ? 2 : given(1) && !omitted(1) ? 1 : 0;
  const view = openView(argument(source));
  let rows = view.rows;
  let columns = view.columns;
  if (view.usedRows < rows) fail(ERROR_VALUE);
  if (variables > 1) {
    if ((byRows ? columns : rows) != variables) fail(ERROR_REFERENCE);
    if (byRows) columns = 1;
    else rows = 1;
  }
  if (failed()) return;
  const observations = rows * columns;
  // Without any x the predictions are for 1, 2, 3 … as well.
  const x = source ? readVariables(view, observations) : xValues;
  if (failed() || suspended) return;
  const array = newArray(rows, columns);
  for (let index: u32 = 0; index < observations; index++) {
    let value = hasIntercept ? intercept : 0;
    for (let variable: u32 = 0; variable < variables; variable++) {
      value += get(coefficients, variable) * get(x, index * variables + variable);
    }
    setResult(array, index, logarithmic ? Math.exp(value) : value);
  }
  answerArray(array);
}
