import {
  ERROR_CIRCULAR,
  ERROR_VALUE,
  KIND_BLANK,
  KIND_BOOLEAN,
  KIND_ERROR,
  KIND_NUMBER,
  KIND_OMITTED,
  KIND_STRING,
} from '../abi';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { equalTexts, lengthOf, TEXT_HEADER, textFrom, unit } from '../memory/text';
import { fail } from '../vm/call';
import { kindOf, payloadOf, wordOf } from '../vm/slot';
import { textToBoolean } from './boolean-text';
import { errorText } from './error-text';
import { compareTexts } from './text-order';
import { parseNumber, parsedNumber } from './typed-number';
import { hasWildcard, matchesWildcard } from './wildcard';

const EQUAL: u32 = 0;
const DIFFERENT: u32 = 1;
const LESS: u32 = 2;
const AT_MOST: u32 = 3;
const GREATER: u32 = 4;
const AT_LEAST: u32 = 5;

/** Longest criterion text; SUMIF and its like answer #VALUE! beyond. */
const CRITERION_LENGTH_LIMIT: u32 = 255;

/** A criterion of SUMIF and its like, taken apart once. */
@unmanaged
export class Criterion {
  operator: u32 = 0;
  /**
   * Kind of the operand: a number, text, boolean or error; KIND_BLANK for a lone operator
   * (`=` and `<>`: truly empty or not), KIND_OMITTED for the empty text (blank or "").
   */
  kind: u32 = 0;
  number: f64 = 0;
  /** Text, boolean or error number. */
  word: u32 = 0;
  wildcard: bool = false;
}

/** Takes a scalar argument apart; fails with #VALUE! when its text is too long. */
export function openCriterion(slot: usize): Criterion {
  const criterion = at<Criterion>(scratch(offsetof<Criterion>()));
  const kind = kindOf(slot);
  criterion.operator = EQUAL;
  criterion.wildcard = false;
  criterion.kind = kind;
  criterion.word = wordOf(slot);
  criterion.number = 0;
  if (kind == KIND_STRING) {
    openText(criterion, wordOf(slot));
  } else if (kind == KIND_NUMBER) {
    criterion.number = reinterpret<f64>(payloadOf(slot));
  } else if (kind == KIND_BLANK || kind == KIND_OMITTED) {
    // A criterion that points at an empty cell counts as 0.
    criterion.kind = KIND_NUMBER;
  } else if (kind != KIND_BOOLEAN && kind != KIND_ERROR) {
    fail(ERROR_VALUE);
  }
  return criterion;
}

function openText(criterion: Criterion, text: usize): void {
  const length = lengthOf(text);
  if (length > CRITERION_LENGTH_LIMIT) {
    fail(ERROR_VALUE);
    return;
  }
  if (length == 0) {
    criterion.kind = KIND_OMITTED;
    return;
  }
  const start = readOperator(criterion, text, length);
  if (start == length) {
    criterion.kind = KIND_BLANK;
    return;
  }
  const operand = start
    ? textFrom(text + TEXT_HEADER + ((<usize>start) << 1), length - start)
    : text;
  const truth = textToBoolean(operand);
  const error = unit(operand, 0) == 35 ? errorOfText(operand) : -1;
  if (truth >= 0) {
    criterion.kind = KIND_BOOLEAN;
    criterion.word = <u32>truth;
  } else if (error >= 0) {
    criterion.kind = KIND_ERROR;
    criterion.word = <u32>error;
  } else if (parseNumber(operand)) {
    criterion.kind = KIND_NUMBER;
    criterion.number = parsedNumber;
  } else {
    criterion.kind = KIND_STRING;
    criterion.word = <u32>operand;
    criterion.wildcard = criterion.operator < LESS && hasWildcard(operand);
  }
}

/** Sets the operator and answers how many units it takes. */
function readOperator(criterion: Criterion, text: usize, length: u32): u32 {
  const first = unit(text, 0);
  const second = length > 1 ? unit(text, 1) : 0;
  if (first == 61) return 1;
  if (first == 60) {
    criterion.operator = second == 62 ? DIFFERENT : second == 61 ? AT_MOST : LESS;
    return criterion.operator == LESS ? 1 : 2;
  }
  if (first == 62) {
    criterion.operator = second == 61 ? AT_LEAST : GREATER;
    return criterion.operator == GREATER ? 1 : 2;
  }
  return 0;
}

