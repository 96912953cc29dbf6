import {
  ERROR_CALCULATION,
  ERROR_DIVISION,
  ERROR_NOT_AVAILABLE,
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_ARRAY,
  KIND_ERROR,
  KIND_NUMBER,
} from '../../abi';
import { suspended } from '../../grid/sheet';
import { addressOf, at } from '../../memory/pointer';
import { scratch } from '../../memory/scratch';
import {
  answerArray,
  answerError,
  answerNumber,
  argument,
  argumentCount,
  booleanOr,
  fail,
  failed,
  failure,
  integerArgument,
  numberOr,
  given,
  omitted,
} from '../../vm/call';
import { ITEM_LIMIT, MADE_LIMIT, newArray } from '../../vm/array';
import { randomNumber } from '../../vm/context';
import { pay } from '../../vm/fuel';
import { kindOf, wordOf } from '../../vm/slot';
import { itemKind, itemNumber, itemWord, openView, View, viewItem } from '../../vm/view';
import { totalItems } from '../shared/array-totals';
import { openTotals, totalSum } from '../shared/column-totals';
import { setResult } from '../shared/number-list';
import { sparseSum, sumSparsely } from '../shared/sparse-argument';
import { countSplit, sumOfSplit } from '../shared/split-argument';
import { evaluateSeriesSum } from './series-sum';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callMatrix. */
export const MATRICES: string = `
SUMPRODUCT 1 255 +a R;
SUMX2MY2 2 2 aa R;
SUMX2PY2 2 2 aa R;
SUMXMY2 2 2 aa R;
MMULT 2 2 aa A;
MDETERM 1 1 a;
MINVERSE 1 1 a A;
MUNIT 1 1 v A;
SERIESSUM 4 4 tttr;
SEQUENCE 1 4 v;
RANDARRAY 0 5 v V`;

export function callMatrix(index: u32): void {
  switch (index) {
    case 0:
      return evaluateSumProduct();
    case 1:
    case 2:
    case 3:
      return evaluatePairSum(index);
    case 4:
      return evaluateMmult();
    case 5:
      return evaluateMdeterm();
    case 6:
      return evaluateMinverse();
    case 7:
      return evaluateMunit();
    case 8:
      return evaluateSeriesSum();
    case 9:
      return evaluateSequence();
    default:
      return evaluateRandArray();
  }
}

/** Answers the sum of the numbers of the only argument, an array. */
function sumItems(): void {
  const split = countSplit(argument(0), 0);
  if (split) return answerNumber(sumOfSplit(split));
  openTotals();
  totalItems(wordOf(argument(0)));
  if (!failed()) answerNumber(totalSum);
}

/** SUMPRODUCT(array, …): sizes must agree; what is not a number counts as 0. */
function evaluateSumProduct(): void {
  if (sumSparsely()) return answerNumber(sparseSum);
  if (argumentCount == 1 && kindOf(argument(0)) == KIND_ARRAY) return sumItems();
  const views = scratch(argumentCount << 2);
  let rows: u32 = 0;
  let columns: u32 = 0;
  for (let index: u32 = 0; index < argumentCount; index++) {
    const view = openView(argument(index));
    store<u32>(views + ((<usize>index) << 2), <u32>addressOf(view));
    if (view.rows != at<View>(load<u32>(views)).rows) fail(ERROR_VALUE);
    if (view.columns != at<View>(load<u32>(views)).columns) fail(ERROR_VALUE);
    rows = max(rows, view.usedRows);
    columns = max(columns, view.usedColumns);
  }
  let sum: f64 = 0;
  for (let row: u32 = 0; row < rows && failure < 0 && !suspended; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      sum += productAt(views, row, column);
    }
  }
  if (failed()) return;
  answerNumber(sum);
}

function productAt(views: usize, row: u32, column: u32): f64 {
  let product: f64 = 1;
  for (let index: u32 = 0; index < argumentCount; index++) {
    viewItem(at<View>(load<u32>(views + ((<usize>index) << 2))), row, column);
    if (itemKind == KIND_NUMBER) product *= itemNumber();
    else if (itemKind == KIND_ERROR) fail(itemWord());
    else product = 0;
  }
  return product;
}

/** SUMX2MY2, SUMX2PY2, SUMXMY2: pairs that are not both numbers are left out; none is #DIV/0!. */
function evaluatePairSum(which: u32): void {
  const left = openView(argument(0));
  const right = openView(argument(1));
  if (left.rows * left.columns != right.rows * right.columns) fail(ERROR_NOT_AVAILABLE);
  let sum: f64 = 0;
  pairCount = 0;
  const columns = max(left.usedColumns, min(right.usedColumns, left.columns));
  const rows = max(left.usedRows, min(right.usedRows, left.rows));
  for (let row: u32 = 0; row < rows && failure < 0; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      sum += pairTerm(left, right, row, column, which);
      if (suspended) return;
    }
  }
  if (!pairCount) fail(ERROR_DIVISION);
  if (failed()) return;
  answerNumber(sum);
}

