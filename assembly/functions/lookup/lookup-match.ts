import {
  ERROR_NOT_AVAILABLE,
  ERROR_REFERENCE,
  ERROR_VALUE,
  KIND_ERROR,
  KIND_STRING,
} from '../../abi';
import { lengthOf } from '../../memory/text';
import { hasWildcard } from '../../values/wildcard';
import {
  answer,
  answerError,
  answerNumber,
  argument,
  booleanOr,
  fail,
  failed,
  given,
  integerArgument,
  numberOr,
} from '../../vm/call';
import { kindOf, setSlot, wordOf } from '../../vm/slot';
import { View, itemKind, itemPayload, openSought, viewItem } from '../../vm/view';
import {
  findAscending,
  findDescending,
  findFirst,
  findPattern,
  keyIsText,
  keyText,
  openKey,
  openVector,
} from './lookup-key';

/** Longest text the older lookups take. */
const KEY_LENGTH_LIMIT: u32 = 255;

function openOldKey(): void {
  openKey(argument(0), true);
  if (keyIsText() && lengthOf(keyText()) > KEY_LENGTH_LIMIT) fail(ERROR_VALUE);
}

/** An exact match as VLOOKUP and MATCH make it: texts may have wildcards. */
function findOldExact(): i32 {
  return keyIsText() && hasWildcard(keyText()) ? findPattern(false) : findFirst();
}

/** Answers one item of a view. */
export function answerItem(view: View, row: u32, column: u32): void {
  viewItem(view, row, column);
  setSlot(answer, itemKind, itemPayload);
}

/** A table or vector argument: an error in its place is the answer. */
function openTable(index: u32): View {
  const slot = argument(index);
  if (kindOf(slot) == KIND_ERROR) fail(wordOf(slot));
  return openSought(slot);
}

function lookUpTable(downwards: bool): void {
  openOldKey();
  // A text is no table; other single values are one of one cell.
  if (kindOf(argument(1)) == KIND_STRING) fail(ERROR_VALUE);
  const table = openTable(1);
  const number = integerArgument(2);
  const approximate = booleanOr(3, true);
  const limit = downwards ? table.columns : table.rows;
  if (number < 1) fail(ERROR_VALUE);
  else if (number > <f64>limit) fail(ERROR_REFERENCE);
  if (failed()) return;
  openVector(table, downwards);
  const found = approximate ? findAscending() : findOldExact();
  if (found < 0) return answerError(ERROR_NOT_AVAILABLE);
  if (downwards) answerItem(table, found, <u32>number - 1);
  else answerItem(table, <u32>number - 1, found);
}

/** VLOOKUP(value, table, column, [approximate]) */
export function evaluateVlookup(): void {
  lookUpTable(true);
}

/** HLOOKUP(value, table, row, [approximate]) */
export function evaluateHlookup(): void {
  lookUpTable(false);
}

/** LOOKUP(value, vector, [results]): approximate; a table is searched along its longer side. */
export function evaluateLookup(): void {
  openOldKey();
  const source = openTable(1);
  if (failed()) return;
  const downwards = source.rows >= source.columns;
  openVector(source, downwards);
  const found = findAscending();
  if (found < 0) return answerError(ERROR_NOT_AVAILABLE);
  if (!given(2)) {
    if (downwards) return answerItem(source, found, source.columns - 1);
    return answerItem(source, source.rows - 1, found);
  }
  const results = openTable(2);
  if (results.rows > 1 && results.columns > 1) fail(ERROR_NOT_AVAILABLE);
  if (failed()) return;
  if (results.columns > 1) {
    if (<u32>found >= results.columns) return answerError(ERROR_NOT_AVAILABLE);
    return answerItem(results, 0, found);
  }
  if (<u32>found >= results.rows) return answerError(ERROR_NOT_AVAILABLE);
  answerItem(results, found, 0);
}

/** MATCH(value, vector, [1 | 0 | -1]) */
export function evaluateMatch(): void {
  openOldKey();
  const source = openTable(1);
  const type = numberOr(2, 1);
  if (failed()) return;
  if (source.rows > 1 && source.columns > 1) return answerError(ERROR_NOT_AVAILABLE);
  openVector(source, source.columns == 1);
  let found: i32;
  if (type == 0) found = findOldExact();
  else found = type > 0 ? findAscending() : findDescending();
  if (found < 0) answerError(ERROR_NOT_AVAILABLE);
  else answerNumber(found + 1);
}
