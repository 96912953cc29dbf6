import { ERROR_DIVISION, ERROR_NUMBER, ERROR_VALUE, KIND_BLANK, KIND_STRING } from '../../abi';
import { lengthOf, unit } from '../../memory/text';
import {
  answerError,
  answerNumber,
  argument,
  argumentCount,
  fail,
  failed,
  failure,
} from '../../vm/call';
import { kindOf, wordOf } from '../../vm/slot';
import {
  itemKind,
  itemNumber,
  itemWord,
  nextItem,
  openScan,
  openView,
  viewItem,
} from '../../vm/view';
import {
  answerComplex,
  complexArgument,
  im,
  re,
  setComplex,
  suffix,
  takeComplex,
} from './complex-number';
import { toolNumber } from '../shared/tool-number';

/** COMPLEX(real, imaginary, [suffix]) */
export function evaluateComplex(): void {
  const real = toolNumber(0);
  const imaginary = toolNumber(1);
  let letter: u32 = 0;
  if (argumentCount > 2) letter = suffixArgument(argument(2));
  if (failed()) return;
  answerComplex(real, imaginary, letter);
}

/** 'i', 'j' or nothing, in lower case; all else is #VALUE!. */
function suffixArgument(slot: usize): u32 {
  if (kindOf(slot) != KIND_STRING) {
    // Blanks are nothing; numbers and booleans are no suffix.
    takeComplex(kindOf(slot), wordOf(slot), 0);
    const isBlank = kindOf(slot) != 1 && kindOf(slot) != 3;
    if (!isBlank) fail(ERROR_VALUE);
    return 0;
  }
  const text = <usize>wordOf(slot);
  if (lengthOf(text) == 0) return 0;
  const letter = unit(text, 0);
  if (lengthOf(text) != 1 || (letter != 105 && letter != 106)) fail(ERROR_VALUE);
  return letter;
}

const PART_REAL: u32 = 0;
const PART_IMAGINARY: u32 = 1;
const PART_SIZE: u32 = 2;

/** IMREAL, IMAGINARY, IMABS, IMARGUMENT */
export function evaluatePart(part: u32): void {
  complexArgument(0);
  if (failed()) return;
  if (part == PART_REAL) answerNumber(re);
  else if (part == PART_IMAGINARY) answerNumber(im);
  else if (part == PART_SIZE) answerNumber(Math.hypot(re, im));
  else if (re == 0 && im == 0) answerError(ERROR_DIVISION);
  else answerNumber(Math.atan2(im, re));
}

export function evaluateConjugate(): void {
  complexArgument(0);
  if (failed()) return;
  answerComplex(re, -im, suffix);
}

let totalRe: f64 = 0;
let totalIm: f64 = 0;
let letter: u32 = 0;

/** Numbers with different units do not mix. */
function joinSuffix(): void {
  if (suffix == 0) return;
  if (letter != 0 && letter != suffix) fail(ERROR_VALUE);
  letter = suffix;
}

/** A single blank cell is zero to a product; blanks inside of ranges are left out. */
function isBlankCell(slot: usize): bool {
  const view = openView(slot);
  if (view.rows != 1 || view.columns != 1) return false;
  viewItem(view, 0, 0);
  return itemKind == KIND_BLANK;
}

/** IMSUM and IMPRODUCT(number, …) */
export function evaluateTotal(isProduct: bool): void {
  totalRe = isProduct ? 1 : 0;
  totalIm = 0;
  letter = 0;
  let count: u32 = 0;
  for (let index: u32 = 0; index < argumentCount && failure < 0; index++) {
    const scan = openScan(argument(index));
    if (isProduct && isBlankCell(argument(index))) totalRe = totalIm = 0;
    while (nextItem(scan) && failure < 0) {
      takeComplex(itemKind, itemWord(), itemNumber());
      joinSuffix();
      count++;
      if (isProduct) {
        const product = totalRe * re - totalIm * im;
        totalIm = totalRe * im + totalIm * re;
        totalRe = product;
      } else {
        totalRe += re;
        totalIm += im;
      }
    }
  }
  if (failed()) return;
  if (count == 0) totalRe = 0;
  answerComplex(totalRe, totalIm, letter);
}

/** Reads two arguments: the first into totalRe and totalIm, the second into re and im. */
function openPair(): void {
  letter = 0;
  complexArgument(0);
  joinSuffix();
  totalRe = re;
  totalIm = im;
  complexArgument(1);
  joinSuffix();
}

export function evaluateImsub(): void {
  openPair();
  if (failed()) return;
  answerComplex(totalRe - re, totalIm - im, letter);
}

export function evaluateImdiv(): void {
  openPair();
  if (re == 0 && im == 0) fail(ERROR_NUMBER);
  if (failed()) return;
  divide(totalRe, totalIm);
  answerComplex(re, im, letter);
}

/** Sets re and im to (a + bi) / (re + im i). */
export function divide(a: f64, b: f64): void {
  // Powers of two take the size out without rounding, so that squares do not overflow.
  const size = max(abs(re), abs(im));
  const scale = size > 1e150 || size < 1e-150 ? size : 1;
  const c = re / scale;
  const d = im / scale;
  const square = c * c + d * d;
  setComplex((a * c + b * d) / square / scale, (b * c - a * d) / square / scale);
}

/** IMPOWER(number, power), by the polar form, as Excel rounds it. */
export function evaluateImpower(): void {
  complexArgument(0);
  const power = toolNumber(1);
  const size = Math.hypot(re, im);
  if (size == 0 && power <= 0) fail(ERROR_NUMBER);
  if (failed()) return;
  answerPower(size, power);
}

function answerPower(size: f64, power: f64): void {
  if (size == 0) return answerComplex(0, 0, suffix);
  const grown = Math.pow(size, power);
  const angle = Math.atan2(im, re) * power;
  answerComplex(grown * Math.cos(angle), grown * Math.sin(angle), suffix);
}

export function evaluateImsqrt(): void {
  complexArgument(0);
  if (failed()) return;
  const size = Math.hypot(re, im);
  // Half-angle formulas, exact where the polar form would leave crumbs.
  const root = sqrt((size + abs(re)) / 2);
  const other = root == 0 ? 0 : abs(im) / 2 / root;
  const real = re >= 0 ? root : other;
  const imaginary = re >= 0 ? other : root;
  answerComplex(real, im < 0 ? -imaginary : imaginary, suffix);
}
