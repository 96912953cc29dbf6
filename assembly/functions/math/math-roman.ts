import { ERROR_NUMBER, ERROR_VALUE, KIND_BOOLEAN } from '../../abi';
import {
  lengthOf,
  newText,
  setUnit,
  textFrom,
  TEXT_HEADER,
  unit,
  upperUnit,
} from '../../memory/text';
import {
  answerError,
  answerNumber,
  answerText,
  argument,
  failed,
  given,
  integerArgument,
  integerOr,
  textArgument,
} from '../../vm/call';
import { kindOf, wordOf } from '../../vm/slot';

const LETTERS: string = 'MDCLXVI';
const WORTHS: StaticArray<i32> = [1000, 500, 100, 50, 10, 5, 1];

/**
 * ROMAN(number, [form]): forms 0 (classic) to 4 (shortest) let a letter be subtracted from ones
 * further up; TRUE is form 0, FALSE form 4.
 */
export function evaluateRoman(): void {
  const value = integerArgument(0);
  let form = integerOr(1, 0);
  if (failed()) return;
  if (given(1) && kindOf(argument(1)) == KIND_BOOLEAN) form = wordOf(argument(1)) ? 0 : 4;
  if (value < 0 || value > 3999 || form < 0 || form > 4) {
    answerError(ERROR_VALUE);
    return;
  }
  answerText(romanText(<i32>value, <i32>form));
}

/** One decimal place after another; the algorithm of LibreOffice's ScRoman, which follows Excel. */
function romanText(value: i32, form: i32): usize {
  const text = newText(32);
  let length: u32 = 0;
  let rest = value;
  for (let place = 0; place <= 3; place++) {
    const index = 2 * place;
    const digit = rest / WORTHS[index];
    if (digit % 5 == 4) {
      // Subtract the smallest letter the form allows from the next larger one.
      const upper = digit == 4 ? index - 1 : index - 2;
      let lower = index;
      for (let step = 0; step < form && lower < 6; step++) {
        if (WORTHS[upper] - WORTHS[lower + 1] > rest) break;
        lower++;
      }
      setUnit(text, length++, LETTERS.charCodeAt(lower));
      setUnit(text, length++, LETTERS.charCodeAt(upper));
      rest -= WORTHS[upper] - WORTHS[lower];
    } else {
      if (digit > 4) setUnit(text, length++, LETTERS.charCodeAt(index - 1));
      for (let count = digit % 5; count > 0; count--) {
        setUnit(text, length++, LETTERS.charCodeAt(index));
      }
      rest %= WORTHS[index];
    }
  }
  return textFrom(text + TEXT_HEADER, length);
}

function worthOf(code: u32): i32 {
  for (let index = 0; index < 7; index++) {
    if (<u32>LETTERS.charCodeAt(index) == upperUnit(code)) return WORTHS[index];
  }
  return 0;
}

/** ARABIC(text): a letter before a larger one counts negative; the empty text is 0. */
export function evaluateArabic(): void {
  const text = textArgument(0);
  if (failed()) return;
  let start: u32 = 0;
  let end = lengthOf(text);
  while (start < end && unit(text, start) == 32) start++;
  while (end > start && unit(text, end - 1) == 32) end--;
  const negative = start < end && unit(text, start) == 45;
  if (negative) start++;
  let total: i32 = 0;
  let valid = end - start <= 255;
  for (let index = start; index < end && valid; index++) {
    const worth = worthOf(unit(text, index));
    const next = index + 1 < end ? worthOf(unit(text, index + 1)) : 0;
    valid = worth > 0;
    total += worth < next ? -worth : worth;
  }
  if (!valid) answerError(ERROR_VALUE);
  else if (negative && total == 0) answerError(ERROR_NUMBER);
  else answerNumber(negative ? -total : total);
}
