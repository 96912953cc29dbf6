import { ERROR_VALUE, KIND_BOOLEAN, KIND_ERROR, KIND_STRING } from '../../abi';
import { formatNumber, formatText } from '../../host';
import { shrinkScratch } from '../../memory/scratch';
import {
  TEXT_HEADER,
  emptyText,
  lengthOf,
  newText,
  setUnit,
  textFrom,
  textIs,
  unit,
} from '../../memory/text';
import { noteWork } from '../../memory/work';
import { appendDecimal, openDecimal } from '../../values/decimal-text';
import { errorText } from '../../values/error-text';
import { numberToText } from '../../values/number-text';
import {
  appendConstant,
  appendQuoted,
  appendText,
  appendUnit,
  builderOverflow,
  closeBuilder,
  openBuilder,
} from '../../values/text-builder';
import { parseNumber, parsedNumber } from '../../values/typed-number';
import {
  answerError,
  answerNumber,
  answerText,
  argument,
  booleanOr,
  fail,
  failed,
  given,
  integerOr,
  numberArgument,
  slotText,
  textArgument,
} from '../../vm/call';
import { date1904 } from '../../vm/context';
import { kindOf, wordOf } from '../../vm/slot';
import { itemKind, itemWord, openView, viewItem } from '../../vm/view';
import { suspended } from '../../grid/sheet';
import { itemText } from './text-join';

/** VALUE(text): what the operators would make of the text; TRUE is no number here. */
export function evaluateValue(): void {
  if (kindOf(argument(0)) == KIND_BOOLEAN) fail(ERROR_VALUE);
  const value = numberArgument(0);
  if (failed()) return;
  answerNumber(value);
}

/** A separator of NUMBERVALUE: the first unit of its text; none is #VALUE!. */
function separator(index: u32, otherwise: u32): u32 {
  if (!given(index)) return otherwise;
  const text = textArgument(index);
  if (lengthOf(text)) return unit(text, 0);
  fail(ERROR_VALUE);
  return otherwise;
}

/**
 * The text without white space and group separators, its decimal separator a full stop; fails
 * where a group separator follows the decimal one or that stands twice.
 */
function plainNumber(text: usize, decimal: u32, group: u32): usize {
  const length = lengthOf(text);
  const plain = newText(length);
  let kept: u32 = 0;
  let seenDecimal = false;
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(text, index);
    if (code <= 32 || code == 0xa0) continue;
    if (code == decimal) {
      if (seenDecimal) fail(ERROR_VALUE);
      seenDecimal = true;
      setUnit(plain, kept++, 46);
    } else if (code == group) {
      if (seenDecimal) fail(ERROR_VALUE);
    } else setUnit(plain, kept++, code);
  }
  return textFrom(plain + TEXT_HEADER, kept);
}

/** NUMBERVALUE(text, [decimal separator], [group separator]); no text at all is 0. */
export function evaluateNumberValue(): void {
  const text = textArgument(0);
  const decimal = separator(1, 46);
  const group = separator(2, 44);
  if (failed()) return;
  const plain = plainNumber(text, decimal, group);
  let length = lengthOf(plain);
  if (failed()) return;
  if (!length) return answerNumber(0);
  let scale: f64 = 1;
  while (length && unit(plain, length - 1) == 37) {
    scale *= 100;
    length--;
  }
  if (!parseNumber(textFrom(plain + TEXT_HEADER, length))) return answerError(ERROR_VALUE);
  answerNumber(parsedNumber / scale);
}

/** Decimals of a format `0`, `0.0`, `0.00` …, or -1 for any other. */
function plainDecimals(code: usize): i32 {
  const length = lengthOf(code);
  if (length == 0 || length > 12 || length == 2 || unit(code, 0) != 48) return -1;
  if (length == 1) return 0;
  if (unit(code, 1) != 46) return -1;
  for (let index: u32 = 2; index < length; index++) {
    if (unit(code, index) != 48) return -1;
  }
  return <i32>length - 2;
}

const FORMAT_CAPACITY: u32 = 4096;
/**
 * Cost of a question to the host, and of a unit of the format beside it (as a shift), in units of
 * memory/work.ts.
 */
const HOST_UNITS: u32 = 6_000;
const HOST_UNIT_BITS: u32 = 6;

