import {
  ERROR_NUMBER,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_STRING,
} from '../../abi';
import { lengthOf, newText, setUnit, unit } from '../../memory/text';
import { multiplyNatural, openNatural } from '../../values/big-natural';
import { closeDecimal } from '../../values/decimal';
import { parseNumber, parsedNumber } from '../../values/typed-number';
import {
  answerError,
  answerNumber,
  answerText,
  argument,
  argumentCount,
  fail,
  failed,
  failure,
  integerArgument,
  integerOr,
  isScalarKind,
  textArgument,
} from '../../vm/call';
import { kindOf } from '../../vm/slot';
import { itemKind, itemNumber, itemWord, nextItem, openScan } from '../../vm/view';
import {
  append,
  newList,
  NumberList,
  numberAt,
  setNumberAt,
  strictNumber,
} from '../shared/number-list';

/** First whole number a double cannot tell from its neighbour. */
const INTEGER_LIMIT: f64 = 9007199254740992;

/** count × (count - step) × … down to above zero, exactly rounded. */
function stepProduct(count: f64, step: u32): f64 {
  openNatural(1);
  for (let factor = <i32>count; factor > 1; factor -= step) multiplyNatural(factor, 0);
  return closeDecimal(0);
}

/** FACT(number): whole part, up to 170. */
export function evaluateFact(): void {
  const count = integerArgument(0);
  if (failed()) return;
  if (count < 0 || count > 170) answerError(ERROR_NUMBER);
  else answerNumber(stepProduct(count, 1));
}

/** FACTDOUBLE(number): every second factor; 1 for -1 and 0. */
export function evaluateFactDouble(): void {
  const count = trunc(strictNumber(0));
  if (failed()) return;
  if (count < -1 || count > 300) answerError(ERROR_NUMBER);
  else answerNumber(stepProduct(count, 2));
}

/** Ways to choose, exact as long as a double can be. */
function combinations(count: f64, chosen: f64): f64 {
  const few = min(chosen, count - chosen);
  if (few > 1100) return exceedsDoubles(count, few);
  let result: f64 = 1;
  for (let index: f64 = 1; index <= few; index++) {
    result = (result * (count - few + index)) / index;
    if (result < INTEGER_LIMIT / 1100) result = nearest(result);
  }
  return result < INTEGER_LIMIT ? nearest(result) : result;
}

/** With over 1,100 chosen of at least twice as many the result is beyond 1E+308. */
function exceedsDoubles(count: f64, few: f64): f64 {
  return count >= few ? Infinity : NaN;
}

export function evaluateCombin(): void {
  const count = integerArgument(0);
  const chosen = integerArgument(1);
  if (failed()) return;
  if (count < 0 || chosen < 0 || count < chosen || count >= 0x7fffffff) answerError(ERROR_NUMBER);
  else answerNumber(combinations(count, chosen));
}

/** COMBINA(number, chosen): with repetitions. */
export function evaluateCombinA(): void {
  const count = integerArgument(0);
  const chosen = integerArgument(1);
  if (failed()) return;
  if (count < 0 || chosen < 0) answerError(ERROR_NUMBER);
  else if (chosen == 0) answerNumber(1);
  else if (count == 0) answerError(ERROR_NUMBER);
  else answerNumber(combinations(count + chosen - 1, chosen));
}

export function evaluatePermut(): void {
  const count = integerArgument(0);
  const chosen = integerArgument(1);
  if (failed()) return;
  if (count < 0 || chosen < 0 || count < chosen) {
    answerError(ERROR_NUMBER);
    return;
  }
  let result: f64 = 1;
  for (let factor = count; factor > count - chosen && result < Infinity; factor--) result *= factor;
  answerNumber(result);
}

/** PERMUTATIONA(number, chosen): number to the power of chosen. */
export function evaluatePermutationA(): void {
  const count = integerArgument(0);
  const chosen = integerArgument(1);
  if (failed()) return;
  if (count < 0 || chosen < 0) answerError(ERROR_NUMBER);
  else answerNumber(Math.pow(count, chosen));
}

/**
 * The whole numbers of all arguments the way old ToolPak functions read them: text must be a
 * number, booleans are refused, and nothing at all is #VALUE!.
 */