/** Returns whether a cell's value meets the criterion. */
export function meets(criterion: Criterion, kind: u32, payload: u64): bool {
  const operator = criterion.operator;
  const wanted = criterion.kind;
  if (operator == EQUAL) return equals(criterion, kind, payload);
  if (operator == DIFFERENT) {
    // `<>5` leaves out the number alone: the text "5" differs from it, though it meets `=5`.
    if (wanted == KIND_NUMBER && kind == KIND_STRING) return true;
    return !equals(criterion, kind, payload);
  }
  if (kind != wanted) return false;
  let order: f64 = 0;
  if (wanted == KIND_NUMBER) {
    order = reinterpret<f64>(payload) - criterion.number;
  } else if (wanted == KIND_STRING) {
    order = compareTexts(<usize>payload, criterion.word);
  } else if (wanted == KIND_BOOLEAN) {
    order = <f64>(<i32>payload - <i32>criterion.word);
  } else {
    return false;
  }
  if (operator == LESS) return order < 0;
  if (operator == AT_MOST) return order <= 0;
  if (operator == GREATER) return order > 0;
  return order >= 0;
}

function equals(criterion: Criterion, kind: u32, payload: u64): bool {
  const wanted = criterion.kind;
  if (wanted == KIND_NUMBER) {
    if (kind == KIND_NUMBER) return reinterpret<f64>(payload) == criterion.number;
    // Text that reads as the number counts too: "5" meets 5, "5" and "=5".
    if (kind != KIND_STRING || !parseNumber(<usize>payload)) return false;
    return parsedNumber == criterion.number;
  }
  if (wanted == KIND_STRING) {
    if (kind != KIND_STRING) return false;
    if (criterion.wildcard) return matchesWildcard(criterion.word, <usize>payload);
    return equalTexts(<usize>payload, criterion.word);
  }
  if (wanted == KIND_BLANK) return kind == KIND_BLANK;
  if (wanted == KIND_OMITTED) {
    return kind == KIND_BLANK || (kind == KIND_STRING && lengthOf(<usize>payload) == 0);
  }
  return kind == wanted && <u32>payload == criterion.word;
}

/** The number of the error a text spells, or -1. */
function errorOfText(text: usize): i32 {
  for (let code: u32 = 0; code <= <u32>ERROR_CIRCULAR; code++) {
    if (equalTexts(errorText(code), text)) return <i32>code;
  }
  return -1;
}

/** Returns whether all but one text or boolean meets the criterion. */
export function isDifference(criterion: Criterion): bool {
  return criterion.operator == DIFFERENT && criterion.kind != KIND_NUMBER;
}

/** Makes `<>` an equality, to walk what is equal; returns false, as before, where nobody can. */
export function turnToEqual(criterion: Criterion): bool {
  criterion.operator = EQUAL;
  if (isEquality(criterion) || criterion.wildcard) return true;
  turnToDifferent(criterion);
  return false;
}

export function turnToDifferent(criterion: Criterion): void {
  criterion.operator = DIFFERENT;
}

/** Returns whether texts that a pattern with wildcards matches meet the criterion, and no others. */
export function isPattern(criterion: Criterion): bool {
  return criterion.wildcard && criterion.operator == EQUAL;
}

/** Returns whether numbers below or above a limit meet the criterion, and nothing else. */
export function isNumberOrder(criterion: Criterion): bool {
  return criterion.kind == KIND_NUMBER && criterion.operator >= LESS;
}

/** True for `<` and `<=`. */
export function isUpwardLimit(criterion: Criterion): bool {
  return criterion.operator <= AT_MOST;
}

/** True where the number itself meets the criterion. */
export function isInclusive(criterion: Criterion): bool {
  return criterion.operator == AT_MOST || criterion.operator == AT_LEAST;
}

/**
 * Returns whether only one number, text (in any case) or boolean meets the criterion, so that an
 * index can serve.
 */
export function isEquality(criterion: Criterion): bool {
  if (criterion.operator != EQUAL || criterion.wildcard) return false;
  const kind = criterion.kind;
  return kind == KIND_NUMBER || kind == KIND_STRING || kind == KIND_BOOLEAN;
}