/** Asks the host; `value` is used when there is no `text`. */
function formatByHost(value: f64, text: usize, code: usize): void {
  const out = newText(FORMAT_CAPACITY);
  const units = out + TEXT_HEADER;
  const codeUnits = code + TEXT_HEADER;
  const codeLength = lengthOf(code);
  noteWork(HOST_UNITS + (codeLength << HOST_UNIT_BITS));
  const length = text
    ? formatText(
        text + TEXT_HEADER,
        lengthOf(text),
        codeUnits,
        codeLength,
        units,
        FORMAT_CAPACITY,
        date1904,
      )
    : formatNumber(value, codeUnits, codeLength, units, FORMAT_CAPACITY, date1904);
  const bytes = <u32>TEXT_HEADER + (max(length, 0) << 1);
  shrinkScratch(out, bytes);
  if (length < 0) return answerError(-length - 1);
  store<u32>(out, length);
  answerText(out);
}

/** TEXT(value, format): formats the kernel is sure of at once, the others through the host. */
export function evaluateText(): void {
  const slot = argument(0);
  const kind = kindOf(slot);
  if (kind == KIND_ERROR) fail(wordOf(slot));
  const code = textArgument(1);
  if (failed()) return;
  // A truth value is a text here, also to a section for texts.
  if (kind == KIND_BOOLEAN) return formatByHost(0, slotText(slot), code);
  if (kind == KIND_STRING && !parseNumber(wordOf(slot))) return formatByHost(0, wordOf(slot), code);
  const value = numberArgument(0);
  if (failed()) return;
  if (!lengthOf(code)) return answerText(emptyText());
  if (textIs(code, 'GENERAL') && trunc(value) == value && abs(value) < 1e10) {
    return answerText(numberToText(value));
  }
  const decimals = plainDecimals(code);
  if (decimals >= 0 && value >= 0 && value < 1e15) {
    openDecimal(value, decimals);
    openBuilder();
    appendDecimal(decimals, false);
    return answerText(closeBuilder());
  }
  formatByHost(value, 0, code);
}

/** FIXED(number, [decimals], [no commas]) */
export function evaluateFixed(): void {
  const value = numberArgument(0);
  const decimals = integerOr(1, 2);
  const plain = booleanOr(2, false);
  if (!(decimals <= 127)) fail(ERROR_VALUE);
  if (failed()) return;
  const places = <i32>max(decimals, -400);
  const something = openDecimal(value, places);
  openBuilder();
  if (something && value < 0) appendUnit(45);
  appendDecimal(places, !plain);
  answerText(closeBuilder());
}

/** DOLLAR(number, [decimals]): negative amounts in parentheses. */
export function evaluateDollar(): void {
  const value = numberArgument(0);
  const decimals = integerOr(1, 2);
  if (!(decimals <= 127)) fail(ERROR_VALUE);
  if (failed()) return;
  const places = <i32>max(decimals, -400);
  const negative = openDecimal(value, places) && value < 0;
  openBuilder();
  if (negative) appendUnit(40);
  appendUnit(36);
  appendDecimal(places, true);
  if (negative) appendUnit(41);
  answerText(closeBuilder());
}

/** Argument `format` of VALUETOTEXT and ARRAYTOTEXT: 0 concise, 1 strict. */
function strictFormat(index: u32): bool {
  const format = integerOr(index, 0);
  if (format != 0 && format != 1) fail(ERROR_VALUE);
  return format == 1;
}

/** VALUETOTEXT(value, [format]): errors are values like the others. */
export function evaluateValueToText(): void {
  const slot = argument(0);
  const strict = strictFormat(1);
  if (failed()) return;
  const kind = kindOf(slot);
  if (kind == KIND_ERROR) return answerText(errorText(wordOf(slot)));
  if (kind != KIND_STRING || !strict) {
    const text = slotText(slot);
    if (failed()) return;
    return answerText(text);
  }
  openBuilder();
  appendQuoted(wordOf(slot));
  answerBuilt();
}

function answerBuilt(): void {
  const text = closeBuilder();
  if (builderOverflow) answerError(ERROR_VALUE);
  else answerText(text);
}

function appendItem(strict: bool): void {
  if (itemKind == KIND_ERROR) appendText(errorText(itemWord()));
  else if (itemKind == KIND_STRING && strict) appendQuoted(itemWord());
  else appendText(itemText());
}

/** ARRAYTOTEXT(array, [format]): `a, b, c`, or as an array constant. */
export function evaluateArrayToText(): void {
  const view = openView(argument(0));
  const strict = strictFormat(1);
  if (failed()) return;
  openBuilder();
  if (strict) appendUnit(123);
  for (let row: u32 = 0; row < view.rows && !builderOverflow; row++) {
    for (let column: u32 = 0; column < view.columns && !suspended; column++) {
      viewItem(view, row, column);
      if (strict && (row || column)) appendUnit(column ? 44 : 59);
      else if (row || column) appendConstant(', ');
      appendItem(strict);
    }
  }
  if (strict) appendUnit(125);
  answerBuilt();
}
