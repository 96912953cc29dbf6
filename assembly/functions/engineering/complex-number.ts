import {
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_STRING,
} from '../../abi';
import { TEXT_HEADER, lengthOf, textFrom, unit } from '../../memory/text';
import { numberToText } from '../../values/number-text';
import { appendText, appendUnit, closeBuilder, openBuilder } from '../../values/text-builder';
import { parseNumber, parsedNumber } from '../../values/typed-number';
import { answerText, argument, fail, failed } from '../../vm/call';
import { kindOf, numberOf, wordOf } from '../../vm/slot';

/** The complex number read or computed last, and its unit: 'i', 'j', or 0 for none written. */
export let re: f64 = 0;
export let im: f64 = 0;
export let suffix: u32 = 0;

const LETTER_I: u32 = 105;
const LETTER_J: u32 = 106;
const PLUS: u32 = 43;
const MINUS: u32 = 45;
const POINT: u32 = 46;

export function setComplex(real: f64, imaginary: f64): void {
  re = real;
  im = imaginary;
}

function isDigit(code: u32): bool {
  return code - 48 < 10;
}

/** The unit at a place, 0 behind the end. */
function codeAt(text: usize, place: u32): u32 {
  return place < lengthOf(text) ? unit(text, place) : 0;
}

/** End of the unsigned number that starts at `from`; `from` itself when there is none. */
function numberEnd(text: usize, from: u32): u32 {
  let place = from;
  let digits: u32 = 0;
  let hasPoint = false;
  while (isDigit(codeAt(text, place)) || (!hasPoint && codeAt(text, place) == POINT)) {
    if (codeAt(text, place) == POINT) hasPoint = true;
    else digits++;
    place++;
  }
  if (digits == 0) return from;
  if ((codeAt(text, place) | 32) != 101) return place;
  let exponent = place + 1;
  if (codeAt(text, exponent) == PLUS || codeAt(text, exponent) == MINUS) exponent++;
  if (!isDigit(codeAt(text, exponent))) return place;
  while (isDigit(codeAt(text, exponent))) exponent++;
  return exponent;
}

/** Reads one term from `from` on into `termValue`; returns its end, or `from` if it is none. */
let termValue: f64 = 0;
let termIsImaginary: bool = false;

function readTerm(text: usize, from: u32): u32 {
  const sign = codeAt(text, from);
  const start = sign == PLUS || sign == MINUS ? from + 1 : from;
  const end = numberEnd(text, start);
  termValue = 1;
  if (end > start) {
    const units = text + TEXT_HEADER + ((<usize>start) << 1);
    if (!parseNumber(textFrom(units, end - start))) return from;
    termValue = parsedNumber;
  }
  const letter = codeAt(text, end);
  termIsImaginary = letter == LETTER_I || letter == LETTER_J;
  if (termIsImaginary) suffix = letter;
  else if (end == start) return from;
  if (sign == MINUS) termValue = -termValue;
  return termIsImaginary ? end + 1 : end;
}

/** Reads "3+4i", "i", "-2.5E3j" … into re, im and suffix; returns false when the text is none. */
function parseComplex(text: usize): bool {
  const length = lengthOf(text);
  setComplex(0, 0);
  suffix = 0;
  const end = readTerm(text, 0);
  if (end == 0) return false;
  if (termIsImaginary) {
    im = termValue;
    return end == length;
  }
  re = termValue;
  if (end == length) return true;
  const sign = codeAt(text, end);
  if (sign != PLUS && sign != MINUS) return false;
  const second = readTerm(text, end);
  im = termValue;
  return second == length && termIsImaginary;
}

/** Takes one value as a complex number; fails with its error, #VALUE! or #NUM!. */
export function takeComplex(kind: u32, word: u32, number: f64): void {
  setComplex(0, 0);
  suffix = 0;
  if (kind == KIND_NUMBER) re = number;
  else if (kind == KIND_ERROR) fail(word);
  else if (kind == KIND_STRING) {
    if (!parseComplex(word)) fail(ERROR_NUMBER);
  } else if (kind != KIND_BLANK && kind != KIND_OMITTED) fail(ERROR_VALUE);
}

/** An argument as a complex number; booleans are refused. */
export function complexArgument(index: u32): void {
  const slot = argument(index);
  const kind = kindOf(slot);
  takeComplex(kind, kind == KIND_NUMBER || kind == KIND_BOOLEAN ? 0 : wordOf(slot), numberOf(slot));
}

/** Writes a complex number as Excel does; the unit is i unless `letter` says j. */
export function answerComplex(real: f64, imaginary: f64, letter: u32): void {
  if (real - real != 0 || imaginary - imaginary != 0) fail(ERROR_NUMBER);
  if (failed()) return;
  openBuilder();
  if (real != 0 || imaginary == 0) appendText(numberToText(real + 0.0));
  if (imaginary != 0) {
    if (imaginary > 0 && real != 0) appendUnit(PLUS);
    if (imaginary == -1) appendUnit(MINUS);
    else if (imaginary != 1) appendText(numberToText(imaginary));
    appendUnit(letter == LETTER_J ? LETTER_J : LETTER_I);
  }
  answerText(closeBuilder());
}