function gatherWhole(): NumberList {
  const list = newList();
  for (let index: u32 = 0; index < argumentCount && failure < 0; index++) {
    const slot = argument(index);
    if (isScalarKind(kindOf(slot))) {
      if (kindOf(slot) != KIND_BLANK) append(list, strictNumber(index));
      continue;
    }
    const scan = openScan(slot);
    while (failure < 0 && nextItem(scan)) {
      if (itemKind == KIND_NUMBER) append(list, itemNumber());
      else if (itemKind == KIND_ERROR) fail(itemWord());
      else if (itemKind == KIND_STRING && parseNumber(itemWord())) append(list, parsedNumber);
      else fail(ERROR_VALUE);
    }
  }
  if (list.count == 0) fail(ERROR_VALUE);
  for (let index: u32 = 0; index < list.count; index++) {
    const value = numberAt(list, index);
    if (value < 0 || value >= INTEGER_LIMIT) fail(ERROR_NUMBER);
    setNumberAt(list, index, trunc(value));
  }
  return list;
}

/** MULTINOMIAL(number, …): factorial of the sum over the product of factorials. */
export function evaluateMultinomial(): void {
  const list = gatherWhole();
  if (failed()) return;
  let total: f64 = 0;
  let result: f64 = 1;
  for (let index: u32 = 0; index < list.count; index++) {
    total += numberAt(list, index);
    result *= combinations(total, numberAt(list, index));
  }
  answerNumber(result);
}

function greatestDivisor(left: f64, right: f64): f64 {
  let a = left;
  let b = right;
  while (b != 0) {
    const rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

export function evaluateGcd(): void {
  const list = gatherWhole();
  if (failed()) return;
  let result: f64 = 0;
  for (let index: u32 = 0; index < list.count; index++) {
    result = greatestDivisor(numberAt(list, index), result);
  }
  answerNumber(result);
}

export function evaluateLcm(): void {
  const list = gatherWhole();
  if (failed()) return;
  let result: f64 = 1;
  for (let index: u32 = 0; index < list.count; index++) {
    const value = numberAt(list, index);
    if (value == 0) {
      answerNumber(0);
      return;
    }
    result = (result / greatestDivisor(value, result)) * value;
  }
  if (result >= INTEGER_LIMIT) answerError(ERROR_NUMBER);
  else answerNumber(result);
}

/** BASE(number, radix, [length]) */
export function evaluateBase(): void {
  const value = integerArgument(0);
  const radix = integerArgument(1);
  const length = integerOr(2, 0);
  if (failed()) return;
  if (
    value < 0 ||
    value >= INTEGER_LIMIT ||
    radix < 2 ||
    radix > 36 ||
    length < 0 ||
    length > 255
  ) {
    answerError(ERROR_NUMBER);
    return;
  }
  let count: u32 = 0;
  for (let rest = <u64>value; rest; rest /= <u64>radix) count++;
  count = max(max(count, <u32>length), 1);
  const text = newText(count);
  let rest = <u64>value;
  for (let index = count; index; index--) {
    const digit = <u32>(rest % <u64>radix);
    setUnit(text, index - 1, digit < 10 ? 48 + digit : 55 + digit);
    rest /= <u64>radix;
  }
  answerText(text);
}

/** DECIMAL(text, radix): digits in any case. */
export function evaluateDecimal(): void {
  const text = textArgument(0);
  const radix = integerArgument(1);
  if (failed()) return;
  const length = lengthOf(text);
  if (radix < 2 || radix > 36) {
    answerError(ERROR_NUMBER);
    return;
  }
  if (length > 255) {
    answerError(ERROR_VALUE);
    return;
  }
  let value: f64 = 0;
  let index: u32 = 0;
  while (index < length && unit(text, index) == 32) index++;
  for (; index < length; index++) {
    const code = unit(text, index);
    const letter = (code | 32) - 97;
    const digit = code - 48 < 10 ? code - 48 : letter < 26 ? letter + 10 : 99;
    if (<f64>digit >= radix) {
      answerError(ERROR_NUMBER);
      return;
    }
    value = value * radix + digit;
  }
  answerNumber(value);
}