/** Pairs of numbers that the sum under way has met. */
let pairCount: u32 = 0;

function pairTerm(left: View, right: View, row: u32, column: u32, which: u32): f64 {
  viewItem(left, row, column);
  if (itemKind == KIND_ERROR) fail(itemWord());
  const x = itemNumber();
  const xKind = itemKind;
  const index = row * left.columns + column;
  if (left.columns == right.columns) viewItem(right, row, column);
  else viewItem(right, index / right.columns, index % right.columns);
  if (itemKind == KIND_ERROR) fail(itemWord());
  if (xKind != KIND_NUMBER || itemKind != KIND_NUMBER) return 0;
  const y = itemNumber();
  pairCount++;
  if (which == 1) return x * x - y * y;
  return which == 2 ? x * x + y * y : (x - y) * (x - y);
}

/** Cost of a pass over a row beside its columns, in units of memory/work.ts. */
const ROW_UNITS: u32 = 8;

/** Rows and columns of the matrix that readMatrix read last. */
let matrixRows: u32 = 0;
let matrixColumns: u32 = 0;

/** A matrix of doubles, row by row; fails when an item is not a number. */
function readMatrix(index: u32): usize {
  const view = openView(argument(index));
  matrixRows = view.rows;
  matrixColumns = view.columns;
  if (<u64>view.rows * view.columns > ITEM_LIMIT || view.usedRows < view.rows) {
    fail(ERROR_VALUE);
    return 0;
  }
  const matrix = scratch((view.rows * view.columns) << 3);
  let place = matrix;
  for (let row: u32 = 0; row < view.rows && !suspended; row++) {
    for (let column: u32 = 0; column < view.columns; column++) {
      viewItem(view, row, column);
      if (itemKind == KIND_ERROR) fail(itemWord());
      else if (itemKind != KIND_NUMBER) fail(ERROR_VALUE);
      store<f64>(place, itemNumber());
      place += 8;
    }
  }
  return matrix;
}

function entry(matrix: usize, columns: u32, row: u32, column: u32): f64 {
  return load<f64>(matrix + ((<usize>(row * columns + column)) << 3));
}

function setEntry(matrix: usize, place: u32, value: f64): void {
  store<f64>(matrix + ((<usize>place) << 3), value);
}

/** MMULT(left, right) */
function evaluateMmult(): void {
  const left = readMatrix(0);
  const rows = matrixRows;
  const shared = matrixColumns;
  const right = readMatrix(1);
  const columns = matrixColumns;
  if (shared != matrixRows || <u64>rows * columns > ITEM_LIMIT) fail(ERROR_VALUE);
  if (failed()) return;
  const array = newArray(rows, columns);
  const sums = scratch(columns << 3);
  for (let row: u32 = 0; row < rows && !suspended; row++) {
    memory.fill(sums, 0, (<usize>columns) << 3);
    for (let index: u32 = 0; index < shared && !suspended; index++) {
      addScaled(
        sums,
        right + ((<usize>(index * columns)) << 3),
        columns,
        entry(left, shared, row, index),
      );
    }
    for (let column: u32 = 0; column < columns; column++) {
      setResult(array, row * columns + column, entry(sums, columns, 0, column));
    }
  }
  answerArray(array);
}

/** Adds `factor` times a row of doubles to another, and pays for it. */
function addScaled(to: usize, from: usize, count: u32, factor: f64): void {
  const factors = f64x2.splat(factor);
  const bytes = (<usize>count) << 3;
  const pairs = bytes & ~15;
  let place: usize = 0;
  for (; place < pairs; place += 16) {
    const sums = v128.add<f64>(
      v128.load(to + place),
      v128.mul<f64>(factors, v128.load(from + place)),
    );
    v128.store(to + place, sums);
  }
  if (place < bytes)
    store<f64>(to + place, load<f64>(to + place) + factor * load<f64>(from + place));
  pay((count >> 1) + ROW_UNITS);
}

/** A square matrix argument; anything else is #VALUE!. */
function readSquare(): usize {
  const matrix = readMatrix(0);
  if (matrixRows != matrixColumns) fail(ERROR_VALUE);
  return matrix;
}

/** Brings the row with the largest entry of a column to the diagonal; 0, 1 or -1 (swapped). */
function pivot(matrix: usize, size: u32, column: u32, other: usize): i32 {
  let best = column;
  pay(size - column);
  for (let row = column + 1; row < size; row++) {
    if (abs(entry(matrix, size, row, column)) > abs(entry(matrix, size, best, column))) best = row;
  }
  if (entry(matrix, size, best, column) == 0) return 0;
  if (best == column) return 1;
  swapRows(matrix, size, best, column);
  if (other) swapRows(other, size, best, column);
  return -1;
}

function swapRows(matrix: usize, size: u32, left: u32, right: u32): void {
  for (let column: u32 = 0; column < size; column++) {
    const value = entry(matrix, size, left, column);
    setEntry(matrix, left * size + column, entry(matrix, size, right, column));
    setEntry(matrix, right * size + column, value);
  }
}

