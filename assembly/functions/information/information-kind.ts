import {
  ERROR_BLOCKED,
  ERROR_CALCULATION,
  ERROR_CIRCULAR,
  ERROR_FIELD,
  ERROR_NOT_AVAILABLE,
  KIND_ARRAY,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_LAMBDA,
  KIND_NUMBER,
  KIND_REFERENCE,
  KIND_STRING,
} from '../../abi';
import {
  columnsOf,
  itemKindOf,
  itemPayloadOf,
  newArray,
  rowsOf,
  setItemAt,
  setItemNumber,
} from '../../vm/array';
import {
  answerArray,
  answerBoolean,
  answerError,
  answerNumber,
  argument,
  failed,
} from '../../vm/call';
import { kindOf, wordOf } from '../../vm/slot';
import { itemKind, itemNumber, itemWord, openView, toArray, viewItem } from '../../vm/view';
import { toolInteger } from '../shared/tool-number';

/** ISBLANK, ISERROR, ISERR, ISNA, ISNUMBER, ISTEXT, ISNONTEXT, ISLOGICAL: tests 0 to 7. */
export function evaluateKindTest(test: u32): void {
  const kind = kindOf(argument(0));
  const isError = kind == KIND_ERROR;
  const isMissing = isError && wordOf(argument(0)) == ERROR_NOT_AVAILABLE;
  let verdict = false;
  if (test == 0) verdict = kind == KIND_BLANK;
  else if (test == 1) verdict = isError;
  else if (test == 2) verdict = isError && !isMissing;
  else if (test == 3) verdict = isMissing;
  else if (test == 4) verdict = kind == KIND_NUMBER;
  else if (test == 5) verdict = kind == KIND_STRING;
  else if (test == 6) verdict = kind != KIND_STRING;
  else verdict = kind == KIND_BOOLEAN;
  answerBoolean(verdict);
}

/** ISREF(value) */
export function evaluateIsRef(): void {
  answerBoolean(kindOf(argument(0)) == KIND_REFERENCE);
}

/** ISEVEN(number): decimals do not count. */
export function evaluateIsEven(): void {
  const value = toolInteger(0);
  if (failed()) return;
  answerBoolean(value % 2 == 0);
}

/** ISODD(number) */
export function evaluateIsOdd(): void {
  const value = toolInteger(0);
  if (failed()) return;
  answerBoolean(value % 2 != 0);
}

/** N(value): of a range the first cell, of an array each item; text is 0. */
export function evaluateN(): void {
  const slot = argument(0);
  if (kindOf(slot) == KIND_ARRAY) {
    const source = toArray(slot);
    const count = rowsOf(source) * columnsOf(source);
    const array = newArray(rowsOf(source), columnsOf(source));
    for (let index: u32 = 0; index < count; index++) {
      const kind = itemKindOf(source, index);
      const payload = itemPayloadOf(source, index);
      if (kind == KIND_NUMBER || kind == KIND_ERROR) setItemAt(array, index, kind, payload);
      else setItemNumber(array, index, kind == KIND_BOOLEAN ? <f64>payload : 0);
    }
    return answerArray(array);
  }
  viewItem(openView(slot), 0, 0);
  if (itemKind == KIND_ERROR) return answerError(itemWord());
  if (itemKind == KIND_NUMBER) return answerNumber(itemNumber());
  answerNumber(itemKind == KIND_BOOLEAN ? itemWord() : 0);
}

/** NA() */
export function evaluateNa(): void {
  answerError(ERROR_NOT_AVAILABLE);
}

/** TYPE(value): 1 number, 2 text, 4 boolean, 16 error, 64 array, 128 lambda. */
export function evaluateType(): void {
  const slot = argument(0);
  if (kindOf(slot) == KIND_LAMBDA) return answerNumber(128);
  const view = openView(slot);
  if (kindOf(slot) == KIND_ARRAY || view.rows > 1 || view.columns > 1) return answerNumber(64);
  viewItem(view, 0, 0);
  if (itemKind == KIND_STRING) answerNumber(2);
  else if (itemKind == KIND_BOOLEAN) answerNumber(4);
  else answerNumber(itemKind == KIND_ERROR ? 16 : 1);
}

/** Excel's number of an error. Its #CONNECT!, 10, and #UNKNOWN!, 12, are never made here. */
function errorType(code: u32): f64 {
  if (code == ERROR_BLOCKED) return 11;
  if (code == ERROR_FIELD) return 13;
  return code == ERROR_CALCULATION ? 14 : code + 1;
}

/** ERROR.TYPE(error): its number; of anything else, and of #CIRC!, which Excel has not, #N/A. */
export function evaluateErrorType(): void {
  const slot = argument(0);
  const known = kindOf(slot) == KIND_ERROR && wordOf(slot) != ERROR_CIRCULAR;
  if (known) answerNumber(errorType(wordOf(slot)));
  else answerError(ERROR_NOT_AVAILABLE);
}
