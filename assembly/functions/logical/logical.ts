import {
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_STRING,
} from '../../abi';
import {
  answerBoolean,
  argument,
  argumentCount,
  booleanArgument,
  fail,
  failed,
  failure,
  slotBoolean,
} from '../../vm/call';
import { textToBoolean } from '../../values/boolean-text';
import { parseNumber } from '../../values/typed-number';
import { kindOf, wordOf } from '../../vm/slot';
import { itemKind, itemNumber, itemWord, nextItem, openScan } from '../../vm/view';

/** Rows: name, fewest arguments, most, kinds, flags. The row number is the case of callLogical. */
export const LOGICAL: string = `
AND 1 255 +r;
OR 1 255 +r;
XOR 1 255 +r;
NOT 1 1 v;
TRUE 0 0 v;
FALSE 0 0 v;
ISOMITTED 1 1 r;
`;

export function callLogical(index: u32): void {
  switch (index) {
    case 0:
      return evaluateAnd();
    case 1:
      return evaluateOr();
    case 2:
      return evaluateXor();
    case 3:
      return evaluateNot();
    case 4:
      return answerBoolean(true);
    case 5:
      return answerBoolean(false);
    default:
      return answerBoolean(kindOf(argument(0)) == KIND_OMITTED);
  }
}

// How many values the arguments held, and how many of them were true.
let valueCount: u32 = 0;
let trueCount: u32 = 0;

function countValue(isTrue: bool): void {
  valueCount++;
  if (isTrue) trueCount++;
}

/**
 * A text that is given directly counts where it says TRUE or FALSE. A number as text is #VALUE!;
 * other text is passed over.
 */
function countText(text: usize): void {
  const truth = textToBoolean(text);
  if (truth >= 0) countValue(truth > 0);
  else if (parseNumber(text)) fail(ERROR_VALUE);
}

/**
 * Counts the booleans of all arguments: numbers and booleans of ranges and arrays, where texts are
 * passed over; what is given directly is converted. No value at all is #VALUE!. /
 */
function countTruths(): void {
  valueCount = 0;
  trueCount = 0;
  for (let index: u32 = 0; index < argumentCount && failure < 0; index++) {
    const slot = argument(index);
    const kind = kindOf(slot);
    if (kind == KIND_OMITTED || kind == KIND_BLANK) {
      countValue(false);
      continue;
    }
    const scan = openScan(slot);
    while (failure < 0 && nextItem(scan)) {
      if (scan.direct && kind == KIND_STRING) countText(wordOf(slot));
      else if (scan.direct) countValue(slotBoolean(slot));
      else if (itemKind == KIND_NUMBER) countValue(itemNumber() != 0);
      else if (itemKind == KIND_BOOLEAN) countValue(itemWord() != 0);
      else if (itemKind == KIND_ERROR) fail(itemWord());
    }
  }
  if (!valueCount) fail(ERROR_VALUE);
}

/** AND(value, …) */
function evaluateAnd(): void {
  countTruths();
  if (failed()) return;
  answerBoolean(trueCount == valueCount);
}

/** OR(value, …) */
function evaluateOr(): void {
  countTruths();
  if (failed()) return;
  answerBoolean(trueCount > 0);
}

/** XOR(value, …): whether an odd number of values is true. */
function evaluateXor(): void {
  countTruths();
  if (failed()) return;
  answerBoolean((trueCount & 1) == 1);
}

/** NOT(value) */
function evaluateNot(): void {
  const value = booleanArgument(0);
  if (failed()) return;
  answerBoolean(!value);
}
