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
import { addProduct, copyPair, roundPair, setPair } from '../shared/pair';
import { openLogarithms, raisePair, setLogarithm } from '../shared/pair-logarithm';
import { pay } from '../../vm/fuel';
import {
  coefficients,
  deviations,
  fit,
  freedom,
  intercept,
  interceptDeviation,
  openFit,
  pairAt,
  pairs,
  regressionSquares,
  residualSquares,
} from './least-squares';

/** LINEST, LOGEST, TREND and GROWTH. */

/** Variables that a fit may have: their squares need memory. */
const MOST_VARIABLES: u32 = 2048;
/** Cost of a logarithm or power of a pair, in units of memory/work.ts. */
const LOGARITHM_UNITS: u32 = 512;

/** Observations and variables of the fit. */
let count: u32 = 0;
let variables: u32 = 0;
/** True when one observation is a row (y stands in a column). */
let byRows: bool = true;
let hasIntercept: bool = true;
/** True when y is fitted as e to the power of something. */
let isLogarithmic: bool = false;

/** Pairs of y, and x by observation (count × variables). */
let yPairs: usize = 0;
let xValues: usize = 0;

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
  isLogarithmic = logarithmic;
  const y = openView(argument(0));
  if (y.usedRows < y.rows) fail(ERROR_VALUE);
  if (failure >= 0) return;
  count = y.rows * y.columns;
  yPairs = pairs(count);
  if (logarithmic) openLogarithms();
  for (let index: u32 = 0; index < count && !suspended; index++) {
    const value = numberIn(y, index / y.columns, index % y.columns);
    const pair = pairAt(yPairs, index);
    if (!logarithmic) setPair(pair, value);
    else if (value > 0 && pay(LOGARITHM_UNITS)) setLogarithm(pair, value);
    else if (failure < 0) fail(ERROR_NUMBER);
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
  if (variables > MOST_VARIABLES) fail(ERROR_NUMBER);
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
  openFit(count, variables, hasIntercept);
  fit(yPairs, xValues);
  const width = variables + 1;
  const array = newArray(statistics ? 5 : 1, width);
  for (let column: u32 = 0; column < variables; column++) {
    setPairResult(array, column, pairAt(coefficients, variables - 1 - column));
  }
  setPairResult(array, variables, intercept);
  if (statistics) putStatistics(array, width);
  answerArray(array);
}

/** Sets an item to the number nearest to a pair, or to e to the power of it. */
function setPairResult(array: usize, index: u32, pair: usize): void {
  if (isLogarithmic) raisePair(pair);
  setResult(array, index, roundPair(pair));
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
  openFit(count, variables, hasIntercept);
  fit(yPairs, xValues);
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
  const value = pairs(2);
  const known = pairAt(value, 1);
  const units = logarithmic ? LOGARITHM_UNITS : variables;
  for (let index: u32 = 0; index < observations && pay(units); index++) {
    copyPair(value, intercept);
    for (let variable: u32 = 0; variable < variables; variable++) {
      setPair(known, get(x, index * variables + variable));
      addProduct(value, pairAt(coefficients, variable), known);
    }
    setPairResult(array, index, value);
  }
  answerArray(array);
}