/** Adds `factor` times a row to another, from a column on: what lies before is not read again. */
function addRow(matrix: usize, size: u32, from: u32, to: u32, column: u32, factor: f64): void {
  const start = matrix + ((<usize>(to * size + column)) << 3);
  addScaled(start, matrix + ((<usize>(from * size + column)) << 3), size - column, factor);
}

/** MDETERM(array): elimination with partial pivoting. */
function evaluateMdeterm(): void {
  const matrix = readSquare();
  if (failed() || suspended) return;
  const size = matrixRows;
  let determinant: f64 = 1;
  for (let column: u32 = 0; column < size && !suspended; column++) {
    const sign = pivot(matrix, size, column, 0);
    const diagonal = entry(matrix, size, column, column);
    determinant *= diagonal * sign;
    if (sign == 0) break;
    for (let row = column + 1; row < size; row++) {
      const factor = -entry(matrix, size, row, column) / diagonal;
      if (factor != 0) addRow(matrix, size, column, row, column, factor);
    }
  }
  answerNumber(determinant);
}

/** MINVERSE(array): Gauss and Jordan; #NUM! when the matrix is singular. */
function evaluateMinverse(): void {
  const matrix = readSquare();
  if (failed() || suspended) return;
  const size = matrixRows;
  const inverse = scratch((size * size) << 3);
  memory.fill(inverse, 0, (<usize>(size * size)) << 3);
  for (let row: u32 = 0; row < size; row++) setEntry(inverse, row * size + row, 1);
  for (let column: u32 = 0; column < size && !suspended; column++) {
    if (pivot(matrix, size, column, inverse) == 0) {
      answerError(ERROR_NUMBER);
      return;
    }
    const diagonal = entry(matrix, size, column, column);
    for (let row: u32 = 0; row < size; row++) {
      if (row == column) continue;
      const factor = -entry(matrix, size, row, column) / diagonal;
      if (factor == 0) continue;
      addRow(matrix, size, column, row, column, factor);
      addRow(inverse, size, column, row, 0, factor);
    }
  }
  const array = newArray(size, size);
  for (let row: u32 = 0; row < size; row++) {
    const diagonal = entry(matrix, size, row, row);
    for (let column: u32 = 0; column < size; column++) {
      const value = entry(inverse, size, row, column) / diagonal;
      setResult(array, row * size + column, value);
    }
  }
  answerArray(array);
}

function evaluateMunit(): void {
  const size = integerArgument(0);
  if (failed()) return;
  if (size < 1 || size * size > <f64>ITEM_LIMIT) {
    answerError(ERROR_VALUE);
    return;
  }
  const count = <u32>size;
  const array = newArray(count, count);
  for (let index: u32 = 0; index < count * count; index++) {
    setResult(array, index, index / count == index % count ? 1 : 0);
  }
  answerArray(array);
}

/** A count of rows or columns; left empty it is 1. Fails with #CALC! for 0, #VALUE! below. */
function sizeArgument(index: u32): f64 {
  const size = given(index) && !omitted(index) ? integerArgument(index) : 1;
  if (size < 0) fail(ERROR_VALUE);
  else if (size == 0) fail(ERROR_CALCULATION);
  return size;
}

/** The number of an argument, or another when it is not there or left empty. */
function numberUnlessEmpty(index: u32, otherwise: f64): f64 {
  return omitted(index) ? otherwise : numberOr(index, otherwise);
}

/** SEQUENCE(rows, [columns], [start], [step]) */
function evaluateSequence(): void {
  const rows = sizeArgument(0);
  const columns = sizeArgument(1);
  const start = numberUnlessEmpty(2, 1);
  const step = numberUnlessEmpty(3, 1);
  if (rows * columns > MADE_LIMIT) fail(ERROR_VALUE);
  if (failed()) return;
  const count = <u32>(rows * columns);
  const array = newArray(<u32>rows, <u32>columns);
  for (let index: u32 = 0; index < count; index++) {
    setResult(array, index, start + <f64>index * step);
  }
  answerArray(array);
}

/** RANDARRAY([rows], [columns], [least], [greatest], [whole numbers]) */
function evaluateRandArray(): void {
  const rows = sizeArgument(0);
  const columns = sizeArgument(1);
  const least = numberUnlessEmpty(2, 0);
  const greatest = numberUnlessEmpty(3, 1);
  const whole = booleanOr(4, false);
  if (least > greatest || rows * columns > MADE_LIMIT) fail(ERROR_VALUE);
  if (whole && (least != floor(least) || greatest != floor(greatest))) fail(ERROR_VALUE);
  if (failed()) return;
  const count = <u32>(rows * columns);
  const array = newArray(<u32>rows, <u32>columns);
  const span = whole ? greatest - least + 1 : greatest - least;
  for (let index: u32 = 0; index < count; index++) {
    const value = randomNumber() * span;
    setResult(array, index, least + (whole ? floor(value) : value));
  }
  answerArray(array);
}
